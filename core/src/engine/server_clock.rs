//! How far the server's clock is ahead of ours.
//!
//! A stamp that one read shows and the read before it did not was made between the beginning of the earlier read and the
//! end of the later one. That bounds the difference of the clocks from both sides. Until a bound says otherwise the clocks
//! are taken to agree.

use std::time::Duration;

use crate::time::Time;

/// A clock is not taken to be further ahead because of one doubtful stamp, milliseconds: no list looks back further.
const FAR_AHEAD: i64 = 24 * 60 * 60 * 1_000;

/// What is known of the server's clock.
#[derive(Debug)]
pub(crate) struct ServerClock {
    /// The least by which it is ahead of ours, in milliseconds.
    ahead_min: i64,
    /// The most.
    ahead_max: i64,
}

impl Default for ServerClock {
    fn default() -> Self {
        Self {
            ahead_min: i64::MIN,
            ahead_max: i64::MAX,
        }
    }
}

impl ServerClock {
    /// Takes a stamp of the server, milliseconds since the epoch, made between two points of our time. Without `after` it
    /// may be of any age. True when times now read differently.
    pub(crate) fn observe(&mut self, stamp: u64, after: Option<Time>, by: Time) -> bool {
        let before = self.ahead();
        let min = difference(stamp, by);
        let max = after.map(|after| difference(stamp, after).max(min));
        let both = (self.ahead_min.max(min), self.ahead_max.min(max.unwrap_or(i64::MAX)));
        // Bounds that contradict each other: one of the clocks was set meanwhile.
        (self.ahead_min, self.ahead_max) = if both.0 <= both.1 {
            both
        } else {
            (min, max.unwrap_or(min))
        };
        before != self.ahead()
    }

    /// Takes a stamp that may be of another clock. It counts as long as it contradicts nothing that is known.
    pub(crate) fn observe_doubtful(&mut self, stamp: u64, after: Time, by: Time) -> bool {
        let min = difference(stamp, by);
        let max = difference(stamp, after).max(min);
        let agrees = min <= self.ahead_max && max >= self.ahead_min;
        agrees && min <= FAR_AHEAD && self.observe(stamp, Some(after), by)
    }

    /// Whether it is known how far the clock is ahead: it is bounded on both sides.
    pub(crate) fn is_known(&self) -> bool {
        self.ahead_max != i64::MAX
    }

    /// A stamp of the server by our clock.
    pub(crate) fn ours(&self, stamp: u64) -> Time {
        Time(stamp.saturating_add_signed(self.ahead().saturating_neg()))
    }

    /// A point of our time by the server's clock, milliseconds since the epoch.
    pub(crate) fn theirs(&self, ours: Time) -> u64 {
        ours.0.saturating_add_signed(self.ahead())
    }

    /// Whether a stamp of the server was certainly made by a point of our time: whatever was read before it was.
    pub(crate) fn was_made_by(&self, stamp: u64, by: Time) -> bool {
        difference(stamp, by) <= self.ahead_min
    }

    /// The smallest difference within the bounds, in whole seconds: a view must not change with every millisecond.
    fn ahead(&self) -> i64 {
        0.clamp(self.ahead_min, self.ahead_max) / 1_000 * 1_000
    }
}

/// The newest read of one list.
#[derive(Debug, Default)]
pub(crate) struct LastList(Option<Earlier>);

/// A read of a list that came before another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Earlier {
    begun: Time,
    /// It shows what has this stamp or a later one, server clock.
    since: u64,
}

impl LastList {
    /// Takes a read that began then, of what has such a stamp or a later one; `None` is everything. Returns the one before it;
    /// none when a newer one has come first, from another tab: what that one does not show may have been and gone.
    pub(crate) fn replace(&mut self, begun: Time, since: Option<u64>) -> Option<Earlier> {
        let before = self.0;
        let since = since.unwrap_or(0);
        if !self.is_newest(begun) {
            return None;
        }
        self.0 = Some(Earlier { begun, since });
        before
    }

    /// The newest read.
    pub(crate) fn newest(&self) -> Option<Earlier> {
        self.0
    }

    /// Whether no later read is known than one that began then.
    pub(crate) fn is_newest(&self, begun: Time) -> bool {
        self.0.is_none_or(|last| last.begun <= begun)
    }
}

impl Earlier {
    /// After when something was made that has this stamp and that this read did not show; none where it may be of any age.
    pub(crate) fn made_after(&self, stamp: u64) -> Option<Time> {
        (stamp >= self.since).then_some(self.begun)
    }

    /// When this read began.
    pub(crate) fn begun(&self) -> Time {
        self.begun
    }

    /// Whether this read began so long ago, or longer.
    pub(crate) fn was_longer_ago_than(&self, span: Duration, now: Time) -> bool {
        now.since(self.begun) >= span
    }
}

