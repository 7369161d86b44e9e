//! A permission card: what is to be allowed, in full, and the three ways to decide.

use leptos::either::EitherOf3;
use leptos::prelude::*;
use switchboard_core::model::Reply;

use super::always::{Always, AlwaysButton};
use super::card::Card;
use super::changed::Changed;
use super::footer::Aside;
use super::refused::Refused;
use super::reject::Reject;
use super::subject::Subject;
use crate::kit::erased::{live, memo};
use crate::state::form::Sheet;
use crate::words::request_title;

/// A permission, and the buttons under it.
#[component]
pub(crate) fn Permission(card: Card) -> impl IntoView {
    let sheet = memo(move || card.form.read().sheet);
    view! {
        <h2 class="question-text">{request_title::question(&card.request())}</h2>
        <Subject card />
        <Changed card />
        <Refused card />
        {live(move || match sheet.get() {
            Some(Sheet::Always) => EitherOf3::A(view! { <Always card /> }),
            Some(Sheet::Reject) => EitherOf3::B(view! { <Reject card /> }),
            Some(Sheet::Dismiss) | None => EitherOf3::C(view! { <Footer card /> }),
        })}
    }
}

#[component]
fn Footer(card: Card) -> impl IntoView {
    view! {
        <div class="footer">
            <button
                type="button"
                class="button button-primary"
                aria-keyshortcuts=card.key("A")
                disabled=card.is_changed
                aria-disabled=card.held()
                on:click=move |_| card.send(Reply::Once)
            >
                "Allow once"<kbd aria-hidden="true">"A"</kbd>
            </button>
            <AlwaysButton card />
            <button
                type="button"
                class="button button-quiet button-bad"
                aria-keyshortcuts=card.key("R")
                data-opens="reject"
                disabled=card.is_changed
                on:click=move |_| card.form.update(|form| form.sheet = Some(Sheet::Reject))
            >
                "Reject…"<kbd aria-hidden="true">"R"</kbd>
            </button>
            <Aside card>""</Aside>
        </div>
    }
}
