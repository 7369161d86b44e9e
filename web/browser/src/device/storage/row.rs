//! A row of an object store: a record, and beside it what the browser needs to find it.

use js_sys::{Array, Object, Reflect};
use switchboard_core::Time;
use switchboard_core::metrics::Figure;
use switchboard_core::model::Draft;
use switchboard_core::ports::{SessionLink, StoreError};
use wasm_bindgen::JsValue;
use web_sys::IdbKeyRange;

use super::Versioned;
use super::outcome::failure;
use crate::device::activity::Happening;
use crate::device::records::{self, FORMAT, draft_name};

const SERVER: &str = "server";
const ID: &str = "id";
const FORMAT_NAME: &str = "format";
const TEXT: &str = "text";
const HOLDER: &str = "holder";
const UNTIL: &str = "until";

/// The index of unfinished entries, of any format.
pub(super) const OPEN: &str = "open";
/// The index of finished entries and workflows by format and time, of figures, of links and of what happened.
pub(super) const ENDED: &str = "ended";

/// The row of an entry or a workflow. A row is in an index only if it has the property that the index is about.
pub(super) fn of_versioned<V: Versioned>(
    server: &str,
    versioned: &V,
    finished: Option<Time>,
) -> Result<JsValue, StoreError> {
    let mut row = begun(server, versioned.id(), &versioned.write());
    row.push(match finished {
        None => (OPEN, 1.into()),
        Some(at) => (ENDED, number(at)),
    });
    object(&row)
}

/// The row of a draft.
pub(super) fn of_draft(server: &str, draft: &Draft) -> Result<JsValue, StoreError> {
    object(&begun(server, &draft_name(&draft.key), &records::write_draft(draft)))
}

/// The row of a figure.
pub(super) fn of_figure(server: &str, figure: &Figure) -> Result<JsValue, StoreError> {
    let mut row = begun(server, figure.request.as_str(), &records::write_figure(figure));
    row.push((ENDED, number(figure.seen)));
    object(&row)
}

/// The row of a link.
pub(super) fn of_link(server: &str, link: &SessionLink) -> Result<JsValue, StoreError> {
    let mut row = begun(server, link.session.as_str(), &records::write_link(link));
    row.push((ENDED, number(link.made)));
    object(&row)
}

/// The row of something that happened.
pub(super) fn of_happening(server: &str, happening: &Happening) -> Result<JsValue, StoreError> {
    let mut row = begun(server, &happening.id, &records::write_happening(happening));
    row.push((ENDED, number(happening.at)));
    object(&row)
}

/// The row of a lease.
pub(super) fn of_lease(server: &str, name: &str, holder: &str, until: Time) -> Result<JsValue, StoreError> {
    object(&[
        (SERVER, server.into()),
        (ID, name.into()),
        (HOLDER, holder.into()),
        (UNTIL, number(until)),
    ])
}

fn begun(server: &str, id: &str, text: &str) -> Vec<(&'static str, JsValue)> {
    vec![
        (SERVER, server.into()),
        (ID, id.into()),
        (FORMAT_NAME, FORMAT.into()),
        (TEXT, text.into()),
    ]
}

fn object(properties: &[(&str, JsValue)]) -> Result<JsValue, StoreError> {
    let row = Object::new();
    for (name, value) in properties {
        Reflect::set(&row, &(*name).into(), value).map_err(|error| failure(&error))?;
    }
    Ok(row.into())
}

/// Milliseconds since 1970 fit.
#[allow(clippy::cast_precision_loss)]
fn number(time: Time) -> JsValue {
    JsValue::from(time.0 as f64)
}

/// The text of a row; `None` when there is no row.
pub(super) fn text(row: &JsValue) -> Result<Option<String>, StoreError> {
    if row.is_undefined() {
        return Ok(None);
    }
    property(row, TEXT)?.as_string().map(Some).ok_or_else(unreadable)
}

/// The texts of the rows that were found in a range.
pub(super) fn texts(rows: &JsValue) -> Result<Vec<String>, StoreError> {
    Array::from(rows)
        .iter()
        .map(|row| text(&row)?.ok_or_else(unreadable))
        .collect()
}

/// Who holds a lease, and until when; `None` when there is no row.
pub(super) fn lease(row: &JsValue) -> Result<Option<(String, Time)>, StoreError> {
    if row.is_undefined() {
        return Ok(None);
    }
    let holder = property(row, HOLDER)?.as_string().ok_or_else(unreadable)?;
    let until = property(row, UNTIL)?.as_f64().ok_or_else(unreadable)?;
    Ok(Some((holder, Time(until as u64))))
}

/// The ids in the keys of rows.
pub(super) fn ids(keys: &JsValue) -> Vec<String> {
    let keys = Array::from(keys);
    keys.iter()
        .filter_map(|key| Array::from(&key).get(1).as_string())
        .collect()
}

fn property(row: &JsValue, name: &str) -> Result<JsValue, StoreError> {
    Reflect::get(row, &name.into()).map_err(|_| unreadable())
}

fn unreadable() -> StoreError {
    StoreError::Failed("a row cannot be read".to_owned())
}

/// The key of a row.
pub(super) fn key(server: &str, id: &str) -> JsValue {
    Array::of2(&server.into(), &id.into()).into()
}

/// All rows of a server: an array sorts after every string.
pub(super) fn names_of(server: &str) -> Result<IdbKeyRange, StoreError> {
    let server = JsValue::from(server);
    range(&Array::of1(&server), &Array::of2(&server, &Array::new()))
}

/// All unfinished entries of a server, in the index [`OPEN`].
pub(super) fn open_entries(server: &str) -> Result<IdbKeyRange, StoreError> {
    let key = Array::of2(&server.into(), &1.into());
    range(&key, &key)
}

/// All rows of a server that this version has written and that finished before `time`, in the index [`ENDED`].
pub(super) fn pruned_before(server: &str, time: Time) -> Result<IdbKeyRange, StoreError> {
    let (server, format) = (JsValue::from(server), JsValue::from(FORMAT));
    range(
        &Array::of3(&server, &format, &0.into()),
        &Array::of3(&server, &format, &number(time)),
    )
}

/// All rows of a server that this version has written and that finished at `time` or later, in the index [`ENDED`].
pub(super) fn finished_from(server: &str, time: Time) -> Result<IdbKeyRange, StoreError> {
    let (server, format) = (JsValue::from(server), JsValue::from(FORMAT));
    range(
        &Array::of3(&server, &format, &number(time)),
        &Array::of3(&server, &format, &Array::new()),
    )
}

fn range(from: &Array, to: &Array) -> Result<IdbKeyRange, StoreError> {
    IdbKeyRange::bound(from, to).map_err(|error| failure(&error))
}
