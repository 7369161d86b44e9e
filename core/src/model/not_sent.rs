//! Why a reply or a prompt was not sent. Callers word it; `Display` is for logs.

use std::fmt;

/// The answer of a server that will not take something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The server's words; none when the body had none.
    pub message: Option<String>,
}

/// Why a reply or a prompt was not sent, and is not sent again by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSentReason {
    /// The server will not take it.
    Refused(Refusal),
    /// The request asks something else than when it was answered.
    Changed,
    /// The reply to a permission is older than such a reply may be.
    TooOld,
    /// The age of the reply to a permission is unknown: it was given by another clock.
    AgeUnknown,
    /// *Always* is sent at once or not at all.
    AlwaysDelayed,
    /// The server accepted the prompt several times and never stored it.
    NotStored,
    /// The session was deleted first.
    SessionDeleted,
    /// A text: earlier versions stored nothing else.
    Other(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => write!(formatter, "{message} ({})", self.status),
            None => write!(formatter, "HTTP status {}", self.status),
        }
    }
}

impl fmt::Display for NotSentReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotSentReason::Refused(refusal) => refusal.fmt(formatter),
            NotSentReason::Changed => formatter.write_str("the request has changed since it was answered"),
            NotSentReason::TooOld => formatter.write_str("the reply was given more than 10 minutes ago"),
            NotSentReason::AgeUnknown => {
                formatter.write_str("the age of the reply is unknown: it was given by another clock")
            }
            NotSentReason::AlwaysDelayed => formatter.write_str("“always” is sent at once or not at all"),
            NotSentReason::NotStored => formatter
                .write_str("the server took the message several times and did not store it; is the agent known there?"),
            NotSentReason::SessionDeleted => formatter.write_str("the session was deleted"),
            NotSentReason::Other(text) => formatter.write_str(text),
        }
    }
}
