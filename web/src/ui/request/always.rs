//! Allowing a pattern from then on: the button names it, the confirmation says how far it reaches.

use leptos::prelude::*;
use switchboard_core::model::Reply;

use super::card::Card;
use super::dismiss::KeepWaiting;
use super::form::Sheet;
use super::title;
use crate::ui::visible::visible;

fn pattern(card: Card) -> Option<String> {
    let request = card.request();
    let pattern = title::always(request.permission()?)?;
    Some(visible(&pattern).into_owned())
}

/// Opens the confirmation; absent when the server offers nothing to allow.
#[component]
pub(crate) fn AlwaysButton(card: Card) -> impl IntoView {
    let pattern = pattern(card)?;
    Some(view! {
        <button
            type="button"
            class="button"
            aria-keyshortcuts="Shift+A"
            on:click=move |_| card.form.update(|form| form.sheet = Some(Sheet::Always))
        >
            <span class="button-label">"Always allow "<code>{pattern}</code>"…"</span>
            <kbd aria-hidden="true">"⇧A"</kbd>
        </button>
    })
}

/// The confirmation.
#[component]
pub(crate) fn Always(card: Card) -> impl IntoView {
    let pattern = pattern(card)?;
    Some(view! {
        <div class="sheet" role="group" aria-label="Always allow?">
            <p class="sheet-text">
                "Allows "<code>{pattern}</code>" in every session of this directory, until the server restarts."
            </p>
            <div class="footer">
                <button type="button" class="button button-primary" on:click=move |_| card.send(Reply::Always)>"Always allow"</button>
                <button type="button" class="button" on:click=move |_| card.send(Reply::Once)>"Only once"</button>
                <KeepWaiting card />
            </div>
        </div>
    })
}
