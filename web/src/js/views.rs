//! Views as an async iterator.

use std::fmt;
use std::rc::Rc;

use futures::StreamExt;
use futures::lock::Mutex;
use futures::stream::{AbortHandle, Abortable, abortable};
use js_sys::{Object, Promise, Reflect};
use switchboard_core::Views;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::view;
use crate::server::Server;

/// An async iterator over views. It ends when the board is closed, or when the loop over it is left.
#[wasm_bindgen(skip_typescript)]
#[derive(Clone)]
pub struct ViewIterator {
    views: Rc<Mutex<Abortable<Views>>>,
    leave: AbortHandle,
    /// Views come for as long as somebody iterates over them.
    server: Rc<Server>,
}

impl ViewIterator {
    pub(super) fn new(server: Rc<Server>) -> Self {
        let (views, leave) = abortable(server.handle().views());
        Self {
            views: Rc::new(Mutex::new(views)),
            leave,
            server,
        }
    }
}

#[wasm_bindgen]
impl ViewIterator {
    /// The newest view that this iterator has not given yet, once there is one.
    pub fn next(&self) -> Promise {
        let iterator = self.clone();
        future_to_promise(async move {
            match iterator.views.lock().await.next().await {
                Some(view) => result(false, &view::to_js(&view)?),
                None => result(true, &JsValue::UNDEFINED),
            }
        })
    }

    /// Ends the iterator, also for those who wait for its next view.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        self.leave.abort();
        future_to_promise(async { result(true, &JsValue::UNDEFINED) })
    }

    /// The iterator itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> ViewIterator {
        self.clone()
    }
}

impl fmt::Debug for ViewIterator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ViewIterator")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

fn result(is_done: bool, value: &JsValue) -> Result<JsValue, JsValue> {
    let result = Object::new();
    Reflect::set(&result, &"done".into(), &is_done.into())?;
    Reflect::set(&result, &"value".into(), value)?;
    Ok(result.into())
}
