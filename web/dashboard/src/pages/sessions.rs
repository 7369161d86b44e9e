//! All sessions of the servers, each with its honest state.

use leptos::prelude::*;
use switchboard_core::model::SessionId;

use crate::kit::age::{age, count};
use crate::kit::erased::{Show, live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::markdown::tree::{parse, preview};
use crate::pages::demo::DemoPrompts;
use crate::parts::part;
use crate::side::header::Header;
use crate::side::sidebar::groups::home_relative;
use crate::state::each_server::for_each_server;
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::words::cut_text::show_more;
use crate::words::session_title::session_title;
use crate::words::state_words;

/// So many sessions are listed at first, and so many more each time.
const LISTED: usize = 100;

/// All sessions, server by server, newest first.
#[component]
fn Sessions() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let total = memo(move || {
        servers
            .list()
            .read()
            .iter()
            .map(|scope| listed(scope.store).len())
            .sum()
    });
    view! {
        <Header title="Sessions">
            <span class="header-words">{live(move || servers.is_read().then(|| count(total.get(), "session")))}</span>
        </Header>
        <div class="pane" data-scrolls="main">
            {for_each_server(servers, of_server)}
        </div>
    }
}

/// Those that are shown.
fn listed(store: Store) -> Vec<SessionId> {
    store.sessions().with(|sessions| {
        let shown = sessions.iter().filter(|view| !view.session.archived);
        shown.map(|view| view.session.id.clone()).collect()
    })
}

/// The sessions of one server.
fn of_server() -> AnyView {
    let servers = expect_context::<Servers>();
    let ServerScope { store, connection, .. } = expect_context();
    let shown = RwSignal::new(LISTED);
    let ids = memo(move || listed(store));
    let first = move || ids.with(|ids| ids.iter().take(shown.get()).cloned().collect::<Vec<_>>());
    let rest = memo(move || ids.read().len().saturating_sub(shown.get()));
    view! {
        {live(move || servers.are_several().then(|| view! { <h2 class="group-label">{connection.name()}</h2> }))}
        <ul class="sessions">
            <For each=first key=Clone::clone let:id>
                <li><Row id /></li>
            </For>
        </ul>
        <Show when=move || { rest.get() > 0 }>
            <button type="button" class="button" on:click=move |_| shown.update(|shown| *shown += LISTED)>
                {live(move || show_more(rest.get().min(LISTED)))}
            </button>
        </Show>
        <DemoPrompts />
    }
    .into_any()
}

part! {
    /// All sessions, a part.
    other: sessions_part() view! { <Sessions /> }, focus::heading
}

#[component]
fn Row(id: SessionId) -> impl IntoView {
    let now = expect_context::<Now>();
    let session = expect_context::<Store>().session(id.clone());
    let href = expect_context::<ServerScope>().session(id).href();
    let words = memo(move || {
        session
            .read()
            .as_ref()
            .map(|view| state_words::session(view, now.get()))
    });
    let age = memo(move || {
        let session = session.read();
        session.as_ref().map(|view| age(now.get().since(view.updated)))
    });
    live(move || {
        let view = session.get()?;
        let state = move || {
            words.get().map(|words| {
                view! {
                    <span class=format!("listed-state {}", words.tone.class())>
                        <Icon sign=words.sign />
                        <span>{words.sentence()}</span>
                    </span>
                }
            })
        };
        Some(view! {
            <a class="listed" data-state=move || words.read().as_ref().map(|words| words.key) href=href.clone() data-testid="session-row">
                <span class="listed-title" dir="auto">{session_title(&view.session.title)}</span>
                {live(state)}
                <span class="listed-directory" title=view.session.directory.to_string()>
                    {home_relative(&view.session.directory)}
                </span>
                <span class="listed-text" dir="auto">{preview(&parse(&view.last_text))}</span>
                <span class="listed-age">{age}</span>
            </a>
        })
    })
}
