//! Follows how much of an element is in sight.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// How often a change is told: at each twentieth of the element.
const STEPS: u32 = 20;

/// Tells how much of an element is in sight within its pane, in percent of what can be, until the owner is gone.
pub(crate) fn follow(element: &Element, changed: impl Fn(u8) + 'static) {
    let pane = pane_of(element);
    let seen = {
        let pane = pane.clone();
        move |entries: js_sys::Array| {
            let Ok(entry) = entries.at(-1).dyn_into::<IntersectionObserverEntry>() else {
                return;
            };
            let height = pane.as_ref().map_or(f64::MAX, |pane| f64::from(pane.client_height()));
            let (visible, whole) = (entry.intersection_rect(), entry.bounding_client_rect());
            changed(share(visible.height(), whole.height(), height));
        }
    };
    let callback = Closure::<dyn Fn(js_sys::Array)>::new(seen);
    let options = IntersectionObserverInit::new();
    options.set_root(pane.as_ref());
    let steps: js_sys::Array = (0..=STEPS)
        .map(|step| f64::from(step) / f64::from(STEPS))
        .map(js_sys::Number::from)
        .collect();
    options.set_threshold(&steps);
    let Ok(observer) = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options) else {
        return;
    };
    observer.observe(element);
    let watching = StoredValue::new_local((observer, callback));
    on_cleanup(move || watching.with_value(|(observer, _)| observer.disconnect()));
}

/// How much of a card is in sight, in percent of what its pane can show of it at once.
pub(crate) fn share(visible: f64, height: f64, pane: f64) -> u8 {
    let possible = height.min(pane);
    if possible > 0.0 {
        (100.0 * visible / possible).clamp(0.0, 100.0) as u8
    } else {
        0
    }
}

/// The pane that scrolls an element.
pub(crate) fn pane_of(element: &Element) -> Option<Element> {
    element.closest("[data-scrolls=main]").ok().flatten()
}
