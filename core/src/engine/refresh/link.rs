//! How the server can be reached, over all scopes.

use crate::ports::{Fetched, ReadError};
use crate::time::Time;

/// How the server can be reached, over all scopes.
#[derive(Debug, Default)]
pub(crate) struct Link {
    pub(crate) version: Option<String>,
    pub(crate) last_success: Option<Time>,
    pub(crate) failing_since: Option<Time>,
    /// Failures in a row, over all scopes.
    pub(crate) failures: u32,
    pub(crate) error: Option<ReadError>,
    pub(crate) password: bool,
    /// The newest read or send when a password was last given.
    password_given: u64,
}

impl Link {
    /// A password was given. What was sent and read before, numbered up to `number`, went with another one.
    pub(crate) fn forget_password(&mut self, number: u64) {
        self.password = false;
        self.failures = 0;
        self.password_given = number;
    }

    /// The server wants a password for what was begun as `number`.
    pub(crate) fn handle_unauthorized(&mut self, number: u64) {
        self.password |= number > self.password_given;
    }

    /// Whether what was turned away at that time for want of a password may be tried again: reads get through since.
    pub(crate) fn lets_in(&self, turned_away: Time) -> bool {
        !self.password && self.last_success.is_some_and(|last| last > turned_away)
    }

    /// Takes the result of a read. Returns true when something that is shown has changed.
    pub(crate) fn observe(&mut self, number: u64, result: &Result<Fetched, ReadError>, now: Time) -> bool {
        match result {
            Ok(_) | Err(ReadError::NotFound(_) | ReadError::Refused { .. }) => {
                let changed = self.failures > 0 || self.password || self.last_success.is_none();
                self.last_success = Some(now);
                self.failing_since = None;
                self.failures = 0;
                self.error = None;
                self.password = false;
                changed
            }
            Err(error) => {
                self.failures += 1;
                self.failing_since.get_or_insert(now);
                if *error == ReadError::Unauthorized {
                    self.handle_unauthorized(number);
                }
                self.error = Some(error.clone());
                true
            }
        }
    }
}
