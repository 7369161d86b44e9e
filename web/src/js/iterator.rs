//! Streams as async iterators.

use std::fmt;
use std::rc::Rc;

use futures::lock::Mutex;
use futures::stream::{AbortHandle, Abortable, LocalBoxStream, abortable};
use futures::{Stream, StreamExt};
use js_sys::{Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::server::Server;

/// An async iterator. It ends when the board is closed, or when the loop over it is left.
#[wasm_bindgen(skip_typescript, js_name = BoardIterator)]
#[derive(Clone)]
pub struct BoardIterator {
    items: Rc<Mutex<Abortable<Items>>>,
    leave: AbortHandle,
    /// Items come for as long as somebody iterates over them.
    server: Rc<Server>,
}

type Items = LocalBoxStream<'static, Result<JsValue, JsValue>>;

impl BoardIterator {
    pub(super) fn new(server: &Rc<Server>, items: impl Stream<Item = Result<JsValue, JsValue>> + 'static) -> Self {
        let (items, leave) = abortable(items.boxed_local());
        Self {
            items: Rc::new(Mutex::new(items)),
            leave,
            server: Rc::clone(server),
        }
    }
}

#[wasm_bindgen(js_class = BoardIterator)]
impl BoardIterator {
    /// The next item, once there is one.
    pub fn next(&self) -> Promise {
        let iterator = self.clone();
        future_to_promise(async move {
            match iterator.items.lock().await.next().await {
                Some(item) => result(false, &item?),
                None => result(true, &JsValue::UNDEFINED),
            }
        })
    }

    /// Ends the iterator, also for those who wait for its next item.
    #[wasm_bindgen(js_name = "return")]
    pub fn leave(&self) -> Promise {
        self.leave.abort();
        future_to_promise(async { result(true, &JsValue::UNDEFINED) })
    }

    /// The iterator itself.
    #[wasm_bindgen(js_name = "[Symbol.asyncIterator]")]
    pub fn iterate(&self) -> BoardIterator {
        self.clone()
    }
}

impl fmt::Debug for BoardIterator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BoardIterator")
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
