//! Hands a text to the browser as a file.

use js_sys::{Array, JsString};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{HtmlAnchorElement, Url};

#[wasm_bindgen]
extern "C" {
    type Blob;

    #[wasm_bindgen(constructor)]
    fn new(parts: &Array) -> Blob;

    #[wasm_bindgen(js_namespace = URL, js_name = createObjectURL)]
    fn object_url(blob: &Blob) -> String;
}

/// Downloads `text` as a file of this name.
pub(crate) fn download(file: &str, text: String) {
    let address = object_url(&Blob::new(&Array::of1(&JsString::from(text))));
    if let Ok(link) = document().create_element("a") {
        let link: HtmlAnchorElement = link.unchecked_into();
        link.set_href(&address);
        link.set_download(file);
        link.click();
    }
    // The download has begun. Revoking fails for no address that was made here.
    let _ = Url::revoke_object_url(&address);
}
