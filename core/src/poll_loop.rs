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

use crate::board::{Action, Board};
use crate::figures::Figure;
use crate::latest::Latest;
use crate::ledger::Entry;
use crate::model::{DraftKey, EntryId};
use crate::record::Record;
use crate::runtime::{
    Claim, Clock, CommitError, Fetched, Post, Posted, ReadError, Saved, Store, StoreError, Transport,
};
use crate::time::Time;

/// How long the answer to a shell command is waited for: it blocks until the command ends, and the session shows the
/// result. Source: requirements F7.
const SHELL_PATIENCE: Duration = Duration::from_secs(2);
/// How long the store may take for what was said before the end.
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);

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
    DraftKept(DraftKey, Result<(), StoreError>),
    Figures(Result<Vec<Figure>, StoreError>),
    Kept,
}

/// The outside, as the loop uses it.
pub(crate) struct World {
    pub(crate) transport: Rc<dyn Transport>,
    pub(crate) store: Rc<dyn Store>,
    pub(crate) log: Rc<dyn Fn(&Record)>,
}

/// What is under way.
#[derive(Default)]
struct Running {
    calls: FuturesUnordered<LocalBoxFuture<'static, Event>>,
    /// What the store is to keep.
    saves: FuturesUnordered<LocalBoxFuture<'static, Event>>,
}

/// Drives the board until it is closed, and then until the store has what was said before, for [`CLOSE_PATIENCE`] at
/// most. Dropping it stops everything at once: sends in flight stay in doubt, and are adopted by the next connection.
pub(crate) async fn run(shared: Rc<Shared>, world: World) {
    let mut running = Running::default();
    while !shared.closed.get() {
        let deadline = pass(&shared, &world, &running);
        let timer = async {
            match deadline {
                Some(deadline) => shared.clock.sleep_until(deadline).await,
                None => futures::future::pending().await,
            }
        };
        let (event, timer, bell) = (pin!(next_event(&mut running)), pin!(timer), pin!(shared.bell()));
        match select(select(event, timer), bell).await {
            Either::Left((Either::Left((event, _)), _)) => take(&shared, event),
            Either::Left((Either::Right(((), _)), _)) | Either::Right(((), _)) => {}
        }
    }
    shared.board.borrow_mut().end();
    shared.latest.close();
    save_rest(&shared, &world, running).await;
}

/// Calls in flight end here; what the board still wants to keep is kept.
async fn save_rest(shared: &Rc<Shared>, world: &World, running: Running) {
    let now = shared.clock.now();
    let Running { calls, mut saves } = running;
    drop(calls);
    let rest = std::iter::from_fn(|| shared.board.borrow_mut().next_action(now));
    saves.extend(
        rest.filter(is_save)
            .map(|action| begin(action, shared, world, now, now)),
    );
    let all = async { while saves.next().await.is_some() {} };
    select(all.boxed_local(), shared.clock.sleep_until(now + CLOSE_PATIENCE)).await;
}

/// Whether this is for the store to keep.
fn is_save(action: &Action) -> bool {
    match action {
        Action::Commit { .. }
        | Action::KeepDraft(_)
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

/// One pass: lets time act, begins what the board asks for, shows what has changed.
fn pass(shared: &Rc<Shared>, world: &World, running: &Running) -> Option<Time> {
    let now = shared.clock.now();
    let mut board = shared.board.borrow_mut();
    board.handle_deadline(now);
    let (read_limit, send_limit) = board.deadlines(now);
    while let Some(action) = board.next_action(now) {
        let work = if is_save(&action) {
            &running.saves
        } else {
            &running.calls
        };
        work.push(begin(action, shared, world, read_limit, send_limit));
    }
    let view = board.view(now);
    for record in board.take_records() {
        (world.log)(&record);
    }
    let deadline = board.next_deadline();
    debug_assert!(
        deadline.is_none_or(|deadline| deadline > now),
        "a deadline that has passed would make the loop spin"
    );
    drop(board);
    shared.latest.set(view);
    deadline
}

fn begin(
    action: Action,
    shared: &Rc<Shared>,
    world: &World,
    read_limit: Time,
    send_limit: Time,
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
        Action::Load => world.store.load().map(Event::Loaded).boxed_local(),
        Action::LoadFigures => world.store.load_figures().map(Event::Figures).boxed_local(),
        Action::KeepFigure(figure) => world.store.keep_figure(figure).map(|_| Event::Kept).boxed_local(),
        Action::KeepLink(link) => world.store.keep_link(link).map(|_| Event::Kept).boxed_local(),
        Action::KeepDraft(draft) => {
            let key = draft.key.clone();
            let kept = world.store.keep_draft(draft);
            kept.map(|result| Event::DraftKept(key, result)).boxed_local()
        }
        Action::DropDraft(key) => {
            let dropped = world.store.drop_draft(key.clone());
            dropped.map(|result| Event::DraftKept(key, result)).boxed_local()
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

/// The next thing that has happened; never, while nothing is under way.
async fn next_event(Running { calls, saves }: &mut Running) -> Event {
    match stream::select(calls, saves).next().await {
        Some(event) => event,
        None => futures::future::pending().await,
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
        Event::Figures(result) => board.handle_figures(result),
        Event::Kept => {}
    }
}
