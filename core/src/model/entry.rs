//! One thing that a person sends, its attempts, and how it ended: what a store keeps.

use std::sync::Arc;

use super::{
    Answers, Directory, EntryId, MessageId, ModelRef, NotSentReason, PartId, Reply, Request, RequestId, SessionId,
};
use crate::time::Time;

impl EntryId {
    /// The entry of the reply to a request: one request, one entry.
    pub(crate) fn of_reply(request: &RequestId) -> Self {
        Self::from(format!("reply:{request}"))
    }
}

/// One thing that a person sends, from the moment Send was pressed.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its id. One request has one entry, so that two tabs cannot answer it twice.
    pub id: EntryId,
    /// Counts its changes, from 1.
    pub version: u64,
    /// When Send was pressed.
    pub created: Time,
    /// The session it goes to.
    pub session: SessionId,
    /// The directory it goes to.
    pub directory: Directory,
    /// What is sent.
    pub sent: Sent,
    /// How far it is.
    pub stage: Stage,
    /// How many attempts have begun.
    pub attempts: u32,
    /// A person has dealt with what could not be delivered: it was sent in another way, or given up.
    pub settled: bool,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// A reply, with a copy of what was shown when it was given.
    Reply {
        /// The request.
        request: Arc<Request>,
        /// The reply.
        reply: Reply,
        /// Nobody has said it: a policy has, after a time-out.
        by_policy: bool,
    },
    /// A prompt.
    Prompt {
        /// The prompt.
        prompt: Arc<Prompt>,
        /// The request whose answer it carries.
        rescues: Option<RequestId>,
    },
}

/// A prompt with ids of our own, so that sending it twice changes nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// The id it will have.
    pub message: MessageId,
    /// The id its text will have.
    pub part: PartId,
    /// The text.
    pub text: String,
    /// The agent; without one the server takes its default agent.
    pub agent: Option<String>,
    /// The model; without one the session's last.
    pub model: Option<ModelRef>,
}

/// How far an entry is.
#[derive(Clone, Debug, PartialEq)]
pub enum Stage {
    /// Durable; no attempt has begun.
    Saved,
    /// An attempt has begun, and its result is not known.
    Attempting {
        /// When it began.
        begun: Time,
    },
    /// An attempt has ended so.
    Attempted {
        /// What came of it.
        attempt: Attempt,
        /// When it ended.
        at: Time,
    },
    /// It is over.
    Ended {
        /// How.
        outcome: Outcome,
        /// When that was seen.
        at: Time,
    },
}

/// What came of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// The server said yes.
    Accepted,
    /// 404, which has four meanings.
    NotFound,
    /// It is not sent, and not tried again.
    Refused(NotSentReason),
    /// The server wants a password.
    Unauthorized,
    /// It may or may not have taken effect; what happened, in words.
    InDoubt(String),
}

/// How somebody else answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElsewhereAnswer {
    /// With these answers.
    Answers(Answers),
    /// A permission was given.
    Allowed,
    /// A permission was refused.
    Rejected,
    /// Answered, with what is not known.
    Unknown,
}

/// Why a request ended without an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoneReason {
    /// The server restarted and forgot it.
    Restarted,
    /// The run was stopped.
    Stopped {
        /// From here.
        by_us: bool,
    },
    /// The session was deleted.
    SessionDeleted,
    /// Its message was removed, by a revert or a compaction.
    MessageRemoved,
    /// Its tool call failed; in the server's words.
    Failed(String),
}

/// How a request ended, or a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The agent has this answer; the server has this prompt.
    Confirmed {
        /// What the person should know about it.
        note: Option<String>,
    },
    /// Somebody else was first.
    AnsweredElsewhere(ElsewhereAnswer),
    /// The question was turned away by somebody else.
    Dismissed,
    /// It ended without an answer.
    Gone(GoneReason),
    /// The run was stopped while it waited.
    Cancelled {
        /// From here.
        by_us: bool,
    },
}

impl Stage {
    fn set_time(&mut self, time: Time) {
        match self {
            Stage::Saved => {}
            Stage::Attempting { begun: at } | Stage::Attempted { at, .. } | Stage::Ended { at, .. } => *at = time,
        }
    }
}

impl Entry {
    /// The entry with its last step no later than `now`: the clock may have been set back since it was written. When it was
    /// created stays as it is, to compare it with what was said in other tabs.
    #[must_use]
    pub(crate) fn not_after(self: &Arc<Self>, now: Time) -> Arc<Self> {
        let mut entry = self.clone();
        match &self.stage {
            Stage::Attempting { begun: at } | Stage::Attempted { at, .. } | Stage::Ended { at, .. } if *at > now => {
                Arc::make_mut(&mut entry).stage.set_time(now);
            }
            Stage::Saved | Stage::Attempting { .. } | Stage::Attempted { .. } | Stage::Ended { .. } => {}
        }
        entry
    }

    /// True when nothing remains to be done about it, by us or by a person.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match &self.stage {
            Stage::Ended {
                outcome: Outcome::Confirmed { .. },
                ..
            } => true,
            Stage::Ended { .. }
            | Stage::Attempted {
                attempt: Attempt::Refused(_),
                ..
            } => self.settled,
            Stage::Saved | Stage::Attempting { .. } | Stage::Attempted { .. } => false,
        }
    }

    /// True while it is on its way: not at its end, and nobody has dealt with it in another way.
    #[must_use]
    pub fn is_on_its_way(&self) -> bool {
        match &self.stage {
            _ if self.settled => false,
            Stage::Ended { .. }
            | Stage::Attempted {
                attempt: Attempt::Refused(_),
                ..
            } => false,
            Stage::Saved | Stage::Attempting { .. } | Stage::Attempted { .. } => true,
        }
    }

    /// What came of the last attempt: none when it has not begun, in doubt when its result is not known.
    #[must_use]
    pub fn last_attempt(&self) -> Option<Attempt> {
        match &self.stage {
            Stage::Saved => None,
            Stage::Attempting { .. } => Some(Attempt::InDoubt(
                "the page was closed before the answer came".to_owned(),
            )),
            Stage::Attempted { attempt, .. } => Some(attempt.clone()),
            Stage::Ended { .. } => None,
        }
    }
}
