//! What the outside supplies: a way to the server, a clock and a store.
//!
//! The driver is the only caller. Dropping a future that one of these returned cancels the work where that is
//! possible (a request is aborted), and is never an error.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, pending, ready};

use crate::collections::SortedMap;
use crate::metrics::Figure;
use crate::model::{
    Directory, Draft, DraftKey, Entry, EntryId, Health, Message, MessageId, Page, PartId, Prompt, Refusal, Reply,
    Request, RequestId, Session, SessionId, SessionPage, Status,
};
use crate::time::Time;

/// The way to one OpenCode server.
///
/// An implementation sets no time limit of its own: the driver drops what takes too long. It never repeats a call.
pub trait Transport {
    /// Reads. Nothing on the server changes.
    fn read(&self, read: Read) -> LocalBoxFuture<'static, Result<Fetched, ReadError>>;

    /// Sends. See [`Posted`] for what the result proves.
    fn post(&self, post: Post) -> LocalBoxFuture<'static, Posted>;
}

/// Where entries of the ledger and drafts outlive the page.
pub trait Store {
    /// All entries that are not finished ([`Entry::is_finished`]), all drafts, and all links. One that takes longer than 30 s
    /// is dropped, and made again.
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>>;

    /// Makes an entry durable. Resolves when it will survive a crash of the browser.
    ///
    /// `expected` is the version that the store must hold; `None` means that it must hold none.
    fn commit(&self, entry: Arc<Entry>, expected: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>>;

    /// Keeps a draft, in place of an older one with the same key. `known` is what this board knew of that one.
    ///
    /// Returns what is kept: where several tabs share the store, [`Draft::in_place_of`] the one that is held, in one
    /// transaction. A store that only one of them uses keeps the draft as it is.
    fn keep_draft(&self, draft: Draft, known: Option<Draft>) -> LocalBoxFuture<'static, Result<Draft, StoreError>>;

    /// Forgets a draft. Nothing happens when there is none.
    fn drop_draft(&self, key: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>>;

    /// All figures that are kept. No policy says anything before one of these loads has succeeded that began when its countdown
    /// was over: a person may have stopped it in another tab, or before a reload. One that takes longer than 30 s is dropped, and
    /// one that failed is made again after 10 s.
    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>>;

    /// Keeps a figure for 30 days, together with what is kept of the same request ([`Figure::add`]).
    fn keep_figure(&self, figure: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>>;

    /// Remembers for 30 days which session another one was made for.
    fn keep_link(&self, link: SessionLink) -> LocalBoxFuture<'static, Result<(), StoreError>>;

    /// The sole right to send an entry, over all tabs; `None` while another tab holds it. Never waits for the other tab.
    ///
    /// After 2 s without an answer a board sends what was said on it all the same: the server takes each reply and each prompt
    /// once. It does not send what it has loaded, and asks again after 10 s; an answer that comes later still counts. Where the
    /// future is dropped first, the right is given back as soon as it is there.
    fn claim(&self, entry: EntryId) -> LocalBoxFuture<'static, Option<Claim>>;
}

/// The sole right to send an entry, or to take the steps of a workflow. Dropping it gives it back; so does the death of the tab.
pub struct Claim {
    guard: Box<dyn Any>,
    /// None where it cannot be lost.
    lost: Option<LocalBoxFuture<'static, ()>>,
}

impl Claim {
    /// Wraps a guard that gives the right back when it is dropped. That the right is lost before is never told.
    pub fn new(guard: impl Any) -> Self {
        Self {
            guard: Box::new(guard),
            lost: None,
        }
    }

    /// The same for a right that may be lost before, as a lease is while its tab stands still. `lost` resolves when another
    /// tab may have it.
    pub fn until(guard: impl Any, lost: impl Future<Output = ()> + 'static) -> Self {
        Self {
            guard: Box::new(guard),
            lost: Some(lost.boxed_local()),
        }
    }

    /// Resolves when another tab may have the right; never for one that cannot be lost. Dropping the future changes nothing.
    pub async fn lost(&mut self) {
        match &mut self.lost {
            Some(lost) => lost.await,
            None => pending().await,
        }
        self.lost = Some(ready(()).boxed_local());
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let _: &dyn Any = &*self.guard;
        formatter.write_str("Claim")
    }
}

/// What a store holds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Saved {
    /// The unfinished entries, in any order.
    pub entries: Vec<Arc<Entry>>,
    /// The drafts, in any order.
    pub drafts: Vec<Draft>,
    /// The links, in any order.
    pub links: Vec<SessionLink>,
}

/// A session that this engine has made for another one: for a check, or a reviewer. The server knows nothing of it
/// (requirements C7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLink {
    /// The session that was made.
    pub session: SessionId,
    /// The session that it was made for.
    pub made_for: SessionId,
    /// When.
    pub made: Time,
}

/// Why a store did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// No room is left.
    Full,
    /// What was kept there has been cleared.
    Cleared,
    /// Nothing may be kept here.
    Forbidden,
    /// A newer version of the program has it, or has written what it holds.
    NewerVersion,
    /// Another tab has an older version of the program, and does not let go of it.
    OlderVersion,
    /// It has not answered in time. What was asked of it may still be done.
    TimedOut,
    /// Something else, in the words of the platform.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            StoreError::Full => "no space is left",
            StoreError::Cleared => "what was kept there has been cleared",
            StoreError::Forbidden => "nothing may be kept here",
            StoreError::NewerVersion => "a newer version of this program has it",
            StoreError::OlderVersion => "another tab has an older version of this program",
            StoreError::TimedOut => "it does not answer",
            StoreError::Failed(words) => words,
        })
    }
}

