//! A button that copies a text.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

const COPIED_SHOWN: Duration = Duration::from_secs(2);

/// Copies `text` and says so.
#[component]
pub(crate) fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: Signal<String>,
    /// The name of the button. Defaults to `Copy`.
    #[prop(default = "Copy")]
    label: &'static str,
) -> impl IntoView {
    let copied = RwSignal::new(false);
    let copy = move |_| {
        text.with_untracked(|text| copy_text(text));
        copied.set(true);
        let forget = move || {
            copied.try_set(false);
        };
        set_timeout(forget, COPIED_SHOWN);
    };
    view! {
        <button class="copy" type="button" on:click=copy>
            {move || if copied.get() { "Copied" } else { label }}
        </button>
    }
}

/// Copies by the clipboard of the browser. A page that was not loaded safely has none: there the old way works.
fn copy_text(text: &str) {
    let clipboard = window().navigator().clipboard();
    if clipboard.is_undefined() {
        copy_selection(text);
    } else {
        drop(clipboard.write_text(text));
    }
}

fn copy_selection(text: &str) {
    let Ok(area) = document().create_element("textarea") else {
        return;
    };
    let area: web_sys::HtmlTextAreaElement = area.unchecked_into();
    area.set_value(text);
    let Some(body) = document().body() else { return };
    let focused = document().active_element();
    if body.append_child(&area).is_err() {
        return;
    }
    area.select();
    let page: web_sys::HtmlDocument = document().unchecked_into();
    let copied = page.exec_command("copy");
    area.remove();
    if let Some(focused) = focused.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        drop(focused.focus());
    }
    drop(copied);
}
