//! Has a person choose a file, and reads it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, HtmlInputElement};

/// Asks for a file of these kinds, and gives its text to `read`; none when it has more than `most` bytes. Nothing happens
/// when the person chooses none.
pub(crate) fn choose_file(kinds: &str, most: usize, read: impl Fn(Option<String>) + Clone + 'static) {
    let Ok(input) = document().create_element("input") else {
        return;
    };
    let input: HtmlInputElement = input.unchecked_into();
    input.set_type("file");
    input.set_accept(kinds);
    let chosen = {
        let input = input.clone();
        move |_: JsValue| {
            let file = input.files().and_then(|files| files.get(0));
            if let Some(file) = file {
                let read = read.clone();
                spawn_local(async move { read(text_of(&file, most).await) });
            }
        }
    };
    input.set_onchange(Some(Closure::once_into_js(chosen).unchecked_ref()));
    input.click();
}

/// A file that cannot be read has no text.
async fn text_of(file: &File, most: usize) -> Option<String> {
    if file.size() > most as f64 {
        return None;
    }
    let text = JsFuture::from(file.text()).await.ok();
    Some(text.and_then(|text| text.as_string()).unwrap_or_default())
}
