//! What a key presses: the button or the field that carries it in `aria-keyshortcuts`, so a key can do nothing that a
//! person could not press.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

use crate::state::desk::Desk;
use crate::state::focus;
use switchboard_browser::device::settings::Settings;

/// Whether keys without Control do something.
pub(crate) fn are_on() -> bool {
    Settings::open().single_keys()
}

/// Switches keys without Control on or off, on this device.
pub(crate) fn switch(on: bool) {
    Settings::open().set_single_keys(on);
    show(on);
}

/// Where the keys are off, the page names none.
pub(crate) fn show(on: bool) {
    if let Some(root) = document().document_element() {
        // Changing an attribute fails only for names that are none.
        let _ = root.toggle_attribute_with_force("data-no-keys", !on);
    }
}

/// Presses what carries this key: in the open request, else outside of all requests. False when nothing does.
///
/// While the focus is in another request, keys do not act on the open one. A key that answers a request which is out of
/// sight only brings it into sight.
pub(crate) fn press(desk: Desk, key: &str, from: Option<&Element>) -> bool {
    let carries = format!(
        "[aria-keyshortcuts~=\"{}\"]:not([disabled])",
        key.replace(['"', '\\'], "")
    );
    let around = from.and_then(|from| from.closest("article").ok().flatten());
    let open = desk.open().get_untracked().and_then(|id| focus::article(&id));
    let open = open.filter(|open| around.as_ref().is_none_or(|around| around == open));
    let inside = open.and_then(|open| Some((open.query_selector(&carries).ok().flatten()?, open)));
    if let Some((_, open)) = &inside
        && answers(key)
        && brings_into_sight(desk, open)
    {
        return true;
    }
    let inside = inside.map(|(element, _)| element);
    let outside = || {
        document()
            .query_selector(&format!("{carries}:not(article *)"))
            .ok()
            .flatten()
    };
    let found = inside
        .or_else(outside)
        .and_then(|element| element.dyn_into::<HtmlElement>().ok());
    let Some(element) = found else { return false };
    if is_text(&element) {
        // Focusing fails only for elements that are gone.
        let _ = element.focus();
    } else {
        element.click();
    }
    true
}

/// Brings a request into sight that is out of it. False when it was in sight already.
pub(crate) fn brings_into_sight(desk: Desk, article: &Element) -> bool {
    let is_out = !focus::is_in_sight(article);
    if is_out {
        desk.guard();
        article.scroll_into_view();
    }
    is_out
}

/// Presses what carries Enter in the request around the field that was typed into.
pub(crate) fn press_enter(desk: Desk, event: &KeyboardEvent) {
    press(desk, "Enter", focused(event).as_ref());
}

/// True for an Enter that sends a text: not with Shift, not while a character is being composed, and not where
/// fingers type, for there Enter breaks the line.
pub(crate) fn sends_text(event: &KeyboardEvent) -> bool {
    let is_touch = window()
        .match_media("(hover: none)")
        .ok()
        .flatten()
        .is_some_and(|list| list.matches());
    event.key() == "Enter" && !event.shift_key() && !event.is_composing() && !is_touch
}

/// Keys that decide something about a request.
pub(crate) fn answers(key: &str) -> bool {
    matches!(key, "Enter" | " " | "a" | "A" | "r" | "R" | "x" | "X" | "m" | "M")
        || key.chars().all(|digit| digit.is_ascii_digit())
}

/// The element that an event is for.
pub(crate) fn focused(event: &KeyboardEvent) -> Option<Element> {
    event.target().and_then(|target| target.dyn_into().ok())
}

/// True for what a person types into or chooses from.
pub(crate) fn is_text(element: &impl JsCast) -> bool {
    let input = element.dyn_ref::<HtmlInputElement>();
    let is_text_input = input.is_some_and(|input| !matches!(input.type_().as_str(), "radio" | "checkbox"));
    is_text_input
        || element.dyn_ref::<HtmlTextAreaElement>().is_some()
        || element.dyn_ref::<HtmlSelectElement>().is_some()
}

/// True for radio buttons and checkboxes: arrows belong to them, Enter does not.
pub(crate) fn is_choice(element: Option<&Element>) -> bool {
    element.is_some_and(|element| element.dyn_ref::<HtmlInputElement>().is_some())
}

/// True for what has its own meaning of Enter and Space.
pub(crate) fn is_control(element: &Element) -> bool {
    matches!(element.tag_name().as_str(), "BUTTON" | "A" | "SUMMARY")
}
