//! Plain objects, property by property.

use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;

/// An object with these properties.
pub(super) fn object(properties: &[(&str, JsValue)]) -> Result<JsValue, JsValue> {
    let object = Object::new();
    for (name, value) in properties {
        Reflect::set(&object, &(*name).into(), value)?;
    }
    Ok(object.into())
}
