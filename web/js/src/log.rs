//! The log of a board, for a function of the caller.

use std::rc::Rc;

use js_sys::Function;
use serde::Serialize;
use switchboard_core::log::{Level, Record};
use wasm_bindgen::{JsCast, JsValue};

use super::given::Given;
use super::plain::plain;
use switchboard_browser::server::Log;

#[derive(Serialize)]
struct RecordShape<'a> {
    level: &'static str,
    number: u64,
    text: &'a str,
}

/// What takes the records, when a function was given for that. One that throws misses a record.
pub(super) fn sink(options: &Given) -> Result<Option<Log>, JsValue> {
    let log = options.field("log")?;
    if log.is_undefined() || log.as_bool().is_some() {
        return Ok(None);
    }
    let function: Function = log
        .dyn_into()
        .map_err(|_| options.wrong("log", "a boolean or a function"))?;
    Ok(Some(Rc::new(move |record| {
        if let Ok(record) = plain(&RecordShape::from(record)) {
            let _thrown = function.call1(&JsValue::UNDEFINED, &record);
        }
    })))
}

impl<'a> From<&'a Record> for RecordShape<'a> {
    fn from(record: &'a Record) -> Self {
        Self {
            level: match record.level {
                Level::Trace => "trace",
                Level::Debug => "debug",
                Level::Info => "info",
                Level::Warn => "warn",
            },
            number: record.number,
            text: &record.text,
        }
    }
}
