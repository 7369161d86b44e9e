//! Identifiers. Each kind is a type of its own, so that one is never taken for another.

use std::fmt;
use std::sync::Arc;

use crate::time::Time;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps a text that is already known to be such an id.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// The id as the server writes it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self::new(text)
            }
        }
    )*};
}

ids! {
    /// A session of the server, `ses_…`.
    SessionId
    /// A message of a session, `msg_…`.
    MessageId
    /// A part of a message, `prt_…`.
    PartId
    /// A tool call as the model named it. Not unique: one call may ask for two permissions.
    CallId
    /// A question or permission that waits, `que_…` or `per_…`.
    RequestId
    /// One entry of the ledger.
    EntryId
    /// A workflow: random, and a part of the names of all that it sends.
    WorkflowId
    /// An absolute path on the server's machine. Each directory has an instance of its own there.
    Directory
}

impl RequestId {
    /// When the server made this id, milliseconds since the epoch, if it has the server's form: after the prefix come 9
    /// hex digits of the time modulo 2^36 (docs/opencode.md §8). `now` supplies the rest; it may be wrong by a year.
    #[must_use]
    pub fn made(&self, now: Time) -> Option<u64> {
        const WINDOW: u64 = 1 << 36;

        let (_, stamp) = self.as_str().split_once('_')?;
        let low = u64::from_str_radix(stamp.get(..9)?, 16).ok()?;
        let this = now.0 - now.0 % WINDOW + low;
        let candidates = [this.checked_sub(WINDOW), Some(this), this.checked_add(WINDOW)];
        candidates.into_iter().flatten().min_by_key(|made| made.abs_diff(now.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_request_tells_when_it_was_asked() {
        let id = RequestId::from("que_1ffd35eae0015sVzWtxdFLagkY");
        let soon_after = Time(1_795_293_410_000);
        let made = id.made(soon_after).unwrap();
        assert!(made.abs_diff(1_795_293_404_898) < 1_000, "{made}");
        assert_eq!(RequestId::from("que_plugin").made(soon_after), None);
    }
}
