//! What callers hold: one handle per board, to be cloned freely.

mod dispatch;
mod follow_up;
mod shell;
mod validation;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;

use crate::config::Config;
use crate::driver::{Driver, Shared, World};
use crate::engine::board::Board;
use crate::engine::board::search::{FindError, Found};
use crate::engine::outbox::submission::{
    AnswerError, OwnEntry, PromptError, PromptOptions, PromptReceiver, RescueError,
};
use crate::engine::requests::{Resolution, Unresolved};
use crate::engine::sessions::turn::NewestTurn;
use crate::engine::waits::follow_up::{FollowUpError, FollowUpOptions};
use crate::engine::waits::shell::{ShellCommand, ShellError, ShellResult};
use crate::log::Record;
use crate::metrics::Figure;
use crate::model::{
    Directory, Draft, EntryId, GoneReason, MessageId, Outcome, PromptIds, Reply, Request, RequestId, Session, SessionId,
};
use crate::policy::Unattended;
use crate::ports::{Fetched, PostFailure, Posted, Preview, Read, Store, Transport, Wake};
use crate::time::{Clock, Time};
use crate::view::View;
use crate::watch::Views;

pub use dispatch::{DispatchError, DispatchOptions, Dispatched, Job};
pub use follow_up::{Canceller, FOLLOW_UP_MAX, FollowingUp, cut};
pub use validation::{Bound, Budget, Checked, Round, Validated, ValidationEnd, ValidationOptions};

/// Connects to one server. Returns the handle, and the future that drives everything: spawn it.
///
/// Dropping that future stops the board at once: everything that waits for it fails as closed. What was not delivered is in
/// the store, and the next connection goes on with it.
///
/// Nothing that is passed in is called while the board is borrowed: a log, a transport, a store and a clock may call the
/// handle.
///
/// The handle and the future stay on the thread that connects: neither is `Send`. On tokio, spawn the future with a `LocalSet`.
pub fn connect(
    config: Config,
    transport: Rc<dyn Transport>,
    clock: Rc<dyn Clock>,
    store: Rc<dyn Store>,
    log: Rc<dyn Fn(&Record)>,
) -> (Handle, LocalBoxFuture<'static, ()>) {
    let shared = Shared::new(Board::new(config), clock);
    let driver = Driver::new(shared.clone(), World { transport, store, log });
    (Handle { shared }, driver.run().boxed_local())
}

/// One board. Clones are the same board.
///
/// A handle is not `Send`. Programs with several threads keep it on one, and talk to that through a channel.
#[derive(Clone)]
pub struct Handle {
    shared: Rc<Shared>,
}

impl fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Handle")
            .field("closed", &self.shared.closed.get())
            .finish_non_exhaustive()
    }
}

/// Why a prompt is not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotStored {
    /// The server will not take it; in its words.
    Refused(String),
    /// The session is gone.
    SessionGone,
    /// The board was closed before it was known. The prompt is in the ledger.
    Closed,
}

impl fmt::Display for NotStored {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotStored::Refused(reason) => write!(formatter, "the server refused the prompt: {reason}"),
            NotStored::SessionGone => formatter.write_str("the session is gone"),
            NotStored::Closed => formatter.write_str("the board is closed"),
        }
    }
}

impl std::error::Error for NotStored {}

/// Resolves with the end of a request. Dropping it disturbs nothing: the answer goes on its way.
#[must_use = "the end of a request is worth knowing; drop it on purpose otherwise"]
#[derive(Debug)]
pub struct Answering(oneshot::Receiver<Resolution>);

impl Future for Answering {
    type Output = Result<Outcome, Unresolved>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0
            .poll_unpin(context)
            .map(|resolution| resolution.unwrap_or(Err(Unresolved::Closed)))
    }
}

/// Resolves with the [`Request`] or [`Session`] that was looked for. Dropping it ends the search.
#[must_use = "whether it is there is in the result"]
#[derive(Debug)]
pub struct Finding<T>(oneshot::Receiver<Found<T>>);

impl<T> Future for Finding<T> {
    type Output = Result<Option<Arc<T>>, FindError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0
            .poll_unpin(context)
            .map(|found| found.unwrap_or(Err(FindError::Closed)))
    }
}

