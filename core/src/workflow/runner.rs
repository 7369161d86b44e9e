//! Takes the steps of workflows, in one tab at a time.

mod board;
mod check;
mod material;
mod record;
mod review;
mod tell;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::{Either, LocalBoxFuture, pending, poll_fn, select, select_all};
use futures::stream::FuturesUnordered;
use futures::{FutureExt, Stream, StreamExt};

use super::{End, Goal, Next, Step, Stop, Work, Workflow, WorkflowStore};
use crate::collections::SortedMap;
use crate::handle::Handle;
use crate::model::{Directory, SessionId, WorkflowId};
use crate::ports::{ReadError, StoreError};
use crate::primitives::completion::{Fault, Verdict};
use crate::time::Clock;
use crate::watch::{Views, Wakers};

/// Between two tries to get the right to a workflow that another tab holds, and two looks at whether this tab leads.
const RETRY: Duration = Duration::from_secs(1);

/// How often what goes on is read again: by a board that does not lead, which may have stood still while another one told of a
/// change, and by any board whose newest read has failed.
const REREAD: Duration = Duration::from_secs(5);

/// Reads the verdict of a reviewer from its reply.
pub type ReadVerdict = fn(&str) -> Result<Verdict, Fault>;

/// Reads the changes that a session has made so far, the oldest first, as a text for reviewers such as unified diffs; empty where no
/// change is known. Dropping the future ends the read.
pub type ReadChanges = Rc<dyn Fn(&SessionId, &Directory) -> LocalBoxFuture<'static, Result<String, ReadError>>>;

/// The workflows of one server. Clones are the same.
#[derive(Clone)]
pub struct Workflows(Rc<Runner>);

/// Why a workflow was not started.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartError {
    /// No such session is known.
    UnknownSession(SessionId),
    /// Another one goes on in the session.
    Running(WorkflowId),
    /// There is neither a check nor a reviewer, or a command is blank.
    NothingToDo,
    /// The reviewers have nothing to look at.
    NothingToReview,
    /// There are no rounds.
    NoRounds,
}

impl fmt::Display for StartError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::UnknownSession(session) => write!(formatter, "no session {session} is known"),
            StartError::Running(other) => write!(formatter, "workflow {other} goes on in this session"),
            StartError::NothingToDo => formatter.write_str("a workflow needs a command or a reviewer"),
            StartError::NothingToReview => formatter.write_str("reviewers need something to look at"),
            StartError::NoRounds => formatter.write_str("a workflow needs at least one round"),
        }
    }
}

impl std::error::Error for StartError {}

/// A workflow as this tab holds it.
#[derive(Clone)]
struct Held {
    workflow: Arc<Workflow>,
    /// The version of it that the store holds.
    stored: Option<u64>,
    /// How often a record without the changes that were made here has taken its place.
    replaced: u64,
}

pub(super) struct Runner {
    board: Handle,
    clock: Rc<dyn Clock>,
    store: Rc<dyn WorkflowStore>,
    read_verdict: ReadVerdict,
    read_changes: ReadChanges,
    held: RefCell<SortedMap<WorkflowId, Held>>,
    problem: RefCell<Option<StoreError>>,
    /// Why the newest read of the store has failed.
    unread: RefCell<Option<StoreError>>,
    /// Counts the changes of what is held.
    revision: Cell<u64>,
    closed: Cell<bool>,
    waiting: Wakers,
    /// Changes that a person has asked for, to be made by the loop.
    wanted: RefCell<Vec<LocalBoxFuture<'static, ()>>>,
}

