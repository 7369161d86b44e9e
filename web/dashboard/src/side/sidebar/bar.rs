//! The bar itself: mark, places, sessions, and one line of truth at its foot.

use leptos::prelude::*;

use super::tree::tree;
use crate::kit::erased::{live, memo};
use crate::kit::icons::{Icon, Mark};
use crate::kit::key_caps::caps;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::side::header::DialogButton;
use crate::side::theme::ThemeButton;
use crate::state::dialogs::{Dialog, Dialogs};
use crate::state::each_server::for_each_server;
use crate::state::navigation::Navigation;
use crate::state::route::Route;
use crate::state::servers::Servers;
use crate::words::state_words;

/// Side bar, rail or tabs at the bottom: the style sheet decides by the width of the page.
#[component]
pub(crate) fn Sidebar() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let route = expect_context::<Navigation>().route();
    let dialogs = expect_context::<Dialogs>();
    let waiting = memo(move || servers.waiting());
    let count = memo(move || {
        let list = servers.list().read();
        list.iter()
            .map(|scope| scope.store.sessions().with(|sessions| sessions.len()))
            .sum::<usize>()
    });
    view! {
        <nav class="sidebar" data-testid="sidebar" aria-label="Servers and sessions">
            <p class="brand"><Mark lit=Signal::derive(move || waiting.get() > 0) /><span class="brand-name">"Switchboard"</span></p>
            <ul class="places">
                <Place
                    to=Route::Inbox
                    sign=Sign::Inbox
                    name="Inbox"
                    short="Inbox"
                    is_here=Signal::derive(move || matches!(*route.read(), Route::Inbox | Route::Request(_)))
                >
                    {live(move || (waiting.get() > 0).then(|| view! {
                        <span class="lamp-count">{waiting}<span class="visually-hidden">" waiting"</span></span>
                    }))}
                </Place>
                <Place
                    to=Route::Sessions
                    sign=Sign::List
                    name="All sessions"
                    short="Sessions"
                    is_here=Signal::derive(move || matches!(*route.read(), Route::Sessions))
                >
                    <span class="place-count">{count}</span>
                </Place>
                <li>
                    <button type="button" class="place" title="Search" aria-keyshortcuts="Control+K" on:click=move |_| dialogs.open(Dialog::Palette)>
                        <Icon sign=Sign::Search />
                        <span class="place-name">"Search"</span>
                        <span class="place-count caps" aria-hidden="true">{caps("Control K")}</span>
                    </button>
                </li>
                <Place
                    to=Route::Servers
                    sign=Sign::Server
                    name="Servers"
                    short="Servers"
                    is_here=Signal::derive(move || matches!(*route.read(), Route::Servers))
                >
                    ""
                </Place>
            </ul>
            <div class="tree">{for_each_server(servers, tree)}</div>
            <Truth />
        </nav>
    }
}

#[component]
fn Place(
    to: Route,
    sign: Sign,
    name: &'static str,
    short: &'static str,
    is_here: Signal<bool>,
    children: Children,
) -> impl IntoView {
    view! {
        <li>
            <a class="place" title=name href=to.href() aria-current=move || is_here.get().then_some("page")>
                <Icon sign />
                <span class="place-name">{name}</span>
                <span class="place-short">{short}</span>
                {children()}
            </a>
        </li>
    }
}

/// What is true of the connection, in one line.
#[component]
fn Truth() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let now = expect_context::<Now>();
    let words = memo(move || {
        let list = servers.list().read();
        let each = list.iter().map(|scope| {
            let view = scope.store.server().read();
            (state_words::server(&view, now.get()), view.read)
        });
        state_words::servers(&each.collect::<Vec<_>>(), now.get())
    });
    view! {
        <div class="sidebar-foot">
            <p class=move || format!("truth {}", words.read().tone.class()) data-testid="truth">
                <Icon sign=Signal::derive(move || words.read().sign) />
                <span class="truth-text">{live(move || words.read().word.clone())}</span>
            </p>
            <ThemeButton />
            <DialogButton dialog=Dialog::Settings sign=Sign::Gear name="Settings" />
        </div>
    }
}
