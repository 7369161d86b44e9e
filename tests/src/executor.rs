//! Runs everything in the simulated world on one thread, in the same order every time.
//!
//! Tasks belong to a group, and die with it: a tab that crashes, a server that is killed. A group can be frozen, as a
//! browser freezes a hidden tab.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::future::Future;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures::future::LocalBoxFuture;
use switchboard_core::runtime::Clock;
use switchboard_core::time::Time;

use crate::clock::VirtualClock;

/// How often the tasks of one group may be polled in one virtual second. More is a loop that spins.
const POLLS_PER_SECOND_MAX: u32 = 5_000;

/// What a task belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// The server.
    Server,
    /// What is on its way in the network: it outlives the tab that sent it.
    Network,
    /// A tab, by number.
    Tab(usize),
    /// Everything else.
    World,
}

/// Names a task, to cancel it.
pub type TaskId = u64;

/// The executor. Clones are the same executor.
#[derive(Clone)]
pub struct Executor(Rc<Inner>);

struct Inner {
    clock: VirtualClock,
    tasks: RefCell<BTreeMap<TaskId, Task>>,
    spawned: Cell<TaskId>,
    running: Cell<Option<(TaskId, Group)>>,
    running_is_cancelled: Cell<bool>,
    frozen: RefCell<BTreeSet<Group>>,
    late: RefCell<Vec<(Group, TaskId)>>,
    ready: ReadyQueue,
    polls: RefCell<BTreeMap<Group, (Time, u32)>>,
}

struct Task {
    group: Group,
    future: LocalBoxFuture<'static, ()>,
}

type ReadyQueue = Arc<Mutex<VecDeque<TaskId>>>;

struct TaskWaker {
    task: TaskId,
    ready: ReadyQueue,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if !ready.contains(&self.task) {
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
            tasks: RefCell::default(),
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
        let id = self.0.spawned.get() + 1;
        self.0.spawned.set(id);
        let future = Box::pin(future);
        self.0.tasks.borrow_mut().insert(id, Task { group, future });
        self.make_ready(id);
        id
    }

    /// Ends a task. Nothing happens when it has ended.
    pub fn cancel(&self, task: TaskId) {
        if self.0.running.get().is_some_and(|(running, _)| running == task) {
            self.0.running_is_cancelled.set(true);
        }
        let task = self.0.tasks.borrow_mut().remove(&task);
        drop(task);
    }

    /// Ends all tasks of a group.
    pub fn cancel_group(&self, group: Group) {
        if self.0.running.get().is_some_and(|(_, running)| running == group) {
            self.0.running_is_cancelled.set(true);
        }
        let tasks: Vec<Task> = self
            .0
            .tasks
            .borrow_mut()
            .extract_if(.., |_, task| task.group == group)
            .map(|(_, task)| task)
            .collect();
        drop(tasks);
    }

    /// Polls no task of this group until it is thawed.
    pub fn freeze(&self, group: Group) {
        self.0.frozen.borrow_mut().insert(group);
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
        let task = self.0.tasks.borrow_mut().remove(&id);
        let Some(mut task) = task else { return true };
        if self.0.frozen.borrow().contains(&task.group) {
            self.0.late.borrow_mut().push((task.group, id));
            self.0.tasks.borrow_mut().insert(id, task);
            return true;
        }
        self.count_poll(task.group);
        let waker = Waker::from(Arc::new(TaskWaker {
            task: id,
            ready: Arc::clone(&self.0.ready),
        }));
        self.0.running.set(Some((id, task.group)));
        self.0.running_is_cancelled.set(false);
        let poll = task.future.as_mut().poll(&mut Context::from_waker(&waker));
        self.0.running.set(None);
        if poll == Poll::Pending && !self.0.running_is_cancelled.get() {
            self.0.tasks.borrow_mut().insert(id, task);
        }
        true
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
        self.0
            .ready
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(task);
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
        write!(formatter, "Executor({} tasks)", self.0.tasks.borrow().len())
    }
}
