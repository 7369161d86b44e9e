//! Runs everything in the simulated world on one thread, in the same order every time.
//!
//! Tasks belong to a group, and die with it: a tab that crashes, a server that is killed. A group can be frozen, as a
//! browser freezes a hidden tab.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::future::Future;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::LocalBoxFuture;
use switchboard_core::{Clock, Time};

use crate::clock::VirtualClock;

/// How often the tasks of one group may be polled in one virtual second. More is a loop that spins.
const POLLS_PER_SECOND_MAX: u32 = 5_000;

/// What a task belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The server.
    Server,
    /// Another process of it.
    Beside,
    /// What is on its way in the network: it outlives the tab that sent it.
    Network,
    /// A tab, by number.
    Tab(usize),
    /// Everything else.
    World,
}

/// Names a task, to cancel it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskId {
    index: usize,
    generation: u32,
}

/// The executor. Clones are the same executor.
#[derive(Clone)]
pub struct Executor(Rc<Inner>);

struct Inner {
    clock: VirtualClock,
    slots: RefCell<Vec<Slot>>,
    free: RefCell<Vec<usize>>,
    spawned: Cell<u32>,
    running: Cell<Option<(TaskId, Group)>>,
    running_is_cancelled: Cell<bool>,
    frozen: RefCell<BTreeSet<Group>>,
    /// Tasks that were woken while their group was frozen.
    late: RefCell<Vec<(Group, TaskId)>>,
    ready: ReadyQueue,
    /// How often each group was polled since this moment.
    polls: RefCell<BTreeMap<Group, (Time, u32)>>,
}

/// A place for a task. It is used again when its task has ended.
struct Slot {
    id: TaskId,
    group: Group,
    /// None while it is polled, and when the slot is free.
    future: Option<LocalBoxFuture<'static, ()>>,
    waker: Arc<TaskWaker>,
}

type ReadyQueue = Arc<Mutex<VecDeque<TaskId>>>;

struct TaskWaker {
    task: TaskId,
    queued: AtomicBool,
    ready: ReadyQueue,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
            ready.push_back(self.task);
        }
    }
}

impl Executor {
    /// An executor without tasks.
    #[must_use]
    pub fn new(clock: VirtualClock) -> Self {
        Self(Rc::new(Inner {
            clock,
            slots: RefCell::default(),
            free: RefCell::default(),
            spawned: Cell::default(),
            running: Cell::default(),
            running_is_cancelled: Cell::default(),
            frozen: RefCell::default(),
            late: RefCell::default(),
            ready: ReadyQueue::default(),
            polls: RefCell::default(),
        }))
    }

    /// Starts a task. It is first polled by the next [`Executor::poll_one`] that comes to it.
    pub fn spawn(&self, group: Group, future: impl Future<Output = ()> + 'static) -> TaskId {
        let generation = self.0.spawned.get() + 1;
        self.0.spawned.set(generation);
        let mut slots = self.0.slots.borrow_mut();
        let index = self.0.free.borrow_mut().pop().unwrap_or(slots.len());
        let id = TaskId { index, generation };
        let waker = Arc::new(TaskWaker {
            task: id,
            queued: AtomicBool::new(false),
            ready: Arc::clone(&self.0.ready),
        });
        let slot = Slot {
            id,
            group,
            future: Some(Box::pin(future)),
            waker: Arc::clone(&waker),
        };
        if index == slots.len() {
            slots.push(slot);
        } else {
            slots[index] = slot;
        }
        drop(slots);
        waker.wake_by_ref();
        id
    }

    /// Ends a task. Nothing happens when it has ended.
    pub fn cancel(&self, task: TaskId) {
        if self.0.running.get().is_some_and(|(running, _)| running == task) {
            self.0.running_is_cancelled.set(true);
        }
        drop(self.take(task));
    }

    /// Ends all tasks of a group.
    pub fn cancel_group(&self, group: Group) {
        if self.0.running.get().is_some_and(|(_, running)| running == group) {
            self.0.running_is_cancelled.set(true);
        }
        let of_group = |slot: &&Slot| slot.group == group && slot.future.is_some();
        let ids: Vec<TaskId> = self
            .0
            .slots
            .borrow()
            .iter()
            .filter(of_group)
            .map(|slot| slot.id)
            .collect();
        for id in ids {
            drop(self.take(id));
        }
    }

