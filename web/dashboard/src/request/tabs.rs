//! Several questions of one request, as tabs. Any order is fine.

use leptos::ev::KeyboardEvent;
use leptos::html::Button;
use leptos::prelude::*;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

use super::card::Card;
use super::questions::{panel_id, tab_id};
use crate::kit::erased::{effect, live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::words::request_title;

/// One tab per question; those behind that have an answer have a tick.
///
/// Tab moves to the tab in front and past the others; arrows, Home and End move between them.
#[component]
pub(crate) fn Tabs(card: Card) -> impl IntoView {
    let request = card.request();
    let questions = request.questions();
    let tabs: Vec<_> = (0..questions.len())
        .map(|place| {
            let name = request_title::header(questions, place);
            view! { <Tab card place name /> }
        })
        .collect();
    let count = tabs.len();
    let pressed = move |event: KeyboardEvent| {
        let tab = card.form.read_untracked().tab;
        if let Some(next) = next_tab(&event.key(), tab, count) {
            event.prevent_default();
            // The page has a meaning of its own for these keys.
            event.stop_propagation();
            card.form.update(|form| form.tab = next);
            focus::first(&format!("[id=\"{}\"]", tab_id(card, next)));
        }
    };
    view! { <div class="tabs" role="tablist" aria-label="Questions" on:keydown=pressed>{tabs}</div> }
}

/// The tab that a key moves to.
fn next_tab(key: &str, tab: usize, count: usize) -> Option<usize> {
    match key {
        "ArrowRight" => Some((tab + 1) % count),
        "ArrowLeft" => Some((tab + count - 1) % count),
        "Home" => Some(0),
        "End" => Some(count - 1),
        _ => None,
    }
}

#[component]
fn Tab(card: Card, place: usize, name: String) -> impl IntoView {
    let is_front = memo(move || card.form.read().tab == place);
    let button = NodeRef::<Button>::new();
    effect(move || {
        if let Some(button) = button.get().filter(|_| is_front.get()) {
            let options = ScrollIntoViewOptions::new();
            options.set_block(ScrollLogicalPosition::Nearest);
            options.set_inline(ScrollLogicalPosition::Center);
            button.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
    let is_answered = memo(move || !is_front.get() && card.form.read().is_answered(place));
    let mark = move || {
        if is_answered.get() {
            view! { <Icon sign=Sign::Tick /> }.into_any()
        } else {
            view! { <span class="tab-number" aria-hidden="true">{place + 1}</span> }.into_any()
        }
    };
    let remark = move || {
        is_answered
            .get()
            .then(|| view! { <span class="visually-hidden">"answered"</span> })
    };
    view! {
        <button
            node_ref=button
            type="button"
            id=tab_id(card, place)
            class="tab"
            class:answered=is_answered
            role="tab"
            aria-selected=move || if is_front.get() { "true" } else { "false" }
            aria-controls=move || is_front.get().then(|| panel_id(card, place))
            tabindex=move || if is_front.get() { "0" } else { "-1" }
            aria-keyshortcuts=move || match card.form.read().tab {
                _ if !card.is_open.get() => None,
                tab if tab + 1 == place => Some("ArrowRight"),
                tab if tab == place + 1 => Some("ArrowLeft"),
                _ => None,
            }
            on:click=move |_| card.form.update(|form| form.tab = place)
        >
            {live(mark)}
            <span dir="auto">{name}</span>
            {live(remark)}
        </button>
    }
}
