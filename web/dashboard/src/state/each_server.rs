//! Views of one server among several.

use leptos::prelude::*;

use crate::state::keys::ServerKey;
use crate::state::servers::Servers;

/// A view that is about one server; nothing once that is not connected any more.
pub(crate) fn about(servers: Servers, key: ServerKey, view: impl FnOnce() -> AnyView) -> AnyView {
    let scope = untrack(|| servers.get(key));
    scope
        .map(|scope| {
            scope.provide();
            view()
        })
        .into_any()
}

/// A view for each server, in the order of the servers.
pub(crate) fn for_each_server(servers: Servers, view: impl Fn() -> AnyView + Clone + Send + Sync + 'static) -> AnyView {
    let keys = move || servers.list().read().iter().map(|scope| scope.key).collect::<Vec<_>>();
    view! { <For each=keys key=Clone::clone children=move |key| about(servers, key, view.clone()) /> }.into_any()
}