impl Workflows {
    /// The workflows of a board, and the future that takes their steps while the board leads ([`Handle::set_leading`]): spawn it.
    ///
    /// Dropping the future stops nothing on the server; the next one goes on where this one was. It ends when
    /// the board is closed.
    ///
    /// ```
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/memory_store/in_documentation.rs"));
    /// # use std::rc::Rc;
    /// # use std::time::Duration;
    /// # use workflows::MemoryWorkflows;
    /// # use switchboard_core::completion::Fault;
    /// # use switchboard_core::workflow::{Check, End, Goal, Start, Workflows};
    /// # fn main() { on_a_board(async |board, question| {
    /// use futures::{FutureExt, StreamExt};
    /// use futures::future::Either;
    ///
    /// let unreadable = |_: &str| Err(Fault { line: 1, column: 1, message: "no reviewers here".to_owned() });
    /// let unchanged = Rc::new(|_: &_, _: &_| futures::future::ready(Ok(String::new())).boxed_local());
    /// let (workflows, steps) = Workflows::new(&board, Rc::new(MemoryWorkflows::default()), unreadable, unchanged);
    /// let session = board.create_session(&question.directory, None).await?;
    /// let mut goal = Goal::new(Start::Now);
    /// goal.check = Some(Check { command: "cargo test".to_owned(), timeout: Duration::from_secs(600) });
    /// workflows.start(&session, goal)?;
    /// let ended = async {
    ///     let mut updates = workflows.updates();
    ///     while let Some(all) = updates.next().await {
    ///         if let Some((end, _)) = all.first().and_then(|workflow| workflow.end.clone()) {
    ///             return Some(end);
    ///         }
    ///     }
    ///     None
    /// };
    /// match futures::future::select(steps, Box::pin(ended)).await {
    ///     Either::Right((end, _)) => assert_eq!(end, Some(End::Passed)),
    ///     Either::Left(_) => panic!("the board is open"),
    /// }
    /// # Ok(()) }) }
    /// ```
    #[must_use = "nothing happens without the future"]
    pub fn new(
        board: &Handle,
        store: Rc<dyn WorkflowStore>,
        read_verdict: ReadVerdict,
        read_changes: ReadChanges,
    ) -> (Self, LocalBoxFuture<'static, ()>) {
        let runner = Rc::new(Runner {
            board: board.clone(),
            clock: board.clock(),
            store,
            read_verdict,
            read_changes,
            held: RefCell::new(SortedMap::new()),
            problem: RefCell::new(None),
            unread: RefCell::new(None),
            revision: Cell::new(0),
            closed: Cell::new(false),
            waiting: Wakers::default(),
            wanted: RefCell::default(),
        });
        (Self(runner.clone()), runner.drive().boxed_local())
    }

