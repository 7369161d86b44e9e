//! Peeks: lists that are read beside a refresh, at once, because something was asked after it had read them.

use std::time::Duration;

use crate::collections::SortedSet;
use crate::engine::requests::Kind;
use crate::time::Time;

/// So many within the gap between wakes. What is asked beyond that is found by the next refresh.
const PEEKS_MAX: u32 = 4;

/// The peeks of one directory.
#[derive(Debug, Default)]
pub(crate) struct Peeks {
    wanted: SortedSet<Kind>,
    /// When the present count began, and the count.
    since: Option<Time>,
    begun: u32,
}

impl Peeks {
    /// A list is wanted, unless too many were read within `gap`.
    pub(crate) fn want(&mut self, kind: Kind, gap: Duration, now: Time) {
        if self.since.is_none_or(|since| now >= since + gap) {
            self.since = Some(now);
            self.begun = 0;
        }
        if self.begun < PEEKS_MAX {
            self.wanted.insert(kind);
        }
    }

    /// Takes the first wanted list that may be read.
    pub(crate) fn take(&mut self, may_be_read: impl Fn(Kind) -> bool) -> Option<Kind> {
        let kind = self.wanted.iter().copied().find(|kind| may_be_read(*kind))?;
        self.wanted.remove(&kind);
        self.begun += 1;
        Some(kind)
    }

    /// Nothing is wanted any more.
    pub(crate) fn clear(&mut self) {
        self.wanted.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_much_is_asked_there_is_a_bound() {
        let gap = Duration::from_millis(250);
        let mut peeks = Peeks::default();
        let mut read = 0;
        for now in 0..1_000 {
            peeks.want(Kind::Question, gap, Time(now));
            read += u32::from(peeks.take(|_| true).is_some());
        }
        assert_eq!(read, 4 * PEEKS_MAX);
    }

    #[test]
    fn what_cannot_be_read_now_stays_wanted() {
        let mut peeks = Peeks::default();
        peeks.want(Kind::Question, Duration::from_millis(250), Time(0));
        assert_eq!(peeks.take(|_| false), None);
        assert_eq!(peeks.take(|_| true), Some(Kind::Question));
        assert_eq!(peeks.take(|_| true), None);
    }
}
