//! A request whose answer is on its way, folded to one line.

use super::card::Card;
use super::meta_line::StateMark;
use crate::kit::erased::{live, memo};
use crate::words::said::said;
use crate::words::session_title::session_title;
use leptos::prelude::*;

/// Session, what was said, and how far it is.
#[component]
pub(crate) fn Line(card: Card) -> impl IntoView {
    let session = move || {
        card.view
            .read()
            .origin
            .last()
            .map(|session| session_title(&session.title))
    };
    let said = memo(move || said(&card.view.read()));
    view! {
        <div class="line">
            <p class="line-text">
                <span class="line-session" dir="auto">{live(session)}</span>
                " "
                <span class="line-said" dir="auto">{said}</span>
            </p>
            <StateMark card />
        </div>
    }
}
