//! A row of an object store: a record, and beside it what the browser needs to find it.

use js_sys::Array;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use switchboard_core::figures::Figure;
use switchboard_core::ledger::{Entry, Stage};
use switchboard_core::model::Draft;
use switchboard_core::runtime::StoreError;
use switchboard_core::time::Time;
use wasm_bindgen::JsValue;
use web_sys::IdbKeyRange;

use crate::records::{self, FORMAT, draft_name};

/// The index of unfinished entries, of any format.
pub(super) const OPEN: &str = "open";
/// The index of finished entries by format and time, and of figures.
pub(super) const ENDED: &str = "ended";

/// One row. A row is in an index only if it has the property that the index is about.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    server: String,
    id: String,
    format: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    open: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<u64>,
    pub(super) text: String,
}

impl Row {
    pub(super) fn of_entry(server: &str, entry: &Entry) -> Self {
        let ended = finished_at(entry);
        Self {
            server: server.to_owned(),
            id: entry.id.to_string(),
            format: FORMAT,
            open: ended.is_none().then_some(1),
            ended: ended.map(|at| at.0),
            text: records::write_entry(entry),
        }
    }

    pub(super) fn of_draft(server: &str, draft: &Draft) -> Self {
        Self {
            server: server.to_owned(),
            id: draft_name(&draft.key),
            format: FORMAT,
            open: None,
            ended: None,
            text: records::write_draft(draft),
        }
    }

    pub(super) fn of_figure(server: &str, figure: &Figure) -> Self {
        Self {
            server: server.to_owned(),
            id: figure.request.to_string(),
            format: FORMAT,
            open: None,
            ended: Some(figure.seen.0),
            text: records::write_figure(figure),
        }
    }
}

/// A row as the browser keeps it.
pub(super) fn to_js(row: &impl Serialize) -> Result<JsValue, StoreError> {
    serde_wasm_bindgen::to_value(row).map_err(unreadable)
}

/// The row that was found under a key, if there is one.
pub(super) fn found<Row: DeserializeOwned>(value: JsValue) -> Result<Option<Row>, StoreError> {
    serde_wasm_bindgen::from_value(value).map_err(unreadable)
}

/// The rows that were found in a range.
pub(super) fn list(values: JsValue) -> Result<Vec<Row>, StoreError> {
    serde_wasm_bindgen::from_value(values).map_err(unreadable)
}

fn unreadable(error: serde_wasm_bindgen::Error) -> StoreError {
    StoreError(format!("a row cannot be read: {error}"))
}

/// The key of a row.
pub(super) fn key(server: &str, id: &str) -> JsValue {
    Array::of2(&server.into(), &id.into()).into()
}

/// All rows of a server: an array sorts after every string.
pub(super) fn names_of(server: &str) -> IdbKeyRange {
    let server = JsValue::from(server);
    range(&Array::of1(&server), &Array::of2(&server, &Array::new()))
}

/// All unfinished entries of a server, in the index [`OPEN`].
pub(super) fn open_entries(server: &str) -> IdbKeyRange {
    let key = Array::of2(&server.into(), &1.into());
    range(&key, &key)
}

/// All entries of a server that this version has written and that finished before `time`, in the index [`ENDED`].
pub(super) fn pruned_before(server: &str, time: Time) -> IdbKeyRange {
    let (server, format) = (JsValue::from(server), JsValue::from(FORMAT));
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 fit
    let time = JsValue::from(time.0 as f64);
    range(
        &Array::of3(&server, &format, &0.into()),
        &Array::of3(&server, &format, &time),
    )
}

fn range(from: &Array, to: &Array) -> IdbKeyRange {
    IdbKeyRange::bound(from, to).expect("both are keys, in order")
}

fn finished_at(entry: &Entry) -> Option<Time> {
    let at = match &entry.stage {
        Stage::Saved => entry.created,
        Stage::Attempting { begun } => *begun,
        Stage::Attempted { at, .. } | Stage::Ended { at, .. } => *at,
    };
    entry.is_finished().then_some(at)
}
