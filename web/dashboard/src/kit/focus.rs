//! Moves the focus of the page.

use leptos::prelude::*;
use leptos::task::{spawn_local, tick};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Focuses an element.
pub(crate) fn focus(element: &Element) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // Focusing fails only for elements that are gone.
        let _ = element.focus();
    }
}

/// Focuses the first element that matches; nothing happens when there is none.
pub(crate) fn first(selector: &str) {
    if let Ok(Some(element)) = document().query_selector(selector) {
        focus(&element);
    }
}

/// Focuses the heading of the page once it is drawn, unless the focus is in the page by then.
pub(crate) fn heading() {
    request_animation_frame(|| {
        let is_inside = document().query_selector("main :focus").ok().flatten().is_some();
        if let Some(heading) = document()
            .query_selector("main h1")
            .ok()
            .flatten()
            .filter(|_| !is_inside)
        {
            // Setting an attribute fails only for names that are none.
            let _ = heading.set_attribute("tabindex", "-1");
            focus(&heading);
        }
    });
}

/// Focuses what the open dialog begins with once it is drawn, unless the focus is in it by then.
pub(crate) fn in_dialog() {
    request_animation_frame(|| {
        let find = |selector: &str| document().query_selector(selector).ok().flatten();
        if find("dialog[open] :focus").is_none() {
            let fields = [
                "dialog[open] [autofocus]",
                "dialog[open] :is(a[href], button, input, select, textarea)",
            ];
            if let Some(field) = fields.into_iter().find_map(find) {
                focus(&field);
            }
        }
    });
}

/// Changes the page, and gives the focus back to what has lost it by being moved.
pub(crate) fn hold(change: impl FnOnce()) {
    let before = document().active_element();
    change();
    spawn_local(async move {
        tick().await;
        let is_lost = document()
            .active_element()
            .is_none_or(|active| active.tag_name() == "BODY");
        if let Some(element) = before.filter(|element| is_lost && element.is_connected()) {
            focus(&element);
        }
    });
}

/// Leaves the focus where it is.
pub(crate) fn nowhere() {}

/// Focuses the main column.
pub(crate) fn main() {
    request_animation_frame(|| first("#main"));
}

/// Focuses the first element that one of these selectors finds, unless something else has the focus by then.
pub(crate) fn back_to(selectors: Vec<String>) {
    request_animation_frame(move || {
        let document = document();
        let is_nowhere = document
            .active_element()
            .is_none_or(|active| active.tag_name() == "BODY");
        let find = |selector: &String| document.query_selector(selector).ok().flatten();
        if is_nowhere && let Some(element) = selectors.iter().find_map(find) {
            focus(&element);
        }
    });
}
