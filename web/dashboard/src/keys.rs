//! The keyboard. A key presses the button or moves to the field that carries it in `aria-keyshortcuts`, so a key can
//! do nothing that a person could not press.

use std::time::Duration;

use leptos::ev::{KeyboardEvent, keydown};
use leptos::prelude::*;
use switchboard_core::Time;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};

use super::desk::Desk;
use super::dialogs::{Dialog, Dialogs};
use super::focus;
use super::key_name::key_name;
use super::navigation::Navigation;
use super::now::Now;
use super::route::Route;
use switchboard_browser::device::settings::Settings;

/// How long after `G` its second key may come.
const SEQUENCE: Duration = Duration::from_millis(1500);

/// Follows the keyboard until its owner is gone.
pub(crate) fn listen(desk: Desk, navigation: Navigation, dialogs: Dialogs) {
    let now = expect_context::<Now>();
    let after_g = StoredValue::new(None::<Time>);
    let listener = window_event_listener(keydown, move |event| {
        // With AltGr a key types a character, such as `[` on a German keyboard; Windows reports it as Control and Alt.
        let types = event.get_modifier_state("AltGraph");
        if event.is_composing() || (event.alt_key() && !types) || dialogs.is_open() {
            return;
        }
        let key = key_name(&event.key(), &event.code());
        let is_letter = key.chars().count() == 1;
        if (event.ctrl_key() || event.meta_key()) && !types {
            if key == "k" {
                event.prevent_default();
                dialogs.open(Dialog::Palette);
            }
            return;
        }
        let target = focused(&event);
        let in_text = target.as_ref().is_some_and(is_text);
        // A control that has the focus knows itself whether it may act.
        let is_native = matches!(key.as_str(), "Enter" | " ") && target.as_ref().is_some_and(is_control);
        if desk.is_guarded() && !in_text && !is_native && answers(&key) {
            event.prevent_default();
            return;
        }
        if (in_text && key != "Escape") || (is_letter && !are_on()) {
            return;
        }
        let pressed = (key == "g").then(|| now.exact());
        let first = after_g
            .try_update_value(|waits| std::mem::replace(waits, pressed))
            .flatten();
        let is_second = first.is_some_and(|first| now.exact().since(first) < SEQUENCE);
        let route = navigation.route().get_untracked();
        let in_inbox = matches!(route, Route::Inbox | Route::Request(_));
        let has_requests = in_inbox || matches!(route, Route::Session(_));
        let press = |key: &str| press(desk, key, target.as_ref());
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
            "j" if has_requests => step(desk, true),
            "k" if has_requests => step(desk, false),
            "ArrowDown" if in_inbox && !on_choice => step(desk, true),
            "ArrowUp" if in_inbox && !on_choice => step(desk, false),
            "ArrowLeft" | "ArrowRight" if on_choice => false,
            _ if is_native => false,
            "a" | "s" if event.shift_key() => press(&format!("Shift+{}", key.to_uppercase())),
            _ if is_letter => press(&key.to_uppercase()),
            "Escape" => press("Escape") || leave(target.as_ref()),
            _ => press(&key),
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

/// Presses what carries this key: in the open request, else outside of all requests. False when nothing does.
///
/// While the focus is in another request, keys do not act on the open one. A key that answers a request which is out of
/// sight only brings it into sight.
fn press(desk: Desk, key: &str, from: Option<&Element>) -> bool {
    let carries = format!(
        "[aria-keyshortcuts~=\"{}\"]:not([disabled])",
        key.replace(['"', '\\'], "")
    );
    let around = from.and_then(|from| from.closest("article").ok().flatten());
    let open = desk.open().get_untracked().and_then(|id| focus::article(&id));
    let open = open.filter(|open| around.as_ref().is_none_or(|around| around == open));
    let inside = open.and_then(|open| Some((open.query_selector(&carries).ok().flatten()?, open)));
    if let Some((_, open)) = &inside
        && answers(&key.to_lowercase())
        && !focus::is_in_sight(open)
    {
        desk.guard();
        open.scroll_into_view();
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
