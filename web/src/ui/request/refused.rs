//! Why an answer was not taken: by the server, or by this page before it was sent.

use leptos::prelude::*;
use switchboard_core::view::RequestState;

use super::card::Card;

/// The reasons; nothing while there are none.
#[component]
pub(crate) fn Refused(card: Card) -> impl IntoView {
    let refused = Memo::new(move |_| {
        let view = card.view.read();
        let RequestState::NotSent { reason } = &view.state else {
            return None;
        };
        Some(format!("{reason}. Your answer is kept."))
    });
    view! {
        {move || refused.get().map(|reason| view! {
            <p class="notice notice-bad"><strong>"Not sent."</strong>" "{reason}</p>
        })}
        {move || card.problem.get().map(|problem| view! { <p class="notice notice-bad" role="alert">{problem}</p> })}
    }
}
