//! A value that changes, and streams that see its newest state. A slow reader skips states, and costs no memory.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures::Stream;

use crate::view::View;

/// Those who wait. One that is polled again and again is there once.
#[derive(Debug, Default)]
pub(crate) struct Wakers(RefCell<Vec<Waker>>);

impl Wakers {
    pub(crate) fn add(&self, waker: &Waker) {
        let mut waiting = self.0.borrow_mut();
        if !waiting.iter().any(|known| known.will_wake(waker)) {
            waiting.push(waker.clone());
        }
    }

    pub(crate) fn wake(&self) {
        for waker in self.0.take() {
            waker.wake();
        }
    }
}

/// The newest view, and who waits for a newer one.
#[derive(Debug)]
pub(crate) struct Latest {
    value: RefCell<Arc<View>>,
    closed: std::cell::Cell<bool>,
    waiting: Wakers,
}

impl Latest {
    pub(crate) fn new(value: Arc<View>) -> Rc<Self> {
        Rc::new(Self {
            value: RefCell::new(value),
            closed: std::cell::Cell::new(false),
            waiting: Wakers::default(),
        })
    }

    pub(crate) fn get(&self) -> Arc<View> {
        self.value.borrow().clone()
    }

    pub(crate) fn set(&self, value: Arc<View>) {
        if !Arc::ptr_eq(&self.value.borrow(), &value) {
            self.value.replace(value);
            self.waiting.wake();
        }
    }

    /// Ends every stream.
    pub(crate) fn close(&self) {
        self.closed.set(true);
        self.waiting.wake();
    }
}

impl Drop for Latest {
    fn drop(&mut self) {
        // A stream that waits ends.
        self.waiting.wake();
    }
}

/// A stream of views: the present one at once, then the newest whenever it has changed. It ends when the board closes.
///
/// Dropping it disturbs nobody.
#[derive(Debug)]
pub struct Views {
    latest: Weak<Latest>,
    seen: Option<Arc<View>>,
}

impl Views {
    pub(crate) fn new(latest: &Rc<Latest>) -> Self {
        Self {
            latest: Rc::downgrade(latest),
            seen: None,
        }
    }
}

impl Stream for Views {
    type Item = Arc<View>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Arc<View>>> {
        let Some(latest) = self.latest.upgrade() else {
            return Poll::Ready(None);
        };
        let value = latest.get();
        if self.seen.as_ref().is_none_or(|seen| !Arc::ptr_eq(seen, &value)) {
            self.seen = Some(value.clone());
            return Poll::Ready(Some(value));
        }
        if latest.closed.get() {
            return Poll::Ready(None);
        }
        latest.waiting.add(context.waker());
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_polled_again_and_again_takes_no_more_room() {
        let wakers = Wakers::default();
        // Clones are alike; the one that they are made of may be told apart from them.
        let waker = Waker::noop().clone();
        for _ in 0..100 {
            wakers.add(&waker);
        }
        assert_eq!(wakers.0.borrow().len(), 1);
        wakers.wake();
        assert_eq!(wakers.0.borrow().len(), 0);
    }
}
