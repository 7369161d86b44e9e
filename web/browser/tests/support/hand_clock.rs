//! A clock that is set by hand.

use std::cell::{Cell, RefCell};

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use switchboard_core::{Clock, Time};

/// It starts at zero.
#[derive(Default)]
pub(crate) struct HandClock {
    now: Cell<Time>,
    sleepers: RefCell<Vec<(Time, oneshot::Sender<()>)>>,
}

impl HandClock {
    /// Sets it, and wakes who has slept long enough.
    pub(crate) fn set(&self, now: Time) {
        self.now.set(now);
        let (due, asleep) = self.sleepers.take().into_iter().partition(|(at, _)| *at <= now);
        self.sleepers.replace(asleep);
        let due: Vec<(Time, oneshot::Sender<()>)> = due;
        for (_, wake) in due {
            let _nobody_sleeps = wake.send(());
        }
    }
}

impl Clock for HandClock {
    fn now(&self) -> Time {
        self.now.get()
    }

    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        let (wake, awake) = oneshot::channel();
        self.sleepers.borrow_mut().push((deadline, wake));
        awake.map(drop).boxed_local()
    }
}