/// Resolves when a prompt is stored, or will not be. Dropping it disturbs nothing: the prompt goes on its way.
#[must_use = "whether a prompt is stored is worth knowing; drop it on purpose otherwise"]
#[derive(Debug)]
pub struct Storing {
    message: MessageId,
    end: PromptReceiver,
}

impl Storing {
    /// The id that the message has, or will have, unless another tab was first to send the same.
    #[must_use]
    pub fn message(&self) -> &MessageId {
        &self.message
    }
}

impl Future for Storing {
    type Output = Result<MessageId, NotStored>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.end.poll_unpin(context).map(|end| match end {
            Ok((Outcome::Gone(GoneReason::Failed(reason)), _)) => Err(NotStored::Refused(reason)),
            Ok((Outcome::Confirmed { .. }, message)) => Ok(message),
            Ok((
                Outcome::Gone(_) | Outcome::AnsweredElsewhere(_) | Outcome::Dismissed | Outcome::Cancelled { .. },
                _,
            )) => Err(NotStored::SessionGone),
            Err(oneshot::Canceled) => Err(NotStored::Closed),
        })
    }
}

impl Handle {
    /// What is known now.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// let view = board.view();
    /// println!("{} requests, {} sessions", view.requests.len(), view.sessions.len());
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn view(&self) -> Arc<View> {
        self.shared.latest.get()
    }

    /// The present view, and the newest one whenever it has changed. A slow reader skips; closing ends it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// use futures::StreamExt;
    ///
    /// let mut views = board.views();
    /// let view = views.next().await.expect("the board is open");
    /// assert_eq!(view.requests.iter().next().map(|shown| &shown.request), Some(&question));
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn views(&self) -> Views {
        Views::new(&self.shared.latest)
    }

    /// Answers a request as it was shown to whoever decided: pass the [`Request`] from the view that they saw. Sending begins
    /// at once, also when the result is dropped.
    ///
    /// # Errors
    /// [`AnswerError::Changed`] when the request asks something else by now. Also when the answer does not fit, another one
    /// is on its way, or the request has ended or is not known.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::model::{Outcome, Reply};
    /// # fn main() { on_a_board(async |board, question| {
    /// let blue = Reply::Answers(vec![vec!["Blue".to_owned()]]);
    /// let outcome = board.answer(&question, blue)?.await?;
    /// assert_eq!(outcome, Outcome::Confirmed { note: None });
    /// # Ok(()) }) }
    /// ```
    pub fn answer(&self, shown: &Request, reply: Reply) -> Result<Answering, AnswerError> {
        if self.shared.closed.get() {
            return Err(AnswerError::Closed);
        }
        self.command(|board, now| board.answer(shown, reply, now))
            .map(Answering)
    }

    /// Waits for the end of a request without answering it: somebody else does, or its time runs out. If its time is up
    /// already, or it has ended, that is told at once.
    ///
    /// # Errors
    /// When the request is not known.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::model::{Outcome, Reply};
    /// # fn main() { on_a_board(async |board, question| {
    /// let waiting = board.wait(&question.id)?;
    /// # let _ = board.answer(&question, Reply::Answers(vec![vec!["Blue".to_owned()]]))?;
    /// // Another part of the program answers.
    /// assert_eq!(waiting.await?, Outcome::Confirmed { note: None });
    /// # Ok(()) }) }
    /// ```
    pub fn wait(&self, request: &RequestId) -> Result<Answering, AnswerError> {
        if self.shared.closed.get() {
            return Err(AnswerError::Closed);
        }
        self.command(|board, _| board.wait(request))
            .map(Answering)
            .ok_or_else(|| AnswerError::Unknown(request.clone()))
    }

    /// Looks for a request by its id: one that is shown is there at once, whatever became of it. Else the sessions and all
    /// directories are read once more, so that none is certain: no request with this id waited at the server when it was called.
    ///
    /// A search costs three reads for each directory that is known; searches at the same time share them.
    ///
    /// # Errors
    /// [`FindError::Unread`] when the request was not found and a part of the server could not be read, such as all of it while
    /// it cannot be reached; also when the board is closed.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::model::Reply;
    /// # fn main() { on_a_board(async |board, question| {
    /// // The id is all that a link in a chat holds.
    /// let id = question.id.clone();
    /// match board.find(&id).await? {
    ///     Some(request) => drop(board.answer(&request, Reply::Answers(vec![vec!["Blue".to_owned()]]))?),
    ///     None => println!("{id} is no longer asked"),
    /// }
    /// # Ok(()) }) }
    /// ```
    pub fn find(&self, request: &RequestId) -> Finding<Request> {
        if self.shared.closed.get() {
            return Finding(oneshot::channel().1);
        }
        Finding(self.command(|board, now| board.find(request, now)))
    }

