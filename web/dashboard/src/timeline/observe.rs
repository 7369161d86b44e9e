//! Watches elements: how large they are, what changes in them, and whether they are in sight.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit, MutationObserver,
    MutationObserverInit, ResizeObserver,
};

/// Calls back whenever the size of one of `elements` has changed, until the owner is gone.
pub(crate) fn on_resize<'a>(elements: impl IntoIterator<Item = &'a Element>, changed: impl FnMut() + 'static) {
    let callback = Closure::<dyn FnMut()>::new(changed);
    let Ok(observer) = ResizeObserver::new(callback.as_ref().unchecked_ref()) else {
        return;
    };
    for element in elements {
        observer.observe(element);
    }
    let watching = StoredValue::new_local((observer, callback));
    on_cleanup(move || watching.with_value(|(observer, _)| observer.disconnect()));
}

/// Calls back whenever elements or texts inside of `element` have changed, until the owner is gone.
pub(super) fn on_change(element: &Element, changed: impl FnMut() + 'static) {
    let callback = Closure::<dyn FnMut()>::new(changed);
    let Ok(observer) = MutationObserver::new(callback.as_ref().unchecked_ref()) else {
        return;
    };
    let options = MutationObserverInit::new();
    options.set_subtree(true);
    options.set_child_list(true);
    options.set_character_data(true);
    // Observing fails only for options that contradict one another.
    let _ = observer.observe_with_options(element, &options);
    let watching = StoredValue::new_local((observer, callback));
    on_cleanup(move || watching.with_value(|(observer, _)| observer.disconnect()));
}

/// Follows whether `element` is within sight of `root`, or less than `margin` away from it, until the owner is gone.
pub(super) fn in_sight(element: &Element, root: &Element, margin: &str) -> ReadSignal<bool> {
    let (seen, set_seen) = signal(false);
    let callback = Closure::<dyn Fn(js_sys::Array)>::new(move |entries: js_sys::Array| {
        let last = entries.at(-1).dyn_into::<IntersectionObserverEntry>();
        set_seen.set(last.is_ok_and(|entry| entry.is_intersecting()));
    });
    let options = IntersectionObserverInit::new();
    options.set_root(Some(root));
    options.set_root_margin(margin);
    let Ok(observer) = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options) else {
        return seen;
    };
    observer.observe(element);
    let watching = StoredValue::new_local((observer, callback));
    on_cleanup(move || watching.with_value(|(observer, _)| observer.disconnect()));
    seen
}
