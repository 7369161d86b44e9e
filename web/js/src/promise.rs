//! Futures as promises.

use std::future::Future;

use futures::future::LocalBoxFuture;
use js_sys::Promise;
use wasm_bindgen::JsValue;

/// Does the work, and settles a promise with what comes of it. All work is of one type, so that there is one copy of what drives it.
pub(super) fn promise(work: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    let work: LocalBoxFuture<'static, _> = Box::pin(work);
    wasm_bindgen_futures::future_to_promise(work)
}