    /// All workflows that are kept, those that were begun first at the beginning.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<Workflow>> {
        let mut list: Vec<_> = self
            .0
            .held
            .borrow()
            .values()
            .map(|held| held.workflow.clone())
            .collect();
        list.sort_by_key(|workflow| workflow.begun);
        list
    }

    /// The present list, and the newest one whenever a workflow has changed, or what [`Self::unsaved`] or [`Self::unread`]
    /// says. A slow reader skips; closing the board ends it.
    #[must_use]
    pub fn updates(&self) -> WorkflowUpdates {
        WorkflowUpdates {
            workflows: self.clone(),
            seen: None,
        }
    }

    /// Why the workflows cannot be kept on this device; none when they are. They go on all the same, until the page is closed:
    /// but for [`StoreError::TimedOut`], where the steps wait for the store.
    #[must_use]
    pub fn unsaved(&self) -> Option<StoreError> {
        self.0.problem.borrow().clone()
    }

    /// Why the workflows that are kept on this device could not be read the last time; none when they were. They are read again
    /// every 5 s. Until then those that this board has not read yet are not listed, and stand still unless another tab carries
    /// them on.
    #[must_use]
    pub fn unread(&self) -> Option<StoreError> {
        self.0.unread.borrow().clone()
    }

    /// Whether a workflow, or its newest step, would be lost if the process ended now: the store does not have it.
    #[must_use]
    pub fn has_unsaved(&self) -> bool {
        let held = self.0.held.borrow();
        held.values().any(|held| held.stored != Some(held.workflow.version))
    }

    /// Starts a workflow on a session. It is taken up at once where this board leads, else by the tab that does.
    ///
    /// # Errors
    /// When the session is not known, another one goes on in it, or there is nothing to do or to review.
    pub fn start(&self, session: &SessionId, goal: Goal) -> Result<WorkflowId, StartError> {
        self.0.start(session, goal)
    }

    /// Stops a workflow, at once or after its round. Nothing happens when it has ended.
    pub fn stop(&self, workflow: &WorkflowId, stop: Stop) {
        self.0.change_soon(workflow, move |workflow| workflow.take_stop(stop));
    }

    /// Goes on with a workflow that has used up its rounds or its budget, has failed twice in the same way, was stopped, whose
    /// check has no result, whose agent picked up nothing, or whose reviewers had nothing to look at; with so many rounds more at
    /// most. One that has stalled, or is over its budget, tells the agent once more, and may end in the same way after the next
    /// failure. Where no reviewer was asked, the round begins anew, once the agent has finished, and there are no more rounds than
    /// before. Nothing happens with any other, nor while another one goes on in the session.
    pub fn go_on(&self, workflow: &WorkflowId, rounds: u32) {
        let Some(session) = self.0.get(workflow).map(|workflow| workflow.session.clone()) else {
            return;
        };
        if self.0.running_in(&session).is_none() {
            let (progress, now) = (self.0.progress_to_keep(&session, 0), self.0.clock.now());
            self.0.change_soon(workflow, move |workflow| {
                let goes_on = workflow.take_on(rounds);
                if goes_on {
                    workflow.take_wait(progress, now);
                }
                goes_on
            });
        }
    }

    /// Sends the agent what the newest review of a workflow that has ended has found, as far as that is to be mended
    /// ([`to_mend`](super::to_mend)). It arrives once, also when the page is loaded again meanwhile: [`Work::Review`] tells what
    /// came of it. While another OpenCode process is known to run the session it waits. Nothing happens where
    /// [`Workflow::can_send_findings`] says so.
    pub fn send_findings(&self, workflow: &WorkflowId) {
        let ids = self.0.board.prompt_ids();
        self.0.change_soon(workflow, move |workflow| workflow.take_send(&ids));
    }

    /// What the check that runs has printed so far, as the server shows it; none while none runs, or when this tab does not read
    /// its session.
    #[must_use]
    pub fn output(&self, workflow: &WorkflowId) -> Option<String> {
        let workflow = self.0.get(workflow)?;
        match &workflow.current()?.work {
            Work::Check(check) => self.0.board.running_output(check.session.as_ref()?),
            Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
        }
    }
}

impl fmt::Debug for Workflows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.list()).finish()
    }
}

impl Runner {
    /// Takes steps until the board is closed.
    async fn drive(self: Rc<Self>) {
        let mut views = self.board.views();
        let mut changed = self.store.changed();
        let mut work = InHand::default();
        let mut revision = None;
        self.reload().await;
        let mut read = self.clock.now();
        let mut led = self.board.is_leading();
        loop {
            work.changes.extend(self.wanted.take());
            let leads = self.board.is_leading();
            if leads && !led {
                // What the tab that led before has begun may not have been heard of.
                self.reload().await;
                read = self.clock.now();
            }
            led = leads;
            if leads {
                for id in self.unended() {
                    if work.taken.insert(id.clone()) {
                        work.runs.push(self.clone().run_if_free(id).boxed_local());
                    }
                }
                for id in self.sending() {
                    if work.taken.insert(id.clone()) {
                        work.runs.push(self.clone().send_findings(id).boxed_local());
                    }
                }
            } else {
                // The tab that leads goes on where this one was.
                work.runs.clear();
                work.taken.clear();
            }
            match self.next_event(&mut work, &mut views, &mut changed, revision).await {
                Event::Left(id) => drop(work.taken.remove(&id)),
                Event::Looked => {
                    let is_due = self.clock.now().since(read) >= REREAD;
                    let follows = !self.board.is_leading() && self.are_open();
                    if is_due && (follows || self.is_unread()) {
                        self.reload().await;
                        read = self.clock.now();
                    }
                }
                Event::Revised(now) => revision = Some(now),
                Event::Changed => {
                    changed = self.store.changed();
                    self.reload().await;
                }
                Event::Closed => break,
            }
        }
        self.closed.set(true);
        self.waiting.wake();
    }

