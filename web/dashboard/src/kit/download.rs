//! Hands a text to the browser as a file, and reads one that a person has chosen.

use js_sys::{Array, JsString, Object, Promise, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlAnchorElement, HtmlInputElement, Url};

#[wasm_bindgen]
extern "C" {
    type Blob;

    #[wasm_bindgen(constructor)]
    fn new(parts: &Array) -> Blob;

    #[wasm_bindgen(method)]
    fn text(this: &Blob) -> Promise;

    type FileField;

    #[wasm_bindgen(method, getter)]
    fn files(this: &FileField) -> Option<Object>;

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

/// The text of the file that is chosen in a field; none where no file is, or it cannot be read.
pub(crate) async fn file_text(field: &HtmlInputElement) -> Option<String> {
    let files = field.unchecked_ref::<FileField>().files()?;
    let file = Reflect::get_u32(&files, 0).ok().filter(|file| !file.is_undefined())?;
    let text = JsFuture::from(file.unchecked_ref::<Blob>().text()).await.ok()?;
    text.as_string()
}
