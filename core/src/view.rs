//! What callers see: one value, made anew whenever something that is shown has changed.
//!
//! Everything inside is shared (`Arc`), so that a view costs little to keep, and equal parts can be told by pointer.

use std::sync::Arc;
use std::time::Duration;

use crate::collections::{SortedMap, SortedSet};
use crate::model::{
    Answers, Draft, ElsewhereAnswer, EntryId, GoneReason, Message, MessageId, NotSentReason, PartId, Question, Reply,
    Request, RequestId, Session, SessionId,
};
use crate::ports::{ReadError, StoreError};
use crate::time::Time;

use crate::collections::List;

mod turn_state;

pub use turn_state::{EndReason, Ending, StuckCause, TurnState};

/// All that is known of one server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct View {
    /// The server itself.
    pub server: ServerView,
    /// Everything that waits for a person, is on its way, or ended in a way that needs a word. Oldest first.
    pub requests: List<RequestView>,
    /// All sessions, newest first.
    pub sessions: List<SessionView>,
    /// The open session.
    pub timeline: Option<Arc<Timeline>>,
    /// Prompts that are on their way or were not taken.
    pub prompts: List<PromptView>,
    /// The draft in the prompt box of each session.
    pub prompt_drafts: Arc<SortedMap<SessionId, String>>,
}

/// The server, as far as it can be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerView {
    /// How the connection is.
    pub link: Link,
    /// Its version, once known.
    pub version: Option<String>,
    /// The last refresh of any kind that succeeded.
    pub read: Option<Time>,
    /// Whether the sessions, and the questions and permissions of all directories that are known, have been read once (R25).
    /// A request that was asked before the board was opened and is not shown then does not wait, unless its directory is in
    /// [`failing`](Self::failing).
    pub listed: bool,
    /// The next refresh of the unit that has waited longest.
    pub next_try: Option<Time>,
    /// Directories that fail while others do not, and why: after two failures in a row, or as soon as one that was never read
    /// hangs.
    pub failing: Vec<FailingDirectory>,
    /// Why drafts and answers cannot be kept on this device; none when they are.
    pub unsaved: Option<StoreError>,
}

/// How the connection to a server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// Nothing has been read yet.
    Connecting,
    /// The last refreshes succeeded.
    Live,
    /// Refreshes fail since then; older data is shown.
    Stale {
        /// The last success.
        since: Time,
        /// The last failure.
        error: ReadError,
    },
    /// The server cannot be reached since then.
    Offline {
        /// The first failure.
        since: Time,
        /// The last failure.
        error: ReadError,
    },
    /// The server wants a password; nothing is sent until it has one.
    Password,
}

/// A directory that fails while others do not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailingDirectory {
    /// The directory.
    pub directory: crate::model::Directory,
    /// Its last success.
    pub since: Option<Time>,
    /// The last failure.
    pub error: ReadError,
}

/// A request and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestView {
    /// What is asked.
    pub request: Arc<Request>,
    /// How far it is.
    pub state: RequestState,
    /// When this engine first saw it.
    pub seen: Time,
    /// When it was asked, by our clock: its id tells, else its tool part once that was read.
    pub asked: Option<Time>,
    /// Set when what is shown is old: the last success in its directory.
    pub stale: Option<Time>,
    /// Who asks: the oldest ancestor first, the asking session last.
    pub origin: Vec<SessionRef>,
    /// What was sent, or is being sent.
    pub reply: Option<Reply>,
    /// Whether that reply is not a person's, but of the policy: [`crate::policy`].
    pub by_policy: bool,
    /// What was typed or chosen and not sent.
    pub draft: Option<Draft>,
    /// Whether reply and draft outlive this process: the worse of both. [`Durability::Saved`] where there is neither.
    pub durability: Durability,
    /// How many other permissions of the same session wait: a rejection takes them along.
    pub others: usize,
    /// What was answered to a like question that died before the answer arrived. It is never sent by itself.
    pub suggestion: Option<Answers>,
    /// How the text can still reach the agent, when the request is dead.
    pub rescue: Option<Rescue>,
    /// Until when somebody should have answered; none where nothing happens by itself, or an answer was given.
    pub unanswered: Option<Unanswered>,
    /// Where what is asked for would run.
    pub runs_in: RunsIn,
}

