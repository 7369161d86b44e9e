//! The pills that name what waits out of sight.

use leptos::prelude::*;
use switchboard_core::model::Request;

use super::scroll::{Beyond, Scroll};
use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::state::store::Store;
use crate::words::request_title;
use crate::words::timeline::{and_more, out_of_sight};

/// What waits above and below what is in sight, and whether anything else is new below.
#[component]
pub(super) fn Pills(
    /// The timeline.
    scroll: Scroll,
) -> impl IntoView {
    let has_new_below = move || scroll.new_below.get() && scroll.below.read().is_none();
    view! {
        {live(move || scroll.above.get().map(|beyond| view! { <Pill scroll beyond sign=Sign::ChevronUp class="beyond beyond-above" /> }))}
        {live(move || scroll.below.get().map(|beyond| view! { <Pill scroll beyond sign=Sign::ChevronDown class="beyond beyond-below" /> }))}
        <Show when=has_new_below>
            <button class="beyond beyond-below beyond-rest" type="button" data-testid="new-below" on:click=move |_| scroll.to_end()>
                "New below"
                <Icon sign=Sign::ChevronDown />
            </button>
        </Show>
    }
}

/// A button that leads to a request.
#[component]
fn Pill(scroll: Scroll, beyond: Beyond, sign: Sign, class: &'static str) -> impl IntoView {
    let request = expect_context::<Store>().request(beyond.nearest.clone());
    let name = memo(move || request.read().as_ref().map(|view| name(&view.request)));
    let is_new = beyond.is_new;
    let others = (beyond.others > 0).then(|| view! { <span class="beyond-others">{and_more(beyond.others)}</span> });
    let label = move || {
        let (kind, name) = name.get().unwrap_or(("request", String::new()));
        out_of_sight(is_new, kind, &name)
    };
    view! {
        <button
            class=class
            type="button"
            data-testid="beyond"
            data-request-id=beyond.nearest.to_string()
            on:click=move |_| scroll.to_request(&beyond.nearest)
        >
            <span class="beyond-name" dir="auto">{live(label)}</span>
            {others}
            <Icon sign />
        </button>
    }
}

/// The kind of a request, and what it is called.
fn name(request: &Request) -> (&'static str, String) {
    let kind = if request.permission().is_some() {
        "permission"
    } else {
        "question"
    };
    (kind, visible(&request_title::name(request)).into_owned())
}
