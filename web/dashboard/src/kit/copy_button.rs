//! A button that copies a text.

use std::time::Duration;

use futures::future::Either;
use leptos::prelude::*;

use crate::kit::erased::live;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

const COPIED_SHOWN: Duration = Duration::from_secs(2);

/// What became of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copied {
    Done,
    Failed,
}

/// Copies `text` and says so once it is copied.
#[component]
pub(crate) fn CopyButton(
    /// What is copied.
    #[prop(into)]
    text: Signal<String>,
    /// The name of the button. Defaults to `Copy`.
    #[prop(default = "Copy")]
    label: &'static str,
    /// The key that presses it. Defaults to none.
    #[prop(optional, into)]
    key: Signal<Option<&'static str>>,
) -> impl IntoView {
    let copied = RwSignal::new(None::<Copied>);
    let copy = move |_| {
        let copying = text.with_untracked(|text| copy_text(text));
        spawn_local(async move {
            let outcome = if copying.await { Copied::Done } else { Copied::Failed };
            copied.try_set(Some(outcome));
            let forget = move || {
                copied.try_set(None);
            };
            set_timeout(forget, COPIED_SHOWN);
        });
    };
    view! {
        <button class="copy" type="button" aria-keyshortcuts=key on:click=copy>
            {live(move || match copied.get() {
                None => label,
                Some(Copied::Done) => "Copied",
                Some(Copied::Failed) => "Not copied",
            })}
            {live(move || key.get().map(|key| view! { <kbd aria-hidden="true">{key}</kbd> }))}
        </button>
    }
}

/// Copies by the clipboard of the browser, and tells whether that worked. A page that was not loaded safely has none: there
/// the old way works.
fn copy_text(text: &str) -> impl Future<Output = bool> + use<> {
    let clipboard = window().navigator().clipboard();
    let copied = if clipboard.is_undefined() {
        Either::Left(copy_selection(text))
    } else {
        Either::Right(JsFuture::from(clipboard.write_text(text)))
    };
    async {
        match copied {
            Either::Left(copied) => copied,
            Either::Right(writing) => writing.await.is_ok(),
        }
    }
}

fn copy_selection(text: &str) -> bool {
    let Ok(area) = document().create_element("textarea") else {
        return false;
    };
    let area: web_sys::HtmlTextAreaElement = area.unchecked_into();
    area.set_value(text);
    let Some(body) = document().body() else { return false };
    let focused = document().active_element();
    if body.append_child(&area).is_err() {
        return false;
    }
    area.select();
    let page: web_sys::HtmlDocument = document().unchecked_into();
    let copied = page.exec_command("copy");
    area.remove();
    if let Some(focused) = focused.and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok()) {
        drop(focused.focus());
    }
    copied.unwrap_or(false)
}
