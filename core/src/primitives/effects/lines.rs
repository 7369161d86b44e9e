//! Lines of effects, each under a name, in the order of submission.
//!
//! Whoever leaves from the middle of a line leaves a gap, as closing it would move all the others. Gaps are dropped when
//! they come to the front, and all at once when they are more than half of a line; so every step costs the same, in the
//! long run, however long the line is.

use std::borrow::Borrow;
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

use super::EffectId;
use crate::collections::FixedHash;

/// Lines by name. A line that is empty does not exist.
#[derive(Debug)]
pub(super) struct Lines<N> {
    lines: HashMap<N, Line, FixedHash>,
}

/// One line. Its front is never a gap.
#[derive(Debug, Default)]
struct Line {
    ids: VecDeque<EffectId>,
    gaps: usize,
}

impl<N> Default for Lines<N> {
    fn default() -> Self {
        Self {
            lines: HashMap::default(),
        }
    }
}

impl<N: Hash + Eq> Lines<N> {
    /// Adds an effect at the end of a line. Returns true when it is the first.
    pub(super) fn join(&mut self, name: N, id: EffectId) -> bool {
        let line = self.lines.entry(name).or_default();
        line.ids.push_back(id);
        line.ids.len() == 1
    }

    /// Takes an effect out of a line, wherever it stands. `is_here` says who stands in the lines, without it. Returns the
    /// new first, if that has changed.
    pub(super) fn leave<Q: Hash + Eq + ?Sized>(
        &mut self,
        name: &Q,
        id: EffectId,
        is_here: impl Fn(EffectId) -> bool,
    ) -> Option<EffectId>
    where
        N: Borrow<Q>,
    {
        let line = self.lines.get_mut(name)?;
        line.gaps += 1;
        if line.gaps == line.ids.len() {
            self.lines.remove(name);
            return None;
        }
        if line.ids.front() == Some(&id) {
            return line.drop_front(is_here);
        }
        if line.gaps * 2 > line.ids.len() {
            line.ids.retain(|id| is_here(*id));
            line.gaps = 0;
        }
        None
    }

    /// All of a line, and perhaps some who have left.
    pub(super) fn iter<Q: Hash + Eq + ?Sized>(&self, name: &Q) -> impl Iterator<Item = EffectId>
    where
        N: Borrow<Q>,
    {
        self.lines.get(name).into_iter().flat_map(|line| &line.ids).copied()
    }
}

impl Line {
    /// Drops the gaps at the front, and returns who is there.
    fn drop_front(&mut self, is_here: impl Fn(EffectId) -> bool) -> Option<EffectId> {
        while let Some(front) = self.ids.front().copied() {
            if is_here(front) {
                return Some(front);
            }
            self.ids.pop_front();
            self.gaps -= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Seed;

    /// E3
    #[test]
    fn a_line_keeps_its_order_however_its_members_leave() {
        for seed in 0..50 {
            let mut random = Seed::new(seed);
            let mut below = |limit: usize| usize::try_from(random.next()).unwrap() % limit;
            let (mut lines, mut expected) = (Lines::default(), Vec::new());
            for number in 0..200 {
                let id = EffectId {
                    number,
                    place: u32::try_from(number).unwrap(),
                };
                assert_eq!(lines.join("slot", id), expected.is_empty());
                expected.push(id);
                while below(3) == 0 && !expected.is_empty() {
                    let place = below(expected.len());
                    let gone = expected.remove(place);
                    let first = lines.leave("slot", gone, |id| expected.contains(&id));
                    assert_eq!(first, expected.first().copied().filter(|_| place == 0));
                }
                let here = lines.iter("slot").filter(|id| expected.contains(id));
                assert_eq!(here.collect::<Vec<_>>(), expected);
                let gaps = lines.iter("slot").count() - expected.len();
                assert!(gaps <= expected.len() + 1, "{gaps} gaps among {}", expected.len());
            }
        }
    }
}
