//! One entry of the ledger, what may come of it, and what a decision about it rests on.

use std::sync::Arc;

use crate::model::{Answers, Directory, EntryId, Reply, Request, RequestId, SessionId};
use crate::ports::Prompt;
use crate::time::Time;
use crate::view::{ElsewhereAnswer, GoneReason};

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
    /// The server will not take it; in its words.
    Refused(String),
    /// The server wants a password.
    Unauthorized,
    /// It may or may not have taken effect; what happened, in words.
    InDoubt(String),
}

/// The attempts of an entry, as far as they matter for a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts<'a> {
    /// What came of the last one; none when none has begun.
    pub last: Option<&'a Attempt>,
    /// Whether there was one before it, which may have taken effect.
    pub earlier: bool,
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

/// What a refresh shows of the thing that an entry is about. Only refreshes begun after the last attempt count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The tool part.
    pub part: PartSight,
    /// Whether the server lists the request; unknown when the list could not be read.
    pub listed: Option<bool>,
    /// Whether the session is in the status map; unknown when the map could not be read.
    pub running: Option<bool>,
    /// The part was read so long after our last attempt, or else after the request left the list, that it would show a
    /// stop from before.
    pub outlasts: bool,
    /// Two refreshes, begun far enough apart, agree that it is not listed.
    pub absent: bool,
    /// The same call has asked for something else since: one thing after the other.
    pub asked_again: bool,
    /// Two refreshes, begun far enough apart, agree that nobody waits for it any more (requirements R14).
    pub forgotten: bool,
}

/// What a tool part shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartSight {
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
pub enum Decision {
    /// It is over.
    End(Outcome),
    /// Begin an attempt.
    Send,
    /// Do nothing; a later refresh decides.
    Wait,
    /// Do nothing until the server has been given a password.
    Hold,
    /// The server will not take it: tell the person.
    Refused(String),
}

impl Entry {
    /// The entry with no time later than `now`: the clock may have been set back since it was written.
    #[must_use]
    pub(crate) fn not_after(self: &Arc<Self>, now: Time) -> Arc<Self> {
        let newest = match &self.stage {
            Stage::Saved => self.created,
            Stage::Attempting { begun: at } | Stage::Attempted { at, .. } | Stage::Ended { at, .. } => *at,
        };
        if self.created.max(newest) <= now {
            return self.clone();
        }
        let mut entry = (**self).clone();
        entry.created = entry.created.min(now);
        match &mut entry.stage {
            Stage::Saved => {}
            Stage::Attempting { begun: at } | Stage::Attempted { at, .. } | Stage::Ended { at, .. } => {
                *at = now.min(*at)
            }
        }
        Arc::new(entry)
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

impl PartSight {
    /// True when the part cannot change any more.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            PartSight::Completed(_) | PartSight::Error(_) | PartSight::Vanished | PartSight::SessionGone => true,
            PartSight::Unread | PartSight::Running => false,
        }
    }
}
