//! Follow-up messages: sends into a living session, and resolves with the new reply (requirements F).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;

use crate::driver::Shared;
use crate::engine::outbox::submit::{PromptError, PromptOptions};
use crate::model::{EntryId, Message, MessageId, SessionId};
use crate::view::Ending;

/// Bytes of a follow-up that are sent at most. Source: requirements F2.
pub const FOLLOW_UP_MAX: usize = 102_400;
/// What stands for the rest.
const CUT: &str = "...[truncated]";

/// How to wait for a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowUpOptions {
    /// How long to wait, from now. Defaults to 30 minutes; none waits as long as it takes.
    pub timeout: Option<Duration>,
    /// Whether the end of the wait, by time-out or [`Canceller::cancel`], stops the agent, too, as [`crate::Handle::abort`]
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
    /// Why that ending was recognised, in words.
    pub reason: String,
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

/// Resolves with the reply to a message. Dropping it ends the wait and disturbs nothing: the message goes on its way.
#[must_use = "a reply that nobody awaits is not watched for"]
pub struct FollowingUp {
    canceller: Option<Canceller>,
    end: Waiting,
}

enum Waiting {
    Over(Option<FollowUpError>),
    For(oneshot::Receiver<Result<TurnReply, FollowUpError>>),
}

/// Ends the wait for a reply.
#[derive(Clone)]
pub struct Canceller {
    shared: Rc<Shared>,
    entry: EntryId,
}

impl FollowingUp {
    pub(crate) fn failed(error: FollowUpError) -> Self {
        Self {
            canceller: None,
            end: Waiting::Over(Some(error)),
        }
    }

    pub(crate) fn new(
        shared: Rc<Shared>,
        entry: EntryId,
        end: oneshot::Receiver<Result<TurnReply, FollowUpError>>,
    ) -> Self {
        Self {
            canceller: Some(Canceller { shared, entry }),
            end: Waiting::For(end),
        }
    }

    /// What ends the wait from elsewhere; none when it has failed already.
    #[must_use]
    pub fn canceller(&self) -> Option<Canceller> {
        self.canceller.clone()
    }
}

impl Canceller {
    /// Ends the wait: it resolves with [`FollowUpError::Cancelled`]. A message that no attempt was made to send is not
    /// sent any more; one whose attempt has begun is brought to a known end. Nothing happens when the wait is over.
    pub fn cancel(&self) {
        let now = self.shared.clock.now();
        self.shared.board.borrow_mut().cancel_reply(&self.entry, now);
        self.shared.ring();
    }
}

impl Future for FollowingUp {
    type Output = Result<TurnReply, FollowUpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.end {
            Waiting::Over(error) => Poll::Ready(Err(error.take().unwrap_or(FollowUpError::Disposed))),
            Waiting::For(end) => end
                .poll_unpin(context)
                .map(|end| end.unwrap_or(Err(FollowUpError::Disposed))),
        }
    }
}

impl fmt::Debug for FollowingUp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FollowingUp")
            .field("canceller", &self.canceller)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Canceller").field(&self.entry).finish()
    }
}

/// A follow-up as it is sent: at most [`FOLLOW_UP_MAX`] bytes of it, cut between two characters, and then a sign that
/// there was more.
///
/// ```
/// use switchboard_core::follow_up::cut;
///
/// assert_eq!(cut("short"), "short");
/// let long = "ä".repeat(60_000);
/// assert!(cut(&long).ends_with("ä...[truncated]"));
/// ```
#[must_use]
pub fn cut(message: &str) -> String {
    if message.len() <= FOLLOW_UP_MAX {
        return message.to_owned();
    }
    let end = message.floor_char_boundary(FOLLOW_UP_MAX);
    format!("{}{CUT}", &message[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F2
    #[test]
    fn a_long_follow_up_is_cut_between_two_characters() {
        let fits = "x".repeat(FOLLOW_UP_MAX);
        assert_eq!(cut(&fits), fits);
        let long = format!("{}äö", "x".repeat(FOLLOW_UP_MAX - 1));
        assert_eq!(cut(&long), format!("{}{CUT}", "x".repeat(FOLLOW_UP_MAX - 1)));
    }

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
