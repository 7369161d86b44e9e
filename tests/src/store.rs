//! The storage of one simulated device: what all its tabs share, and what outlives them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use futures::channel::oneshot;
use futures::future::{LocalBoxFuture, pending};
use futures::{FutureExt, TryFutureExt};
use switchboard_core::metrics::Figure;
use switchboard_core::model::{Draft, DraftKey, Entry, EntryId, RequestId, Sent, SessionId, WorkflowId};
use switchboard_core::ports::{Claim, CommitError, Post, Saved, SessionLink, Store, StoreError};
use switchboard_core::workflow::{Workflow, WorkflowCommitError};
use switchboard_core::{Clock, Time};

use crate::clock::VirtualClock;
use crate::world::CallBack;

/// A device. Clones are the same device.
#[derive(Clone, Default)]
pub struct Device(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    /// Milliseconds ahead of the world's clock, or behind.
    clock_ahead: Rc<Cell<i64>>,
    entries: BTreeMap<EntryId, Arc<Entry>>,
    drafts: BTreeMap<DraftKey, Draft>,
    figures: BTreeMap<RequestId, Figure>,
    links: BTreeMap<SessionId, SessionLink>,
    /// What is claimed, and which of the claims holds.
    claimed: BTreeMap<EntryId, usize>,
    claims: usize,
    /// Tells the holders of the claims that these have lapsed.
    lapsing: Vec<oneshot::Sender<()>>,
    has_no_locks: bool,
    /// So many calls of each kind that come next are never answered.
    unanswered_claims: usize,
    unanswered_loads: usize,
    unanswered_figures: usize,
    figures_delay: Option<Duration>,
    last_unanswered: Option<Time>,
    workflows: BTreeMap<WorkflowId, Arc<Workflow>>,
    /// How often a workflow was written, and who waits for the next time.
    workflow_changes: usize,
    workflow_waiting: Vec<Waker>,
    workflows_are_silent: bool,
    health: StoreHealth,
    /// How often it was read.
    loads: usize,
}

/// How well the storage works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreHealth {
    /// As it should.
    #[default]
    Well,
    /// As it should, but each commit of an entry takes so long, and any other write half as long.
    Slow(Duration),
    /// It is full: writes fail, reads do not.
    Full,
    /// It answers nothing until it is better.
    Hanging,
    /// Neither a read nor a write succeeds.
    Broken,
}

impl Device {
    /// Sets how well the storage works.
    pub fn set_health(&self, health: StoreHealth) {
        self.0.borrow_mut().health = health;
    }

    /// Forgets all answers and workflows, as when a person clears the data of the page.
    pub fn clear(&self) {
        let mut state = self.0.borrow_mut();
        state.entries.clear();
        state.workflows.clear();
    }

    /// How far its clock is ahead of the world's, in milliseconds, or behind.
    #[must_use]
    pub fn clock_ahead(&self) -> Rc<Cell<i64>> {
        self.0.borrow().clock_ahead.clone()
    }

