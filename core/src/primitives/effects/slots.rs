//! Who holds which resource: first in, first out, per resource; all that an effect needs, or nothing.
//!
//! An effect joins the lines of all its resources in one step, and holds them once it is first in each. Why nothing
//! deadlocks: an effect only ever waits for earlier ones, in every line, so no circle of waits can close, and the
//! earliest effect of all is first everywhere. Why nobody starves: nobody overtakes, so the effects that one waits for
//! only get fewer. The price: an effect that is first in one line and not in another keeps the first resource from those
//! behind it, unused.

use std::hash::Hash;

use super::EffectId;
use super::lines::Lines;
use super::table::Table;
use crate::collections::SortedSet;

/// The lines in front of all resources.
#[derive(Debug)]
pub(super) struct Slots<R> {
    lines: Lines<R>,
    seats: Table<Seat<R>>,
}

/// What one effect needs.
#[derive(Debug)]
struct Seat<R> {
    resources: SortedSet<R>,
    /// In how many lines it is not first.
    missing: usize,
}

impl<R> Default for Slots<R> {
    fn default() -> Self {
        Self {
            lines: Lines::default(),
            seats: Table::default(),
        }
    }
}

impl<R: Ord + Hash + Clone> Slots<R> {
    /// Joins all lines at once. Returns true when it holds everything already. Ids must grow from call to call.
    pub(super) fn enter(&mut self, id: EffectId, resources: Vec<R>) -> bool {
        if resources.is_empty() {
            return true;
        }
        let resources: SortedSet<R> = resources.into_iter().collect();
        let missing = resources
            .iter()
            .filter(|resource| !self.lines.join((*resource).clone(), id))
            .count();
        self.seats.insert(id, Seat { resources, missing });
        missing == 0
    }

    /// Leaves all lines. Returns those that hold everything they need from now on.
    pub(super) fn leave(&mut self, id: EffectId) -> Vec<EffectId> {
        let mut holding = Vec::new();
        let Some(seat) = self.seats.remove(id) else {
            return holding;
        };
        for resource in seat.resources.iter() {
            let Some(next) = self.lines.leave(resource, id, |other| self.seats.get(other).is_some()) else {
                continue;
            };
            let seat = self.seats.get_mut(next).expect("whoever stands in a line has a seat");
            seat.missing -= 1;
            if seat.missing == 0 {
                holding.push(next);
            }
        }
        holding
    }

    /// Whether an effect that has entered holds everything it needs.
    pub(super) fn holds(&self, id: EffectId) -> bool {
        self.seats.get(id).is_none_or(|seat| seat.missing == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u32) -> EffectId {
        EffectId {
            number: u64::from(number),
            place: number,
        }
    }

    /// Enters effects in order.
    fn entered(needs: &[&[&'static str]]) -> Slots<&'static str> {
        let mut slots = Slots::default();
        for (number, resources) in (0..).zip(needs) {
            slots.enter(id(number), resources.to_vec());
        }
        slots
    }

    /// Those that hold, of `among`.
    fn holders<const N: usize>(slots: &Slots<&'static str>, among: [u32; N]) -> Vec<u32> {
        among.into_iter().filter(|number| slots.holds(id(*number))).collect()
    }

    /// E3
    #[test]
    fn one_holds_and_the_others_stand_in_line() {
        let mut slots = entered(&[&["preview"], &["preview"], &["preview"]]);
        assert_eq!(holders(&slots, [0, 1, 2]), [0]);
        assert_eq!(slots.leave(id(0)), [id(1)]);
        assert_eq!(slots.leave(id(1)), [id(2)]);
        assert_eq!(slots.leave(id(2)), []);
    }

    /// E3
    #[test]
    fn whoever_needs_nothing_holds_at_once() {
        let mut slots = entered(&[&["preview"]]);
        assert!(slots.enter(id(1), Vec::new()));
        assert!(slots.holds(id(1)));
        assert!(slots.leave(id(1)).is_empty());
    }

    /// E4
    #[test]
    fn several_resources_are_held_together_or_not_at_all() {
        let mut slots = entered(&[&["a"], &["b"], &["a", "b"], &["b"]]);
        assert_eq!(holders(&slots, [0, 1, 2, 3]), [0, 1]);
        assert_eq!(slots.leave(id(0)), []);
        assert_eq!(holders(&slots, [1, 2, 3]), [1]);
        assert_eq!(slots.leave(id(1)), [id(2)]);
        assert_eq!(slots.leave(id(2)), [id(3)]);
    }

    /// E4
    #[test]
    fn needing_the_same_things_in_another_order_does_not_deadlock() {
        let mut slots = entered(&[&["a", "b"], &["b", "a"], &["a", "a", "b"]]);
        assert_eq!(holders(&slots, [0, 1, 2]), [0]);
        assert_eq!(slots.leave(id(0)), [id(1)]);
        assert_eq!(slots.leave(id(1)), [id(2)]);
        assert_eq!(slots.leave(id(2)), []);
    }

    /// E6
    #[test]
    fn leaving_from_the_middle_of_a_line_changes_nothing_for_the_others() {
        let mut slots = entered(&[&["a"], &["a", "b"], &["b"], &["a"]]);
        assert_eq!(slots.leave(id(1)), [id(2)]);
        assert_eq!(holders(&slots, [0, 2, 3]), [0, 2]);
        assert_eq!(slots.leave(id(0)), [id(3)]);
    }
}