fn difference(stamp: u64, ours: Time) -> i64 {
    let difference = i128::from(stamp) - i128::from(ours.0);
    i64::try_from(difference).unwrap_or(if difference < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000;
    const NOW: u64 = 1_000 * HOUR;

    /// Shown by a read that ended now, not by one that began 2 s ago.
    fn observe_new(clock: &mut ServerClock, stamp: u64, now: u64) -> bool {
        clock.observe(stamp, Some(Time(now - 2_000)), Time(now))
    }

    #[test]
    fn clocks_agree_until_a_stamp_says_otherwise() {
        let mut clock = ServerClock::default();
        assert_eq!(clock.ours(NOW), Time(NOW));
        assert!(!clock.observe(NOW - HOUR, None, Time(NOW)), "it is an hour old");
        assert!(!observe_new(&mut clock, NOW - 1_000, NOW));
        assert_eq!(clock.ours(NOW), Time(NOW));
    }

    #[test]
    fn a_new_stamp_tells_how_far_ahead_or_behind_the_server_is() {
        for made in [NOW + HOUR, NOW - HOUR] {
            let mut clock = ServerClock::default();
            assert!(observe_new(&mut clock, made, NOW));
            let ours = clock.ours(made);
            assert!((NOW - 2_000..=NOW).contains(&ours.0), "{ours:?}");
            assert_eq!(clock.theirs(ours), made);
            // What is as old as it looks, or older, tells nothing more.
            assert!(!clock.observe(made, None, Time(NOW + HOUR)));
        }
    }

    #[test]
    fn a_stamp_is_placed_before_a_point_of_ours_only_where_that_is_certain() {
        for ahead in [0, HOUR] {
            let mut clock = ServerClock::default();
            assert!(!clock.was_made_by(NOW + ahead, Time(NOW)), "nothing is known");
            clock.observe(NOW + ahead - 500, None, Time(NOW));
            assert!(
                clock.was_made_by(NOW + ahead - 500, Time(NOW)),
                "it was made before the read ended"
            );
            assert!(!clock.was_made_by(NOW + ahead - 499, Time(NOW)));
        }
    }

    #[test]
    fn a_doubtful_stamp_contradicts_nothing() {
        for made in [NOW + HOUR, NOW - HOUR] {
            let mut clock = ServerClock::default();
            assert!(!clock.is_known());
            assert!(clock.observe_doubtful(made, Time(NOW - 2_000), Time(NOW)));
            assert!(clock.is_known());
            assert!(!clock.observe_doubtful(NOW, Time(NOW - 2_000), Time(NOW)));
            assert_eq!(clock.theirs(clock.ours(made)), made);
        }
        assert!(!ServerClock::default().observe_doubtful(NOW + 25 * HOUR, Time(NOW - 2_000), Time(NOW)));
    }

    #[test]
    fn a_stamp_from_the_future_is_no_older_than_when_it_was_seen() {
        let mut clock = ServerClock::default();
        assert!(clock.observe(NOW + HOUR, None, Time(NOW)));
        assert_eq!(clock.ours(NOW + HOUR), Time(NOW));
    }

    #[test]
    fn a_list_is_compared_with_the_one_before_it_as_far_as_that_one_went() {
        let mut last = LastList::default();
        assert_eq!(last.replace(Time(5), None), None);
        let before = last.replace(Time(9), Some(7)).unwrap();
        assert_eq!(before.made_after(0), Some(Time(5)));
        assert_eq!(last.replace(Time(7), None), None, "a newer one has come first");
        let before = last.replace(Time(12), None).unwrap();
        assert_eq!((before.made_after(7), before.made_after(6)), (Some(Time(9)), None));
    }

    #[test]
    fn a_clock_that_was_set_is_followed() {
        let mut clock = ServerClock::default();
        observe_new(&mut clock, NOW + HOUR, NOW);
        for (made, now) in [(NOW + 20_000, NOW + 20_000), (NOW + 3 * HOUR, NOW + 40_000)] {
            assert!(observe_new(&mut clock, made, now));
            let ours = clock.ours(made);
            assert!((now - 2_000..=now).contains(&ours.0), "{ours:?}");
        }
    }

    #[test]
    fn a_server_that_drifts_ahead_stays_behind() {
        let mut clock = ServerClock::default();
        observe_new(&mut clock, NOW - HOUR, NOW);
        let drifted = NOW - HOUR + 3_000;
        clock.observe(drifted, None, Time(NOW));
        assert_eq!(clock.ours(drifted), Time(NOW));
    }

    #[test]
    fn any_stamp_is_taken_without_overflow() {
        let mut clock = ServerClock::default();
        for stamp in [0, u64::MAX, NOW] {
            clock.observe(stamp, Some(Time(0)), Time(u64::MAX));
            clock.observe(stamp, None, Time(0));
            assert!(clock.ours(stamp) <= Time(u64::MAX));
        }
    }
}
