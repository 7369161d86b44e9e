//! Allowing a pattern from then on: the button names it, the confirmation says how far it reaches.

use leptos::either::Either;
use leptos::prelude::*;
use switchboard_core::model::Reply;

use super::card::Card;
use super::dismiss::KeepWaiting;
use crate::kit::sheet::Sheet;
use crate::kit::visible::visible;
use crate::state::form::Sheet as Asked;
use crate::words::answering::{ALLOWS, REACH};
use crate::words::request_title::{self, Allowance};

/// What would be allowed: patterns as code, and nothing in them hides.
fn allowance(card: Card) -> Option<impl IntoView> {
    let request = card.request();
    Some(match request_title::always(request.permission()?)? {
        Allowance::Everything(words) => Either::Left(words),
        Allowance::Patterns(patterns) => Either::Right(view! { <code>{visible(&patterns).into_owned()}</code> }),
    })
}

/// Opens the confirmation; absent when the server offers nothing to allow.
#[component]
pub(crate) fn AlwaysButton(card: Card) -> impl IntoView {
    let allowance = allowance(card)?;
    Some(view! {
        <button
            type="button"
            class="button"
            aria-keyshortcuts=card.key("Shift+A")
            data-opens="always"
            disabled=card.is_changed
            on:click=move |_| card.form.update(|form| form.sheet = Some(Asked::Always))
        >
            <span class="button-label">"Always allow "{allowance}"…"</span>
            <kbd aria-hidden="true">"⇧A"</kbd>
        </button>
    })
}

/// The confirmation.
#[component]
pub(crate) fn Always(card: Card) -> impl IntoView {
    let allowance = allowance(card)?;
    Some(view! {
        <Sheet label="Always allow?" back_to=card.back_to("always")>
            <p class="sheet-text">
                {ALLOWS}{allowance}" "{REACH}"."
            </p>
            <div class="footer">
                <button type="button" class="button button-primary" disabled=card.is_changed aria-disabled=card.held() on:click=move |_| card.send(Reply::Always)>
                    "Always allow"
                </button>
                <button type="button" class="button" disabled=card.is_changed aria-disabled=card.held() on:click=move |_| card.send(Reply::Once)>
                    "Only once"
                </button>
                <KeepWaiting card />
            </div>
        </Sheet>
    })
}
