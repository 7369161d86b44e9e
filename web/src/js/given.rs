//! Reads what a caller has given, and says what is wrong with it.

use std::time::Duration;

use js_sys::{Array, Reflect};
use switchboard_core::model::{ModelRef, Reply};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::AbortSignal;

use super::error;

/// How long something may take.
pub(super) enum TimeOut {
    Usual,
    Never,
    After(Duration),
}

/// The options of a call.
pub(super) struct Given {
    call: &'static str,
    options: JsValue,
}

impl Given {
    /// The options that were given to `call`; none is as good as empty ones.
    pub(super) fn new(call: &'static str, options: JsValue) -> Self {
        Self { call, options }
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<String>, JsValue> {
        let value = self.field(name)?;
        if value.is_undefined() {
            return Ok(None);
        }
        value.as_string().map(Some).ok_or_else(|| self.wrong(name, "a string"))
    }

    /// A span in milliseconds, or `"never"`.
    pub(super) fn time_out(&self, name: &str) -> Result<TimeOut, JsValue> {
        let value = self.field(name)?;
        match (value.as_f64(), value.as_string().as_deref()) {
            _ if value.is_undefined() => Ok(TimeOut::Usual),
            (_, Some("never")) => Ok(TimeOut::Never),
            (Some(milliseconds), _) if milliseconds >= 0.0 && milliseconds.is_finite() => {
                Ok(TimeOut::After(Duration::from_secs_f64(milliseconds / 1_000.0)))
            }
            _ => Err(self.wrong(name, "a number of milliseconds, or \"never\"")),
        }
    }

    pub(super) fn is_set(&self, name: &str) -> Result<bool, JsValue> {
        let value = self.field(name)?;
        if value.is_undefined() {
            return Ok(false);
        }
        value.as_bool().ok_or_else(|| self.wrong(name, "a boolean"))
    }

    pub(super) fn model(&self) -> Result<Option<ModelRef>, JsValue> {
        let model = self.field("model")?;
        if model.is_undefined() {
            return Ok(None);
        }
        let part = |name| property(&model, name).and_then(|part| part.as_string());
        match (part("provider"), part("model")) {
            (Some(provider), Some(model)) => Ok(Some(ModelRef { provider, model })),
            _ => Err(self.wrong("model", "{ provider, model }")),
        }
    }

    /// The signal of the call.
    ///
    /// # Errors
    /// The reason of a signal that is already aborted: nothing is to be done then.
    pub(super) fn live_signal(&self) -> Result<Option<AbortSignal>, JsValue> {
        let value = self.field("signal")?;
        if value.is_undefined() {
            return Ok(None);
        }
        let signal: AbortSignal = value.dyn_into().map_err(|_| self.wrong("signal", "an AbortSignal"))?;
        if signal.aborted() {
            return Err(signal.reason());
        }
        Ok(Some(signal))
    }

    fn field(&self, name: &str) -> Result<JsValue, JsValue> {
        if self.options.is_undefined() {
            return Ok(JsValue::UNDEFINED);
        }
        property(&self.options, name)
            .ok_or_else(|| error::invalid_argument(&format!("{}: the options must be an object", self.call)))
    }

    fn wrong(&self, name: &str, expected: &str) -> JsValue {
        error::invalid_argument(&format!("{}: {name} must be {expected}", self.call))
    }
}

/// Reads a reply: lists of answers, one of the words, or a rejection with a message.
pub(super) fn reply(given: &JsValue) -> Result<Reply, JsValue> {
    let wrong = || error::invalid_argument("answer: the reply has none of the forms that a reply can have");
    match given.as_string().as_deref() {
        Some("dismiss") => return Ok(Reply::Dismiss),
        Some("once") => return Ok(Reply::Once),
        Some("always") => return Ok(Reply::Always),
        Some("reject") => return Ok(Reply::Reject { message: None }),
        Some(_) => return Err(wrong()),
        None => {}
    }
    if Array::is_array(given) {
        let answers = serde_wasm_bindgen::from_value(given.clone()).map_err(|_| wrong())?;
        return Ok(Reply::Answers(answers));
    }
    let message = property(given, "reject").and_then(|message| message.as_string());
    message
        .map(|message| Reply::Reject { message: Some(message) })
        .ok_or_else(wrong)
}

/// A property of an object; `undefined` when it has none, and nothing when it is no object.
fn property(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok()
}
