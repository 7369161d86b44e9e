//! The duty to settle one deferred. It cannot be forgotten: dropping it settles, too.

use std::fmt::{self, Display};
use std::future::Future;
use std::rc::Rc;

use super::settlement::Settling;
use super::shared::Shared;
use super::state::Deferred;

/// The duty to settle one deferred, held by whoever runs the call.
///
/// Dropping it fails the deferred: with "dropped without a result", or with "panicked" while unwinding. After the turn
/// has ended, whatever it does is late, and is reported by [`take_late`](super::DeferredTracker::take_late).
#[must_use = "dropping the guard fails its deferred"]
pub struct Guard<K, T> {
    pub(super) deferred: Rc<Deferred<K, T>>,
    pub(super) shared: Rc<Shared<K, T>>,
}

impl<K, T> Guard<K, T> {
    /// The key it was registered with.
    #[must_use]
    pub fn key(&self) -> &K {
        &self.deferred.key
    }

    /// Settles the deferred with a result.
    pub fn complete(self, result: T) -> Settling {
        self.shared.settle(&self.deferred, Ok(result))
    }

    /// Settles the deferred with a failure, in words.
    pub fn fail(self, reason: impl Into<String>) -> Settling {
        self.shared.settle(&self.deferred, Err(reason.into()))
    }

    /// Does the work and settles the deferred with what comes of it, also when the work panics.
    ///
    /// Dropping the future ends the work and fails the deferred.
    ///
    /// ```
    /// use futures::FutureExt;
    /// use switchboard_core::deferred::{DeferredTracker, Settlement};
    ///
    /// let tracker = DeferredTracker::<&str, u32>::new();
    /// let guard = tracker.register("parse")?;
    /// guard.run(async { "7a".parse::<u32>() }).now_or_never();
    /// let reason = "invalid digit found in string".to_owned();
    /// assert_eq!(tracker.wait(&"parse").unwrap().now_or_never(), Some(Settlement::Failed(reason)));
    /// # Ok::<(), switchboard_core::deferred::AlreadyOpen<&str>>(())
    /// ```
    pub async fn run<E: Display>(self, work: impl Future<Output = Result<T, E>>) -> Settling {
        match work.await {
            Ok(result) => self.complete(result),
            Err(error) => self.fail(error.to_string()),
        }
    }
}

impl<K, T> Drop for Guard<K, T> {
    fn drop(&mut self) {
        if self.deferred.is_awaited() {
            let reason = if std::thread::panicking() {
                "panicked"
            } else {
                "dropped without a result"
            };
            self.shared.settle(&self.deferred, Err(reason.to_owned()));
        }
    }
}

impl<K: fmt::Debug, T> fmt::Debug for Guard<K, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Guard").field(&self.deferred).finish()
    }
}
