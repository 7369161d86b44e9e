//! Whether the page has run, or has stood still.

use std::time::Duration;

use crate::time::Time;

/// Two passes of the loop that are further apart have a sleep, or a clock that was set, between them. A refresh is due at
/// least once a minute, and a browser wakes a hidden page as rarely.
const AWAKE_GAP: Duration = Duration::from_secs(90);

/// Since when the loop has run without a break, by the clock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Awake {
    since: Time,
    /// When it last went on after a pause in which the page may have stood still.
    went_on: Time,
    looked: Time,
}

impl Awake {
    /// The loop passes. After a longer pause than `rest` the page may have stood still.
    pub(crate) fn look(&mut self, rest: Duration, now: Time) {
        if now.since(self.looked) > AWAKE_GAP || now < self.looked {
            self.since = now;
        }
        if now.since(self.looked) > rest {
            self.went_on = now;
        }
        self.looked = now;
    }

    /// When the page last went on after it may have stood still, if that was after `since`.
    pub(crate) fn went_on_after(self, since: Time) -> Option<Time> {
        (self.went_on > since).then_some(self.went_on)
    }

    pub(crate) fn has_run_since(self, then: Time, rest: Duration, now: Time) -> bool {
        self.went_on <= then && now.since(self.looked) <= rest
    }

    /// Whether a person could have seen in time that a policy is about to act.
    pub(crate) fn is_for(self, span: Duration, now: Time) -> bool {
        now.since(self.since) >= span
    }
}
