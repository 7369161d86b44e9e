//! Chooses one of several servers.

use leptos::prelude::*;

use crate::kit::erased::live;
use crate::state::keys::ServerKey;
use crate::state::servers::{ServerScope, Servers};

/// The field that chooses a server; nothing while there is one.
pub(crate) fn server_choice(servers: Servers, chosen: RwSignal<ServerKey>) -> AnyView {
    let choose = move |event| {
        if let Ok(key) = event_target_value(&event).parse() {
            chosen.set(ServerKey(key));
        }
    };
    let options = move || {
        let list = servers.list().read();
        let option = |scope: &ServerScope| {
            let (key, connection) = (scope.key, scope.connection);
            let is_chosen = move || chosen.get() == key;
            view! { <option value=key.0.to_string() prop:selected=is_chosen>{live(move || connection.name())}</option> }
                .into_any()
        };
        list.iter().map(option).collect::<Vec<_>>()
    };
    live(move || {
        servers.are_several().then(|| {
            view! {
                <label class="field">
                    <span class="field-label">"Server"</span>
                    <select class="input" on:change=choose>{live(options)}</select>
                </label>
            }
        })
    })
    .into_any()
}
