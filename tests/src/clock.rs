//! A clock that stands still until somebody advances it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use futures::future::LocalBoxFuture;
use switchboard_core::{Clock, Time};

/// Virtual time. Clones show the same time.
#[derive(Clone, Debug)]
pub struct VirtualClock(Rc<RefCell<State>>);

#[derive(Debug)]
struct State {
    now: Time,
    timers_set: u64,
    timers: BTreeMap<TimerKey, Waker>,
}

/// Timers of one moment fire in the order they were set: the number breaks the tie.
type TimerKey = (Time, u64);

impl VirtualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn new(now: Time) -> Self {
        Self(Rc::new(RefCell::new(State {
            now,
            timers_set: 0,
            timers: BTreeMap::new(),
        })))
    }

    /// Resolves when this span has passed.
    #[must_use]
    pub fn sleep(&self, span: Duration) -> Sleep {
        self.sleep_to(self.now() + span)
    }

    /// Resolves at this time.
    #[must_use]
    pub fn sleep_to(&self, deadline: Time) -> Sleep {
        Sleep {
            clock: self.clone(),
            deadline,
            timer: None,
        }
    }

    /// When the next timer fires.
    #[must_use]
    pub fn next_timer(&self) -> Option<Time> {
        self.0.borrow().timers.keys().next().map(|(time, _)| *time)
    }

    /// Moves on to `time` and fires what is due, in order. Never moves back.
    pub fn advance_to(&self, time: Time) {
        let mut state = self.0.borrow_mut();
        state.now = state.now.max(time);
        while let Some(due) = state.timers.first_entry().filter(|first| first.key().0 <= time) {
            due.remove().wake();
        }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Time {
        self.0.borrow().now
    }

    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        Box::pin(self.sleep_to(deadline))
    }
}

/// The clock of a tab: that of its device, which may differ from the world's and jump. A page whose device was set back
/// while it was open stays ahead of pages that were opened later.
#[derive(Clone, Debug)]
pub struct TabClock {
    pub(crate) world: VirtualClock,
    /// Milliseconds by which the device is ahead of the world's clock, or behind.
    pub(crate) device: Rc<Cell<i64>>,
    /// Milliseconds by which the tab is ahead of its device.
    pub(crate) own: Rc<Cell<i64>>,
}

impl TabClock {
    fn ahead(&self) -> i64 {
        self.device.get() + self.own.get()
    }
}

impl Clock for TabClock {
    fn now(&self) -> Time {
        Time(self.world.now().0.saturating_add_signed(self.ahead()))
    }

    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        let deadline = Time(deadline.0.saturating_add_signed(-self.ahead()));
        Box::pin(self.world.sleep_to(deadline))
    }
}

/// Waits for a moment of a [`VirtualClock`]. Dropping it takes its timer away.
#[derive(Debug)]
pub struct Sleep {
    clock: VirtualClock,
    deadline: Time,
    timer: Option<TimerKey>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock.clone();
        let mut state = clock.0.borrow_mut();
        if state.now >= self.deadline {
            return Poll::Ready(());
        }
        let key = self.timer.unwrap_or_else(|| {
            state.timers_set += 1;
            (self.deadline, state.timers_set)
        });
        state.timers.insert(key, context.waker().clone());
        self.timer = Some(key);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(timer) = self.timer {
            self.clock.0.borrow_mut().timers.remove(&timer);
        }
    }
}
