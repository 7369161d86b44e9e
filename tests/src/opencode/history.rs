//! What really happened on the server: the truth that checkers and tests compare with.

use switchboard_core::Time;
use switchboard_core::model::{Directory, MessageId, Reply, Request, RequestId, SessionId};

/// Who sent something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// A tab of ours, by number.
    Tab(usize),
    /// Another client: a terminal, another person's browser.
    Other,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening {
    /// When.
    pub at: Time,
    /// What.
    pub event: Event,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// An agent asked.
    Asked(Box<Request>),
    /// A reply came in.
    Replied {
        /// The request it names.
        request: RequestId,
        /// The reply.
        reply: Reply,
        /// Who sent it.
        by: Client,
        /// Where it went.
        to: Reached,
    },
    /// A permission was settled by the reply to another one of its session.
    TakenAlong {
        /// The request.
        request: RequestId,
        /// Allowed, else rejected.
        allowed: bool,
    },
    /// The tool part shows the answers, or the permission was used: the agent has it.
    Delivered {
        /// The request.
        request: RequestId,
    },
    /// A prompt was posted.
    Prompted {
        /// The session.
        session: SessionId,
        /// Its id.
        message: MessageId,
        /// Who sent it.
        by: Client,
    },
    /// A prompt is in the list: once for each message.
    Stored {
        /// The session.
        session: SessionId,
        /// Its id.
        message: MessageId,
        /// Its text.
        text: String,
    },
    /// Somebody asked for a stop.
    Aborted {
        /// The session.
        session: SessionId,
        /// Who sent it.
        by: Client,
        /// The prompt that the newest step answers, where something runs.
        works_at: Option<MessageId>,
    },
    /// A run began: its session is in the status map.
    RunBegan {
        /// The session.
        session: SessionId,
    },
    /// A run ended: its session is idle.
    RunEnded {
        /// The session.
        session: SessionId,
        /// A question was dismissed or a permission rejected.
        blocked: bool,
    },
    /// A request asks for something else under its old id.
    Changed {
        /// The request.
        request: RequestId,
    },
    /// A session was deleted.
    Deleted {
        /// The session.
        session: SessionId,
    },
    /// The instance of a directory was disposed of.
    Disposed {
        /// The directory.
        directory: Directory,
    },
    /// The server was killed.
    Killed,
    /// The server answers again.
    Answers,
}

/// Where a reply went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// To the tool call that waits for it.
    Agent,
    /// To a ghost: `200 true`, and nobody hears it (docs/opencode.md, trap 3).
    Ghost,
    /// To nothing: 404.
    Nothing,
}

impl Event {
    /// True for the moment at which the agent had the answer to this request.
    #[must_use]
    pub fn delivers(&self, wanted: &RequestId) -> bool {
        matches!(self, Event::Delivered { request } if request == wanted)
    }
}
