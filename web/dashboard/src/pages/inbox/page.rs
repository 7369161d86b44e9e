//! The inbox as a page.

use leptos::html::Div;
use leptos::prelude::*;

use super::asked_there::asked_there_part;
use super::away::Away;
use super::empty::Empty;
use crate::kit::erased::{followed, leave_at_end, live, memo};
use crate::kit::key_caps::caps;
use crate::kit::now::Now;
use crate::kit::slices;
use crate::kit::viewport::IsPhone;
use crate::parts::when_loaded;
use crate::request::why_panel::WhyToggle;
use crate::request::{Place, card};
use crate::side::header::Header;
use crate::side::narrow::{elsewhere_part, narrow_part};
use crate::state::desk::Desk;
use crate::state::order::Order;
use crate::state::servers::Servers;
use crate::words::inbox::{READING, summary};
use crate::words::keys::OF_INBOX;

/// So many cards are drawn in one frame.
const SLICE: usize = 8;

/// The inbox.
#[component]
pub(crate) fn Inbox() -> impl IntoView {
    let desk = expect_context::<Desk>();
    let rows = desk.rows();
    let servers = expect_context::<Servers>();
    desk.read_session_of(desk.open());
    let now = expect_context::<Now>();
    let is_read = memo(move || servers.is_read());
    let summary = memo(move || {
        let requests = servers.requests().read();
        let views: Vec<_> = requests.iter().map(|asked| asked.view.clone()).collect();
        summary(&views, now.get())
    });
    let on_phone = expect_context::<IsPhone>();
    let words = move || is_read.get().then(|| summary.read().words(on_phone.get()));
    let new = desk.new_requests();
    let pane = NodeRef::<Div>::new();
    return_to_place(desk, pane);
    let drawn = slices::drawn(SLICE, memo(move || rows.read().len()), needed(desk));
    let first = followed(move || rows.with(|rows| rows.iter().take(drawn.get()).cloned().collect::<Vec<_>>()));
    view! {
        <Header title="Inbox">
            <span class="header-words">{live(words)}</span>
            {live(move || is_read.get().then(|| when_loaded(narrow_part::load, narrow_part)))}
            {live(move || (rows.read().len() > 1).then(|| order(desk)))}
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
            {live(move || (new.get() > 0).then(|| view! {
                <button type="button" class="pill" on:click=move |_| desk.show_new()>{new}" new"</button>
            }.into_any()))}
            <ul class="inbox" aria-label="Requests">
                <For each=first key=Clone::clone let:key>
                    <li class="inbox-item">{card(servers, key, Place::Inbox)}</li>
                </For>
            </ul>
            {live(move || is_read.get().then(|| when_loaded(asked_there_part::load, asked_there_part)))}
            {live(move || match (is_read.get(), rows.read().is_empty()) {
                (true, true) => Some(view! { <Empty /> }.into_any()),
                (false, true) => Some(view! { <Loading /> }.into_any()),
                (_, false) => Some((when_loaded(elsewhere_part::load, elsewhere_part), view! { <Away /> }).into_any()),
            })}
        </div>
        {live(move || (!rows.read().is_empty()).then(hints))}
    }
}

/// How many rows must be there at once: those down to the open one, and all where the inbox is scrolled to a place that it had.
fn needed(desk: Desk) -> Memo<usize> {
    let was_scrolled = desk.scrolled().get_value() > 0;
    let (rows, open) = (desk.rows(), desk.open());
    memo(move || {
        if was_scrolled {
            return usize::MAX;
        }
        let open = open.read();
        let place = open
            .as_ref()
            .and_then(|open| rows.read().iter().position(|row| row == open));
        place.map_or(0, |place| place + 1)
    })
}

/// Scrolls to where the inbox was when it was last seen, once its rows are there.
fn return_to_place(desk: Desk, pane: NodeRef<Div>) {
    let place = desk.scrolled().get_value();
    Effect::new(move |is_done: Option<bool>| {
        leave_at_end();
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
        view! { <option value=each.key() prop:selected=followed(move || order.get() == each)>{each.name()}</option> }.into_any()
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
            <p class="visually-hidden">{READING}</p>
            <div class="bar"></div>
            <div class="bar"></div>
            <div class="bar"></div>
        </div>
    }
}
