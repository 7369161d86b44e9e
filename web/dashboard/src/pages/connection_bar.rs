//! One row per trouble with the connection, under the header: what, since when, what it means for answers.

use std::time::Duration;

use leptos::html::Div;
use leptos::prelude::*;
use switchboard_core::Time;
use switchboard_core::model::Directory;
use switchboard_core::view::{Link, ServerView};

use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::icons::Icon;
use crate::kit::lasting::Lasting;
use crate::kit::now::{Now, time_of_day};
use crate::kit::raw::Raw;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::pages::removed::removed_part;
use crate::side::sidebar::groups::home_relative;
use crate::state::actions::Actions;
use crate::state::connection::Connection;
use crate::state::each_server::for_each_server;
use crate::state::keys::ServerKey;
use crate::state::navigation::Navigation;
use crate::state::route::Route;
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::timeline::on_resize;
use crate::words::connection::{self, WHAT_IS_WRONG};
use crate::words::progress::Sentence;

/// At most so many directories in trouble are named.
const NAMED_MAX: usize = 2;

/// At most so many servers in trouble have their rows.
const SERVERS_MAX: usize = 2;

/// What is wrong. A row stays the same row while this does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Stale,
    Offline,
    Password,
    Directory(Directory),
    Unsaved,
    /// Another version of the page has left something unfinished on this device.
    Foreign,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Trouble {
    kind: Kind,
    /// What it is, and what it means.
    said: Sentence,
    /// The failure as the browser or the server words it; often empty.
    raw: String,
}

impl Kind {
    fn sign(&self) -> Sign {
        match self {
            Kind::Stale | Kind::Directory(_) | Kind::Foreign => Sign::Clock,
            Kind::Offline => Sign::NoSignal,
            Kind::Password => Sign::Lock,
            Kind::Unsaved => Sign::Triangle,
        }
    }

    fn is_bad(&self) -> bool {
        match self {
            Kind::Offline | Kind::Password | Kind::Unsaved => true,
            Kind::Stale | Kind::Directory(_) | Kind::Foreign => false,
        }
    }
}

/// The servers with which something is wrong, in the order in which that began. Comes from context.
#[derive(Clone, Copy, Debug)]
struct InTrouble(RwSignal<Vec<ServerKey>>);

/// What is wrong with each connection: of the first that are in trouble, and how many more are.
#[component]
pub(crate) fn ConnectionBars() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let in_trouble = RwSignal::new(Vec::new());
    provide_context(InTrouble(in_trouble));
    let more = memo(move || in_trouble.read().len().saturating_sub(SERVERS_MAX));
    view! {
        {live(move || servers.removed_elsewhere().map(removed_part))}
        {for_each_server(servers, || view! { <ConnectionBar /> }.into_any())}
        <Show when=move || { more.get() > 0 }>
            <div class="connection-place">
                <p class="connection connection-row">
                    {live(move || connection::more_servers(more.get()))}
                    <a class="button" href=Route::Servers.href()>{connection::SEE_SERVERS}</a>
                </p>
            </div>
        </Show>
    }
}

/// What is wrong with the connection; nothing while nothing is.
#[component]
fn ConnectionBar() -> impl IntoView {
    let store = expect_context::<Store>();
    let now = expect_context::<Now>();
    let connection = expect_context::<Connection>();
    let lasting = Memo::new(move |before: Option<&Lasting<Trouble>>| {
        let server = store.server().read();
        let mut troubles = troubles(&server, &connection.name(), now.get());
        troubles.extend(
            server
                .unsaved
                .as_ref()
                .map(|error| trouble(Kind::Unsaved, connection::unsaved(error), "")),
        );
        troubles.extend(foreign(connection.not_understood()));
        Lasting::next(before, troubles, |trouble| trouble.kind.clone(), now.exact())
    });
    let troubles = memo(move || lasting.with(|lasting| lasting.shown().cloned().collect::<Vec<_>>()));
    let kinds = move || troubles.with(|all| all.iter().map(|trouble| trouble.kind.clone()).collect::<Vec<_>>());
    let is_troubled = memo(move || troubles.with(|all| !all.is_empty()));
    let InTrouble(in_trouble) = expect_context();
    let key = expect_context::<ServerScope>().key;
    let leave = move || {
        in_trouble.try_update(|all| all.retain(|other| *other != key));
    };
    effect(move || {
        if is_troubled.get() {
            in_trouble.update(|all| all.push(key));
        } else {
            leave();
        }
    });
    on_cleanup(leave);
    let has_rows = memo(move || is_troubled.get() && in_trouble.read().iter().take(SERVERS_MAX).any(|one| *one == key));
    let place = NodeRef::<Div>::new();
    hold_content(place);
    view! {
        <div class="connection-place" node_ref=place>
            <Show when=move || has_rows.get()>
                <div class="connection" data-testid="connection-bar" role="region" aria-label="Connection">
                    <For each=kinds key=Clone::clone let:kind>
                        <Row kind troubles />
                    </For>
                </div>
            </Show>
        </div>
    }
    .into_any()
}

