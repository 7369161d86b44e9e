//! A confirmation in place. It takes the focus when it opens and gives it back when it closes.

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::kit::erased::effect;
use crate::kit::focus;

/// Asks once. The focus goes to what is marked `data-first`, else to the sheet itself, where Enter does nothing.
#[component]
pub(crate) fn Sheet(
    /// Its name, a question.
    label: &'static str,
    /// Its look. Defaults to that of a sheet in a card.
    #[prop(default = "sheet")]
    class: &'static str,
    /// Where the focus belongs once it is closed, as selectors in the order of preference.
    back_to: Vec<String>,
    children: Children,
) -> impl IntoView {
    let sheet = NodeRef::<Div>::new();
    effect(move || {
        let Some(sheet) = sheet.get() else { return };
        let first = sheet.query_selector("[data-first]").ok().flatten();
        let first = first.and_then(|first| first.dyn_into::<HtmlElement>().ok());
        // Focusing fails only for elements that are gone.
        let _ = first.unwrap_or_else(|| sheet.unchecked_into()).focus();
    });
    on_cleanup(move || focus::back_to(back_to));
    view! { <div node_ref=sheet class=class role="group" aria-label=label tabindex="-1">{children()}</div> }.into_any()
}