    /// Looks for a session by its id: one that is known is there at once. Else the list of sessions is read once more, so that none
    /// is certain, unless the session is archived: no list names such a one.
    ///
    /// # Errors
    /// [`FindError::Unread`] when the sessions could not be listed; also when the board is closed.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// // Another program has just made it.
    /// let id = question.session.clone();
    /// match board.find_session(&id).await? {
    ///     Some(session) => println!("{} works in {}", session.title, session.directory),
    ///     None => println!("there is no session {id}"),
    /// }
    /// # Ok(()) }) }
    /// ```
    pub fn find_session(&self, session: &SessionId) -> Finding<Session> {
        if self.shared.closed.get() {
            return Finding(oneshot::channel().1);
        }
        Finding(self.command(|board, now| board.find_session(session, now)))
    }

    /// Sets what happens to requests that nobody answers, also to those that wait already.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::policy::{Policy, Then, Unattended};
    /// # use std::time::Duration;
    /// # fn main() { on_a_board(async |board, _| {
    /// let mut unattended = Unattended::never();
    /// unattended.questions = Policy::new(Duration::from_secs(600), Then::Answer("Blue".to_owned()));
    /// board.set_unattended(unattended);
    /// # Ok(()) }) }
    /// ```
    pub fn set_unattended(&self, unattended: Unattended) {
        self.command(|board, now| board.set_unattended(unattended, now));
    }

    /// Keeps the default answer from being given: the request stays as it is, also after a reload and in other tabs of the same
    /// store.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// board.stop_countdown(&question.id);
    /// # Ok(()) }) }
    /// ```
    pub fn stop_countdown(&self, request: &RequestId) {
        self.command(|board, now| board.stop_countdown(request, now));
    }

    /// The figures of all requests of the last 30 days, in no particular order.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// for figure in board.figures() {
    ///     println!("{} was seen at {:?}, confirmed at {:?}", figure.request, figure.seen, figure.confirmed);
    /// }
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn figures(&self) -> Vec<Figure> {
        self.shared.board.borrow().figures()
    }

    /// Prompts a session. Sending begins at once, also when the result is dropped. A prompt answers no question.
    ///
    /// # Errors
    /// When the session is not known, or there is no text.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::PromptOptions;
    /// # fn main() { on_a_board(async |board, question| {
    /// let storing = board.prompt(&question.session, "Use two coats.", PromptOptions::default())?;
    /// println!("the server has the message {}", storing.await?);
    /// # Ok(()) }) }
    /// ```
    pub fn prompt(&self, session: &SessionId, text: &str, options: PromptOptions) -> Result<Storing, PromptError> {
        if self.shared.closed.get() {
            return Err(PromptError::Closed);
        }
        let (message, end) = self.command(|board, now| board.prompt(session, text, options, now))?;
        Ok(Storing { message, end })
    }

    /// Starts a run over the prompts of a session that were never picked up: sends a prompt without a text, which the server
    /// keeps as an empty message. Sending begins at once, also when the result is dropped.
    ///
    /// # Errors
    /// When the session is not known.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// use switchboard_core::view::{Ending, TurnState};
    ///
    /// let view = board.view();
    /// let session = view.session(&question.session).expect("it has asked");
    /// if matches!(session.state, TurnState::Ended { ending: Ending::NotStarted, .. }) {
    ///     board.start(&question.session)?.await?;
    /// }
    /// # Ok(()) }) }
    /// ```
    pub fn start(&self, session: &SessionId) -> Result<Storing, PromptError> {
        if self.shared.closed.get() {
            return Err(PromptError::Closed);
        }
        let (message, end) = self.command(|board, now| board.start(session, now))?;
        Ok(Storing { message, end })
    }

    /// Prompts a session, and waits for its reply: all that the agent says until the run ends that covers the prompt.
    /// Requests that the agent makes meanwhile are answered as ever; the wait goes on.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::FollowUpOptions;
    /// # fn main() { on_a_board(async |board, question| {
    /// let session = board.create_session(&question.directory, None).await?;
    /// let reply = board.prompt_for_reply(&session, "Paint the door.", &FollowUpOptions::default()).await?;
    /// assert_eq!(reply.text, "All right.");
    /// # Ok(()) }) }
    /// ```
    #[must_use = "the reply is in the result"]
    pub fn prompt_for_reply(&self, session: &SessionId, text: &str, options: &FollowUpOptions) -> FollowingUp {
        self.follow_up_with(None, session, text, options)
    }

