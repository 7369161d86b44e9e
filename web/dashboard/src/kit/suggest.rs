//! Puts what the page suggests into a field.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlTextAreaElement};

/// Puts a text into a field that is still empty. Where a person is in the field already, all of it is selected: what they
/// type next takes its place, and is not added to it.
pub(crate) fn suggest(text: RwSignal<String>, suggested: &str, field: Option<&Element>) {
    if text.try_with_untracked(String::is_empty) != Some(true) {
        return;
    }
    text.set(suggested.to_owned());
    let Some(field) = field.filter(|field| document().active_element().as_ref() == Some(field)) else {
        return;
    };
    // Its value follows the signal a moment later: too late to be selected now.
    if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
        input.set_value(suggested);
        input.select();
    } else if let Some(area) = field.dyn_ref::<HtmlTextAreaElement>() {
        area.set_value(suggested);
        area.select();
    }
}
