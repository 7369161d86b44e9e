//! The list of servers as a file: saved, and read again here or elsewhere.

use leptos::prelude::*;

use crate::kit::download::download;
use crate::kit::erased::live;
use crate::kit::upload::choose_file;
use crate::state::servers::Servers;
use crate::words::server_list::{ABOUT, EXPORT, IMPORT, TITLE, imported, refused};
use switchboard_browser::device::server_list::{
    Fault, InvalidList, ListedServer, SIZE_MAX, read_server_list, write_server_list,
};
use switchboard_browser::device::settings::RememberedServer;
use switchboard_browser::opencode::probe::{InvalidAddress, normalise_address};

const FILE: &str = "switchboard-servers.json";

/// Saves the list, and connects to the servers of another one beside those that are connected.
#[component]
pub(crate) fn ServerList() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let result = RwSignal::new(None::<Result<String, String>>);
    let export = move |_| {
        let listed: Vec<_> = servers.remembered().into_iter().map(listed).collect();
        download(FILE, write_server_list(&listed));
    };
    let read = move |text: Option<String>| {
        let list = text
            .ok_or(InvalidList::TooLarge)
            .and_then(|text| read_server_list(&text, normalised));
        let told = list.map_err(|invalid| refused(&invalid)).map(|list| {
            let all = list.len();
            let added = servers.connect_all(list.into_iter().map(remembered).collect());
            imported(added, all - added)
        });
        result.try_set(Some(told));
    };
    let import = move |_| choose_file("application/json,.json", SIZE_MAX, read);
    let told = move || {
        result.get().map(|result| match result {
            Ok(done) => view! { <p role="status">{done}</p> }.into_any(),
            Err(why) => view! { <p class="tone-bad" role="alert">{why}</p> }.into_any(),
        })
    };
    view! {
        <section class="server-list" aria-label=TITLE>
            <h2 class="group-label">{TITLE}</h2>
            <p class="connect-note">{ABOUT}</p>
            <div class="footer">
                <button type="button" class="button" on:click=export>{EXPORT}</button>
                <button type="button" class="button" on:click=import>{IMPORT}</button>
            </div>
            {live(told)}
        </section>
    }
    .into_any()
}

fn listed(server: RememberedServer) -> ListedServer {
    let RememberedServer { base, name, username } = server;
    ListedServer {
        address: base,
        name,
        username,
    }
}

fn remembered(server: ListedServer) -> RememberedServer {
    let ListedServer {
        address,
        name,
        username,
    } = server;
    RememberedServer {
        base: address,
        name,
        username,
    }
}

fn normalised(address: &str) -> Result<String, Fault> {
    normalise_address(address).map_err(|invalid| match invalid {
        InvalidAddress::Credentials => Fault::Secret,
        InvalidAddress::Empty | InvalidAddress::Unreadable | InvalidAddress::OtherScheme => Fault::NoAddress,
    })
}
