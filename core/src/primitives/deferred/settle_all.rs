//! The wait for the end of a turn: one grace for all that is open.

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::settlement::{Report, Turn};
use super::shared::Shared;
use super::wakers::Ticket;

/// Resolves when nothing of the turn is open, or when the grace is over. See
/// [`settle_all`](super::DeferredTracker::settle_all).
///
/// Dropping it leaves the turn as it is, with everything that is open.
#[must_use = "the turn goes on until this resolves"]
pub struct SettleAll<K, T> {
    shared: Rc<Shared<K, T>>,
    turn: Turn,
    grace: LocalBoxFuture<'static, ()>,
    ticket: Option<Ticket>,
}

impl<K, T> SettleAll<K, T> {
    pub(super) fn new(shared: Rc<Shared<K, T>>, grace: LocalBoxFuture<'static, ()>) -> Self {
        let turn = shared.machine.borrow().turn();
        Self {
            shared,
            turn,
            grace,
            ticket: None,
        }
    }
}

impl<K: Hash + Eq + Clone, T> Future for SettleAll<K, T> {
    type Output = Report<K>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Report<K>> {
        let (turn, open) = self.shared.turn_and_open();
        if turn != self.turn {
            let (settled, abandoned) = (0, Vec::new());
            return Poll::Ready(Report { settled, abandoned });
        }
        if open == 0 || self.grace.poll_unpin(context).is_ready() {
            return Poll::Ready(self.shared.end_turn());
        }
        let ticket = self.shared.keep_waker(self.ticket, context.waker().clone());
        self.ticket = Some(ticket);
        Poll::Pending
    }
}

impl<K, T> Drop for SettleAll<K, T> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.shared.forget_waker(ticket);
        }
    }
}

impl<K, T> fmt::Debug for SettleAll<K, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SettleAll")
            .field("turn", &self.turn)
            .finish_non_exhaustive()
    }
}
