//! Several questions of one request, as tabs. Any order is fine.

use leptos::html::Button;
use leptos::prelude::*;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

use super::card::Card;
use super::questions::panel_id;
use super::title;
use crate::ui::icons::Icon;
use crate::ui::sign::Sign;

/// One tab per question; those behind that have an answer have a tick.
#[component]
pub(crate) fn Tabs(card: Card) -> impl IntoView {
    let request = card.request();
    let questions = request.questions();
    let tabs: Vec<_> = (0..questions.len())
        .map(|place| {
            let name = title::header(questions, place);
            view! { <Tab card place name /> }
        })
        .collect();
    view! { <div class="tabs" role="tablist" aria-label="Questions">{tabs}</div> }
}

#[component]
fn Tab(card: Card, place: usize, name: String) -> impl IntoView {
    let is_front = Memo::new(move |_| card.form.read().tab == place);
    let button = NodeRef::<Button>::new();
    Effect::new(move || {
        if let Some(button) = button.get().filter(|_| is_front.get()) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            options.set_inline(ScrollLogicalPosition::Center);
            button.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
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
            node_ref=button
            type="button"
            class="tab"
            class:answered=is_answered
            role="tab"
            aria-selected=move || if is_front.get() { "true" } else { "false" }
            aria-controls=panel_id(card, place)
            aria-keyshortcuts=move || match card.form.read().tab {
                _ if !card.is_open.get() => None,
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
