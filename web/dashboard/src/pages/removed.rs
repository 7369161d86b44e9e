//! What is shown in place of a server that was removed: that it was, and the way back.

use leptos::prelude::*;

use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::parts::part;
use crate::side::header::Header;
use crate::state::route::Route;
use crate::state::servers::{Removed, Servers};
use crate::words::connection::SEE_SERVERS;
use crate::words::control_names::BACK_TO_INBOX;
use crate::words::nowhere;

part! {
    /// In place of a page about a server that is not connected, a part.
    other: no_server_part(named: String) view! { <NoServer named /> }, focus::heading
}

part! {
    /// Under the header, while nobody has seen that another tab has removed a server, a part.
    other: removed_part(removed: Removed) view! { <RemovedElsewhere removed /> }, focus::nowhere
}

/// The address is about a server that is not connected, or not any more: its name in addresses.
#[component]
fn NoServer(named: String) -> impl IntoView {
    let servers = expect_context::<Servers>();
    let removed = untrack(|| servers.removed(&named));
    let name = removed.as_ref().map_or(named, |removed| removed.name.clone());
    let (what, why) = match removed {
        Some(_) => (nowhere::removed(&name), nowhere::why_removed(&name)),
        None => (nowhere::no_server(&name), nowhere::WHY_NO_SERVER.to_owned()),
    };
    let way = match removed {
        Some(removed) => view! {
            <button type="button" class="button button-primary" on:click=move |_| servers.connect_again(&removed)>
                {nowhere::connect_again(&name)}
            </button>
        }
        .into_any(),
        None => view! { <a class="button" href=Route::Servers.href()>{SEE_SERVERS}</a> }.into_any(),
    };
    view! {
        <Header title="Session">""</Header>
        <div class="pane" data-scrolls="main">
            <div class="empty" role="status">
                <h2 class="empty-title" dir="auto">{what}</h2>
                <p class="empty-text">{why}</p>
                {way}
                <a class="button button-quiet" href=Route::Inbox.href()>{BACK_TO_INBOX}</a>
            </div>
        </div>
    }
    .into_any()
}

/// Another tab has removed a server: why its requests are gone, and the way back.
#[component]
fn RemovedElsewhere(removed: Removed) -> impl IntoView {
    let servers = expect_context::<Servers>();
    let name = removed.name.clone();
    let again = move |_| servers.connect_again(&removed);
    view! {
        <div class="connection-place">
            <div class="connection connection-row" role="status" data-testid="removed-elsewhere">
                <span><Icon sign=Sign::Server /></span>
                <p class="connection-text">
                    <strong dir="auto">{nowhere::removed_elsewhere(&name)}</strong>
                    {nowhere::what_is_kept(&name)}
                </p>
                <button type="button" class="button" aria-label=nowhere::connect_again(&name) on:click=again>
                    {nowhere::CONNECT_AGAIN}
                </button>
                <button type="button" class="button button-quiet" on:click=move |_| servers.note_removed()>"Close"</button>
            </div>
        </div>
    }
    .into_any()
}