    /// True for clones of the same device.
    pub(crate) fn is(&self, other: &Device) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The entries that it holds.
    #[must_use]
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        self.0.borrow().entries.values().cloned().collect()
    }

    /// Whether it holds that an attempt of this has begun; true for what is kept nowhere, and while it does not work.
    pub(crate) fn holds_attempt(&self, post: &Post) -> bool {
        let is_it = |entry: &Entry| match (post, &entry.sent) {
            (Post::Reply { request: id, .. }, Sent::Reply { request, .. }) => *id == request.id,
            (Post::Prompt { prompt: sent, .. }, Sent::Prompt { prompt, .. }) => sent.message == prompt.message,
            (_, Sent::Reply { .. } | Sent::Prompt { .. }) => false,
        };
        let is_kept = matches!(post, Post::Reply { .. } | Post::Prompt { .. });
        let state = self.0.borrow();
        let mut begun = state.entries.values().filter(|entry| entry.attempts > 0);
        !is_kept || state.health != StoreHealth::Well || begun.any(|entry| is_it(entry))
    }

    /// How often its tabs have read the ledger.
    #[must_use]
    pub fn loads(&self) -> usize {
        self.0.borrow().loads
    }

    /// Lets every claim be taken by another tab, as leases that no tab has renewed. Their holders learn of it up to 10 s after
    /// they could.
    pub fn lapse_claims(&self) {
        let mut state = self.0.borrow_mut();
        state.claimed.clear();
        for holder in state.lapsing.drain(..) {
            let _has_given_it_back = holder.send(());
        }
    }

    /// Leaves its pages without Web Locks: a claim is a lease in the storage, and takes as long as a write.
    pub fn remove_locks(&self) {
        self.0.borrow_mut().has_no_locks = true;
    }

    /// The next `count` claims are never answered, as where a caller's storage forgets one.
    pub fn leave_claims_unanswered(&self, count: usize) {
        self.0.borrow_mut().unanswered_claims = count;
    }

    /// The next `count` loads are never answered.
    pub fn leave_loads_unanswered(&self, count: usize) {
        self.0.borrow_mut().unanswered_loads = count;
    }

    /// The next `count` loads of figures are never answered.
    pub fn leave_figures_unanswered(&self, count: usize) {
        self.0.borrow_mut().unanswered_figures = count;
    }

    /// Each load of figures takes so long from now on.
    pub fn set_figures_delay(&self, delay: Duration) {
        self.0.borrow_mut().figures_delay = Some(delay);
    }

    /// When a call was last left unanswered.
    pub(crate) fn last_unanswered(&self) -> Option<Time> {
        self.0.borrow().last_unanswered
    }

    /// The workflows that it holds.
    #[must_use]
    pub fn workflows(&self) -> Vec<Arc<Workflow>> {
        self.0.borrow().workflows.values().cloned().collect()
    }

    /// Lets no tab hear that another one has kept a workflow.
    pub fn silence_workflows(&self) {
        self.0.borrow_mut().workflows_are_silent = true;
    }

    /// Claims an entry, unless it is claimed. Returns the number of the claim, and what resolves when that has lapsed.
    fn claim(&self, entry: &EntryId) -> Option<(usize, oneshot::Receiver<()>)> {
        let mut state = self.0.borrow_mut();
        if state.claimed.contains_key(entry) {
            return None;
        }
        state.claims += 1;
        let number = state.claims;
        state.claimed.insert(entry.clone(), number);
        let (holder, lapsed) = oneshot::channel();
        state.lapsing.retain(|holder| !holder.is_canceled());
        state.lapsing.push(holder);
        Some((number, lapsed))
    }

    pub(crate) fn put_workflow(
        &self,
        workflow: Arc<Workflow>,
        expected: Option<u64>,
    ) -> Result<(), WorkflowCommitError> {
        let mut state = self.0.borrow_mut();
        match state.workflows.get(&workflow.id) {
            Some(held) if Some(held.version) != expected => return Err(WorkflowCommitError::Conflict(held.clone())),
            None if expected.is_some() => return Err(WorkflowCommitError::Failed(StoreError::Cleared)),
            Some(_) | None => drop(state.workflows.insert(workflow.id.clone(), workflow)),
        }
        if state.workflows_are_silent {
            return Ok(());
        }
        state.workflow_changes += 1;
        let waiting = std::mem::take(&mut state.workflow_waiting);
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
        Ok(())
    }

    pub(crate) fn changes_of_workflows(&self) -> usize {
        self.0.borrow().workflow_changes
    }

    pub(crate) fn wake_with_workflows(&self, waker: Waker) {
        self.0.borrow_mut().workflow_waiting.push(waker);
    }

    /// The drafts that it holds.
    #[must_use]
    pub fn drafts(&self) -> Vec<Draft> {
        self.0.borrow().drafts.values().cloned().collect()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.borrow();
        write!(formatter, "Device({:?}, {:?})", state.health, state.entries.values())
    }
}

/// How a write is to be kept.
#[derive(Clone, Copy)]
enum Durability {
    /// As a draft is.
    Relaxed,
    /// As an entry is.
    Strict,
}

/// How often a hanging storage is looked after.
const HANGING: Duration = Duration::from_millis(500);

/// A tab's view of its device.
#[derive(Clone)]
pub(crate) struct DeviceStore {
    pub(crate) device: Device,
    pub(crate) clock: VirtualClock,
    /// Tells the other tabs that the ledger has changed.
    pub(crate) committed: Rc<dyn Fn()>,
    /// After so many further commits the tab dies, in the moment between the write and its result.
    pub(crate) commits_to_live: Rc<Cell<Option<u32>>>,
    /// After so many further commits the tab stands still, in the moment between the write and its result.
    pub(crate) commits_to_freeze: Rc<Cell<Option<u32>>>,
    pub(crate) call_back: CallBack,
    /// Ends the tab.
    pub(crate) die: Rc<dyn Fn()>,
    /// Lets the tab stand still.
    pub(crate) freeze: Rc<dyn Fn()>,
}

