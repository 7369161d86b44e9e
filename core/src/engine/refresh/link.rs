//! How the server can be reached, over all scopes.

use crate::ports::{Fetched, ReadError};
use crate::time::Time;
use crate::view;

/// Failures in a row that a person is not bothered with.
pub(crate) const FAILURES_HIDDEN: u32 = 1;

/// How the server can be reached, over all scopes.
#[derive(Debug, Default)]
pub(crate) struct Link {
    pub(crate) version: Option<String>,
    pub(crate) last_success: Option<Time>,
    /// When a read last failed: the server may have been restarted.
    last_failure: Option<Time>,
    /// When the server last let this board in.
    let_in: Option<Time>,
    failing: Option<Failing>,
    pub(crate) password: bool,
    /// The newest read or send when a password was last given.
    password_given: u64,
}

/// Reads that fail.
#[derive(Debug)]
struct Failing {
    /// When the first of them did.
    since: Time,
    /// How many in a row, over all scopes.
    count: u32,
    /// Why the last one did.
    error: ReadError,
}

impl Link {
    /// Whether so many reads have failed in a row that it is said.
    pub(crate) fn is_failing(&self) -> bool {
        self.failing
            .as_ref()
            .is_some_and(|failing| failing.count > FAILURES_HIDDEN)
    }

    /// When a read last failed.
    pub(crate) fn last_failure(&self) -> Option<Time> {
        self.last_failure
    }

    /// What is said of it.
    pub(crate) fn show(&self) -> view::Link {
        let failing = self.failing.as_ref().filter(|failing| failing.count > FAILURES_HIDDEN);
        match (self.last_success, failing) {
            _ if self.password => view::Link::Password,
            (Some(since), Some(Failing { error, .. })) if !matches!(error, ReadError::Unreachable(_)) => {
                view::Link::Stale {
                    since,
                    error: error.clone(),
                }
            }
            (last, Some(failing)) => view::Link::Offline {
                since: last.unwrap_or(failing.since),
                error: failing.error.clone(),
            },
            (None, None) => view::Link::Connecting,
            (Some(_), None) => view::Link::Live,
        }
    }

    /// A password was given. What was sent and read before, numbered up to `number`, went with another one.
    pub(crate) fn forget_password(&mut self, number: u64) {
        self.password = false;
        if let Some(failing) = &mut self.failing {
            failing.count = 0;
        }
        self.password_given = number;
    }

    /// The server wants a password for what was begun as `number`.
    pub(crate) fn handle_unauthorized(&mut self, number: u64) {
        self.password |= number > self.password_given;
    }

    /// Whether what was turned away at that time for want of a password may be tried again: reads get through since.
    pub(crate) fn lets_in(&self, turned_away: Time) -> bool {
        !self.password && self.let_in.is_some_and(|last| last > turned_away)
    }

    /// Another tab has read something. Whether the server lets this one in, too, that does not tell: each has a password of
    /// its own. Returns true when something that is shown has changed.
    pub(crate) fn observe_shown(&mut self, now: Time) -> bool {
        self.take_success(now)
    }

    /// Something was read. Returns true when something that is shown has changed.
    fn take_success(&mut self, now: Time) -> bool {
        let has_failed = self.failing.take().is_some_and(|failing| failing.count > 0);
        let changed = has_failed || self.last_success.is_none();
        self.last_success = Some(now);
        changed
    }

    /// Takes the result of a read. Returns true when something that is shown has changed.
    pub(crate) fn observe(&mut self, number: u64, result: &Result<Fetched, ReadError>, now: Time) -> bool {
        match result {
            Ok(_) | Err(ReadError::NotFound(_) | ReadError::Refused { .. }) => {
                self.let_in = Some(now);
                let was_locked_out = std::mem::take(&mut self.password);
                self.take_success(now) || was_locked_out
            }
            Err(error) => {
                self.last_failure = Some(now);
                let failing = self.failing.take();
                self.failing = Some(Failing {
                    since: failing.as_ref().map_or(now, |failing| failing.since),
                    count: failing.map_or(0, |failing| failing.count) + 1,
                    error: error.clone(),
                });
                if *error == ReadError::Unauthorized {
                    self.handle_unauthorized(number);
                }
                true
            }
        }
    }
}
