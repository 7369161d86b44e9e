//! Random numbers from a seed: the same on every run and every machine.

use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

/// A stream of random numbers (SplitMix64). Clones draw from the same stream.
#[derive(Clone, Debug)]
pub struct Random(Rc<Cell<u64>>);

impl Random {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Rc::new(Cell::new(seed)))
    }

    /// Any number.
    #[must_use]
    pub fn number(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.set(state);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`, which is not 0.
    #[must_use]
    pub fn below(&self, limit: u64) -> u64 {
        self.number() % limit
    }

    /// True in `percent` of a hundred cases.
    #[must_use]
    pub fn happens(&self, percent: u64) -> bool {
        percent > 0 && self.below(100) < percent
    }

    /// A span of whole milliseconds in the range; its start when the range is empty.
    #[must_use]
    pub fn span(&self, range: &Range<Duration>) -> Duration {
        let width = range.end.saturating_sub(range.start).as_millis();
        match u64::try_from(width) {
            Ok(width @ 1..) => range.start + Duration::from_millis(self.below(width)),
            Ok(0) | Err(_) => range.start,
        }
    }
}
