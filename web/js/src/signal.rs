//! Ends a wait when its caller no longer wants it.

use std::future::Future;
use std::pin::pin;

use futures::channel::oneshot;
use futures::future::{Either, select};
use gloo_events::EventListener;
use wasm_bindgen::JsValue;
use web_sys::AbortSignal;

/// What comes of `work`, or the reason of the signal when that comes first. The work is dropped then.
pub(super) async fn unless_aborted<T>(
    signal: Option<AbortSignal>,
    work: impl Future<Output = T>,
) -> Result<T, JsValue> {
    let Some(signal) = signal else {
        return Ok(work.await);
    };
    match select(pin!(aborted(&signal)), pin!(work)).await {
        Either::Left((reason, _)) => Err(reason),
        Either::Right((result, _)) => Ok(result),
    }
}

/// Resolves with the reason of the signal when it is aborted.
pub(super) async fn aborted(signal: &AbortSignal) -> JsValue {
    if !signal.aborted() {
        let (tell, told) = oneshot::channel();
        let _listener = EventListener::once(signal, "abort", move |_| {
            let _nobody_waits = tell.send(());
        });
        let _the_listener_lives = told.await;
    }
    signal.reason()
}
