//! Asks the browser not to throw away what is kept.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Asks the browser to keep the storage of this origin when space runs out. A browser may refuse, or ask the person.
pub(super) fn ask() {
    let Some(asked) = call() else { return };
    spawn_local(async move {
        // A refusal leaves everything as it is.
        let _granted = JsFuture::from(asked).await;
    });
}

fn call() -> Option<Promise> {
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).ok()?;
    let storage = Reflect::get(&navigator, &"storage".into()).ok()?;
    let persist: Function = Reflect::get(&storage, &JsValue::from("persist"))
        .ok()?
        .dyn_into()
        .ok()?;
    persist.call0(&storage).ok()?.dyn_into().ok()
}