impl std::error::Error for StoreError {}

/// Why an entry was not made durable.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CommitError {
    /// The store holds another version: this one. Nothing was written.
    Conflict(Arc<Entry>),
    /// The store failed. Nothing was written, as far as it can be known.
    Failed(StoreError),
}

impl fmt::Display for CommitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommitError::Conflict(held) => {
                write!(formatter, "the store holds version {} of {}", held.version, held.id)
            }
            CommitError::Failed(_) => formatter.write_str("the store did not keep it"),
        }
    }
}

impl std::error::Error for CommitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CommitError::Conflict(_) => None,
            CommitError::Failed(error) => Some(error),
        }
    }
}

/// Something to read. The answer is the variant of [`Fetched`] that each names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Read {
    /// `GET /global/health` → [`Fetched::Health`].
    Health,
    /// `GET /project` → [`Fetched::Directories`].
    Directories,
    /// `GET /experimental/session` → [`Fetched::Sessions`].
    Sessions {
        /// Only sessions updated since, server clock, milliseconds since the epoch.
        since: Option<u64>,
        /// [`SessionPage::next`] of the page before.
        page: Option<String>,
    },
    /// `GET /session/{id}` → [`Fetched::Session`].
    Session {
        /// The session.
        session: SessionId,
        /// Its directory.
        directory: Directory,
    },
    /// `GET /question` of one directory → [`Fetched::Requests`].
    Questions(Directory),
    /// `GET /permission` of one directory → [`Fetched::Requests`].
    Permissions(Directory),
    /// `GET /session/status` of one directory → [`Fetched::Statuses`].
    Status(Directory),
    /// `GET /session/{id}/message` → [`Fetched::Page`].
    Messages {
        /// The session.
        session: SessionId,
        /// Its directory.
        directory: Directory,
        /// At most so many messages, the newest.
        limit: u32,
        /// [`Page::older`] of the page after.
        before: Option<String>,
    },
    /// `GET /session/{id}/message/{messageID}` → [`Fetched::Message`].
    Message {
        /// The session.
        session: SessionId,
        /// Its directory.
        directory: Directory,
        /// The message.
        message: MessageId,
    },
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Fetched {
    /// The server lives.
    Health(Health),
    /// The directories of its projects.
    Directories(Vec<Directory>),
    /// A page of its sessions.
    Sessions(SessionPage),
    /// One session.
    Session(Box<Session>),
    /// Pending requests of one directory.
    Requests(Vec<Request>),
    /// The sessions of one directory that run.
    Statuses(SortedMap<SessionId, Status>),
    /// A window of messages.
    Page(Page),
    /// One message.
    Message(Box<Message>),
}

/// Why something could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// No connection, or it broke.
    Unreachable(String),
    /// No answer in time.
    TimedOut,
    /// 401.
    Unauthorized,
    /// 404 with a body of the server's own: the thing does not exist.
    NotFound(String),
    /// Another 4xx.
    Refused {
        /// The HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// 5xx.
    Server {
        /// The HTTP status.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// An answer that is not what OpenCode sends here: HTML, a truncated body, an unexpected shape.
    Unexpected(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Unreachable(reason) => write!(formatter, "cannot be reached: {reason}"),
            ReadError::TimedOut => formatter.write_str("does not answer in time"),
            ReadError::Unauthorized => formatter.write_str("wants a password"),
            ReadError::NotFound(message) => write!(formatter, "has no such thing: {message}"),
            ReadError::Refused { status, message } | ReadError::Server { status, message } => {
                write!(formatter, "answered {status}: {message}")
            }
            ReadError::Unexpected(what) => write!(formatter, "answered something unexpected: {what}"),
        }
    }
}

