//! Deferreds for tool calls that a caller runs. A crossing costs less than an array of texts, so each call crosses by itself.

use std::rc::Rc;
use std::time::Duration;

use js_sys::{Array, Promise};
use serde::Serialize;
use switchboard_core::deferred::{self, Settlement, Settling};
use wasm_bindgen::prelude::*;

use super::given::Given;
use super::object::object;
use super::plain::plain;
use super::promise::promise;
use super::signal::unless_aborted;
use switchboard_browser::platform::clock::BrowserClock;

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

    /// Registers a call. True when it is new.
    pub fn register(&self, key: &str) -> bool {
        self.0.observe(key.into())
    }

    /// Settles a call with a result. Returns what became of it: see [`number`].
    pub fn complete(&self, key: &str, result: JsValue) -> u8 {
        number(self.0.settle(&key.into(), Ok(result)))
    }

    /// Settles a call with a failure, in words.
    pub fn fail(&self, key: &str, reason: String) -> u8 {
        number(self.0.settle(&key.into(), Err(reason)))
    }

    /// Waits for the end of a call; `undefined` when it is not registered.
    pub fn wait(&self, key: &str, options: JsValue) -> Option<Promise> {
        let waiting = self.0.wait(&key.into())?;
        let signal = Given::new("wait", options).live_signal();
        Some(promise(async move { shown(unless_aborted(signal?, waiting).await?) }))
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

    /// Ends the turn: waits until nothing is open, for so many milliseconds at most, and abandons the rest. A signal that
    /// ends the wait leaves the turn as it is.
    #[wasm_bindgen(js_name = settleAll)]
    pub fn settle_all(&self, grace: f64, options: JsValue) -> Promise {
        let signal = Given::new("settleAll", options).live_signal();
        let grace = Duration::try_from_secs_f64(grace / 1_000.0).unwrap_or_default();
        let ending = self.0.settle_all(&BrowserClock::new(), grace);
        promise(async move {
            let report = unless_aborted(signal?, ending).await?;
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
            let result = match late.result {
                Ok(value) => ("value", value),
                Err(reason) => ("error", reason.into()),
            };
            object(&[
                ("key", (&*late.key).into()),
                ("turn", (late.turn.0 as f64).into()),
                result,
            ])
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
    match settlement {
        Settlement::Completed(value) => object(&[("status", "completed".into()), ("value", value)]),
        Settlement::Failed(reason) => object(&[("status", "failed".into()), ("reason", reason.into())]),
        Settlement::Aborted => object(&[("status", "aborted".into())]),
    }
}
