//! Work that goes on by itself until its owner drops it.

use std::future::Future;

use futures::channel::oneshot;
use futures::future::{AbortHandle, LocalBoxFuture, abortable};
use wasm_bindgen_futures::spawn_local;

/// Work that goes on by itself. Dropping it ends the work at its next await.
#[derive(Debug)]
pub struct Task(AbortHandle);

impl Task {
    /// Begins it; the first poll comes after the caller has returned to the browser.
    pub fn spawn(work: impl Future<Output = ()> + 'static) -> Self {
        Self::of(Box::pin(work))
    }

    /// Not generic: what surrounds the work is compiled once.
    fn of(work: LocalBoxFuture<'static, ()>) -> Self {
        let (work, handle) = abortable(work);
        spawn_local(async move {
            let _ended_or_aborted = work.await;
        });
        Self(handle)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Begins work that runs to its end whether or not anybody waits for its result.
pub fn detached<T: 'static>(work: impl Future<Output = T> + 'static) -> impl Future<Output = T> + 'static {
    detached_boxed(Box::pin(work))
}

/// Compiled once for each type of results.
#[inline(never)]
fn detached_boxed<T: 'static>(work: LocalBoxFuture<'static, T>) -> impl Future<Output = T> + 'static {
    let (sender, receiver) = oneshot::channel();
    spawn_local(async move {
        let _nobody_waits = sender.send(work.await);
    });
    async { receiver.await.expect("the work sends its result before it ends") }
}
