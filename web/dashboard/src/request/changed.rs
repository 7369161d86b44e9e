//! Tells that a request asks something else than what is shown, and offers to show it.

use leptos::prelude::*;

use super::card::Card;
use super::change::differences;
use crate::kit::erased::{live, memo};
use crate::kit::visible::visible;
use crate::words::answering::{FILLED_IN_IS_KEPT, HAS_CHANGED};

/// What has changed since the card was shown; nothing while nothing has.
#[component]
pub(crate) fn Changed(card: Card) -> impl IntoView {
    let changed = memo(move || {
        let shown = card.request();
        (card.is_changed.get()).then(|| differences(&shown, &card.view.read().request))
    });
    live(move || {
        let kept = card
            .form
            .with_untracked(|form| (!form.is_blank()).then_some(FILLED_IN_IS_KEPT));
        let rows = changed.get()?.into_iter().map(|(what, now)| {
            view! { <li><span class="changed-what">{what}</span><span class="changed-now" dir="auto">{visible(&now).into_owned()}</span></li> }
        });
        Some(
            view! {
                <div class="notice changed" role="alert" data-testid="request-changed">
                    <p><strong>{HAS_CHANGED}</strong>{kept}</p>
                    <ul>{rows.collect_view()}</ul>
                    <button type="button" class="button" on:click=move |_| card.show_change()>"Show the change"</button>
                </div>
            }
            .into_any(),
        )
    })
}
