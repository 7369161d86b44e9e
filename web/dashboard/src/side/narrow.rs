//! Chooses what a list shows: everything, one server, or one directory.

use leptos::prelude::*;
use switchboard_core::SortedSet;
use switchboard_core::model::Directory;

use crate::kit::erased::{followed, live, memo};
use crate::parts::part;
use crate::side::sidebar::groups::home_relative;
use crate::state::narrowed::Narrowed;
use crate::state::narrowing::{Narrowing, choices};
use crate::state::servers::{ServerScope, Servers};
use crate::words::narrow::{SHOW, SHOW_ALL, choice, elsewhere};

/// The field that chooses; nothing while there is nothing to choose. `more` finds directories of a server that none of
/// its sessions is in.
pub(crate) fn narrow(more: impl Fn(ServerScope) -> Vec<Directory> + Send + Sync + 'static) -> AnyView {
    let servers = expect_context::<Servers>();
    let narrowed = expect_context::<Narrowed>();
    let narrowing = narrowed.narrowing();
    let offered = memo(move || {
        let list = servers.list().read();
        let each = list.iter().map(|scope| (scope.key, directories(*scope, more(*scope))));
        let mut offered = choices(&each.collect::<Vec<_>>());
        let chosen = narrowing.get();
        if chosen.leaves_out() && !offered.contains(&chosen) {
            offered.push(chosen);
        }
        if !offered.is_empty() {
            offered.insert(0, Narrowing::default());
        }
        offered
    });
    let options = move || {
        let option = |(place, offer): (usize, Narrowing)| {
            let is_chosen = {
                let offer = offer.clone();
                followed(move || *narrowing.read() == offer)
            };
            let name = move || name(servers, &offer);
            view! { <option value=place.to_string() prop:selected=is_chosen>{live(name)}</option> }.into_any()
        };
        offered.get().into_iter().enumerate().map(option).collect::<Vec<_>>()
    };
    let choose = move |event| {
        let place: Option<usize> = event_target_value(&event).parse().ok();
        let chosen = offered.with_untracked(|offered| offered.get(place?).cloned());
        if let Some(chosen) = chosen {
            narrowed.narrow(&chosen);
        }
    };
    live(move || {
        (!offered.read().is_empty()).then(|| {
            view! { <select class="sort narrow" class:narrow-some=followed(move || narrowing.read().leaves_out()) aria-label=SHOW dir="auto" on:change=choose>{live(options)}</select> }
        })
    })
    .into_any()
}

/// The field over the inbox.
#[component]
fn OfInbox() -> impl IntoView {
    narrow(no_more)
}

part! {
    /// The field over the inbox, a part.
    other: narrow_part() view! { <OfInbox /> }, || {}
}

part! {
    /// How much waits that a narrowed list leaves out, a part.
    other: elsewhere_part() view! { <Elsewhere /> }, || {}
}

/// How much waits that a narrowed list leaves out, with the way to it; nothing while nothing does.
#[component]
fn Elsewhere() -> impl IntoView {
    let narrowed = expect_context::<Narrowed>();
    let waiting = memo(move || narrowed.waiting_elsewhere());
    live(move || {
        (waiting.get() > 0).then(|| {
            view! { <p class="elsewhere"><span>{live(move || elsewhere(waiting.get()))}</span>{show_all()}</p> }
        })
    })
}

/// The button that shows everything again.
pub(crate) fn show_all() -> AnyView {
    let narrowed = expect_context::<Narrowed>();
    let show = move |_| narrowed.narrow(&Narrowing::default());
    view! { <button type="button" class="button" on:click=show>{SHOW_ALL}</button> }.into_any()
}

/// What a list that is narrowed so shows, in words.
pub(crate) fn name(servers: Servers, narrowing: &Narrowing) -> String {
    let server = narrowing.server.and_then(|key| servers.get(key));
    let server = server.map(|scope| scope.connection.name());
    let directory = narrowing.directory.as_ref().map(home_relative);
    choice(server.as_deref(), directory.as_deref(), servers.list().read().len())
}

/// The directories of a server in which there is something, by name.
fn directories(scope: ServerScope, more: Vec<Directory>) -> Vec<Directory> {
    let mut found: SortedSet<Directory> = more.into_iter().collect();
    scope.store.sessions().with(|sessions| {
        let shown = sessions.iter().filter(|view| !view.session.archived);
        found.extend(shown.map(|view| view.session.directory.clone()));
    });
    found.into_iter().collect()
}

/// None besides those of its sessions.
pub(crate) fn no_more(_: ServerScope) -> Vec<Directory> {
    Vec::new()
}
