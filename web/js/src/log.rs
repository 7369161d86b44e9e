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
    server: &'a str,
    level: &'static str,
    number: u64,
    text: &'a str,
}

/// What takes the records of a server, when a function was given for that. One that throws misses a record.
pub(super) fn sink(options: &Given, server: &str) -> Result<Option<Log>, JsValue> {
    let log = options.field("log")?;
    if log.is_undefined() || log.as_bool().is_some() {
        return Ok(None);
    }
    let function: Function = log
        .dyn_into()
        .map_err(|_| options.wrong("log", "a boolean or a function"))?;
    let server = server.to_owned();
    Ok(Some(Rc::new(move |record| {
        if let Ok(record) = plain(&RecordShape::new(record, &server)) {
            let _thrown = function.call1(&JsValue::UNDEFINED, &record);
        }
    })))
}

impl<'a> RecordShape<'a> {
    fn new(record: &'a Record, server: &'a str) -> Self {
        Self {
            server,
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
