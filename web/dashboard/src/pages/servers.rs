//! The connection as a page: the server, how it is, and the way to another one.

use leptos::prelude::*;
use switchboard_core::view::Link;

use crate::kit::erased::{live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::pages::connect::{AtFirst, ConnectForm, Remembered};
use crate::parts::part;
use crate::side::header::Header;
use crate::state::connection::Connection;
use crate::state::route::Route;
use crate::state::store::Store;
use crate::words::activity::ALL_AND_FIGURES;
use crate::words::{connect, state_words};
use switchboard_browser::device::settings::Settings;

/// The server.
#[component]
fn Servers() -> impl IntoView {
    let store = expect_context::<Store>();
    let connection = expect_context::<Connection>();
    let now = expect_context::<Now>();
    let words = memo(move || state_words::server(&store.server().read(), now.get()));
    let version = memo(move || store.server().read().version.clone());
    let base = connection.base();
    let credentials = Settings::open().credentials(&base);
    let is_in_trouble = !matches!(store.server().read_untracked().link, Link::Live | Link::Connecting);
    let at_first = if is_in_trouble { AtFirst::Examine } else { AtFirst::Wait };
    let connected = Callback::new(move |wanted| {
        connection.change(wanted);
        // Setting the part behind `#` fails only in a page that is going away.
        let _ = window().location().set_hash(&Route::Inbox.href());
    });
    let is_forgotten = RwSignal::new(false);
    let forget = {
        let base = base.clone();
        move |_| {
            Settings::open().forget(&base);
            is_forgotten.set(true);
        }
    };
    view! {
        <Header title="Server">""</Header>
        <div class="pane" data-scrolls="main">
            <div class="servers">
                <section class="server">
                    <h2 class="server-name">{connection.name()}</h2>
                    <p class="server-state">
                        <span class=move || words.read().tone.class()><Icon sign=Signal::derive(move || words.read().sign) /></span>
                        {live(move || words.read().sentence())}
                    </p>
                    <dl class="facts">
                        <dt>"Address"</dt>
                        <dd>{base.clone()}</dd>
                        <dt>"OpenCode"</dt>
                        <dd>{live(move || version.get().unwrap_or_else(|| connect::NO_VERSION.to_owned()))}</dd>
                    </dl>
                    <a class="button" href=Route::Activity.href()>{ALL_AND_FIGURES}</a>
                    <button type="button" class="button" on:click=forget>"Forget this server"</button>
                    {live(move || is_forgotten.get().then_some(connect::FORGOTTEN))}
                </section>
                <Remembered connected=Some(base.clone()) on_connect=connected />
                <h2 class="group-label">{connect::SIGN_IN}</h2>
                <ConnectForm address=base credentials at_first on_connect=connected>""</ConnectForm>
            </div>
        </div>
    }
}

part! {
    /// The server, a part.
    connect: servers_part() view! { <Servers /> }, focus::heading
}