impl fmt::Debug for DeviceStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("DeviceStore").field(&self.device).finish()
    }
}

/// Gives a claim back when it is dropped, also by the death of its tab.
struct ClaimGuard {
    device: Device,
    entry: EntryId,
    number: usize,
    call_back: CallBack,
}

impl Drop for ClaimGuard {
    fn drop(&mut self) {
        let mut state = self.device.0.borrow_mut();
        if state.claimed.get(&self.entry) == Some(&self.number) {
            state.claimed.remove(&self.entry);
        }
        drop(state);
        (self.call_back)();
    }
}

/// How long a tab may not notice that a claim of its own has lapsed: a page looks when it renews its leases, every 10 s.
const LAPSE_UNNOTICED: Duration = Duration::from_secs(10);

/// Why a broken storage fails.
#[must_use]
pub fn broken() -> StoreError {
    StoreError::Failed("the disk cannot be read".to_owned())
}

/// Counts one of those that are left; none is left after the last one.
fn is_last(left: &Cell<Option<u32>>) -> bool {
    let before = left.get();
    left.set(before.filter(|before| *before > 1).map(|before| before - 1));
    before.is_some_and(|before| before <= 1)
}

impl DeviceStore {
    /// Counts a commit. It may be the last one of the tab, or the last one before that stands still: its result is heard
    /// never, or late.
    pub(crate) async fn outlive_a_commit(&self) {
        if is_last(&self.commits_to_live) {
            (self.die)();
            pending::<()>().await;
        }
        if is_last(&self.commits_to_freeze) {
            (self.freeze)();
            self.clock.sleep(Duration::from_millis(1)).await;
        }
    }

    /// Whether a call is answered at all: one that is not counts off one of those that are left.
    fn is_answered(&self, left: impl Fn(&mut State) -> &mut usize) -> bool {
        let mut state = self.device.0.borrow_mut();
        let left = left(&mut state);
        let is_answered = *left == 0;
        *left = left.saturating_sub(1);
        if !is_answered {
            state.last_unanswered = Some(self.clock.now());
        }
        is_answered
    }

    /// Waits as long as it hangs.
    pub(crate) async fn wait_until_better(device: &Device, clock: &VirtualClock) -> StoreHealth {
        loop {
            let health = device.0.borrow().health;
            if health != StoreHealth::Hanging {
                return health;
            }
            clock.sleep(HANGING).await;
        }
    }

    /// Waits as long as a write takes; fails when there is no room.
    async fn wait(device: Device, clock: VirtualClock, durability: Durability) -> Result<(), StoreError> {
        // A browser waits for the disk before it says that a strict transaction is complete.
        let share = match durability {
            Durability::Relaxed => 2,
            Durability::Strict => 1,
        };
        match Self::wait_until_better(&device, &clock).await {
            StoreHealth::Well => clock.sleep(Duration::from_millis(2) / share).await,
            StoreHealth::Slow(span) => clock.sleep(span / share).await,
            StoreHealth::Full | StoreHealth::Hanging => return Err(StoreError::Full),
            StoreHealth::Broken => return Err(broken()),
        }
        Ok(())
    }

    fn write<T: 'static>(
        &self,
        durability: Durability,
        change: impl FnOnce(&mut State) -> T + 'static,
    ) -> LocalBoxFuture<'static, Result<T, StoreError>> {
        (self.call_back)();
        let device = self.device.clone();
        let waiting = Self::wait(device.clone(), self.clock.clone(), durability);
        async move {
            waiting.await?;
            Ok(change(&mut device.0.borrow_mut()))
        }
        .boxed_local()
    }
}

impl Store for DeviceStore {
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>> {
        (self.call_back)();
        let (device, clock) = (self.device.clone(), self.clock.clone());
        let is_answered = self.is_answered(|state| &mut state.unanswered_loads);
        async move {
            if !is_answered {
                pending::<()>().await;
            }
            let health = Self::wait_until_better(&device, &clock).await;
            clock.sleep(Duration::from_millis(2)).await;
            if health == StoreHealth::Broken {
                return Err(broken());
            }
            device.0.borrow_mut().loads += 1;
            let state = device.0.borrow();
            let unfinished = state.entries.values().filter(|entry| !entry.is_finished());
            let mut saved = Saved::default();
            saved.entries.extend(unfinished.cloned());
            saved.drafts.extend(state.drafts.values().cloned());
            saved.links.extend(state.links.values().cloned());
            Ok(saved)
        }
        .boxed_local()
    }

