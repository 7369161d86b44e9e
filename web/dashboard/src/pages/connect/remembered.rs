//! Servers from before: one press connects, another forgets.

use leptos::prelude::*;

use crate::kit::erased::live;
use crate::state::connection::Wanted;
use crate::words::connect;
use crate::words::server_name::short_name;
use switchboard_browser::device::settings::{Keep, RememberedServer, Settings};

/// The remembered servers besides the connected one; nothing when there are none.
#[component]
pub(crate) fn Remembered(
    /// The address of the connected server.
    #[prop(default = None)]
    connected: Option<String>,
    /// Called with the server that is wanted.
    on_connect: Callback<Wanted>,
) -> impl IntoView {
    let servers = RwSignal::new(Settings::open().servers());
    let row = move |server: RememberedServer| {
        let base = server.base.clone();
        let forget = move |_| {
            Settings::open().forget(&base);
            servers.set(Settings::open().servers());
        };
        let name = server.name.clone().unwrap_or_else(|| short_name(&server.base));
        let label = connect::forget(&name);
        let address = server.base.clone();
        view! {
            <li class="remembered">
                <button type="button" class="button button-quiet" title=address on:click=move |_| on_connect.run(wanted(&server))>
                    {name}
                </button>
                <button type="button" class="button button-quiet" aria-label=label on:click=forget>"Forget"</button>
            </li>
        }
        .into_any()
    };
    live(move || {
        let others = servers.get().into_iter();
        let rows: Vec<AnyView> = others
            .filter(|server| Some(&server.base) != connected.as_ref())
            .map(row)
            .collect();
        (!rows.is_empty()).then(|| {
            view! { <h2 class="group-label">"Servers from before"</h2><ul class="remembered-list">{rows}</ul> }
                .into_any()
        })
    })
}

/// A remembered server as it was left: its password is kept for as long as before.
pub(crate) fn wanted(server: &RememberedServer) -> Wanted {
    let settings = Settings::open();
    Wanted {
        base: server.base.clone(),
        name: server.name.clone(),
        credentials: settings.credentials(&server.base),
        keep: settings.keep(&server.base).unwrap_or(Keep::ForTab),
    }
}
