//! What is shown for an address that leads to nothing.

use leptos::prelude::*;

use crate::side::header::Header;
use crate::state::route::Route;
use crate::words::control_names::BACK_TO_INBOX;
use crate::words::nowhere;

/// The request that the address names is not there.
#[component]
pub(crate) fn NoRequest() -> impl IntoView {
    nothing("Request", nowhere::NO_REQUEST, nowhere::WHY_NO_REQUEST)
}

/// The address names no place.
#[component]
pub(crate) fn Nowhere() -> impl IntoView {
    nothing("Not found", nowhere::NO_PAGE, nowhere::WHY_NO_PAGE)
}

fn nothing(title: &'static str, what: &'static str, why: &'static str) -> AnyView {
    view! {
        <Header title>""</Header>
        <div class="pane" data-scrolls="main">
            <div class="empty" role="status">
                <h2 class="empty-title">{what}</h2>
                <p class="empty-text">{why}</p>
                <a class="button" href=Route::Inbox.href()>{BACK_TO_INBOX}</a>
                <a class="button button-quiet" href=Route::Sessions.href()>"All sessions"</a>
            </div>
        </div>
    }
    .into_any()
}
