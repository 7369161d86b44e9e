//! The one loop of a board, and the only place that waits: does what the board asks for, and tells it what came of it.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, LocalBoxFuture, select};
use futures::stream::{self, FuturesUnordered, StreamExt};

use crate::collections::SortedSet;
use crate::engine::action::Action;
use crate::engine::board::Board;
use crate::log::Record;
use crate::metrics::Figure;
use crate::model::{Draft, DraftKey, Entry, EntryId, RequestId, SessionId};
use crate::ports::{Claim, CommitError, Fetched, Post, Posted, ReadError, Saved, Store, StoreError, Transport};
use crate::time::{Clock, Time};
use crate::watch::Latest;

/// How long the answer to a shell command is waited for: it blocks until the command ends, and the session shows the
/// result. Source: requirements F7.
const SHELL_PATIENCE: Duration = Duration::from_secs(2);
/// How long a load may take. One that takes longer is given up, and made again.
const LOAD_PATIENCE: Duration = Duration::from_secs(30);
/// How long the store may take for what was said before the end.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);
/// The shortest time that the loop sleeps when only time can change anything.
const PAUSE_MIN: Duration = Duration::from_millis(10);

/// What the loop and the handles share.
pub(crate) struct Shared {
    pub(crate) board: RefCell<Board>,
    pub(crate) clock: Rc<dyn Clock>,
    pub(crate) latest: Rc<Latest>,
    pub(crate) closed: Cell<bool>,
    rung: Cell<bool>,
    sleeper: RefCell<Option<Waker>>,
}

impl Shared {
    pub(crate) fn new(board: Board, clock: Rc<dyn Clock>) -> Rc<Self> {
        let mut board = board;
        let latest = Latest::new(board.view(clock.now()));
        Rc::new(Self {
            board: RefCell::new(board),
            clock,
            latest,
            closed: Cell::new(false),
            rung: Cell::new(false),
            sleeper: RefCell::default(),
        })
    }

    /// Closes the board: everything that waits for it hears so. Twice is fine.
    fn end(&self) {
        self.closed.set(true);
        // Waiters are woken when they are told something and when they are dropped: outside the borrow.
        let ended = self.board.try_borrow_mut().map(|mut board| board.end());
        if let Ok((tellings, waiting)) = ended {
            tellings.into_iter().for_each(|tell| tell());
            drop(waiting);
        }
        self.latest.close();
    }

    /// Makes the loop look at the board again.
    pub(crate) fn ring(&self) {
        self.rung.set(true);
        if let Some(waker) = self.sleeper.take() {
            waker.wake();
        }
    }

