//! The connections as a page: each server, how it is, and the way to another one.

use leptos::prelude::*;
use switchboard_core::view::Link;

use crate::kit::erased::{Show, live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::pages::connect::{AtFirst, ConnectForm, Remembered};
use crate::parts::part;
use crate::side::header::Header;
use crate::state::each_server::for_each_server;
use crate::state::route::Route;
use crate::state::servers::{ServerScope, Servers};
use crate::words::activity::ALL_AND_FIGURES;
use crate::words::{connect, state_words};
use switchboard_browser::device::settings::Settings;

/// The servers.
#[component]
fn ServersPage() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let list = servers.list().get_untracked();
    let is_in_trouble = |scope: &&ServerScope| {
        let link = scope.store.server().with_untracked(|view| view.link.clone());
        !matches!(link, Link::Live | Link::Connecting)
    };
    let troubled = list.iter().find(is_in_trouble);
    let at_first = if troubled.is_some() {
        AtFirst::Examine
    } else {
        AtFirst::Wait
    };
    let address = troubled.or(list.first()).map(|scope| scope.connection.base());
    let address = address.unwrap_or_default();
    let credentials = Settings::open().credentials(&address);
    let bases = Signal::derive(move || {
        let list = servers.list().read();
        list.iter().map(|scope| scope.connection.base()).collect::<Vec<_>>()
    });
    let connected = Callback::new(move |wanted| {
        servers.connect(wanted);
        // Setting the part behind `#` fails only in a page that is going away.
        let _ = window().location().set_hash(&Route::Inbox.href());
    });
    view! {
        <Header title="Servers">""</Header>
        <div class="pane" data-scrolls="main">
            <div class="servers">
                {for_each_server(servers, || view! { <OneServer /> }.into_any())}
                <Remembered connected=bases on_connect=connected />
                <h2 class="group-label">{connect::SIGN_IN}</h2>
                <ConnectForm address credentials at_first on_connect=connected>""</ConnectForm>
            </div>
        </div>
    }
}

/// A server: its name, how it is, and its place among the others.
#[component]
fn OneServer() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let ServerScope {
        key, connection, store, ..
    } = expect_context();
    let now = expect_context::<Now>();
    let words = memo(move || state_words::server(&store.server().read(), now.get()));
    let version = memo(move || store.server().read().version.clone());
    let is_forgotten = RwSignal::new(false);
    let forget = move |_| {
        Settings::open().forget(&connection.base());
        is_forgotten.set(true);
    };
    let is_first = memo(move || servers.list().read().first().is_some_and(|first| first.key == key));
    let labelled = move |label: fn(&str) -> String| move || label(&connection.name());
    view! {
        <section class="server" aria-label=move || connection.name() data-testid="server">
            <h2 class="server-name">{live(move || connection.name())}</h2>
            <p class="server-state">
                <span class=move || words.read().tone.class()><Icon sign=Signal::derive(move || words.read().sign) /></span>
                {live(move || words.read().sentence())}
            </p>
            <dl class="facts">
                <dt>"Address"</dt>
                <dd>{connection.base()}</dd>
                <dt>"OpenCode"</dt>
                <dd>{live(move || version.get().unwrap_or_else(|| connect::NO_VERSION.to_owned()))}</dd>
            </dl>
            <label class="field">
                <span class="field-label">"Name"</span>
                <input
                    class="input"
                    type="text"
                    dir="auto"
                    prop:value=move || connection.name()
                    on:change=move |event| connection.rename(&event_target_value(&event))
                />
            </label>
            <div class="footer">
                <a class="button" href=Route::Activity.href()>{ALL_AND_FIGURES}</a>
                <Show when=move || servers.are_several() && !is_first.get()>
                    <button type="button" class="button" aria-label=labelled(connect::move_up) on:click=move |_| servers.raise(key)>
                        "Move up"
                    </button>
                </Show>
                <Show when=move || servers.are_several()>
                    <button type="button" class="button" aria-label=labelled(connect::remove) on:click=move |_| servers.disconnect(key)>
                        "Remove"
                    </button>
                </Show>
                <button type="button" class="button" on:click=forget>"Forget this server"</button>
            </div>
            {live(move || is_forgotten.get().then_some(connect::FORGOTTEN))}
        </section>
    }
    .into_any()
}

part! {
    /// The servers, a part.
    connect: servers_part() view! { <ServersPage /> }, focus::heading
}
