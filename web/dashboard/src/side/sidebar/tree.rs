//! The sessions of the side bar: server, directories, sessions, each with its state.

use leptos::prelude::*;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::view::Link;

use super::groups::{Focus, Group, groups, home_relative};
use crate::kit::age::short_age;
use crate::kit::erased::{effect, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::viewport::nearest;
use crate::state::elsewhere::{session_words, sessions_of};
use crate::state::keys::ServerKey;
use crate::state::navigation::Navigation;
use crate::state::route::{Of, Route};
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::words::cut_text::more_rows;
use crate::words::rounds::progress_words;
use crate::words::session_title::session_title;
use crate::words::state_words;

/// The tree of a server.
pub(crate) fn tree() -> AnyView {
    let servers = expect_context::<Servers>();
    let scope = expect_context::<ServerScope>();
    let store = scope.store;
    let now = expect_context::<Now>();
    let server = memo(move || {
        let view = store.server().read();
        let words = state_words::server(&view, now.get());
        (view.link != Link::Live).then_some((words.sign, words.word, words.tone))
    });
    let route = expect_context::<Navigation>().route();
    let focus = memo(move || {
        let open = route.with(|route| of_here(servers, route.session()?, scope.key));
        store.requests().with(|requests| Focus::new(requests, open))
    });
    let groups = memo(move || groups(&sessions_of(servers, scope), &focus.read()));
    keep_in_sight(focus, groups);
    view! {
            <h2 class="tree-server">
                <a href=Route::Servers.href()>{live(move || scope.connection.name())}</a>
                {live(move || server.get().map(|(sign, word, tone)| view! {
                    <span class=format!("tree-link {}", tone.class())><Icon sign />{word}</span>
                }))}
            </h2>
            <For each=move || groups.get() key=|group| group.directory.clone() let:group>
                <DirectoryRows directory=group.directory groups />
            </For>
    }
    .into_any()
}

/// The session that an address is about, if it is one of this server.
fn of_here(servers: Servers, of: &Of<SessionId>, key: ServerKey) -> Option<SessionId> {
    let scope = servers.named(of.server.as_ref())?;
    (scope.key == key).then(|| of.id.clone())
}

/// Scrolls to the row of the open session whenever its place in the list changes.
fn keep_in_sight(focus: Memo<Focus>, groups: Memo<Vec<Group>>) {
    let place = memo(move || {
        let open = focus.with(|focus| focus.open.clone())?;
        let place = groups.with(|groups| {
            let rows = groups.iter().flat_map(|group| &group.rows);
            rows.into_iter().position(|(_, id)| *id == open)
        })?;
        Some((open, place))
    });
    effect(move || {
        if place.read().is_none() {
            return;
        }
        request_animation_frame(|| {
            if let Ok(Some(row)) = document().query_selector(".tree [aria-current=page]") {
                row.scroll_into_view_with_scroll_into_view_options(&nearest());
            }
        });
    });
}

#[component]
fn DirectoryRows(directory: Directory, groups: Memo<Vec<Group>>) -> impl IntoView {
    let name = home_relative(&directory);
    let full_name = directory.to_string();
    let group = memo(move || groups.with(|groups| groups.iter().find(|group| group.directory == directory).cloned()));
    let rows = move || group.get().map(|group| group.rows).unwrap_or_default();
    let more = move || {
        let more = group.read().as_ref().map_or(0, |group| group.more);
        (more > 0).then(|| view! { <a class="tree-more" href=Route::Sessions.href()>{more_rows(more)}</a> })
    };
    view! {
        <h3 class="tree-directory" title=full_name>{name}</h3>
        <ul class="tree-sessions">
            <For each=rows key=Clone::clone let((depth, id))>
                <li><SessionRow depth id /></li>
            </For>
        </ul>
        {live(more)}
    }
}

#[component]
fn SessionRow(depth: usize, id: SessionId) -> impl IntoView {
    let now = expect_context::<Now>();
    let route = expect_context::<Navigation>().route();
    let session = expect_context::<Store>().session(id.clone());
    let scope = expect_context::<ServerScope>();
    let servers = expect_context::<Servers>();
    let here = scope.session(id.clone());
    let href = here.href();
    let title = memo(move || session.read().as_ref().map(|view| session_title(&view.session.title)));
    let age = memo(move || {
        let session = session.read();
        let age = || session.as_ref().map(|view| short_age(now.get().since(view.updated)));
        let progress = scope.loops.progress().with(|progress| progress.get(&id).copied());
        progress.map(progress_words).or_else(age)
    });
    let words = memo(move || {
        session
            .read()
            .as_ref()
            .map(|view| session_words(servers, scope.key, view, now.get()))
    });
    let is_here = memo(move || route.read().session() == here.session());
    live(move || {
        let words = words.get()?;
        let about = words.sentence();
        Some(view! {
            <a
                class=format!("tree-session depth-{}", depth.min(3))
                class:waits=words.key == "waiting"
                href=href.clone()
                title=about
                data-testid="session-row"
                data-state=words.key
                aria-current=move || is_here.get().then_some("page")
            >
                <span class=format!("tree-sign {}", words.tone.class())><Icon sign=words.sign /></span>
                <span class="tree-title" dir="auto">{title}</span>
                <span class="visually-hidden">", "{words.word}", "</span>
                <span class="tree-age">{age}</span>
            </a>
        })
    })
}
