//! All sessions of the servers, each with its honest state.

use leptos::prelude::*;
use switchboard_core::model::SessionId;

use crate::kit::age::{age, count};
use crate::kit::erased::{Show, live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::slices;
use crate::markdown::tree::{parse, preview};
use crate::pages::demo::DemoPrompts;
use crate::parts::part;
use crate::side::header::Header;
use crate::side::narrow::{narrow, no_more, show_all};
use crate::side::sidebar::groups::home_relative;
use crate::state::each_server::for_each_server;
use crate::state::elsewhere::session_words;
use crate::state::keys::ServerKey;
use crate::state::narrowed::Narrowed;
use crate::state::narrowing::Narrowing;
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::words::cut_text::show_more;
use crate::words::narrow::{NO_SESSION, of_all};
use crate::words::session_title::session_title;

/// So many sessions are listed at first, and so many more each time.
const LISTED: usize = 100;

/// So many of them are drawn in one frame.
const SLICE: usize = 24;

/// How many of those that are listed at first are drawn, over all servers. Comes from context.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    of_all: Memo<usize>,
    of_each: Memo<Vec<(ServerKey, usize)>>,
}

impl Drawn {
    fn new(servers: Servers, narrowing: Memo<Narrowing>) -> Self {
        let of_each = memo(move || {
            let list = servers.list().read();
            let first = |scope: &ServerScope| (scope.key, listed(*scope, &narrowing.read()).len().min(LISTED));
            list.iter().map(first).collect::<Vec<_>>()
        });
        let count = memo(move || of_each.with(|of_each| of_each.iter().map(|(_, count)| count).sum()));
        Self {
            of_all: slices::drawn(SLICE, count, memo(|| 0)),
            of_each,
        }
    }

    /// How many of a server are drawn: all, once all that lie above have been.
    fn of(self, server: ServerKey) -> usize {
        let mut left = self.of_all.get();
        for (key, count) in &*self.of_each.read() {
            if *key == server {
                return if left < *count { left } else { usize::MAX };
            }
            left = left.saturating_sub(*count);
        }
        0
    }
}

/// All sessions, server by server, newest first.
#[component]
fn Sessions() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let narrowing = expect_context::<Narrowed>().narrowing();
    let listed_by = move |narrowing: &Narrowing| {
        let list = servers.list().read();
        list.iter().map(|scope| listed(*scope, narrowing).len()).sum::<usize>()
    };
    provide_context(Drawn::new(servers, narrowing));
    let total = memo(move || listed_by(&Narrowing::default()));
    let shown = memo(move || listed_by(&narrowing.read()));
    let words = move || {
        let all = count(total.get(), "session");
        if narrowing.read().leaves_out() {
            of_all(shown.get(), &all)
        } else {
            all
        }
    };
    let is_empty = move || narrowing.read().leaves_out() && shown.get() == 0;
    view! {
        <Header title="Sessions">
            <span class="header-words">{live(move || servers.is_read().then(words))}</span>
            {narrow(no_more)}
        </Header>
        <div class="pane" data-scrolls="main">
            {for_each_server(servers, of_server)}
            {live(move || is_empty().then(|| view! { <p class="elsewhere"><span>{NO_SESSION}</span>{show_all()}</p> }))}
        </div>
    }
}

/// Those of a server that are shown.
fn listed(scope: ServerScope, narrowing: &Narrowing) -> Vec<SessionId> {
    if !narrowing.allows_server(scope.key) {
        return Vec::new();
    }
    scope.store.sessions().with(|sessions| {
        let shown = sessions.iter().filter(|view| !view.session.archived);
        let here = shown.filter(|view| narrowing.allows_directory(&view.session.directory));
        here.map(|view| view.session.id.clone()).collect()
    })
}

/// The sessions of one server.
fn of_server() -> AnyView {
    let servers = expect_context::<Servers>();
    let scope = expect_context::<ServerScope>();
    let connection = scope.connection;
    let narrowing = expect_context::<Narrowed>().narrowing();
    let shown = RwSignal::new(LISTED);
    let ids = memo(move || listed(scope, &narrowing.read()));
    let has_place = memo(move || !narrowing.read().leaves_out() || !ids.read().is_empty());
    let drawn = expect_context::<Drawn>();
    let first = move || {
        let shown = shown.get().min(drawn.of(scope.key));
        ids.with(|ids| ids.iter().take(shown).cloned().collect::<Vec<_>>())
    };
    let rest = memo(move || ids.read().len().saturating_sub(shown.get()));
    view! {
        {live(move || (servers.are_several() && has_place.get()).then(|| view! { <h2 class="group-label">{connection.name()}</h2> }))}
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
        <Show when=move || has_place.get()><DemoPrompts /></Show>
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
    let servers = expect_context::<Servers>();
    let scope = expect_context::<ServerScope>();
    let href = scope.session(id).href();
    let words = memo(move || {
        session
            .read()
            .as_ref()
            .map(|view| session_words(servers, scope.key, view, now.get()))
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
