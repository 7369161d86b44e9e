//! The wait for the end of one question.

use std::fmt;
use std::future::Future;
use std::hash::Hash;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::machine::Cell;
use super::outcome::{By, Outcome};
use super::shared::Shared;
use crate::primitives::deferred::{self, Settlement};
use crate::time::Time;

/// Resolves with the end of one question. Dropping it disturbs nobody: the question goes on waiting.
#[must_use = "a wait does nothing unless it is polled"]
pub struct Waiting<K, Q, A> {
    shared: Rc<Shared<K, Q, A>>,
    settling: deferred::Waiting<K, Option<(A, By)>>,
    time_out: Option<LocalBoxFuture<'static, ()>>,
}

impl<K, Q, A> Waiting<K, Q, A> {
    pub(super) fn new(shared: Rc<Shared<K, Q, A>>, cell: Rc<Cell<K, A>>, until: Option<Time>) -> Self {
        let time_out = until
            .filter(|_| cell.is_open())
            .map(|until| shared.clock.sleep_until(until));
        Self {
            settling: deferred::Waiting::new(cell),
            shared,
            time_out,
        }
    }
}

impl<K, Q, A> Unpin for Waiting<K, Q, A> {}

impl<K: Hash + Eq + Clone, Q, A: Clone> Future for Waiting<K, Q, A> {
    type Output = Outcome<A>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome<A>> {
        if let Some(time_out) = &mut self.time_out
            && time_out.poll_unpin(context).is_ready()
        {
            self.time_out = None;
            self.shared.look();
        }
        self.settling.poll_unpin(context).map(|settlement| match settlement {
            Settlement::Completed(Some((answer, by))) => Outcome::Answered { answer, by },
            Settlement::Completed(None) => Outcome::TimedOut,
            Settlement::Failed(reason) => Outcome::Cancelled(reason),
            Settlement::Aborted => Outcome::Closed,
        })
    }
}

impl<K: fmt::Debug, Q, A> fmt::Debug for Waiting<K, Q, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Waiting").field(&self.settling).finish()
    }
}