impl std::error::Error for ReadError {}

impl ReadError {
    /// Whether nothing else would have got through either.
    pub(crate) fn is_about_the_way(&self) -> bool {
        match self {
            ReadError::Unreachable(_) | ReadError::Unauthorized => true,
            ReadError::TimedOut
            | ReadError::NotFound(_)
            | ReadError::Refused { .. }
            | ReadError::Server { .. }
            | ReadError::Unexpected(_) => false,
        }
    }
}

/// Something to send.
#[derive(Clone, Debug, PartialEq)]
pub enum Post {
    /// A reply to a question or permission.
    Reply {
        /// The request.
        request: RequestId,
        /// The directory whose list named it.
        directory: Directory,
        /// The reply. Its kind decides between the routes of questions and of permissions.
        reply: Reply,
    },
    /// A prompt.
    Prompt {
        /// The session.
        session: SessionId,
        /// Its directory.
        directory: Directory,
        /// The prompt.
        prompt: Arc<Prompt>,
    },
    /// Stops the run of a session.
    Abort {
        /// The session.
        session: SessionId,
        /// Its directory.
        directory: Directory,
    },
    /// Runs a shell command in a session. The answer comes when the command has ended, or never.
    Shell {
        /// The session.
        session: SessionId,
        /// Its directory.
        directory: Directory,
        /// The agent whose rules hold.
        agent: String,
        /// The command.
        command: String,
    },
    /// Makes a session.
    Create {
        /// Where.
        directory: Directory,
        /// Its title; without one the server makes one up.
        title: Option<String>,
    },
}

/// What came of a send. None of these proves that the send took effect: see docs/opencode.md, traps 1 and 2.
#[derive(Clone, Debug, PartialEq)]
pub enum Posted {
    /// The server said yes, in the form it should have.
    Accepted,
    /// The session was made.
    Created(Box<Session>),
    /// 400, 415 and the like: the server will not take this.
    Refused(Refusal),
    /// 404, which has four meanings: docs/opencode.md, trap 4.
    NotFound(String),
    /// 401: nothing happened, a password is wanted.
    Unauthorized,
    /// No answer, a 5xx, or an answer that is not OpenCode's: it may or may not have taken effect.
    InDoubt(String),
}

/// Why a send that is kept in no store did not go through.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PostFailure {
    /// The server will not take it, or does not know what it is about; in its words.
    Refused(String),
    /// The server wants a password. Nothing happened.
    Unauthorized,
    /// It may or may not have taken effect; what happened, in words.
    InDoubt(String),
    /// The board was closed first.
    Closed,
}

impl fmt::Display for PostFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PostFailure::Refused(reason) => write!(formatter, "the server refused: {reason}"),
            PostFailure::Unauthorized => formatter.write_str("the server wants a password"),
            PostFailure::InDoubt(reason) => write!(formatter, "it is not known whether it took effect: {reason}"),
            PostFailure::Closed => formatter.write_str("the board is closed"),
        }
    }
}

impl std::error::Error for PostFailure {}

/// A hint to refresh sooner. It is never a fact to decide from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wake {
    /// The event stream has begun, or begun again: anything may have happened.
    Connected,
    /// A question was asked in this directory.
    Question(Directory),
    /// A permission was asked for in this directory.
    Permission(Directory),
    /// A question or a permission was answered in this directory.
    Answered(Directory),
    /// Something else happened in this directory, to this session if it is named.
    Directory(Directory, Option<SessionId>),
    /// The event stream is alive: it has said so. Reads may be further apart while it announces all that they find.
    Alive,
    /// The event stream has ended or has fallen silent: what happens from now on, nothing announces.
    Lost,
    /// The page has the focus again, or the network is back.
    Focus,
    /// Another tab has changed the ledger.
    Ledger,
}

/// Text that streams, to be shown until the server has the whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The session.
    pub session: SessionId,
    /// The message.
    pub message: MessageId,
    /// The part.
    pub part: PartId,
    /// What to append.
    pub delta: String,
}