    /// Ends all tasks. Those that hold the executor would keep it, and each other, for ever.
    pub(crate) fn cancel_all(&self) {
        let tasks: Vec<_> = self
            .0
            .slots
            .borrow_mut()
            .iter_mut()
            .filter_map(|slot| slot.future.take())
            .collect();
        drop(tasks);
    }

    /// How many tasks of a group have not ended.
    #[must_use]
    pub fn count(&self, group: Group) -> usize {
        let slots = self.0.slots.borrow();
        slots
            .iter()
            .filter(|slot| slot.group == group && slot.future.is_some())
            .count()
    }

    /// Takes a task that is not being polled out of its slot, and frees the slot.
    fn take(&self, id: TaskId) -> Option<LocalBoxFuture<'static, ()>> {
        let mut slots = self.0.slots.borrow_mut();
        let slot = slots.get_mut(id.index).filter(|slot| slot.id == id)?;
        let future = slot.future.take()?;
        self.0.free.borrow_mut().push(id.index);
        Some(future)
    }

    /// Polls no task of this group until it is thawed.
    pub fn freeze(&self, group: Group) {
        self.0.frozen.borrow_mut().insert(group);
    }

    /// Whether it is frozen.
    #[must_use]
    pub fn is_frozen(&self, group: Group) -> bool {
        self.0.frozen.borrow().contains(&group)
    }

    /// Polls the tasks of this group again: first those that were woken while it was frozen.
    pub fn thaw(&self, group: Group) {
        self.0.frozen.borrow_mut().remove(&group);
        let woken = self
            .0
            .late
            .borrow_mut()
            .extract_if(.., |(of, _)| *of == group)
            .collect::<Vec<_>>();
        woken.into_iter().for_each(|(_, task)| self.make_ready(task));
    }

    /// Polls the task that was woken first. False when there is none.
    ///
    /// # Panics
    /// When a group is polled so often without time passing that it must be spinning.
    pub fn poll_one(&self) -> bool {
        let next = self.0.ready.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(id) = next else { return false };
        let Some((group, mut future, task_waker)) = self.begin_poll(id) else {
            return true;
        };
        self.count_poll(group);
        let waker = Waker::from(task_waker);
        self.0.running.set(Some((id, group)));
        self.0.running_is_cancelled.set(false);
        let poll = future.as_mut().poll(&mut Context::from_waker(&waker));
        self.0.running.set(None);
        if poll == Poll::Pending && !self.0.running_is_cancelled.get() {
            self.0.slots.borrow_mut()[id.index].future = Some(future);
        } else {
            self.0.free.borrow_mut().push(id.index);
        }
        true
    }

    /// Takes out what is to be polled; none when it has ended, or its group is frozen.
    fn begin_poll(&self, id: TaskId) -> Option<(Group, LocalBoxFuture<'static, ()>, Arc<TaskWaker>)> {
        let mut slots = self.0.slots.borrow_mut();
        let slot = slots.get_mut(id.index).filter(|slot| slot.id == id)?;
        if self.0.frozen.borrow().contains(&slot.group) {
            self.0.late.borrow_mut().push((slot.group, id));
            return None;
        }
        slot.waker.queued.store(false, Ordering::Relaxed);
        Some((slot.group, slot.future.take()?, Arc::clone(&slot.waker)))
    }

    /// Polls everything that is ready, and moves the clock from timer to timer up to `time`.
    pub fn run_to(&self, time: Time) {
        loop {
            while self.poll_one() {}
            match self.0.clock.next_timer() {
                Some(next) if next <= time => self.0.clock.advance_to(next),
                Some(_) | None => return self.0.clock.advance_to(time),
            }
        }
    }

    fn make_ready(&self, task: TaskId) {
        let mut ready = self.0.ready.lock().unwrap_or_else(PoisonError::into_inner);
        ready.push_back(task);
    }

    fn count_poll(&self, group: Group) {
        let now = self.0.clock.now();
        let mut polls = self.0.polls.borrow_mut();
        let (since, count) = polls.entry(group).or_insert((now, 0));
        if now.since(*since).as_secs() >= 1 {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        assert!(
            *count <= POLLS_PER_SECOND_MAX,
            "{group:?} spins: polled more than {POLLS_PER_SECOND_MAX} times in a virtual second"
        );
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tasks = self.0.slots.borrow().len() - self.0.free.borrow().len();
        write!(formatter, "Executor({tasks} tasks)")
    }
}
