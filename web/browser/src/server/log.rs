//! The log of a board, on the console of the browser.

use std::rc::Rc;

use switchboard_core::log::{Level, Record};
use wasm_bindgen::JsCast;
use web_sys::Window;

/// Set in `localStorage`, to anything, it makes the dashboard write its log to the console.
const WANTED: &str = "switchboard:log";

/// Whether the person at this browser wants the log of the dashboard.
#[must_use]
pub fn is_log_wanted() -> bool {
    let window: Option<Window> = js_sys::global().dyn_into().ok();
    let storage = window.and_then(|window| window.local_storage().ok().flatten());
    storage.is_some_and(|storage| storage.get_item(WANTED).ok().flatten().is_some())
}

/// Writes records to the console, if they are wanted. Texts of people and agents are never written.
pub(super) fn sink(is_wanted: bool) -> Rc<dyn Fn(&Record)> {
    Rc::new(move |record| {
        if is_wanted && record.level != Level::Trace {
            let Record {
                level, number, text, ..
            } = record;
            web_sys::console::debug_1(&format!("switchboard {level:?} #{number} {text}").into());
        }
    })
}
