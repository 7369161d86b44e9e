//! The inbox as a page.

use leptos::html::Div;
use leptos::prelude::*;
use switchboard_core::Time;
use switchboard_core::view::{RequestState, RequestView};

use super::empty::Empty;
use super::log::Away;
use crate::kit::age::{age, count};
use crate::kit::key_caps::caps;
use crate::kit::now::Now;
use crate::kit::viewport::IsPhone;
use crate::request::why_panel::WhyToggle;
use crate::request::{Place, RequestCard};
use crate::side::header::Header;
use crate::state::desk::Desk;
use crate::state::order::Order;
use crate::state::store::Store;
use crate::words::keys::OF_INBOX;
use crate::words::state_words::{as_of, asked};

/// The inbox.
#[component]
pub(crate) fn Inbox() -> impl IntoView {
    let store = expect_context::<Store>();
    let desk = expect_context::<Desk>();
    let rows = desk.rows();
    desk.read_session_of(desk.open());
    let now = expect_context::<Now>();
    let is_read = Memo::new(move |_| store.server().read().read.is_some());
    let summary = Memo::new(move |_| store.requests().with(|requests| summary(requests, now.get())));
    let on_phone = expect_context::<IsPhone>();
    let words = move || is_read.get().then(|| summary.read().words(on_phone.get()));
    let new = desk.new_requests();
    let pane = NodeRef::<Div>::new();
    return_to_place(desk, pane);
    view! {
        <Header title="Inbox">
            <span class="header-words">{words}</span>
            {move || (rows.read().len() > 1).then(|| order(desk))}
            <WhyToggle />
        </Header>
        <div
            node_ref=pane
            class="pane"
            data-scrolls="main"
            data-testid="inbox"
            on:scroll=move |_| {
                if let Some(pane) = pane.get_untracked() {
                    desk.scrolled().set_value(pane.scroll_top());
                }
            }
        >
            {move || (new.get() > 0).then(|| view! {
                <button type="button" class="pill" on:click=move |_| desk.show_new()>{new}" new"</button>
            }.into_any())}
            <ul class="inbox" aria-label="Requests">
                <For each=move || rows.get() key=Clone::clone let:id>
                    <li class="inbox-item"><RequestCard id place=Place::Inbox /></li>
                </For>
            </ul>
            {move || match (is_read.get(), rows.read().is_empty()) {
                (true, true) => Some(view! { <Empty /> }.into_any()),
                (false, true) => Some(view! { <Loading /> }.into_any()),
                (_, false) => Some(view! { <Away /> }.into_any()),
            }}
        </div>
        {move || (!rows.read().is_empty()).then(hints)}
    }
}

/// Scrolls to where the inbox was when it was last seen, once its rows are there.
fn return_to_place(desk: Desk, pane: NodeRef<Div>) {
    let place = desk.scrolled().get_value();
    Effect::new(move |is_done: Option<bool>| {
        let (pane, has_rows) = (pane.get(), !desk.rows().read().is_empty());
        if is_done != Some(true)
            && has_rows
            && let Some(pane) = pane
        {
            request_animation_frame(move || pane.set_scroll_top(place));
            return true;
        }
        is_done == Some(true)
    });
}

/// Chooses the order of the rows.
fn order(desk: Desk) -> AnyView {
    let order = desk.order();
    let choices = Order::ALL.map(|each| {
        view! { <option value=each.key() prop:selected=move || order.get() == each>{each.name()}</option> }.into_any()
    });
    let choose = move |event| {
        let key = event_target_value(&event);
        if let Some(chosen) = Order::ALL.into_iter().find(|each| each.key() == key) {
            order.set(chosen);
        }
    };
    view! { <select class="sort" aria-label="Order" on:change=choose>{choices.into_iter().collect_view()}</select> }
        .into_any()
}

/// The keys that answer, in one line.
fn hints() -> AnyView {
    let hints = OF_INBOX.map(|(keys, does)| view! { <span class="caps">{caps(keys)}" "{does}</span> }.into_any());
    view! { <p class="hints" aria-hidden="true">{hints.into_iter().collect_view()}</p> }.into_any()
}

#[component]
fn Loading() -> impl IntoView {
    view! {
        <div class="loading" aria-busy="true">
            <p class="visually-hidden">"The server is being read."</p>
            <div class="bar"></div>
            <div class="bar"></div>
            <div class="bar"></div>
        </div>
    }
}

/// How much waits, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Summary {
    /// What stands there at every width.
    what: String,
    /// The age of the oldest request, where there is room for it.
    oldest: Option<String>,
}

impl Summary {
    fn words(&self, is_short: bool) -> String {
        match &self.oldest {
            Some(oldest) if !is_short => format!("{} · oldest {oldest}", self.what),
            Some(_) | None => self.what.clone(),
        }
    }
}

fn summary(requests: &[std::sync::Arc<RequestView>], now: Time) -> Summary {
    let waiting: Vec<_> = requests.iter().filter(|view| view.state.is_waiting()).collect();
    let on_its_way = requests.iter().filter(|view| view.state.is_on_its_way()).count();
    let stale: Vec<Time> = waiting.iter().filter_map(|view| view.stale).collect();
    let way = (on_its_way > 0).then(|| format!("{} on its way", count(on_its_way, "answer")));
    let Some(asked_first) = waiting.iter().map(|view| asked(view)).min() else {
        let what = way.unwrap_or_else(|| nothing(requests).to_owned());
        return Summary { what, oldest: None };
    };
    let first = format!("{} waiting", waiting.len());
    let (what, oldest) = match (stale.iter().min(), way) {
        (Some(since), _) if stale.len() == waiting.len() => (format!("{first}, {}", as_of(*since, now)), None),
        (Some(since), _) => (format!("{first}, {} of them {}", stale.len(), as_of(*since, now)), None),
        (None, Some(way)) => (format!("{first} · {way}"), None),
        (None, None) => (first, Some(age(now.since(asked_first)))),
    };
    Summary { what, oldest }
}

fn nothing(requests: &[std::sync::Arc<RequestView>]) -> &'static str {
    let is_gone = |view: &std::sync::Arc<RequestView>| matches!(view.state, RequestState::Gone { .. });
    if requests.iter().any(is_gone) {
        "nothing waits, one thing to decide"
    } else {
        "nothing waits"
    }
}