#[component]
fn Row(kind: Kind, troubles: Memo<Vec<Trouble>>) -> impl IntoView {
    let (sign, is_bad) = (kind.sign(), kind.is_bad());
    let action = action(&kind);
    let trouble = memo(move || troubles.with(|all| all.iter().find(|trouble| trouble.kind == kind).cloned()));
    let part = move |part: fn(&Trouble) -> &str| {
        memo(move || trouble.with(|trouble| trouble.as_ref().map(|trouble| part(trouble).to_owned())))
    };
    let (what, meaning, raw) = (
        part(|trouble| &trouble.said.strong),
        part(|trouble| &trouble.said.rest),
        part(|trouble| &trouble.raw),
    );
    view! {
        <div class="connection-row" class:tone-bad=is_bad>
            <Icon sign />
            <div class="connection-text">
                <p><strong>{what}</strong>" "{meaning}</p>
                <Raw text=raw />
            </div>
            <div class="connection-actions">{action}</div>
        </div>
    }
    .into_any()
}

/// The way out of a trouble.
fn action(kind: &Kind) -> AnyView {
    match kind {
        Kind::Password => view! { <a class="button" href=Route::Servers.href()>"Enter the password"</a> }.into_any(),
        Kind::Stale | Kind::Offline => view! {
            <TryNow />
            <WhatIsWrong />
        }
        .into_any(),
        Kind::Directory(_) | Kind::Unsaved => view! { <TryNow /> }.into_any(),
        Kind::Foreign => {
            let reload = move |_| {
                // Reloading fails only in a page that is going away.
                let _ = window().location().reload();
            };
            view! { <button type="button" class="button" on:click=reload>"Reload"</button> }.into_any()
        }
    }
}

#[component]
fn WhatIsWrong() -> impl IntoView {
    let route = expect_context::<Navigation>().route();
    let servers = expect_context::<Servers>();
    let key = expect_context::<ServerScope>().key;
    view! {
        <Show when=move || *route.read() != Route::Servers>
            <a class="button" href=Route::Servers.href() on:click=move |_| servers.examine_next(key)>{WHAT_IS_WRONG}</a>
        </Show>
    }
}

#[component]
fn TryNow() -> impl IntoView {
    let store = expect_context::<Store>();
    let actions = expect_context::<Actions>();
    let now = expect_context::<Now>();
    let next = memo(move || {
        let rest = store.server().read().next_try?.since(now.get());
        (rest >= Duration::from_secs(1)).then(|| connection::next_try(rest))
    });
    view! {
        <span class="connection-next">{next}</span>
        <button type="button" class="button" on:click=move |_| actions.try_now()>"Try now"</button>
    }
}

/// Scrolls what is below the bar as far as the bar moves it, so that nothing moves under the pointer or before the eye.
fn hold_content(place: NodeRef<Div>) {
    effect(move || {
        let Some(place) = place.get() else { return };
        let element = place.clone();
        let mut height = 0;
        on_resize([element.as_ref()], move || {
            let grown = place.offset_height() - std::mem::replace(&mut height, place.offset_height());
            let Ok(Some(pane)) = document().query_selector("[data-scrolls=main]") else {
                return;
            };
            if pane.scroll_top() > 0 || pane.matches(":hover").unwrap_or(false) {
                pane.set_scroll_top(pane.scroll_top() + grown);
            }
        });
    });
}

fn trouble(kind: Kind, said: Sentence, raw: &str) -> Trouble {
    Trouble {
        kind,
        said,
        raw: raw.to_owned(),
    }
}

fn troubles(server: &ServerView, name: &str, now: Time) -> Vec<Trouble> {
    match &server.link {
        Link::Connecting | Link::Live => failing(server),
        Link::Stale { since, error } => vec![trouble(
            Kind::Stale,
            connection::stale(name, now.since(*since), &time_of_day(*since, true)),
            &error.to_string(),
        )],
        Link::Offline { since, error } => vec![trouble(
            Kind::Offline,
            connection::offline(name, &time_of_day(*since, false)),
            &error.to_string(),
        )],
        Link::Password => vec![trouble(Kind::Password, connection::password(name), "")],
    }
}

/// Directories that cannot be read while others can.
fn failing(server: &ServerView) -> Vec<Trouble> {
    let named = server.failing.iter().take(NAMED_MAX).map(|failing| {
        let name = home_relative(&failing.directory);
        let shown = failing.since.map(|since| time_of_day(since, true));
        trouble(
            Kind::Directory(failing.directory.clone()),
            connection::unreadable(&visible(&name), shown.as_deref()),
            &failing.error.to_string(),
        )
    });
    let mut rows: Vec<Trouble> = named.collect();
    if let (Some(last), more @ 1..) = (rows.last_mut(), server.failing.len().saturating_sub(NAMED_MAX)) {
        last.said.rest.push_str(&connection::and_more(more));
    }
    rows
}

fn foreign(entries: usize) -> Option<Trouble> {
    (entries > 0).then(|| trouble(Kind::Foreign, connection::foreign(entries), ""))
}