    fn commit(&self, entry: Arc<Entry>, expected: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>> {
        let store = self.clone();
        let written = self.write(Durability::Strict, move |state| match state.entries.get(&entry.id) {
            Some(held) if Some(held.version) != expected => Err(CommitError::Conflict(held.clone())),
            None if expected.is_some() => Err(CommitError::Failed(StoreError::Cleared)),
            Some(_) | None => {
                state.entries.insert(entry.id.clone(), entry);
                Ok(())
            }
        });
        async move {
            written.await.map_err(CommitError::Failed)??;
            (store.committed)();
            store.outlive_a_commit().await;
            Ok(())
        }
        .boxed_local()
    }

    fn keep_draft(&self, draft: Draft, known: Option<Draft>) -> LocalBoxFuture<'static, Result<Draft, StoreError>> {
        let committed = self.committed.clone();
        let kept = self.write(Durability::Relaxed, move |state| {
            let kept = match state.drafts.get(&draft.key) {
                Some(held) => draft.in_place_of(held, known.as_ref()),
                None => draft,
            };
            state.drafts.insert(kept.key.clone(), kept.clone());
            kept
        });
        kept.inspect_ok(move |_| committed()).boxed_local()
    }

    fn drop_draft(&self, key: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let (device, clock, committed) = (self.device.clone(), self.clock.clone(), self.committed.clone());
        let removed = self.write(Durability::Relaxed, {
            let key = key.clone();
            move |state| drop(state.drafts.remove(&key))
        });
        async move {
            // What is full has room to forget.
            if device.0.borrow().health == StoreHealth::Full {
                clock.sleep(Duration::from_millis(1)).await;
                device.0.borrow_mut().drafts.remove(&key);
            } else {
                removed.await?;
            }
            committed();
            Ok(())
        }
        .boxed_local()
    }

    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>> {
        let (device, clock) = (self.device.clone(), self.clock.clone());
        let is_answered = self.is_answered(|state| &mut state.unanswered_figures);
        async move {
            if !is_answered {
                pending::<()>().await;
            }
            let health = Self::wait_until_better(&device, &clock).await;
            let delay = device.0.borrow().figures_delay;
            clock.sleep(delay.unwrap_or(Duration::from_millis(2))).await;
            if health == StoreHealth::Broken {
                return Err(broken());
            }
            Ok(device.0.borrow().figures.values().cloned().collect())
        }
        .boxed_local()
    }

    fn keep_figure(&self, figure: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        self.write(Durability::Relaxed, move |state| {
            match state.figures.get_mut(&figure.request) {
                Some(kept) => kept.add(&figure),
                None => drop(state.figures.insert(figure.request.clone(), figure)),
            }
        })
    }

    fn keep_link(&self, link: SessionLink) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        self.write(Durability::Relaxed, move |state| {
            drop(state.links.insert(link.session.clone(), link))
        })
    }

    fn claim(&self, entry: EntryId) -> LocalBoxFuture<'static, Option<Claim>> {
        (self.call_back)();
        let (device, call_back, clock) = (self.device.clone(), self.call_back.clone(), self.clock.clone());
        let is_answered = self.is_answered(|state| &mut state.unanswered_claims);
        let has_no_locks = device.0.borrow().has_no_locks;
        async move {
            if !is_answered {
                pending::<()>().await;
            }
            if has_no_locks
                && Self::wait(device.clone(), clock.clone(), Durability::Relaxed)
                    .await
                    .is_err()
            {
                // Without a storage no other tab can know of it.
                return Some(Claim::new(()));
            }
            let (number, lapsed) = device.claim(&entry)?;
            let guard = ClaimGuard {
                device,
                entry,
                number,
                call_back,
            };
            Some(Claim::until(guard, async move {
                if lapsed.await.is_err() {
                    pending::<()>().await;
                }
                clock.sleep(LAPSE_UNNOTICED).await;
            }))
        }
        .boxed_local()
    }
}
