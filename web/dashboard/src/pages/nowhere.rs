//! What is shown for an address that leads to nothing.

use leptos::prelude::*;

use crate::side::header::Header;
use crate::state::route::Route;

/// The request that the address names is not there.
#[component]
pub(crate) fn NoRequest() -> impl IntoView {
    nothing(
        "Request",
        "This request is no longer there",
        "It was answered, its run has ended, or it belongs to another server.",
    )
}

/// The address names no place.
#[component]
pub(crate) fn Nowhere() -> impl IntoView {
    nothing(
        "Not found",
        "There is nothing at this address",
        "The link is incomplete, or from another version.",
    )
}

fn nothing(title: &'static str, what: &'static str, why: &'static str) -> AnyView {
    view! {
        <Header title>""</Header>
        <div class="pane" data-scrolls="main">
            <div class="empty" role="status">
                <h2 class="empty-title">{what}</h2>
                <p class="empty-text">{why}</p>
                <a class="button" href=Route::Inbox.href()>"Back to the inbox"</a>
                <a class="button button-quiet" href=Route::Sessions.href()>"All sessions"</a>
            </div>
        </div>
    }
    .into_any()
}
