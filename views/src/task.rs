//! Futures that run beside the page.

use std::future::Future;
use std::pin::Pin;

/// Runs a future to its end.
pub fn spawn_local(task: impl Future<Output = ()> + 'static) {
    spawn(Box::pin(task));
}

/// Runs a future to its end, or until the current owner goes.
pub fn spawn_local_scoped_with_cancellation(task: impl Future<Output = ()> + 'static) {
    spawn_scoped(Box::pin(task));
}

// Each of these is compiled once.

fn spawn(task: Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(task);
}

fn spawn_scoped(task: Pin<Box<dyn Future<Output = ()>>>) {
    reactive_graph::spawn_local_scoped_with_cancellation(task);
}