impl RequestView {
    /// Whether a session asks it, itself or through one of its sub-agents.
    #[must_use]
    pub fn is_from(&self, session: &SessionId) -> bool {
        self.request.session == *session || self.origin.iter().any(|asking| asking.id == *session)
    }
}

/// Where a command would run. A permission does not tell: the call that asks for it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RunsIn {
    /// The call has not been read, or cannot be.
    #[default]
    Unread,
    /// In the directory of its session.
    Session,
    /// In the directory that the call names, as the model wrote it: absolute, or relative to that of its session.
    Named(String),
}

/// A request whose time runs out, or is up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// When the time is up.
    pub until: Time,
    /// Whether the time is running out: the warning of [`crate::policy`].
    pub warned: bool,
    /// When the time was up.
    pub timed_out: Option<Time>,
    /// How long it takes until the default answer is given, unless a person stops that.
    pub answering_in: Option<Duration>,
}

/// Whether the store has what was said about a request. The worst is the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The store has it. If the process ends, the next connection goes on with it.
    Saved,
    /// The store has been asked to keep it and has not answered yet. A send waits for that for up to 2 s.
    Pending,
    /// The store has refused it, or has not answered within 2 s. It is sent all the same, and written again with the next
    /// load; if the process ends before, it is lost.
    Failed,
}

/// A session by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRef {
    /// Its id.
    pub id: SessionId,
    /// Its title.
    pub title: String,
}

/// A message that carries an answer whose question died.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rescue {
    /// The whole text, with the question quoted. Without an answer the part after *My answer:* is missing.
    pub text: String,
    /// The session that gets it.
    pub to: SessionRef,
    /// Whether there is an answer to send.
    pub complete: bool,
}

/// How far a request is. The words on the screen follow from this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// *waiting*
    Waiting,
    /// *sending*, or *sending, 3rd try*
    Sending {
        /// 1 for the first attempt.
        attempt: u32,
        /// When Send was pressed.
        since: Time,
        /// Why it is not through yet.
        problem: Option<String>,
        /// When it is tried again at the latest.
        next_try: Option<Time>,
    },
    /// *sent, not confirmed*
    Sent {
        /// When the server took it.
        at: Time,
    },
    /// *answered*: the tool part shows it.
    Answered {
        /// When it was seen.
        at: Time,
        /// When Send was pressed.
        sent: Time,
        /// Something the person should know, such as whose reply was first is unknown.
        note: Option<String>,
    },
    /// *answered elsewhere*
    AnsweredElsewhere {
        /// With what, as far as known: answers to questions, or the words `allowed`, `rejected`.
        answer: ElsewhereAnswer,
        /// When it was seen.
        at: Time,
    },
    /// *dismissed*
    Dismissed {
        /// By a reply of ours.
        by_us: bool,
        /// When it was seen.
        at: Time,
    },
    /// *not sent*
    NotSent {
        /// Why.
        reason: NotSentReason,
    },
    /// *the question is gone*
    Gone {
        /// Why.
        reason: GoneReason,
        /// When it was seen.
        at: Time,
    },
}

/// A session and its state.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionView {
    /// The session.
    pub session: Arc<Session>,
    /// Its state.
    pub state: SessionState,
    /// Requests of its own that wait.
    pub waiting: usize,
    /// Requests of its descendants that wait.
    pub waiting_below: usize,
    /// Set when what is shown is old: the last success in its directory.
    pub stale: Option<Time>,
    /// Its last prompt, step or end of a run, by our clock: [`Session::updated`] as far as the clocks have been compared.
    pub updated: Time,
    /// The last change that was seen in it, by our clock.
    pub moved: Option<Time>,
    /// The agent of its last message.
    pub agent: Option<String>,
    /// What the agent has said last, in one line; empty when it said nothing yet.
    pub last_text: String,
    /// The questions of its own that wait in another process. [`SessionView::waiting`] and [`View::requests`] leave them out.
    pub asked_elsewhere: Vec<AskedElsewhere>,
}

