//! The states that a person's side sees.

use std::fmt;
use std::hash::Hash;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures::future::LocalBoxFuture;
use futures::{FutureExt, Stream};

use super::outcome::Asked;
use super::shared::Shared;
use crate::primitives::deferred::Ticket;
use crate::time::Time;

/// What is shown: at once, then the newest of it whenever it has changed; a warning and a time-out are changes. It ends
/// when the rendezvous is closed. A slow reader skips states, and costs no memory.
///
/// Dropping it disturbs nobody.
pub struct Views<K, Q, A> {
    shared: Rc<Shared<K, Q, A>>,
    /// The version that was seen last.
    seen: Option<u64>,
    ticket: Option<Ticket>,
    /// The next deadline, and the sleep until then.
    sleep: Option<(Time, LocalBoxFuture<'static, ()>)>,
}

impl<K, Q, A> Views<K, Q, A> {
    pub(super) fn new(shared: Rc<Shared<K, Q, A>>) -> Self {
        Self {
            shared,
            seen: None,
            ticket: None,
            sleep: None,
        }
    }
}

impl<K: Hash + Eq + Clone, Q, A: Clone> Stream for Views<K, Q, A> {
    type Item = Vec<Asked<K, Q>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            this.shared.look();
            let version = this.shared.version();
            if this.seen.replace(version) != Some(version) {
                return Poll::Ready(Some(this.shared.shown()));
            }
            if this.shared.is_closed() {
                return Poll::Ready(None);
            }
            let kept = this
                .shared
                .watching
                .borrow_mut()
                .keep(this.ticket, context.waker().clone());
            this.ticket = Some(kept.0);
            let Some(deadline) = this.shared.next_deadline() else {
                this.sleep = None;
                return Poll::Pending;
            };
            if this.sleep.as_ref().is_none_or(|(until, _)| *until != deadline) {
                this.sleep = Some((deadline, this.shared.clock.sleep_until(deadline)));
            }
            if let Some((_, sleep)) = &mut this.sleep
                && sleep.poll_unpin(context).is_pending()
            {
                return Poll::Pending;
            }
            this.sleep = None;
        }
    }
}

impl<K, Q, A> Drop for Views<K, Q, A> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let forgotten = self.shared.watching.borrow_mut().forget(ticket);
            drop(forgotten);
        }
    }
}

impl<K, Q, A> fmt::Debug for Views<K, Q, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Views")
            .field("seen", &self.seen)
            .finish_non_exhaustive()
    }
}
