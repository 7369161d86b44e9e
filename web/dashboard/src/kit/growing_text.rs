//! A text that grows at its end. What is selected in it stays selected.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, Text};

/// Keeps the text of `element` up to date: what comes at the end is appended, so that the rest of it is not touched. Returns
/// the text that the element is to be built with, so that it has its size from the beginning.
pub(crate) fn show_growing(element: impl Fn() -> Option<Element> + 'static, text: Signal<String>) -> String {
    Effect::new(move |shown: Option<Option<(Text, String)>>| {
        let element = element()?;
        let next = text.get();
        let (node, shown) = match shown.flatten() {
            Some(known) => known,
            None => built_text(&element)?,
        };
        match next.strip_prefix(&shown) {
            Some("") => {}
            // Appending to a text fails only where there is no memory left.
            Some(new) => drop(node.append_data(new)),
            None => node.set_data(&next),
        }
        Some((node, next))
    });
    text.get_untracked()
}

fn built_text(element: &Element) -> Option<(Text, String)> {
    let node: Text = element.first_child()?.dyn_into().ok()?;
    let data = node.data();
    Some((node, data))
}
