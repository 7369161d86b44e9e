//! Values of Rust as plain objects and lists of JavaScript, and back.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsValue;

/// What JSON would make of it: `null` where there is nothing.
pub(super) fn plain(shape: &impl Serialize) -> Result<JsValue, JsValue> {
    // A text for `JSON.parse` would take more WebAssembly: 5 KB of 300 with brotli.
    shape
        .serialize(&serde_wasm_bindgen::Serializer::json_compatible())
        .map_err(JsValue::from)
}

/// Reads a value that a caller has given; none when it has another form.
pub(super) fn read<T: DeserializeOwned>(value: &JsValue) -> Option<T> {
    serde_wasm_bindgen::from_value(value.clone()).ok()
}