/// A question that waits in another process on the same data. It can be read here, and is answered there.
///
/// It is read from the messages of its session, so it has no id that a reply could name. A permission that waits there shows
/// in no message: its call looks like one that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedElsewhere {
    /// The message that asks.
    pub message: MessageId,
    /// Its part that asks.
    pub part: PartId,
    /// What is asked.
    pub questions: Vec<Question>,
    /// When it was asked, by our clock; none where the server does not say.
    pub asked: Option<Time>,
    /// Whether another process is known to have asked it; whether that still lives is not. Otherwise it may also have been
    /// this server, before it was restarted.
    pub certain: bool,
}

/// The state of a session: of its newest turn.
pub type SessionState = TurnState;

/// The messages of the open session.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// The session.
    pub session: SessionId,
    /// The messages, oldest first, without gaps.
    pub messages: List<Message>,
    /// What lies before the first of them.
    pub older: Older,
    /// Text that streams, by part. It is shown in place of a part's text while that is shorter.
    pub previews: SortedMap<PartId, Arc<str>>,
    /// Tool calls that still ran when their turn had ended. The server may never say more about them.
    pub abandoned: SortedSet<PartId>,
    /// Messages that are newer than these are being fetched.
    pub catching_up: bool,
    /// Why the messages cannot be read, if so.
    pub problem: Option<String>,
    /// What to show as the reply when the last message has no text (requirements R16); none while the turn runs or has text.
    pub fallback: Option<String>,
    /// Questions of the session that the server still lists although their calls have ended: nobody hears a reply to them
    /// (requirements R12).
    pub ghosts: Vec<RequestId>,
}

/// What lies before the first message that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// Nothing has been read yet.
    Unknown,
    /// Nothing: the first message of the session is held.
    None,
    /// More, not asked for.
    Available,
    /// More, being read.
    Loading,
}

/// A prompt that is on its way or was not taken.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PromptView {
    /// Its entry in the ledger.
    pub entry: EntryId,
    /// The session.
    pub session: SessionId,
    /// The id that its message has, or will have.
    pub message: MessageId,
    /// The text.
    pub text: String,
    /// The request whose answer it carries.
    pub rescues: Option<RequestId>,
    /// How far it is.
    pub state: PromptState,
}

/// How far a prompt is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PromptState {
    /// It is being sent.
    Sending {
        /// 1 for the first attempt.
        attempt: u32,
        /// Why it is not through yet.
        problem: Option<String>,
    },
    /// The server took it and has not shown it yet.
    Sent,
    /// The server shows it.
    Stored {
        /// When it was seen.
        at: Time,
    },
    /// The server will not take it.
    NotSent {
        /// Why.
        reason: NotSentReason,
    },
}

impl RequestState {
    /// True while a person is wanted: the lamp is lit.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        matches!(self, RequestState::Waiting | RequestState::NotSent { .. })
    }

    /// True while an answer is on its way.
    #[must_use]
    pub fn is_on_its_way(&self) -> bool {
        matches!(self, RequestState::Sending { .. } | RequestState::Sent { .. })
    }

    /// True when the request has ended.
    #[must_use]
    pub fn is_ended(&self) -> bool {
        !self.is_waiting() && !self.is_on_its_way()
    }
}

impl View {
    /// The request with this id, if it is shown.
    #[must_use]
    pub fn request(&self, id: &RequestId) -> Option<&Arc<RequestView>> {
        self.requests.iter().find(|view| view.request.id == *id)
    }

    /// The session with this id, if it is known.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> Option<&Arc<SessionView>> {
        self.sessions.iter().find(|view| view.session.id == *id)
    }

    /// Whether another process is known to have begun what is open in this session: [`TurnState::Elsewhere`].
    #[must_use]
    pub fn runs_elsewhere(&self, id: &SessionId) -> bool {
        let state = self.session(id).map(|session| &session.state);
        state == Some(&TurnState::Elsewhere { certain: true })
    }

    /// How many requests wait for a person.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.requests.iter().filter(|view| view.state.is_waiting()).count()
    }
}
