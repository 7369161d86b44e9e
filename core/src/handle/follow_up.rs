//! Follow-up messages: sends into a living session, and resolves with the new reply (requirements F).

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::channel::oneshot;

use crate::driver::Shared;
use crate::engine::waits::follow_up::{FollowUpError, TurnReply};
use crate::model::EntryId;

/// Bytes of a follow-up that are sent at most. Source: requirements F2.
pub const FOLLOW_UP_MAX: usize = 102_400;
/// What stands for the rest.
const CUT: &str = "...[truncated]";

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
/// use switchboard_core::cut;
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
}