    async fn next_event(
        &self,
        work: &mut InHand,
        views: &mut Views,
        changed: &mut LocalBoxFuture<'static, ()>,
        revision: Option<u64>,
    ) -> Event {
        let looks_often = !work.taken.is_empty() || self.are_open() || self.is_unread();
        let (runs, changes) = (&mut work.runs, &mut work.changes);
        let left = poll_fn(|context| match runs.poll_next_unpin(context) {
            Poll::Ready(Some(id)) => Poll::Ready(Event::Left(id)),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        });
        let kept = poll_fn(|context| match changes.poll_next_unpin(context) {
            Poll::Ready(Some(())) => Poll::Ready(Event::Looked),
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        });
        // A board that begins to lead, or is closed, is noticed by its views.
        let seen = views.next().map(|view| view.map_or(Event::Closed, |_| Event::Looked));
        let looked = async {
            match looks_often {
                true => self.sleep(RETRY).await,
                false => pending().await,
            }
            Event::Looked
        };
        let elsewhere = changed.map(|()| Event::Changed);
        let here = self.changed_here(revision).map(Event::Revised);
        let events: [Pin<Box<dyn Future<Output = Event> + '_>>; 6] = [
            Box::pin(seen),
            Box::pin(kept),
            Box::pin(left),
            Box::pin(elsewhere),
            Box::pin(here),
            Box::pin(looked),
        ];
        select_all(events).await.0
    }

    /// Takes the steps of a workflow while this tab has the right to, and no other one goes on in its session.
    async fn run_if_free(self: Rc<Self>, id: WorkflowId) -> WorkflowId {
        let Some(workflow) = self.get(&id) else { return id };
        match self.store.claim(&workflow.session).await {
            Some(mut claim) => {
                // The tab that had it before may have gone on since.
                self.reload().await;
                // A tab that stood still for too long leaves the steps to the one that takes them now.
                drop(select(Box::pin(self.run(&id)), Box::pin(claim.lost())).await);
                drop(claim);
                // How it ended is kept once the store holds it again, and holds up no other one until then.
                self.keep_end_soon(&id);
            }
            None => self.sleep(RETRY).await,
        }
        id
    }

    async fn run(&self, id: &WorkflowId) {
        let Some(workflow) = self.get(id) else { return };
        // What was read before may be older than what the tab has seen that has started it.
        let since = self.board.newest_number();
        let _needed = self.board.need(&workflow.session, &workflow.directory);
        while let Some(workflow) = self.get(id) {
            match workflow.next(self.progress_to_keep(&workflow.session, since), self.clock.now()) {
                Next::End(_) if workflow.end.is_some() => return,
                Next::End(end) => self.end(id, end).await,
                Next::Begin(work) => self.begin(id, work).await,
                Next::Read => {
                    let read = Box::pin(self.until(|_| self.progress_since(&workflow.session, since)));
                    let stopped = Box::pin(self.stopped(id, Stop::AfterRound));
                    self.unless_deleted(id, &workflow.session, select(read, stopped).map(drop))
                        .await;
                }
                Next::Resume => {
                    self.unless_deleted(id, &workflow.session, self.resume(id, &workflow, since))
                        .await;
                }
            }
        }
    }

    /// Does something until the session of the workflow was deleted: then it ends.
    async fn unless_deleted(&self, id: &WorkflowId, session: &SessionId, does: impl Future<Output = ()>) {
        let deleted = Box::pin(self.until_deleted(session));
        match select(Box::pin(does), deleted).await {
            Either::Left(((), _)) => {}
            Either::Right(((), doing)) => {
                drop(doing);
                self.end_without_session(id).await;
            }
        }
    }

