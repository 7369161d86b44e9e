//! How far the server's clock is ahead of ours.
//!
//! A stamp that one read shows and the read before it did not was made between the beginning of the earlier read and the
//! end of the later one. That bounds the difference of the clocks from both sides. Until a bound says otherwise the clocks
//! are taken to agree.

use crate::time::Time;

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

    /// A stamp of the server by our clock.
    pub(crate) fn ours(&self, stamp: u64) -> Time {
        Time(stamp.saturating_add_signed(self.ahead().saturating_neg()))
    }

    /// The smallest difference within the bounds, in whole seconds: a view must not change with every millisecond.
    fn ahead(&self) -> i64 {
        0.clamp(self.ahead_min, self.ahead_max) / 1_000 * 1_000
    }
}

/// When the newest read of one list began.
#[derive(Debug, Default)]
pub(crate) struct LastBegun(Option<Time>);

impl LastBegun {
    /// Takes a read that began then. Returns when the one before it began; none when a newer one has come first, from another
    /// tab: what that one does not show may have been and gone.
    pub(crate) fn replace(&mut self, begun: Time) -> Option<Time> {
        let before = self.0;
        self.0 = before.max(Some(begun));
        before.filter(|before| *before <= begun)
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
            // What is as old as it looks, or older, tells nothing more.
            assert!(!clock.observe(made, None, Time(NOW + HOUR)));
        }
    }

    #[test]
    fn a_stamp_from_the_future_is_no_older_than_when_it_was_seen() {
        let mut clock = ServerClock::default();
        assert!(clock.observe(NOW + HOUR, None, Time(NOW)));
        assert_eq!(clock.ours(NOW + HOUR), Time(NOW));
    }

    #[test]
    fn a_list_that_comes_after_a_newer_one_is_not_compared_with_it() {
        let mut last = LastBegun::default();
        assert_eq!(last.replace(Time(5)), None);
        assert_eq!(last.replace(Time(9)), Some(Time(5)));
        assert_eq!(last.replace(Time(7)), None);
        assert_eq!(last.replace(Time(12)), Some(Time(9)));
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