    /// The same as an entry of the caller's own: where the store holds it already, nothing is sent, and the reply to that one is
    /// awaited. The time-out counts from when the server has the message, and lasts over an outage.
    pub(crate) fn follow_up_as(
        &self,
        own: OwnEntry,
        session: &SessionId,
        text: &str,
        options: &FollowUpOptions,
    ) -> FollowingUp {
        self.follow_up_with(Some(own), session, text, options)
    }

    /// Whether the server is known to have the message of an entry of the caller's own whose reply is awaited.
    pub(crate) fn is_stored(&self, own: &EntryId) -> bool {
        self.shared.board.borrow().is_awaited_reply_stored(own)
    }

    /// Sends a prompt of the caller's own. Where it was sent before, under the same name or the same ids, it is not stored again.
    pub(crate) fn prompt_once(&self, own: OwnEntry, session: &SessionId, text: &str) -> Result<Storing, PromptError> {
        if self.shared.closed.get() {
            return Err(PromptError::Closed);
        }
        let (message, end) = self.command(|board, now| board.prompt_once(own, session, text, now))?;
        Ok(Storing { message, end })
    }

    fn follow_up_with(
        &self,
        own: Option<OwnEntry>,
        session: &SessionId,
        text: &str,
        options: &FollowUpOptions,
    ) -> FollowingUp {
        if self.shared.closed.get() {
            return FollowingUp::failed(FollowUpError::Disposed);
        }
        match self.command(|board, now| board.follow_up(own, session, text, options, now)) {
            Ok((entry, end)) => FollowingUp::new(self.shared.clone(), entry, end),
            Err(error) => FollowingUp::failed(error),
        }
    }

    /// The same for a text that a program made, such as the output of a check: what is longer than
    /// [`FOLLOW_UP_MAX`] is cut.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::FollowUpOptions;
    /// # fn main() { on_a_board(async |board, question| {
    /// # let session = board.create_session(&question.directory, None).await?;
    /// let output = "test result: FAILED. 1 failed\n".repeat(10_000);
    /// let reply = board.follow_up(&session, &output, &FollowUpOptions::default()).await?;
    /// println!("{}", reply.text);
    /// # Ok(()) }) }
    /// ```
    #[must_use = "the reply is in the result"]
    pub fn follow_up(&self, session: &SessionId, message: &str, options: &FollowUpOptions) -> FollowingUp {
        self.prompt_for_reply(session, &cut(message), options)
    }

    /// Sends the answer of a dead question as a message that quotes it; where it was answered elsewhere, as a correction.
    ///
    /// # Errors
    /// When there is nothing to send, or nobody to send it to.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// match board.rescue(&question.id) {
    ///     Ok(storing) => println!("sent as the message {}", storing.await?),
    ///     Err(error) => println!("{error}"),
    /// }
    /// # Ok(()) }) }
    /// ```
    pub fn rescue(&self, request: &RequestId) -> Result<Storing, RescueError> {
        if self.shared.closed.get() {
            return Err(RescueError::Closed);
        }
        let (message, end) = self.command(|board, now| board.rescue(request, now))?;
        Ok(Storing { message, end })
    }

    /// Stops the run of a session. Resolves when the server has said yes, which is before the run has ended, or when the run
    /// is seen to have ended.
    ///
    /// The stop waits for prompts that are being sent to the session, and is repeated while the same run goes on: it may have
    /// been lost, or have come before the run. It is not repeated once a step of a later run has been read, unless a prompt
    /// from before the stop waits behind that run: then it is when the prompt's turn comes. This goes on also when the result
    /// is dropped. A stop that is asked for again is judged by itself.
    ///
    /// A stop that was lost ends a run only where its prompt was certainly there when the stop was asked for: it was held here, or
    /// its stamp is older by what is known of the server's clock. Otherwise the result is [`PostFailure::InDoubt`], and whatever
    /// runs is left alone. Where the messages cannot be read, that is the result after a minute, and the stop goes on once they can.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// board.abort(&question.session).await?;
    /// # Ok(()) }) }
    /// ```
    pub fn abort(&self, session: &SessionId) -> impl Future<Output = Result<(), PostFailure>> + use<> {
        let posted = self.post(|board, now| board.abort(session, now));
        posted.map(|posted| outcome_of(posted).map(drop))
    }

