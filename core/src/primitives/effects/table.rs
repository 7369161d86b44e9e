//! What belongs to each effect, found by its id in one step.

use super::EffectId;

/// Values by effect. Their places are used again, so it is as large as the most effects there were at once.
#[derive(Debug)]
pub(super) struct Table<V> {
    places: Vec<Option<(EffectId, V)>>,
}

impl<V> Default for Table<V> {
    fn default() -> Self {
        Self { places: Vec::new() }
    }
}

impl<V> Table<V> {
    pub(super) fn insert(&mut self, id: EffectId, value: V) {
        if self.places.len() <= id.place() {
            self.places.resize_with(id.place() + 1, || None);
        }
        self.places[id.place()] = Some((id, value));
    }

    pub(super) fn get(&self, id: EffectId) -> Option<&V> {
        let (of, value) = self.places.get(id.place())?.as_ref()?;
        (*of == id).then_some(value)
    }

    pub(super) fn get_mut(&mut self, id: EffectId) -> Option<&mut V> {
        let (of, value) = self.places.get_mut(id.place())?.as_mut()?;
        (*of == id).then_some(value)
    }

    pub(super) fn remove(&mut self, id: EffectId) -> Option<V> {
        let place = self.places.get_mut(id.place())?;
        place.take_if(|(of, _)| *of == id).map(|(_, value)| value)
    }
}
