//! What was answered to a like question that died. It is offered, and never sent by itself.

use leptos::prelude::*;

use super::card::Card;
use crate::kit::erased::{live, memo};
use crate::words::answering::suggestion;

/// The offer; nothing while there is none, or once something is filled in.
#[component]
pub(crate) fn Suggestion(card: Card) -> impl IntoView {
    let offered = memo(move || {
        let blank = card.form.read().is_blank();
        card.view.read().suggestion.clone().filter(|_| blank)
    });
    view! {
        {live(move || offered.get().map(|answers| {
            let words = suggestion(&answers);
            view! {
                <p class="notice">
                    {words}" "
                    <button type="button" class="button" on:click=move |_| card.fill(|form| form.take(&answers))>
                        "Use it here"
                    </button>
                </p>
            }
        }))}
    }
}
