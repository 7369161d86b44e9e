//! Several questions of one request, as tabs. Any order is fine.

use leptos::prelude::*;

use super::card::Card;
use super::questions::panel_id;
use crate::ui::icons::Icon;
use crate::ui::sign::Sign;

/// One tab per question; those behind that have an answer have a tick.
#[component]
pub(crate) fn Tabs(card: Card) -> impl IntoView {
    let tabs: Vec<_> = card
        .request()
        .questions()
        .iter()
        .enumerate()
        .map(|(place, question)| {
            let name = if question.header.is_empty() {
                format!("Question {}", place + 1)
            } else {
                question.header.clone()
            };
            view! { <Tab card place name /> }
        })
        .collect();
    view! { <div class="tabs" role="tablist" aria-label="Questions">{tabs}</div> }
}

#[component]
fn Tab(card: Card, place: usize, name: String) -> impl IntoView {
    let is_front = Memo::new(move |_| card.form.read().tab == place);
    let is_answered = Memo::new(move |_| !is_front.get() && card.form.read().is_answered(place));
    let mark = move || {
        if is_answered.get() {
            view! { <Icon sign=Sign::Tick /><span class="visually-hidden">"answered: "</span> }.into_any()
        } else {
            view! { <span class="tab-number">{place + 1}</span> }.into_any()
        }
    };
    view! {
        <button
            type="button"
            class="tab"
            class:answered=is_answered
            role="tab"
            aria-selected=move || if is_front.get() { "true" } else { "false" }
            aria-controls=panel_id(card, place)
            aria-keyshortcuts=move || match card.form.read().tab {
                tab if tab + 1 == place => Some("ArrowRight"),
                tab if tab == place + 1 => Some("ArrowLeft"),
                _ => None,
            }
            on:click=move |_| card.form.update(|form| form.tab = place)
        >
            {mark}
            <span dir="auto">{name}</span>
        </button>
    }
}
