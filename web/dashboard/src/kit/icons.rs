//! Signs as inline pictures, in the colour of the text around them.

use leptos::prelude::*;

use crate::kit::sign::Sign;

/// A sign. It is hidden from screen readers: the word is beside it.
#[component]
pub(crate) fn Icon(#[prop(into)] sign: Signal<Sign>) -> impl IntoView {
    let drawing = move || sign.get().drawing();
    view! {
        <svg class=move || drawing().class viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
            <path class="frame" d=move || drawing().frame />
            <path d=move || drawing().strokes />
        </svg>
    }
}

/// The mark of Switchboard: four jacks; the upper right one is lit while somebody waits.
#[component]
pub(crate) fn Mark(#[prop(into)] lit: Signal<bool>) -> impl IntoView {
    view! {
        <svg class="mark" class:lit=lit viewBox="0 0 24 24" aria-hidden="true" focusable="false">
            <rect x="1.2" y="1.2" width="21.6" height="21.6" rx="6" />
            <circle cx="7.8" cy="7.8" r="1.9" />
            <circle class="jack" cx="16.2" cy="7.8" r="1.9" />
            <circle cx="7.8" cy="16.2" r="1.9" />
            <circle cx="16.2" cy="16.2" r="1.9" />
        </svg>
    }
}
