//! The wait for one deferred.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use super::settlement::Settlement;
use super::state::Deferred;
use super::wakers::Ticket;

/// Resolves with the end of one deferred. Dropping it disturbs nobody.
#[must_use = "a wait does nothing unless it is polled"]
pub struct Waiting<K, T> {
    deferred: Rc<Deferred<K, T>>,
    ticket: Option<Ticket>,
}

impl<K, T> Waiting<K, T> {
    pub(crate) fn new(deferred: Rc<Deferred<K, T>>) -> Self {
        Self { deferred, ticket: None }
    }
}

impl<K, T: Clone> Future for Waiting<K, T> {
    type Output = Settlement<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Settlement<T>> {
        if let Some(settlement) = self.deferred.settlement() {
            return Poll::Ready(settlement);
        }
        let ticket = self.deferred.keep_waker(self.ticket, context.waker().clone());
        self.ticket = Some(ticket);
        Poll::Pending
    }
}

impl<K, T> Drop for Waiting<K, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.deferred.forget_waker(ticket);
        }
    }
}

impl<K: fmt::Debug, T> fmt::Debug for Waiting<K, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Waiting").field(&self.deferred).finish()
    }
}
