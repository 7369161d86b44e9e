//! Ids of effects: a number that grows, and a place that is used again.

/// An effect of one queue. A later effect has a greater id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId {
    pub(super) number: u64,
    pub(super) place: u32,
}

impl EffectId {
    /// Where its values are in a table.
    pub(super) fn place(self) -> usize {
        self.place as usize
    }
}

/// Gives out ids.
#[derive(Debug, Default)]
pub(super) struct Ids {
    numbers: u64,
    places: u32,
    free: Vec<u32>,
}

impl Ids {
    /// A new id, greater than all before. Its place was used by nobody who is still there.
    pub(super) fn give(&mut self) -> EffectId {
        self.numbers += 1;
        let place = self.free.pop().unwrap_or_else(|| {
            self.places += 1;
            self.places - 1
        });
        EffectId {
            number: self.numbers,
            place,
        }
    }

    /// Lets the place of an id be used again.
    pub(super) fn take_back(&mut self, id: EffectId) {
        self.free.push(id.place);
    }

    /// How many ids are in use.
    pub(super) fn given(&self) -> usize {
        self.places as usize - self.free.len()
    }
}
