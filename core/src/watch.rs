//! A value that changes, and streams that see its newest state. A slow reader skips states, and costs no memory.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures::Stream;

use crate::view::View;

/// The newest view, and who waits for a newer one.
#[derive(Debug)]
pub(crate) struct Latest {
    value: RefCell<Arc<View>>,
    closed: std::cell::Cell<bool>,
    waiting: RefCell<Vec<Waker>>,
}

impl Latest {
    pub(crate) fn new(value: Arc<View>) -> Rc<Self> {
        Rc::new(Self {
            value: RefCell::new(value),
            closed: std::cell::Cell::new(false),
            waiting: RefCell::default(),
        })
    }

    pub(crate) fn get(&self) -> Arc<View> {
        self.value.borrow().clone()
    }

    pub(crate) fn set(&self, value: Arc<View>) {
        if !Arc::ptr_eq(&self.value.borrow(), &value) {
            self.value.replace(value);
            self.wake();
        }
    }

    /// Ends every stream.
    pub(crate) fn close(&self) {
        self.closed.set(true);
        self.wake();
    }

    fn wake(&self) {
        for waker in self.waiting.take() {
            waker.wake();
        }
    }
}

impl Drop for Latest {
    fn drop(&mut self) {
        // A stream that waits ends.
        self.wake();
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
        latest.waiting.borrow_mut().push(context.waker().clone());
        Poll::Pending
    }
}
