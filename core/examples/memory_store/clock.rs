//! A clock without waiting: when nothing else can go on, time jumps to the next deadline.

use std::cell::Cell;
use std::rc::Rc;
use std::task::Poll;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, poll_fn};
use switchboard_core::{Clock, Time};

/// Clones show the same time.
#[derive(Clone)]
pub(crate) struct JumpingClock {
    now: Rc<Cell<Time>>,
}

impl JumpingClock {
    /// Starts in November 2026.
    pub(crate) fn new() -> Self {
        Self {
            now: Rc::new(Cell::new(Time(1_795_300_000_000))),
        }
    }
}

impl Clock for JumpingClock {
    fn now(&self) -> Time {
        self.now.get()
    }

    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        let now = self.now.clone();
        let mut is_last = false;
        // Everything that is ready goes first.
        poll_fn(move |context| {
            if std::mem::replace(&mut is_last, true) {
                now.set(now.get().max(deadline));
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .boxed_local()
    }
}
