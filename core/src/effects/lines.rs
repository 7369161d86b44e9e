//! Lines of effects, each under a name, in the order of submission.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use super::EffectId;

/// Lines by name. A line that is empty does not exist.
#[derive(Debug)]
pub(super) struct Lines<N> {
    lines: BTreeMap<N, BTreeSet<EffectId>>,
}

impl<N> Default for Lines<N> {
    fn default() -> Self {
        Self { lines: BTreeMap::new() }
    }
}

impl<N: Ord> Lines<N> {
    /// Adds an effect at the end of a line. Returns true when it is the first. Ids grow, so their order is that of
    /// submission.
    pub(super) fn join(&mut self, name: N, id: EffectId) -> bool {
        let line = self.lines.entry(name).or_default();
        line.insert(id);
        line.first() == Some(&id)
    }

    /// Takes an effect out of a line, wherever it stands. Returns the new first, if that has changed.
    pub(super) fn leave<Q: Ord + ?Sized>(&mut self, name: &Q, id: EffectId) -> Option<EffectId>
    where
        N: Borrow<Q>,
    {
        let line = self.lines.get_mut(name)?;
        let was_first = line.first() == Some(&id);
        line.remove(&id);
        if line.is_empty() {
            self.lines.remove(name);
            return None;
        }
        line.first().copied().filter(|_| was_first)
    }

    /// All of a line.
    pub(super) fn iter<Q: Ord + ?Sized>(&self, name: &Q) -> impl Iterator<Item = EffectId>
    where
        N: Borrow<Q>,
    {
        self.lines.get(name).into_iter().flatten().copied()
    }
}
