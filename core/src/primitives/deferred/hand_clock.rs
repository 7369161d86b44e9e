//! A clock that a test moves by hand, and waiters that a test polls by hand.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::time::{Clock, Time};

#[derive(Clone, Default)]
pub(crate) struct HandClock {
    now: Rc<Cell<u64>>,
    sleepers: Rc<RefCell<Vec<Waker>>>,
}

impl HandClock {
    pub(crate) fn advance(&self, span: Duration) {
        self.now.set((self.now() + span).0);
        self.sleepers.take().into_iter().for_each(Waker::wake);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Time {
        Time(self.now.get())
    }

    fn sleep_until(&self, deadline: Time) -> LocalBoxFuture<'static, ()> {
        let clock = self.clone();
        futures::future::poll_fn(move |context| {
            if clock.now() >= deadline {
                return Poll::Ready(());
            }
            clock.sleepers.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .boxed_local()
    }
}

/// A future, and how often it was woken.
pub(crate) struct Watched<F> {
    future: Pin<Box<F>>,
    woken: Arc<Count>,
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl<F: Future> Watched<F> {
    /// Polls it once: it then waits, unless it has ended.
    pub(crate) fn pending(future: F) -> Self {
        let mut watched = Self {
            future: Box::pin(future),
            woken: Arc::default(),
        };
        assert!(watched.poll().is_none(), "it should wait");
        watched
    }

    pub(crate) fn poll(&mut self) -> Option<F::Output> {
        let waker = Waker::from(self.woken.clone());
        match self.future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        }
    }

    pub(crate) fn woken(&self) -> usize {
        self.woken.0.load(Ordering::Relaxed)
    }
}
