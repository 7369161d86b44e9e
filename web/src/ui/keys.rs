//! The keyboard. A key presses the button or moves to the field that carries it in `aria-keyshortcuts`, so a key can
//! do nothing that a person could not press.

use leptos::ev::{KeyboardEvent, keydown};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

use super::desk::Desk;
use super::dialogs::{Dialog, Dialogs};
use super::navigation::Navigation;
use super::route::Route;
use crate::settings::Settings;

/// Follows the keyboard until its owner is gone.
pub(crate) fn listen(desk: Desk, navigation: Navigation, dialogs: Dialogs) {
    let after_g = StoredValue::new(false);
    let listener = window_event_listener(keydown, move |event| {
        if event.is_composing() || event.alt_key() || dialogs.is_open() {
            return;
        }
        let is_letter = event.key().chars().count() == 1;
        let key = if is_letter {
            event.key().to_lowercase()
        } else {
            event.key()
        };
        if event.ctrl_key() || event.meta_key() {
            if key == "k" {
                event.prevent_default();
                dialogs.open(Dialog::Palette);
            }
            return;
        }
        let target = focused(&event);
        let in_text = target.as_ref().is_some_and(is_text);
        if desk.is_guarded() && !in_text && answers(&key) {
            event.prevent_default();
            return;
        }
        if (in_text && key != "Escape") || (is_letter && !are_on()) {
            return;
        }
        let is_second = after_g
            .try_update_value(|waits| std::mem::replace(waits, key == "g"))
            .unwrap_or(false);
        let in_inbox = matches!(navigation.route().get_untracked(), Route::Inbox | Route::Request(_));
        let on_choice = is_choice(target.as_ref());
        let handled = match key.as_str() {
            "i" if is_second => go(navigation, Route::Inbox),
            "s" if is_second => go(navigation, Route::Sessions),
            "n" => go(navigation, Route::New),
            "?" => help(dialogs),
            "[" => {
                navigation.back();
                true
            }
            "j" | "ArrowDown" if in_inbox && !on_choice => step(desk, true),
            "k" | "ArrowUp" if in_inbox && !on_choice => step(desk, false),
            "ArrowLeft" | "ArrowRight" if on_choice => false,
            "Enter" | " " if target.as_ref().is_some_and(is_control) => false,
            "a" | "s" if event.shift_key() => press(&format!("Shift+{}", key.to_uppercase()), target.as_ref()),
            _ if is_letter => press(&key.to_uppercase(), target.as_ref()),
            "Escape" => press("Escape", target.as_ref()) || leave(target.as_ref()),
            _ => press(&key, target.as_ref()),
        };
        if handled {
            event.prevent_default();
        }
    });
    show(are_on());
    on_cleanup(move || listener.remove());
}

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
fn show(on: bool) {
    if let Some(root) = document().document_element() {
        // Changing an attribute fails only for names that are none.
        let _ = root.toggle_attribute_with_force("data-no-keys", !on);
    }
}

/// Presses what carries this key: in the request around `from`, else in the open one, else outside of all requests.
/// False when nothing does.
pub(crate) fn press(key: &str, from: Option<&Element>) -> bool {
    let carries = format!(
        "[aria-keyshortcuts~=\"{}\"]:not([disabled])",
        key.replace(['"', '\\'], "")
    );
    let around = from.and_then(|from| from.closest("article[data-open]").ok().flatten());
    let open = around.or_else(|| document().query_selector("article[data-open]").ok().flatten());
    let inside = open.and_then(|open| open.query_selector(&carries).ok().flatten());
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

/// Presses what carries Enter in the request around the field that was typed into.
pub(crate) fn press_enter(event: &KeyboardEvent) {
    press("Enter", focused(event).as_ref());
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

fn go(navigation: Navigation, route: Route) -> bool {
    navigation.go(&route);
    true
}

fn help(dialogs: Dialogs) -> bool {
    dialogs.open(Dialog::Keys);
    true
}

fn step(desk: Desk, forwards: bool) -> bool {
    desk.step(forwards);
    true
}

/// Takes the focus out of a text field.
fn leave(element: Option<&Element>) -> bool {
    let field = element
        .filter(|element| is_text(*element))
        .and_then(|element| element.dyn_ref::<HtmlElement>());
    field.is_some_and(|field| field.blur().is_ok())
}

/// Keys that decide something about a request.
fn answers(key: &str) -> bool {
    matches!(key, "Enter" | " " | "a" | "r" | "x" | "m") || key.chars().all(|digit| digit.is_ascii_digit())
}

fn focused(event: &KeyboardEvent) -> Option<Element> {
    event.target().and_then(|target| target.dyn_into().ok())
}

fn is_text(element: &impl JsCast) -> bool {
    let input = element.dyn_ref::<HtmlInputElement>();
    let is_text_input = input.is_some_and(|input| !matches!(input.type_().as_str(), "radio" | "checkbox"));
    is_text_input
        || element.dyn_ref::<HtmlTextAreaElement>().is_some()
        || element.dyn_ref::<HtmlSelectElement>().is_some()
}

/// True for radio buttons and checkboxes: arrows belong to them, Enter does not.
fn is_choice(element: Option<&Element>) -> bool {
    element.is_some_and(|element| element.dyn_ref::<HtmlInputElement>().is_some())
}

/// True for what has its own meaning of Enter and Space.
fn is_control(element: &Element) -> bool {
    matches!(element.tag_name().as_str(), "BUTTON" | "A" | "SUMMARY")
}
