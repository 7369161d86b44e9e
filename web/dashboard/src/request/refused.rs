//! Why an answer was not taken: by the server, or by this page before it was sent.

use leptos::prelude::*;
use switchboard_core::view::RequestState;

use super::card::Card;
use crate::kit::erased::{live, memo};
use crate::kit::raw::Raw;
use crate::kit::visible::visible;
use crate::words::progress::not_sent;
use crate::words::refusal;

/// The reasons; nothing while there are none.
#[component]
pub(crate) fn Refused(card: Card) -> impl IntoView {
    let refused = memo(move || {
        let view = card.view.read();
        let RequestState::NotSent { reason } = &view.state else {
            return None;
        };
        Some(reason.clone())
    });
    let raw = memo(move || Some(visible(&refusal::details(refused.read().as_ref()?)?).into_owned()));
    view! {
        {live(move || refused.read().as_ref().map(not_sent).map(|said| view! {
            <p class="notice notice-bad"><strong>{said.strong}</strong>" "{said.rest}</p>
        }))}
        <Raw text=raw />
        {live(move || card.problem.get().map(|problem| view! { <p class="notice notice-bad" role="alert">{problem}</p> }))}
    }
}
