//! Servers from before: one press connects, another forgets.

use leptos::prelude::*;

use crate::kit::erased::live;
use crate::state::connection::Wanted;
use crate::state::servers::remembered_as_left;
use crate::words::connect;
use crate::words::server_name::short_name;
use switchboard_browser::device::settings::{RememberedServer, Settings};

/// The remembered servers besides those that are connected; nothing when there are none.
#[component]
pub(crate) fn Remembered(
    /// The addresses of the connected servers.
    #[prop(into)]
    connected: Signal<Vec<String>>,
    /// Called with the server that is wanted.
    on_connect: Callback<Wanted>,
) -> impl IntoView {
    let forgotten = RwSignal::new(());
    let row = move |server: RememberedServer| {
        let base = server.base.clone();
        let forget = move |_| {
            Settings::open().forget(&base);
            forgotten.set(());
        };
        let name = server.name.clone().unwrap_or_else(|| short_name(&server.base));
        let label = connect::forget(&name);
        let address = server.base.clone();
        view! {
            <li class="remembered">
                <button type="button" class="button button-quiet" title=address on:click=move |_| on_connect.run(remembered_as_left(&server))>
                    {name}
                </button>
                <button type="button" class="button button-quiet" aria-label=label on:click=forget>"Forget"</button>
            </li>
        }
        .into_any()
    };
    live(move || {
        forgotten.track();
        let connected = connected.read();
        let known = Settings::open().servers().into_iter();
        let rows: Vec<AnyView> = known
            .filter(|server| !connected.contains(&server.base))
            .map(row)
            .collect();
        (!rows.is_empty()).then(|| {
            view! { <h2 class="group-label">"Servers from before"</h2><ul class="remembered-list">{rows}</ul> }
                .into_any()
        })
    })
}
