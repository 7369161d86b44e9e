//! Reads what a caller has given, and says what is wrong with it.

use std::time::Duration;

use js_sys::{Array, Function, Reflect};
use serde::de::DeserializeOwned;
use switchboard_core::PromptOptions;
use switchboard_core::model::{ModelRef, Reply};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::AbortSignal;

use super::{error, plain};

/// How long something may take.
#[derive(Clone, Copy)]
pub(super) enum TimeOut {
    Usual,
    Never,
    After(Duration),
}

impl TimeOut {
    /// The time that it means; none means as long as it takes.
    pub(super) fn or(self, usual: Option<Duration>) -> Option<Duration> {
        match self {
            TimeOut::Usual => usual,
            TimeOut::Never => None,
            TimeOut::After(span) => Some(span),
        }
    }
}

/// The options of a call, or an object in them.
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
        let read = |value: &JsValue| value.as_string();
        self.read(name, "a string", read)
    }

    pub(super) fn needed_text(&self, name: &str) -> Result<String, JsValue> {
        self.text(name)?.ok_or_else(|| self.wrong(name, "a string"))
    }

    /// A span in milliseconds, or `"never"`.
    pub(super) fn time_out(&self, name: &str) -> Result<TimeOut, JsValue> {
        let read = |value: &JsValue| match value.as_string().as_deref() {
            Some("never") => Some(TimeOut::Never),
            _ => span(value).map(TimeOut::After),
        };
        let given = self.read(name, "a number of milliseconds, or \"never\"", read)?;
        Ok(given.unwrap_or(TimeOut::Usual))
    }

    pub(super) fn span(&self, name: &str) -> Result<Option<Duration>, JsValue> {
        self.read(name, "a number of milliseconds", span)
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, JsValue> {
        let read = |value: &JsValue| value.as_f64().filter(|number| *number >= 0.0);
        self.read(name, "a number that is not negative", read)
    }

    pub(super) fn count(&self, name: &str) -> Result<Option<usize>, JsValue> {
        let read = |value: &JsValue| value.as_f64().filter(|count| *count >= 0.0 && count.fract() == 0.0);
        let count = self.read(name, "a whole number", read)?;
        Ok(count.map(|count| count as usize))
    }

    pub(super) fn is_set(&self, name: &str) -> Result<bool, JsValue> {
        Ok(self.flag(name)?.unwrap_or(false))
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, JsValue> {
        self.read(name, "a boolean", JsValue::as_bool)
    }

    pub(super) fn function(&self, name: &str) -> Result<Option<Function>, JsValue> {
        self.read(name, "a function", |value| value.dyn_ref().cloned())
    }

    /// Something of a form that serde reads.
    pub(super) fn form<T: DeserializeOwned>(&self, name: &str, expected: &str) -> Result<Option<T>, JsValue> {
        self.read(name, expected, plain::read)
    }

    /// An object in the options.
    pub(super) fn inner(&self, name: &str) -> Result<Option<Given>, JsValue> {
        let read = |value: &JsValue| value.is_object().then(|| Given::new(self.call, value.clone()));
        self.read(name, "an object", read)
    }

    /// What was given under this name, whatever it is.
    pub(super) fn field(&self, name: &str) -> Result<JsValue, JsValue> {
        if self.options.is_undefined() {
            return Ok(JsValue::UNDEFINED);
        }
        property(&self.options, name)
            .ok_or_else(|| error::invalid_argument(&format!("{}: the options must be an object", self.call)))
    }

    pub(super) fn prompt_options(&self) -> Result<PromptOptions, JsValue> {
        Ok(PromptOptions {
            agent: self.text("agent")?,
            model: self.model()?,
        })
    }

    fn model(&self) -> Result<Option<ModelRef>, JsValue> {
        let read = |model: &JsValue| {
            let part = |name| property(model, name).and_then(|part| part.as_string());
            let (provider, model) = part("provider").zip(part("model"))?;
            Some(ModelRef { provider, model })
        };
        self.read("model", "{ provider, model }", read)
    }

    /// The signal of the call.
    ///
    /// # Errors
    /// The reason of a signal that is already aborted: nothing is to be done then.
    pub(super) fn live_signal(&self) -> Result<Option<AbortSignal>, JsValue> {
        let read = |value: &JsValue| value.dyn_ref::<AbortSignal>().cloned();
        let signal = self.read("signal", "an AbortSignal", read)?;
        match signal {
            Some(signal) if signal.aborted() => Err(signal.reason()),
            Some(_) | None => Ok(signal),
        }
    }

    pub(super) fn wrong(&self, name: &str, expected: &str) -> JsValue {
        error::invalid_argument(&format!("{}: {name} must be {expected}", self.call))
    }

    fn read<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&JsValue) -> Option<T>,
    ) -> Result<Option<T>, JsValue> {
        let value = self.field(name)?;
        if value.is_undefined() {
            return Ok(None);
        }
        read(&value).map(Some).ok_or_else(|| self.wrong(name, expected))
    }
}

fn span(value: &JsValue) -> Option<Duration> {
    let milliseconds = value.as_f64().filter(|milliseconds| *milliseconds >= 0.0)?;
    Duration::try_from_secs_f64(milliseconds / 1_000.0).ok()
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
        let answers = plain::read(given).ok_or_else(wrong)?;
        return Ok(Reply::Answers(answers));
    }
    let message = property(given, "reject").and_then(|message| message.as_string());
    message
        .map(|message| Reply::Reject { message: Some(message) })
        .ok_or_else(wrong)
}

/// A property of an object; `undefined` when it has none, and nothing when it is no object.
pub(super) fn property(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into()).ok()
}
