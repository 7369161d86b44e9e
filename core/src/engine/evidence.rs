//! What reads show, which read showed it, and when two of them agree.

use std::time::Duration;

use crate::time::Time;

/// Which read it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadStamp {
    /// Reads and sends are numbered in the order in which they begin or end, from 1 on: what was read before a send proves
    /// nothing about it.
    pub(crate) number: u64,
    /// When it began.
    pub(crate) begun: Time,
}

/// What a read has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Observed<T> {
    pub(crate) value: T,
    pub(crate) read: ReadStamp,
}

impl<T> Observed<T> {
    pub(crate) fn new(value: T, read: ReadStamp) -> Self {
        Self { value, read }
    }

    /// Whether it was read after number `number`.
    pub(crate) fn is_after(&self, number: u64) -> bool {
        self.read.number > number
    }
}

/// How long a server may take to close the messages of a run that is over. Source: docs/opencode.md, trap 8: 13 s where forty
/// runs are refused at once on a busy machine.
pub(crate) const CLOSED_WITHIN: Duration = Duration::from_secs(15);

/// The longest time from one look to the next in which the server is taken to have been at work.
const STEP_MAX: Duration = Duration::from_secs(5);

/// Looks that agree without a break: reads are not atomic, so one alone proves no absence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Corroboration<T = ()> {
    /// What they are about.
    pub(crate) subject: T,
    first: Time,
    last: Time,
    /// The time from look to look, where a long one counts as [`STEP_MAX`].
    watched: Duration,
}

impl<T> Corroboration<T> {
    /// The first look, which counts from then on.
    pub(crate) fn begin(subject: T, first: Time) -> Self {
        Self {
            subject,
            first,
            last: first,
            watched: Duration::ZERO,
        }
    }

    /// Takes a further look that agrees and began then.
    #[must_use]
    pub(crate) fn with(mut self, begun: Time) -> Self {
        self.watched += begun.since(self.last).min(STEP_MAX);
        self.last = self.last.max(begun);
        self
    }

    /// When the first look was.
    pub(crate) fn since(&self) -> Time {
        self.first
    }

    /// Whether the first look and the newest one lie so far apart.
    pub(crate) fn holds(&self, gap: Duration) -> bool {
        self.last.since(self.first) >= gap
    }

    /// Whether the looks have gone on for longer than a server that is there takes to close a message. A clock that jumps, and a
    /// machine that sleeps, let time pass in which nothing happens.
    pub(crate) fn outlasts_closing(&self) -> bool {
        self.watched >= CLOSED_WITHIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Duration = Duration::from_secs(2);

    #[test]
    fn looks_that_agree_hold_once_they_lie_a_gap_apart() {
        let agreed = Corroboration::begin((), Time(1_000));
        assert!(!agreed.holds(GAP));
        let agreed = agreed.with(Time(2_900));
        assert!(!agreed.holds(GAP));
        let agreed = agreed.with(Time(3_000)).with(Time(2_000));
        assert!(agreed.holds(GAP), "a look that comes late takes nothing back");
        assert_eq!(agreed.since(), Time(1_000));
    }

    #[test]
    fn what_was_read_up_to_a_number_is_not_after_it() {
        let seen = Observed::new(
            (),
            ReadStamp {
                number: 7,
                begun: Time(0),
            },
        );
        assert!(seen.is_after(6) && !seen.is_after(7));
    }
}
