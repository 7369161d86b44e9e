//! Streams as async iterators.

use std::fmt;
use std::rc::Rc;

use futures::lock::Mutex;
use futures::stream::{AbortHandle, Abortable, LocalBoxStream, abortable};
use futures::{Stream, StreamExt};
use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::object::object;
use super::promise::promise;

/// An async iterator. It ends when what it comes from is closed, or when the loop over it is left.
#[wasm_bindgen(skip_typescript, js_name = EngineIterator)]
#[derive(Clone)]
pub struct EngineIterator {
    /// None once it is over: whatever it held is dropped then.
    items: Rc<Mutex<Option<Items>>>,
    leave: AbortHandle,
}

struct Items {
    stream: Abortable<LocalBoxStream<'static, Result<JsValue, JsValue>>>,
    /// It lives for as long as somebody iterates over it.
    source: Rc<dyn fmt::Debug>,
}

impl EngineIterator {
    pub(super) fn new(
        source: Rc<dyn fmt::Debug>,
        items: impl Stream<Item = Result<JsValue, JsValue>> + 'static,
    ) -> Self {
        let (stream, leave) = abortable(items.boxed_local());
        Self {
            items: Rc::new(Mutex::new(Some(Items { stream, source }))),
            leave,
        }
    }
}

#[wasm_bindgen(js_class = EngineIterator)]
impl EngineIterator {
    /// The next item, once there is one.
    pub fn next(&self) -> Promise {
        let iterator = self.clone();
        promise(async move {
            let mut items = iterator.items.lock().await;
            let item = match &mut *items {
                Some(items) => items.stream.next().await,
                None => None,
            };
            match item {
                Some(item) => result(false, item?),
                None => {
                    *items = None;
                    result(true, JsValue::UNDEFINED)
                }
            }
        })
    }

    /// Ends the iterator, also for those who wait for its next item.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        self.leave.abort();
        // Whoever waits for an item holds the lock, and does this then.
        if let Some(mut items) = self.items.try_lock() {
            *items = None;
        }
        promise(async { result(true, JsValue::UNDEFINED) })
    }

    /// The iterator itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> EngineIterator {
        self.clone()
    }
}

impl fmt::Debug for EngineIterator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let items = self.items.try_lock();
        let source = items
            .as_ref()
            .and_then(|items| items.as_ref())
            .map(|items| &items.source);
        formatter
            .debug_struct("EngineIterator")
            .field("source", &source)
            .finish_non_exhaustive()
    }
}

fn result(is_done: bool, value: JsValue) -> Result<JsValue, JsValue> {
    object(&[("done", is_done.into()), ("value", value)])
}