    /// Resolves when somebody has rung since the last time.
    async fn bell(&self) {
        futures::future::poll_fn(|context| {
            if self.rung.replace(false) {
                return Poll::Ready(());
            }
            self.sleeper.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }
}

/// What came of an action.
enum Event {
    Read(u64, Result<Fetched, ReadError>),
    Posted(EntryId, Posted),
    Commanded(u64, Posted),
    Committed(Arc<Entry>, Result<(), CommitError>),
    Claimed(EntryId, Option<Claim>),
    Loaded(Result<Saved, StoreError>),
    DraftKept(DraftKey, Result<Option<Draft>, StoreError>),
    Figures(Result<Vec<Figure>, StoreError>),
    FigureKept(RequestId, Result<(), StoreError>),
    Kept,
}

/// The outside, as the loop uses it.
pub(crate) struct World {
    pub(crate) transport: Rc<dyn Transport>,
    pub(crate) store: Rc<dyn Store>,
    pub(crate) log: Rc<dyn Fn(&Record)>,
}

/// The loop of one board, and what is under way in it.
///
/// Dropping it ends the board, also where an executor drops it before it was ever polled or while a panic unwinds:
/// everything that waits for this board hears that it is closed, and the next connection may send what is left.
pub(crate) struct Driver {
    shared: Rc<Shared>,
    world: World,
    calls: FuturesUnordered<LocalBoxFuture<'static, Event>>,
    /// What the store is to keep.
    saves: FuturesUnordered<LocalBoxFuture<'static, Event>>,
}

impl Drop for Driver {
    fn drop(&mut self) {
        self.shared.end();
        // A panic may have left the board borrowed.
        let claims = self.shared.board.try_borrow_mut().map(|mut board| board.take_claims());
        // Outside the borrow: a claim runs code of the store's when it is dropped.
        drop(claims);
    }
}

impl Driver {
    pub(crate) fn new(shared: Rc<Shared>, world: World) -> Self {
        Self {
            shared,
            world,
            calls: FuturesUnordered::new(),
            saves: FuturesUnordered::new(),
        }
    }

    /// Drives the board until it is closed, and then until the store has what was said before, for [`CLOSE_PATIENCE`] at
    /// most. Dropping the future stops everything at once: sends in flight stay in doubt, and are adopted by the next
    /// connection.
    pub(crate) async fn run(mut self) {
        while !self.shared.closed.get() {
            let deadline = self.pass(|_| true);
            self.wait(deadline).await;
        }
        self.finish().await;
    }

    /// Tells everybody that the board is closed, and lets the store have what was said before. Stops that are under way
    /// go out, too, and the prompts that they are meant for. Everything else in flight ends here.
    async fn finish(&mut self) {
        self.shared.end();
        let end = self.shared.clock.now() + CLOSE_PATIENCE;
        loop {
            let stopping = self.shared.board.borrow().stopping();
            let deadline = self.pass(|action| is_last(action, &stopping));
            let is_stopping = !self.shared.board.borrow().stopping().is_empty();
            if !is_stopping {
                self.calls.clear();
            }
            if self.saves.is_empty() && !is_stopping || self.shared.clock.now() >= end {
                return;
            }
            self.wait(Some(deadline.map_or(end, |deadline| deadline.min(end))))
                .await;
        }
    }

    /// One pass: lets time act, begins what the board asks for and `may_begin` allows, and shows what has changed.
    ///
    /// The log, the transport, the store, claims and those who wait run while the board is not borrowed: they may call the handle.
    fn pass(&self, may_begin: impl Fn(&Action) -> bool) -> Option<Time> {
        let shared = &self.shared;
        let now = shared.clock.now();
        let (actions, records, view, claims, tellings, deadline, limits) = {
            let mut board = shared.board.borrow_mut();
            board.handle_deadline(now);
            let actions: Vec<Action> = std::iter::from_fn(|| board.next_action(now)).collect();
            (
                actions,
                board.take_records(),
                board.view(now),
                board.take_released_claims(),
                board.take_tellings(),
                board.next_deadline(),
                board.deadlines(now),
            )
        };
        drop(claims);
        for action in actions.into_iter().filter(|action| may_begin(action)) {
            let work = if is_save(&action) { &self.saves } else { &self.calls };
            work.push(begin(action, shared, &self.world, limits));
        }
        shared.latest.set(view);
        // Whoever hears of an end sees it in the view.
        tellings.into_iter().for_each(|tell| tell());
        for record in &records {
            (self.world.log)(record);
        }
        debug_assert!(
            deadline.is_none_or(|(deadline, _)| deadline > now),
            "a deadline that has passed would make the loop spin: {deadline:?} at {now:?}"
        );
        // A release build that breaks the rule wakes too often, and does not hang the page.
        deadline.map(|(deadline, _)| deadline.max(now + PAUSE_MIN))
    }

    /// Waits until something has happened, and tells the board everything that has.
    async fn wait(&mut self, deadline: Option<Time>) {
        let shared = self.shared.clone();
        let timer = async {
            match deadline {
                Some(deadline) => shared.clock.sleep_until(deadline).await,
                None => futures::future::pending().await,
            }
        };
        let mut events = stream::select(&mut self.calls, &mut self.saves);
        let event = async {
            match events.next().await {
                Some(event) => event,
                None => futures::future::pending().await,
            }
        };
        let first = match select(select(pin!(event), pin!(timer)), pin!(shared.bell())).await {
            Either::Left((Either::Left((event, _)), _)) => Some(event),
            Either::Left((Either::Right(((), _)), _)) | Either::Right(((), _)) => None,
        };
        let mut next = first;
        while let Some(event) = next {
            take(&shared, event);
            next = events.next().now_or_never().flatten();
        }
    }
}

/// Whether this is for the store to keep.
fn is_save(action: &Action) -> bool {
    match action {
        Action::Commit { .. }
        | Action::KeepDraft { .. }
        | Action::DropDraft(_)
        | Action::KeepFigure(_)
        | Action::KeepLink(_) => true,
        Action::Read { .. }
        | Action::Send { .. }
        | Action::Command { .. }
        | Action::Claim(_)
        | Action::Load
        | Action::LoadFigures => false,
    }
}

/// Whether this is begun even after the board was closed, while these sessions are being stopped.
fn is_last(action: &Action, stopping: &SortedSet<SessionId>) -> bool {
    match action {
        Action::Command { post, .. } => matches!(post, Post::Abort { .. }),
        Action::Send { post, .. } => matches!(post, Post::Prompt { session, .. } if stopping.contains(session)),
        Action::Claim(_) => !stopping.is_empty(),
        Action::Read { .. }
        | Action::Commit { .. }
        | Action::Load
        | Action::LoadFigures
        | Action::KeepFigure(_)
        | Action::KeepLink(_)
        | Action::KeepDraft { .. }
        | Action::DropDraft(_) => is_save(action),
    }
}

fn begin(
    action: Action,
    shared: &Rc<Shared>,
    world: &World,
    (read_limit, send_limit): (Time, Time),
) -> LocalBoxFuture<'static, Event> {
    let clock = &shared.clock;
    match action {
        Action::Read { number, read } => {
            let reading = limited(world.transport.read(read), clock.sleep_until(read_limit));
            async move { Event::Read(number, reading.await.unwrap_or(Err(ReadError::TimedOut))) }.boxed_local()
        }
        Action::Send { entry, post } => {
            let sending = limited(world.transport.post(post), clock.sleep_until(send_limit));
            async move { Event::Posted(entry, sending.await.unwrap_or_else(no_answer)) }.boxed_local()
        }
        Action::Command { number, post } => {
            let limit = match &post {
                Post::Shell { .. } => clock.now() + SHELL_PATIENCE,
                Post::Reply { .. } | Post::Prompt { .. } | Post::Abort { .. } | Post::Create { .. } => send_limit,
            };
            let sending = limited(world.transport.post(post), clock.sleep_until(limit));
            async move { Event::Commanded(number, sending.await.unwrap_or_else(no_answer)) }.boxed_local()
        }
        Action::Commit { entry, expected } => {
            let commit = world.store.commit(entry.clone(), expected);
            commit.map(move |result| Event::Committed(entry, result)).boxed_local()
        }
        Action::Claim(entry) => {
            let claim = world.store.claim(entry.clone());
            claim.map(move |claim| Event::Claimed(entry, claim)).boxed_local()
        }
        Action::Load => {
            let loading = limited(world.store.load(), clock.sleep_until(clock.now() + LOAD_PATIENCE));
            async move { Event::Loaded(loading.await.unwrap_or(Err(StoreError::TimedOut))) }.boxed_local()
        }
        Action::LoadFigures => {
            let loading = limited(
                world.store.load_figures(),
                clock.sleep_until(clock.now() + LOAD_PATIENCE),
            );
            async move { Event::Figures(loading.await.unwrap_or(Err(StoreError::TimedOut))) }.boxed_local()
        }
        Action::KeepFigure(figure) => {
            let request = figure.request.clone();
            let keeping = limited(
                world.store.keep_figure(figure),
                clock.sleep_until(clock.now() + LOAD_PATIENCE),
            );
            async move { Event::FigureKept(request, keeping.await.unwrap_or(Err(StoreError::TimedOut))) }.boxed_local()
        }
        Action::KeepLink(link) => world.store.keep_link(link).map(|_| Event::Kept).boxed_local(),
        Action::KeepDraft { draft, known } => {
            let key = draft.key.clone();
            let kept = world.store.keep_draft(draft, known);
            kept.map(|result| Event::DraftKept(key, result.map(Some))).boxed_local()
        }
        Action::DropDraft(key) => {
            let dropped = world.store.drop_draft(key.clone());
            dropped
                .map(|result| Event::DraftKept(key, result.map(|()| None)))
                .boxed_local()
        }
    }
}

fn no_answer() -> Posted {
    Posted::InDoubt("no answer in time".to_owned())
}

/// The result of `work`, or none when `limit` comes first; then `work` is dropped, which cancels it.
async fn limited<T>(work: LocalBoxFuture<'static, T>, limit: LocalBoxFuture<'static, ()>) -> Option<T> {
    match select(work, limit).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(((), _)) => None,
    }
}

fn take(shared: &Shared, event: Event) {
    let now = shared.clock.now();
    let mut board = shared.board.borrow_mut();
    match event {
        Event::Read(number, result) => board.handle_read(number, result, now),
        Event::Posted(entry, posted) => board.handle_posted(&entry, posted, now),
        Event::Commanded(number, posted) => board.handle_commanded(number, posted, now),
        Event::Committed(entry, result) => board.handle_committed(&entry, result, now),
        Event::Claimed(entry, claim) => board.handle_claimed(&entry, claim, now),
        Event::Loaded(result) => board.handle_loaded(result, now),
        Event::DraftKept(key, result) => board.handle_draft_kept(key, result),
        Event::Figures(result) => board.handle_figures(result, now),
        Event::FigureKept(request, result) => board.handle_figure_kept(request, result, now),
        Event::Kept => {}
    }
}