    /// Its session was deleted: what works for it is stopped.
    async fn end_without_session(&self, id: &WorkflowId) {
        let workflow = self.get(id);
        let step = workflow.as_ref().and_then(|workflow| workflow.current());
        for session in step.into_iter().flat_map(Step::sessions) {
            // The session shows what has become of it.
            drop(self.board.abort(session).await);
        }
        self.end(id, End::SessionGone).await;
    }

    async fn resume(&self, id: &WorkflowId, workflow: &Workflow, since: u64) {
        let place = workflow.steps.len() - 1;
        match &workflow.steps[place].work {
            Work::AwaitReply { running, updated } => {
                let before = (*running, *updated);
                self.await_reply(id, &workflow.session, place, before, since).await;
            }
            Work::Check(_) => self.check(id, place).await,
            Work::Review { .. } => self.review(id, place).await,
            Work::Tell(told) => self.tell(id, workflow, place, told).await,
        }
    }

    async fn end(&self, id: &WorkflowId, end: End) {
        let now = self.clock.now();
        self.change(id, &|workflow| {
            let goes_on = workflow.end.is_none();
            if goes_on {
                workflow.end = Some((end.clone(), now));
                workflow.steps.iter_mut().for_each(|step| step.work.forget_changes());
            }
            goes_on
        })
        .await;
    }

    /// Resolves when a person wants the workflow to stop at once.
    async fn stopped_now(&self, id: &WorkflowId) {
        self.stopped(id, Stop::Now).await;
    }

    /// Resolves when a person wants the workflow to stop, at once or as soon as `stop` says.
    async fn stopped(&self, id: &WorkflowId, stop: Stop) {
        let mut revision = None;
        while self.get(id).is_some_and(|workflow| workflow.stop < Some(stop)) {
            revision = Some(self.changed_here(revision).await);
        }
    }

    async fn sleep(&self, span: Duration) {
        self.clock.sleep_until(self.clock.now() + span).await;
    }

    /// Resolves with the revision when it is another one than this.
    async fn changed_here(&self, seen: Option<u64>) -> u64 {
        poll_fn(|context| {
            if seen != Some(self.revision.get()) {
                return Poll::Ready(self.revision.get());
            }
            self.waiting.add(context.waker());
            Poll::Pending
        })
        .await
    }

    /// Tells those who follow the workflows that something has changed.
    fn touch(&self) {
        self.revision.set(self.revision.get() + 1);
        self.waiting.wake();
    }
}

/// What the loop has in hand.
#[derive(Default)]
struct InHand {
    runs: FuturesUnordered<LocalBoxFuture<'static, WorkflowId>>,
    /// The workflows of the runs.
    taken: BTreeSet<WorkflowId>,
    changes: FuturesUnordered<LocalBoxFuture<'static, ()>>,
}

enum Event {
    /// The steps of a workflow are no longer taken here.
    Left(WorkflowId),
    Looked,
    /// A workflow has changed here.
    Revised(u64),
    /// Another tab has changed one.
    Changed,
    Closed,
}

/// The present workflows at once, then all of them whenever one has changed. It ends when the board closes.
///
/// Dropping it disturbs nothing.
#[derive(Debug)]
pub struct WorkflowUpdates {
    workflows: Workflows,
    seen: Option<u64>,
}

impl Stream for WorkflowUpdates {
    type Item = Vec<Arc<Workflow>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let runner = self.workflows.0.clone();
        let revision = runner.revision.get();
        if self.seen != Some(revision) {
            self.seen = Some(revision);
            return Poll::Ready(Some(self.workflows.list()));
        }
        if runner.closed.get() {
            return Poll::Ready(None);
        }
        runner.waiting.add(context.waker());
        Poll::Pending
    }
}
