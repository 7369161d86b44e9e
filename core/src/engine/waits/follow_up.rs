//! What a follow-up asks for, and what comes of it (requirements F).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::outbox::submission::{PromptError, PromptOptions};
use crate::model::{Message, MessageId, SessionId};
use crate::view::{EndReason, Ending};

/// How to wait for a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowUpOptions {
    /// How long to wait, from now. Defaults to 30 minutes; none waits as long as it takes. When the time is up the session is read
    /// once more, since the reply may have come in time: the wait ends with that read, or 10 s later where it fails.
    pub timeout: Option<Duration>,
    /// Whether the end of the wait, by time-out or [`Canceller::cancel`](crate::Canceller::cancel), stops the agent, too, as [`crate::Handle::abort`]
    /// does. Nothing is stopped when the message was not sent: what runs then is another's. Defaults to `false`.
    pub stop: bool,
    /// Who takes the message, and with which model.
    pub prompt: PromptOptions,
}

impl Default for FollowUpOptions {
    fn default() -> Self {
        Self {
            timeout: Some(Duration::from_secs(1_800)),
            stop: false,
            prompt: PromptOptions::default(),
        }
    }
}

/// What a session replied to a message.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnReply {
    /// The session.
    pub session: SessionId,
    /// The message that it replies to.
    pub message: MessageId,
    /// How the run ended that covers the message. [`Ending::NotStarted`] when none did.
    pub ending: Ending,
    /// Why that ending was recognised.
    pub reason: EndReason,
    /// The last text of the reply, else what its tools did, else that there is none.
    pub text: String,
    /// All assistant messages after the message, in order.
    pub messages: Vec<Arc<Message>>,
}

impl TurnReply {
    /// What the reply cost, in dollars.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.messages.iter().filter_map(|message| message.cost).sum()
    }

    /// The tokens that the model has read and written for the reply: the sum over its steps.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.messages.iter().filter_map(|message| message.context_tokens).sum()
    }
}

/// Whether a message has reached the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasSent {
    /// The server has it, or will have it.
    Yes,
    /// It was not sent, and will not be.
    No,
    /// It is being sent; the ledger brings it to a known end.
    Unknown,
}

impl fmt::Display for WasSent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            WasSent::Yes => "yes",
            WasSent::No => "no",
            WasSent::Unknown => "unknown",
        })
    }
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FollowUpError {
    /// The server has not been reached yet. Nothing was sent.
    NotConnected,
    /// The message was not taken. Nothing was sent.
    NotTaken(PromptError),
    /// The server will not take the message; in its words.
    Refused(String),
    /// The session is gone.
    SessionGone,
    /// The caller wants no reply any more.
    Cancelled {
        /// Whether the message has reached the server.
        sent: WasSent,
    },
    /// It took too long.
    TimedOut {
        /// Whether the message has reached the server.
        sent: WasSent,
        /// What the agent has said so far; empty when it has said nothing.
        text: String,
    },
    /// The board was closed. An unfinished send is in the ledger.
    Disposed,
}

impl fmt::Display for FollowUpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FollowUpError::NotConnected => formatter.write_str("OpenCode client not initialized"),
            FollowUpError::NotTaken(reason) => reason.fmt(formatter),
            FollowUpError::Refused(reason) => write!(formatter, "the server refused the message: {reason}"),
            FollowUpError::SessionGone => formatter.write_str("the session is gone"),
            FollowUpError::Cancelled { sent } => write!(formatter, "cancelled (sent: {sent})"),
            FollowUpError::TimedOut { sent, .. } => write!(formatter, "no reply in time (sent: {sent})"),
            FollowUpError::Disposed => formatter.write_str("OpenCode service disposed - cannot send follow-up"),
        }
    }
}

impl std::error::Error for FollowUpError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// F3
    #[test]
    fn the_errors_of_a_board_that_is_not_there_are_the_words_callers_know() {
        assert_eq!(
            FollowUpError::Disposed.to_string(),
            "OpenCode service disposed - cannot send follow-up"
        );
        assert_eq!(
            FollowUpError::NotConnected.to_string(),
            "OpenCode client not initialized"
        );
    }
}
