//! How long a wait lasts. What is awaited may have come in time: when the time is up it is looked at once more first.

use std::time::Duration;

use crate::engine::waits::awake::Awake;
use crate::time::Time;

/// How long the session of a wait may be unread after its time is up before the wait is given up: the longest pause after reads
/// of one session that have failed, a read that runs out of time, and some more.
pub(crate) const UNREAD_MAX: Duration = Duration::from_secs(75);

/// The time of a wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// How long it may take; none for ever.
    span: Option<Duration>,
    /// From when that counts.
    begun: Time,
    /// Since when a look is wanted because the time is up.
    late: Option<Time>,
    /// How long the look may take.
    grace: Duration,
}

/// What is to be done by a wait whose time is up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// It is looked at once more.
    Look,
    /// It could not be looked at, and is given up.
    GiveUp,
}

impl Patience {
    pub(crate) fn new(span: Option<Duration>, begun: Time, grace: Duration) -> Self {
        Self {
            span,
            begun,
            late: None,
            grace,
        }
    }

    /// When the time is up.
    pub(crate) fn deadline(self) -> Option<Time> {
        self.span.map(|span| self.begun + span)
    }

    pub(crate) fn is_late(self) -> bool {
        self.late.is_some()
    }

    /// The whole time again, from now.
    pub(crate) fn begin_again(&mut self, now: Time) {
        (self.begun, self.late) = (now, None);
    }

    /// Nothing can be looked at: that takes nothing from the time for the look.
    pub(crate) fn observe_outage(&mut self, now: Time) {
        self.late = self.late.map(|_| now);
    }

    /// When the time is up, and then when the look has taken too long. A page that stood still begins to look when it goes on.
    pub(crate) fn next_deadline(self, awake: Awake) -> Option<Time> {
        let Some(late) = self.late else {
            return self.deadline();
        };
        Some(awake.went_on_after(late).unwrap_or(late) + self.grace)
    }

    /// Does what is due by now.
    pub(crate) fn handle_deadline(&mut self, awake: Awake, now: Time) -> Option<Late> {
        let is_due = self.next_deadline(awake).is_some_and(|due| due <= now);
        is_due.then(|| match self.late.replace(now) {
            None => Late::Look,
            Some(_) => Late::GiveUp,
        })
    }
}
