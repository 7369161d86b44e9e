//! Turning a question away: asks once, in place, and names what follows.

use leptos::prelude::*;
use switchboard_core::model::Reply;

use super::card::Card;
use crate::kit::erased::live;
use crate::kit::sheet::Sheet;
use crate::words::answering::dismissing;

/// The confirmation.
#[component]
pub(crate) fn Dismiss(card: Card) -> impl IntoView {
    let consequence = move || dismissing(card.view.read().origin.len() > 1);
    view! {
        <Sheet label="Dismiss the question?" back_to=card.back_to("dismiss")>
            <p class="sheet-text">{live(consequence)}</p>
            <div class="footer">
                <button
                    type="button"
                    class="button button-primary"
                    data-first=""
                    disabled=card.is_changed
                    aria-disabled=card.held()
                    on:click=move |_| card.send(Reply::Dismiss)
                >
                    "Dismiss"
                </button>
                <KeepWaiting card />
            </div>
        </Sheet>
    }
}

/// The way back from any confirmation.
#[component]
pub(crate) fn KeepWaiting(card: Card, #[prop(default = "Keep waiting")] label: &'static str) -> impl IntoView {
    view! {
        <button
            type="button"
            class="button button-quiet"
            aria-keyshortcuts=card.key("Escape")
            on:click=move |_| card.form.update(|form| form.sheet = None)
        >
            {label}
            <kbd aria-hidden="true">"Esc"</kbd>
        </button>
    }
}