    /// Rejects a question that the server still lists although its call has ended ([`Timeline::ghosts`]), so that it is listed
    /// no more. Nobody hears that. Resolves when the server has said yes; sending begins at once, also when the result is
    /// dropped. What is no such question is refused, and nothing is sent.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// // It waits: it is to be answered.
    /// assert!(board.clear_ghost(&question.id).await.is_err());
    /// # Ok(()) }) }
    /// ```
    ///
    /// [`Timeline::ghosts`]: crate::view::Timeline::ghosts
    pub fn clear_ghost(&self, request: &RequestId) -> impl Future<Output = Result<(), PostFailure>> + use<> {
        let posted = self.post(|board, _| board.clear_ghost(request));
        posted.map(|posted| outcome_of(posted).map(drop))
    }

    /// Makes a session. A failure in doubt may have made one: it then appears in the list.
    ///
    /// Sending begins at once, also when the result is dropped.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// let title = Some("Paint the door".to_owned());
    /// let session = board.create_session(&question.directory, title).await?;
    /// board.open(Some(&session));
    /// # Ok(()) }) }
    /// ```
    pub fn create_session(
        &self,
        directory: &Directory,
        title: Option<String>,
    ) -> impl Future<Output = Result<SessionId, PostFailure>> + use<> {
        let posted = self.post(|board, _| board.create(directory, title));
        posted.map(|posted| match outcome_of(posted)? {
            Posted::Created(session) => Ok(session.id),
            Posted::Accepted
            | Posted::Refused { .. }
            | Posted::NotFound(_)
            | Posted::Unauthorized
            | Posted::InDoubt(_) => Err(PostFailure::InDoubt("the server did not name the session".to_owned())),
        })
    }

    /// Makes a session for another one, if there is one: its title and the store say so.
    pub(crate) async fn create_for(
        &self,
        made_for: Option<&SessionId>,
        directory: &Directory,
        title: &str,
    ) -> Result<SessionId, PostFailure> {
        let Some(made_for) = made_for else {
            return self.create_session(directory, Some(title.to_owned())).await;
        };
        let title = format!("{title} (for {made_for})");
        let session = self.create_session(directory, Some(title)).await?;
        self.link(&session, made_for);
        Ok(session)
    }

    /// Keeps a session known for as long as it exists, also where no list names it, until the result is dropped.
    pub(crate) fn need(&self, session: &SessionId, directory: &Directory) -> Need {
        self.command(|board, now| board.need(session, directory, now));
        Need {
            board: self.clone(),
            session: session.clone(),
        }
    }

    /// How the newest turn of a session stands. None before its newest messages were read.
    pub(crate) fn turn_of(&self, session: &SessionId) -> Option<NewestTurn> {
        self.shared.board.borrow().turn_of(session)
    }

    /// The number of the newest read or send: reads that begin from now on have a higher one.
    pub(crate) fn newest_number(&self) -> u64 {
        self.shared.board.borrow().newest_number()
    }

    /// Whether a session that is needed was deleted.
    pub(crate) fn is_deleted(&self, session: &SessionId) -> bool {
        self.shared.board.borrow().is_deleted(session)
    }

    /// Keeps in the store for which session another one was made.
    pub(crate) fn link(&self, session: &SessionId, made_for: &SessionId) {
        self.command(|board, now| board.link(session, made_for, now));
    }

    /// Keeps what was typed or chosen. A blank draft is dropped.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::model::Draft;
    /// # fn main() { on_a_board(async |board, question| {
    /// board.draft(Draft::of_answers(&question, &[vec!["Blue".to_owned()]]));
    /// # Ok(()) }) }
    /// ```
    pub fn draft(&self, draft: Draft) {
        self.command(|board, _| board.draft(draft));
    }

    /// Whether the process must not end now, because the store does not have all that was said here: each draft, each reply and
    /// prompt that is not over, and that a prompt was taken back. True while the store writes one of them, a few milliseconds
    /// as a rule, and for as long as it cannot. While it is true, a page has its browser ask before it is closed (`beforeunload`).
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::model::Draft;
    /// # fn main() { on_a_board(async |board, question| {
    /// board.draft(Draft::of_answers(&question, &[vec!["Blue".to_owned()]]));
    /// assert!(board.has_unsaved(), "the store has not answered yet");
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn has_unsaved(&self) -> bool {
        self.shared.board.borrow().has_unsaved()
    }

