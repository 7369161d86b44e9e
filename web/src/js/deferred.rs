//! Deferreds for tool calls that a caller runs: batches in one crossing.

use std::rc::Rc;
use std::time::Duration;

use js_sys::{Array, Object, Promise, Reflect};
use serde::Serialize;
use switchboard_core::deferred::{self, Settlement, Settling};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::view::plain;
use crate::clock::BrowserClock;

/// One deferred per running call, by key.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct DeferredTracker(deferred::DeferredTracker<Rc<str>, JsValue>);

#[derive(Serialize)]
struct ReportShape {
    settled: usize,
    abandoned: Vec<String>,
}

#[wasm_bindgen]
impl DeferredTracker {
    /// A tracker in its first turn.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers calls. Returns how many of them are new.
    pub fn register(&self, keys: Vec<String>) -> usize {
        keys.into_iter()
            .filter(|key| self.0.observe(key.as_str().into()))
            .count()
    }

    /// Settles a call with a result. Returns what became of it: see [`number`].
    pub fn complete(&self, key: &str, result: JsValue) -> u8 {
        number(self.0.settle(&key.into(), Ok(result)))
    }

    /// Settles a call with a failure, in words.
    pub fn fail(&self, key: &str, reason: String) -> u8 {
        number(self.0.settle(&key.into(), Err(reason)))
    }

    /// Settles many calls with their results, in order.
    #[wasm_bindgen(js_name = completeMany)]
    pub fn complete_many(&self, keys: Vec<String>, results: Vec<JsValue>) -> Vec<u8> {
        let each = keys.into_iter().zip(results);
        each.map(|(key, result)| number(self.0.settle(&key.into(), Ok(result))))
            .collect()
    }

    /// Waits for the end of a call; `undefined` when it is not registered.
    pub fn wait(&self, key: &str) -> Option<Promise> {
        let waiting = self.0.wait(&key.into())?;
        Some(future_to_promise(async move { shown(waiting.await) }))
    }

    /// How many calls are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.0.open()
    }

    /// The keys of the open calls, in the order they were registered.
    #[wasm_bindgen(js_name = openKeys)]
    #[must_use]
    pub fn open_keys(&self) -> Vec<String> {
        texts(self.0.open_keys())
    }

    /// Ends the turn: waits until nothing is open, for so many milliseconds at most, and abandons the rest.
    #[wasm_bindgen(js_name = settleAll)]
    pub fn settle_all(&self, grace: f64) -> Promise {
        let grace = Duration::try_from_secs_f64(grace / 1_000.0).unwrap_or_default();
        let ending = self.0.settle_all(&BrowserClock::new(), grace);
        future_to_promise(async move {
            let report = ending.await;
            plain(&ReportShape {
                settled: report.settled,
                abandoned: texts(report.abandoned),
            })
        })
    }

    /// Ends the turn at once, and abandons what is open. Returns its keys.
    #[wasm_bindgen(js_name = abandonAll)]
    pub fn abandon_all(&self) -> Vec<String> {
        texts(self.0.abandon_all())
    }

    /// Results that came after their turn had ended, as a list of `{ key, turn, value }` or `{ key, turn, error }`.
    #[wasm_bindgen(js_name = takeLate)]
    pub fn take_late(&self) -> Result<Array, JsValue> {
        let late = self.0.take_late().into_iter().map(|late| {
            let item = Object::new();
            Reflect::set(&item, &"key".into(), &(&*late.key).into())?;
            Reflect::set(&item, &"turn".into(), &(late.turn.0 as f64).into())?;
            let (name, value) = match late.result {
                Ok(value) => ("value", value),
                Err(reason) => ("error", reason.into()),
            };
            Reflect::set(&item, &name.into(), &value)?;
            Ok(item)
        });
        late.collect()
    }
}

fn texts(keys: Vec<Rc<str>>) -> Vec<String> {
    keys.iter().map(|key| String::from(&**key)).collect()
}

/// What became of a result, as JavaScript reads it.
fn number(settling: Settling) -> u8 {
    match settling {
        Settling::Settled => 0,
        Settling::Already => 1,
        Settling::Late => 2,
        Settling::Unknown => 3,
    }
}

fn shown(settlement: Settlement<JsValue>) -> Result<JsValue, JsValue> {
    let (status, value) = match settlement {
        Settlement::Completed(value) => ("completed", Some(("value", value))),
        Settlement::Failed(reason) => ("failed", Some(("reason", reason.into()))),
        Settlement::Aborted => ("aborted", None),
    };
    let object = Object::new();
    Reflect::set(&object, &"status".into(), &status.into())?;
    if let Some((name, value)) = value {
        Reflect::set(&object, &name.into(), &value)?;
    }
    Ok(object.into())
}
