//! What callers submit, and why it is not taken.

use std::fmt;
use std::sync::Arc;

use futures::channel::oneshot;

use crate::model::{EntryId, InvalidReply, MessageId, ModelRef, Outcome, PromptIds, Request, RequestId, SessionId};
use crate::time::Time;

/// Why an answer was not taken. Nothing was sent, and the draft is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerError {
    /// No such request is known.
    Unknown(RequestId),
    /// It does not fit the request.
    Invalid(InvalidReply),
    /// The request has changed since it was shown. Holds the request as it is now: show it, then answer again.
    Changed(Arc<Request>),
    /// Another answer is on its way: this one.
    AlreadySent(String),
    /// The request has ended.
    Ended(Outcome),
    /// The board is closed.
    Closed,
}

impl fmt::Display for AnswerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Unknown(id) => write!(formatter, "no request {id} is known"),
            AnswerError::Invalid(reason) => reason.fmt(formatter),
            AnswerError::Changed(now) => write!(formatter, "request {} has changed since it was shown", now.id),
            AnswerError::AlreadySent(reply) => write!(formatter, "already being sent: {reply}"),
            AnswerError::Ended(_) => formatter.write_str("the request has ended"),
            AnswerError::Closed => formatter.write_str("the board is closed"),
        }
    }
}

impl std::error::Error for AnswerError {}

/// Why a prompt was not taken. Nothing was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptError {
    /// No such session is known.
    UnknownSession(SessionId),
    /// There is no text.
    Empty,
    /// The board is closed.
    Closed,
}

impl fmt::Display for PromptError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PromptError::UnknownSession(id) => write!(formatter, "no session {id} is known"),
            PromptError::Empty => formatter.write_str("a prompt needs a text"),
            PromptError::Closed => formatter.write_str("the board is closed"),
        }
    }
}

impl std::error::Error for PromptError {}

/// Why an answer cannot go as a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RescueError {
    /// No such request is known, or it has not ended.
    NotDead(RequestId),
    /// Permissions are not rescued.
    Permission,
    /// The agent has the answer already.
    Answered(RequestId),
    /// There is no answer to send.
    NoAnswer,
    /// No session is left that could take it.
    NoSession,
    /// It is already on its way.
    AlreadySent,
    /// The board is closed.
    Closed,
}

impl fmt::Display for RescueError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RescueError::NotDead(id) => write!(formatter, "request {id} has not ended, answer it"),
            RescueError::Permission => formatter.write_str("a permission cannot go as a message"),
            RescueError::Answered(id) => write!(formatter, "the agent has the answer to request {id}"),
            RescueError::NoAnswer => formatter.write_str("there is no answer to send yet"),
            RescueError::NoSession => formatter.write_str("no session is left that could take the message"),
            RescueError::AlreadySent => formatter.write_str("the message is already being sent"),
            RescueError::Closed => formatter.write_str("the board is closed"),
        }
    }
}

impl std::error::Error for RescueError {}

/// Who takes a prompt, and with which model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PromptOptions {
    /// The agent. Defaults to that of the session's last prompt: the server itself would take its default agent, and end a
    /// plan by building it.
    pub agent: Option<String>,
    /// The model. Defaults to the session's last.
    pub model: Option<ModelRef>,
}

/// A prompt of which its caller keeps a record: however often it is submitted, it is stored once. One that was refused is sent
/// again.
#[derive(Clone, Debug)]
pub(crate) struct OwnEntry {
    /// The name of the entry.
    pub(crate) entry: EntryId,
    /// The ids under which it is stored; none for new ones.
    pub(crate) ids: Option<PromptIds>,
    /// Since when the server has it, where its caller knows that.
    pub(crate) stored: Option<Time>,
}

impl OwnEntry {
    /// A prompt that has the name of its message.
    pub(crate) fn of(ids: PromptIds) -> Self {
        Self {
            entry: EntryId::from(ids.message.as_str()),
            ids: Some(ids),
            stored: None,
        }
    }

    /// A prompt with new ids.
    pub(crate) fn new(entry: EntryId) -> Self {
        Self {
            entry,
            ids: None,
            stored: None,
        }
    }

    /// A prompt that has the name of its message where the ids are known; else one of this name.
    pub(crate) fn named(ids: Option<PromptIds>, name: &str) -> Self {
        ids.map_or_else(|| Self::new(EntryId::from(name)), Self::of)
    }
}

/// Hears how a prompt has ended, and under which id it is stored.
pub(crate) type PromptReceiver = oneshot::Receiver<(Outcome, MessageId)>;
