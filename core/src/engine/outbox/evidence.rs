//! What a decision about an entry rests on.

use crate::model::{Answers, Attempt, Message, NotSentReason, Outcome, ToolStatus};

/// The attempts of an entry, as far as they matter for a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attempts<'a> {
    /// What came of the last one; none when none has begun.
    pub(crate) last: Option<&'a Attempt>,
    /// Whether there was one before it, which may have taken effect.
    pub(crate) earlier: bool,
}

impl<'a> From<Option<&'a Attempt>> for Attempts<'a> {
    fn from(last: Option<&'a Attempt>) -> Self {
        Self { last, earlier: false }
    }
}

impl Attempts<'_> {
    /// True when the server has certainly not acted on any of them. A 404 does not say so: a proxy may have delivered the
    /// call twice, and returned the second answer.
    pub(super) fn had_no_effect(self) -> bool {
        let was_turned_down = |last: &Attempt| match last {
            Attempt::Refused(_) | Attempt::Unauthorized => true,
            Attempt::Accepted | Attempt::NotFound | Attempt::InDoubt(_) => false,
        };
        !self.earlier && self.last.is_none_or(was_turned_down)
    }
}

/// What a refresh shows of the thing that an entry is about. Only refreshes begun after the last attempt count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Evidence {
    /// The tool part.
    pub(crate) part: PartState,
    /// Whether the server lists the request; unknown when the list could not be read.
    pub(crate) listed: Option<bool>,
    /// Whether the session is in the status map; unknown when the map could not be read.
    pub(crate) running: Option<bool>,
    /// The part and the status were read so long after our last attempt, and after the request was first seen to have left the
    /// list, that they would show a stop from before.
    pub(crate) outlasts: bool,
    /// Two refreshes, begun far enough apart, agree that it is not listed.
    pub(crate) absent: bool,
    /// The same call has asked for something else since: one thing after the other.
    pub(crate) asked_again: bool,
    /// Two refreshes, begun far enough apart, agree that nobody waits for it any more (requirements R14).
    pub(crate) forgotten: bool,
    /// Two refreshes, begun far enough apart, agree that a permission without a call is listed although its session does not
    /// run (requirements R23).
    pub(crate) orphaned: bool,
    /// Two refreshes, begun far enough apart, agree that it is not listed, and the message in which it was asked is in no page.
    pub(crate) untraced: bool,
}

/// What a tool part shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartState {
    /// It was not read.
    Unread,
    /// It waits or works.
    Running,
    /// It has a result, with the answers that were taken where the part tells them.
    Completed(Option<Answers>),
    /// It ended with this error.
    Error(String),
    /// Its message is no longer there, or no longer contains it.
    Vanished,
    /// Its session is no longer there.
    SessionGone,
}

/// What to do about an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// It is over.
    End(Outcome),
    /// Begin an attempt.
    Send,
    /// Do nothing; a later refresh decides.
    Wait,
    /// Do nothing until the server has been given a password.
    Hold,
    /// The server will not take it: tell the person.
    Refused(NotSentReason),
}

impl PartState {
    /// What a message shows of a call.
    pub(crate) fn of_call(message: &Message, call: &str) -> Self {
        let tool = message
            .tools()
            .map(|(_, tool)| tool)
            .find(|tool| tool.call.as_ref().is_some_and(|id| id.as_str() == call));
        // A part that is not there is no proof of anything.
        let Some(tool) = tool else { return PartState::Unread };
        match tool.status {
            ToolStatus::Completed => PartState::Completed(tool.answers.clone()),
            ToolStatus::Error => PartState::Error(tool.error.clone().unwrap_or_default()),
            ToolStatus::Pending | ToolStatus::Running | ToolStatus::Other(_) => PartState::Running,
        }
    }

    /// The state of a request that was asked in this message without a call: the message goes on for as long as that waits.
    pub(crate) fn of_asker(message: &Message) -> Self {
        match &message.error {
            Some(error) => PartState::Error(format!("{}: {}", error.name, error.message)),
            None if message.completed.is_some() => PartState::Completed(None),
            None => PartState::Running,
        }
    }

    /// True when the part cannot change any more.
    #[must_use]
    pub(crate) fn is_final(&self) -> bool {
        match self {
            PartState::Completed(_) | PartState::Error(_) | PartState::Vanished | PartState::SessionGone => true,
            PartState::Unread | PartState::Running => false,
        }
    }
}