    /// Gives up the text of a request that has ended or was refused.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// board.discard(&question.id);
    /// # Ok(()) }) }
    /// ```
    pub fn discard(&self, request: &RequestId) {
        self.command(|board, _| board.discard(request));
    }

    /// Gives up a prompt that was not taken.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// for prompt in board.view().prompts.iter() {
    ///     board.discard_prompt(&prompt.entry);
    /// }
    /// # Ok(()) }) }
    /// ```
    pub fn discard_prompt(&self, entry: &EntryId) {
        self.command(|board, _| board.discard_prompt(entry));
    }

    /// Refreshes everything at once.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// // The person pressed a button.
    /// board.try_now();
    /// # Ok(()) }) }
    /// ```
    pub fn try_now(&self) {
        self.command(Board::try_now);
    }

    /// Chooses the session whose messages appear in [`View::timeline`].
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// use futures::StreamExt;
    ///
    /// board.open(Some(&question.session));
    /// let mut opened = board.views().filter_map(async |view| view.timeline.clone());
    /// let timeline = std::pin::pin!(opened).next().await.expect("the board is open");
    /// assert_eq!(timeline.session, question.session);
    /// # Ok(()) }) }
    /// ```
    pub fn open(&self, session: Option<&SessionId>) {
        self.command(|board, now| board.open(session.cloned(), now));
    }

    /// Asks for the page before the oldest message of the open session. Nothing happens when there is none.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, question| {
    /// board.open(Some(&question.session));
    /// board.load_older();
    /// # Ok(()) }) }
    /// ```
    pub fn load_older(&self) {
        self.command(Board::load_older);
    }

    /// Hints that a refresh may be worth it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::ports::Wake;
    /// # fn main() { on_a_board(async |board, question| {
    /// // An event of the server names a directory.
    /// board.wake(Wake::Question(question.directory.clone()));
    /// # Ok(()) }) }
    /// ```
    pub fn wake(&self, wake: Wake) {
        self.command(|board, now| board.handle_wake(wake, now));
    }

    /// Shows text that streams, until the server has the whole.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::ports::Preview;
    /// # fn main() { on_a_board(async |board, question| {
    /// board.preview(Preview {
    ///     session: question.session.clone(),
    ///     message: "msg_1".into(),
    ///     part: "prt_1".into(),
    ///     delta: "I am ".to_owned(),
    /// });
    /// # Ok(()) }) }
    /// ```
    pub fn preview(&self, preview: Preview) {
        self.command(|board, now| board.handle_preview(preview, now));
    }

    /// Whether the text that streams in a session is of use: the session is open, or somebody waits for its reply.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// board.open(Some(&"ses_1".into()));
    /// assert!(board.follows(&"ses_1".into()));
    /// assert!(!board.follows(&"ses_2".into()));
    /// # Ok(()) }) }
    /// ```
    #[must_use]
    pub fn follows(&self, session: &SessionId) -> bool {
        self.shared.board.borrow().is_followed(session)
    }

    /// Says whether somebody may be looking. Defaults to `true`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// // The tab is in the background: refresh less often.
    /// board.set_visible(false);
    /// # Ok(()) }) }
    /// ```
    pub fn set_visible(&self, visible: bool) {
        self.command(|board, now| board.set_visible(visible, now));
    }

    /// Says whether this tab reads for the others. One that follows reads for itself when it has been shown nothing for
    /// a while. Defaults to `true`.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// // Another tab reads for this one, and passes on what it reads.
    /// board.set_leading(false);
    /// # Ok(()) }) }
    /// ```
    pub fn set_leading(&self, leading: bool) {
        self.command(|board, now| board.set_leading(leading, now));
    }

    /// Takes what another tab has read, and when it began to. A leading tab, and one that has sent since, ignores it.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::Time;
    /// # use switchboard_core::ports::{Fetched, Read};
    /// # fn main() { on_a_board(async |board, question| {
    /// # let (fetched, begun) = (Fetched::Requests(Vec::new()), Time(0));
    /// let read = Read::Questions(question.directory.clone());
    /// board.observe(&read, fetched, begun);
    /// # Ok(()) }) }
    /// ```
    pub fn observe(&self, read: &Read, fetched: Fetched, begun: Time) {
        self.command(|board, now| board.handle_shown(read, fetched, begun, now));
    }

