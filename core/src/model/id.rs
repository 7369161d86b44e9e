//! Identifiers. Each kind is a type of its own, so that one is never taken for another.

use std::fmt;
use std::sync::Arc;

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
    /// An absolute path on the server's machine. Each directory has an instance of its own there.
    Directory
}
