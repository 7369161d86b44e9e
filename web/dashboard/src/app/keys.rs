//! Which key does what.

use std::time::Duration;

use leptos::ev::keydown;
use leptos::prelude::*;
use switchboard_core::Time;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::typing::Typing;
use crate::kit::key_name::key_name;
use crate::kit::now::Now;
use crate::state::desk::Desk;
use crate::state::dialogs::{Dialog, Dialogs};
use crate::state::focus::request_around;
use crate::state::navigation::Navigation;
use crate::state::route::Route;
use crate::state::shortcut::{
    answers, are_on, brings_into_sight, focused, is_choice, is_control, is_text, press, show,
};

/// How long after `G` its second key may come.
const SEQUENCE: Duration = Duration::from_millis(1500);

/// Follows the keyboard until its owner is gone.
pub(crate) fn listen(desk: Desk, navigation: Navigation, dialogs: Dialogs) {
    let now = expect_context::<Now>();
    let typing = Typing::new();
    let after_g = StoredValue::new(None::<Time>);
    let listener = window_event_listener(keydown, move |event| {
        // With AltGr a key types a character, such as `[` on a German keyboard; Windows reports it as Control and Alt.
        let types = event.get_modifier_state("AltGraph");
        if event.is_composing() || (event.alt_key() && !types) {
            return;
        }
        let key = key_name(&event.key(), &event.code());
        if dialogs.is_open() {
            // The browser closes it in a later task, and a key that is pressed before that would be lost.
            if key == "Escape" {
                event.prevent_default();
                dialogs.close();
            }
            return;
        }
        let is_letter = key.chars().count() == 1;
        if (event.ctrl_key() || event.meta_key()) && !types {
            if key == "k" {
                event.prevent_default();
                dialogs.open(Dialog::Palette);
            }
            return;
        }
        let target = focused(&event);
        let field = target.as_ref().filter(|target| is_text(*target));
        let in_text = field.is_some();
        match field {
            Some(field) => typing.note(&event, field),
            None if typing.is_stray(&event) => {
                event.prevent_default();
                return;
            }
            None => {}
        }
        // A control that has the focus knows itself whether it may act.
        let is_native = matches!(key.as_str(), "Enter" | " ") && target.as_ref().is_some_and(is_control);
        if desk.is_guarded() && !in_text && !is_native && answers(&key) {
            event.prevent_default();
            return;
        }
        let around = target.as_ref().filter(|_| is_native).and_then(request_around);
        if around.is_some_and(|request| brings_into_sight(desk, &request)) {
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
            "a" | "s" if event.shift_key() => press(&format!("Shift+{}", key.to_ascii_uppercase())),
            _ if is_letter => press(&key.to_ascii_uppercase()),
            // The first press of a key that is held down may have closed a dialog: its repeats do nothing.
            "Escape" => !event.repeat() && (press("Escape") || leave(target.as_ref())),
            _ => press(&key),
        };
        if handled {
            event.prevent_default();
        }
    });
    show(are_on());
    on_cleanup(move || listener.remove());
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
