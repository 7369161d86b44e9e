//! Marks a found text in a message, with the highlights of the browser: nothing in the message changes.

use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Range};

use super::search::find;

/// What the style sheet calls the marked text.
const NAME: &str = "found";

/// `NodeFilter.SHOW_TEXT`.
const TEXTS: u32 = 4;

/// Marks `wanted` wherever `message` shows it. Returns where it is first.
pub(super) fn mark(message: &Element, wanted: &str) -> Option<Range> {
    let ranges = ranges(message, wanted);
    let marked: Array = ranges.iter().collect();
    // A browser without highlights shows the message alone.
    let _ = show(&marked);
    ranges.into_iter().next()
}

/// Marks nothing.
pub(super) fn unmark() {
    let _ = show(&Array::new());
}

fn show(ranges: &Array) -> Result<(), JsValue> {
    let highlight: Function = Reflect::get(&window(), &"Highlight".into())?.dyn_into()?;
    let css = Reflect::get(&window(), &"CSS".into())?;
    let registry = Reflect::get(&css, &"highlights".into())?;
    let set: Function = Reflect::get(&registry, &"set".into())?.dyn_into()?;
    let highlight: Object = Reflect::construct(&highlight, ranges)?.dyn_into()?;
    set.call2(&registry, &NAME.into(), &highlight)?;
    Ok(())
}

fn ranges(message: &Element, wanted: &str) -> Vec<Range> {
    let mut ranges = Vec::new();
    let Ok(texts) = document().create_tree_walker_with_what_to_show(message, TEXTS) else {
        return ranges;
    };
    while let Ok(Some(node)) = texts.next_node() {
        let text = node.text_content().unwrap_or_default();
        let mut from = 0;
        while let Some(found) = find(&text[from..], wanted) {
            let (start, end) = (from + found.start, from + found.end);
            ranges.extend(range(&node, &text, start, end));
            from = end;
        }
    }
    ranges
}

fn range(node: &web_sys::Node, text: &str, start: usize, end: usize) -> Option<Range> {
    let place = |at: usize| u32::try_from(text[..at].encode_utf16().count()).ok();
    let range = Range::new().ok()?;
    range.set_start(node, place(start)?).ok()?;
    range.set_end(node, place(end)?).ok()?;
    Some(range)
}
