//! A permission card: what is to be allowed, in full, and the three ways to decide.

use leptos::either::EitherOf3;
use leptos::prelude::*;
use switchboard_core::model::Reply;

use super::alike::alike;
use super::always::{Always, AlwaysButton};
use super::card::Card;
use super::changed::Changed;
use super::footer::Aside;
use super::refused::Refused;
use super::reject::Reject;
use super::subject::Subject;
use crate::kit::erased::{live, memo};
use crate::kit::visible::visible;
use crate::state::form::Sheet;
use crate::state::store::Store;
use crate::words::answering::allow_once;
use crate::words::request_title::{self, shortened};

/// How much of a command the button that allows several names.
const NAMED: usize = 24;

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

/// Allows all that ask for the very same; absent while none does. No key presses it.
#[component]
fn Together(card: Card) -> impl IntoView {
    let store = expect_context::<Store>();
    let alike = memo(move || store.requests().with(|requests| alike(requests, &card.request())));
    let count = memo(move || alike.with(Vec::len));
    // What is counted on the button is what it allows: a press that was meant for fewer does nothing.
    Effect::new(move |before: Option<usize>| {
        let count = count.get();
        if before.is_some_and(|before| before != count) {
            card.desk.guard();
        }
        count
    });
    live(move || {
        (count.get() > 1).then(|| {
            view! {
                <button type="button" class="button" disabled=card.is_changed aria-disabled=card.held() on:click=move |_| card.allow(&alike.get_untracked())>
                    <span class="button-label">{allow_once(count.get())}<code>{what(card)}</code></span>
                </button>
            }
        })
    })
}

/// What is allowed, in a few words: the card has it in full.
fn what(card: Card) -> String {
    visible(&shortened(&request_title::subject(&card.request()), NAMED)).into_owned()
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
            <Together card />
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