    /// Says that a password was given: held sends go on.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # fn main() { on_a_board(async |board, _| {
    /// // The transport has the new password.
    /// board.credentials_changed();
    /// # Ok(()) }) }
    /// ```
    pub fn credentials_changed(&self) {
        self.command(Board::handle_credentials);
    }

    /// Ends the board. Twice is fine. Unfinished sends are in the store, for the next connection; the future that drives
    /// the board ends when the store has them, after 2 s at most.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use switchboard_core::AnswerError;
    /// # fn main() { on_a_board(async |board, question| {
    /// board.close();
    /// assert!(matches!(board.wait(&question.id), Err(AnswerError::Closed)));
    /// # Ok(()) }) }
    /// ```
    pub fn close(&self) {
        self.shared.closed.set(true);
        self.shared.ring();
    }

    /// The result of a command, once its session exists; none when the board is closed first.
    pub(crate) async fn run_shell(
        &self,
        session: &SessionId,
        command: &ShellCommand,
        name: Option<&str>,
    ) -> Option<Result<ShellResult, ShellError>> {
        if self.shared.closed.get() {
            return None;
        }
        let running = self.command(|board, now| board.run_shell(session, command, name, now));
        running.await.ok()
    }

    /// The result of a command that was sent under this name before, or was about to be; none when the board is closed first.
    pub(crate) async fn find_shell(
        &self,
        session: &SessionId,
        command: &ShellCommand,
        name: &str,
    ) -> Option<Result<ShellResult, ShellError>> {
        if self.shared.closed.get() {
            return None;
        }
        let running = self.command(|board, now| board.find_shell(session, command, name, now));
        running.await.ok()
    }

    /// What a command has printed so far that is waited for here.
    pub(crate) fn running_output(&self, session: &SessionId) -> Option<String> {
        self.shared.board.borrow().running_output(session)
    }

    /// Whether this board reads for the others ([`Self::set_leading`]).
    #[must_use]
    pub(crate) fn is_leading(&self) -> bool {
        self.shared.board.borrow().is_leading()
    }

    pub(crate) fn clock(&self) -> Rc<dyn Clock> {
        self.shared.clock.clone()
    }

    /// A random number, from the seed of the board.
    pub(crate) fn random(&self) -> u64 {
        self.command(|board, _| board.random())
    }

    /// New ids for a prompt.
    pub(crate) fn prompt_ids(&self) -> PromptIds {
        self.command(Board::prompt_ids)
    }

    pub(crate) fn now(&self) -> Time {
        self.shared.clock.now()
    }

    /// A closed board sends nothing more.
    fn post(&self, post: impl FnOnce(&mut Board, Time) -> oneshot::Receiver<Posted>) -> oneshot::Receiver<Posted> {
        if self.shared.closed.get() {
            return oneshot::channel().1;
        }
        self.command(post)
    }

    fn command<T>(&self, command: impl FnOnce(&mut Board, Time) -> T) -> T {
        let now = self.shared.clock.now();
        let result = command(&mut self.shared.board.borrow_mut(), now);
        self.shared.ring();
        result
    }
}

/// Keeps a session known ([`Handle::need`]).
#[must_use = "dropping it leaves the session to the lists"]
pub(crate) struct Need {
    board: Handle,
    session: SessionId,
}

impl Drop for Need {
    fn drop(&mut self) {
        self.board.command(|board, _| board.need_no_longer(&self.session));
    }
}

fn outcome_of(posted: Result<Posted, oneshot::Canceled>) -> Result<Posted, PostFailure> {
    match posted {
        Ok(done @ (Posted::Accepted | Posted::Created(_))) => Ok(done),
        Ok(Posted::Refused(refusal)) => Err(PostFailure::Refused(refusal.to_string())),
        Ok(Posted::NotFound(message)) => Err(PostFailure::Refused(message)),
        Ok(Posted::Unauthorized) => Err(PostFailure::Unauthorized),
        Ok(Posted::InDoubt(reason)) => Err(PostFailure::InDoubt(reason)),
        Err(oneshot::Canceled) => Err(PostFailure::Closed),
    }
}
