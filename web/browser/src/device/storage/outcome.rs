//! What became of something that the browser does in its own time: one of two events tells.

use std::cell::Cell;
use std::rc::Rc;

use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use gloo_events::EventListener;
use switchboard_core::ports::StoreError;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DomException, EventTarget, IdbRequest};

/// Which of two events came first. It listens from the moment it is made.
pub(super) struct FirstOf {
    first: oneshot::Receiver<bool>,
    _listeners: [EventListener; 2],
}

impl FirstOf {
    pub(super) fn new(target: &EventTarget, good: &'static str, bad: &'static str) -> Self {
        let (tell, first) = oneshot::channel();
        let tell = Rc::new(Cell::new(Some(tell)));
        let listen = |event, is_good| {
            let tell = Rc::clone(&tell);
            EventListener::once(target, event, move |_| {
                if let Some(tell) = tell.take() {
                    let _nobody_waits = tell.send(is_good);
                }
            })
        };
        let _listeners = [listen(good, true), listen(bad, false)];
        Self { first, _listeners }
    }

    /// True when it was the good one.
    pub(super) async fn came_good(self) -> bool {
        self.first.await.unwrap_or(false)
    }
}

/// The result of a request, once it is there.
pub(super) type Answer = LocalBoxFuture<'static, Result<JsValue, StoreError>>;

/// Listens for the result of a request.
pub(super) fn result_of(request: &IdbRequest) -> Answer {
    let first = FirstOf::new(request, "success", "error");
    let request = request.clone();
    Box::pin(async move {
        if first.came_good().await {
            request.result().map_err(|error| failure(&error))
        } else {
            Err(request.error().ok().flatten().map_or_else(
                || StoreError::Failed("a request failed".to_owned()),
                |error| failure(&error),
            ))
        }
    })
}

/// A failure of the browser.
pub(super) fn failure(error: &JsValue) -> StoreError {
    match error.dyn_ref::<DomException>() {
        Some(exception) => match exception.name().as_str() {
            "QuotaExceededError" => StoreError::Full,
            "VersionError" => StoreError::NewerVersion,
            "SecurityError" => StoreError::Forbidden,
            name => StoreError::Failed(format!("{} ({name})", exception.message())),
        },
        None => StoreError::Failed(format!("{error:?}")),
    }
}
