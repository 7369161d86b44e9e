//! The page: finds a server to begin with, then shows the desk.

use std::rc::Rc;
use std::time::Duration;

use futures::future::{Either, select};
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::runtime::Clock;
use wasm_bindgen::prelude::wasm_bindgen;

use super::connect::first_step::{FirstStep, Known, first_step};
use super::connect::{ConnectPage, Wanted};
use super::connection::Connection;
use super::demo::{self, Demo};
use super::location;
use super::now::Now;
use super::shell::Shell;
use super::theme;
use crate::clock::BrowserClock;
use crate::http::Credentials;
use crate::probe::{is_loopback, normalise_address};
use crate::settings::{Keep, Settings};

/// Nobody waits longer than this for an introduction that may not exist.
const INTRODUCTION_PATIENCE: Duration = Duration::from_secs(2);

/// Starts the dashboard in a page of ours. Elsewhere this library is only a library.
#[wasm_bindgen(start)]
pub fn start() {
    if document().get_element_by_id("boot-script").is_some() {
        std::panic::set_hook(Box::new(report));
        theme::restore();
        mount_to_body(App);
    }
}

/// A mistake of ours: says where, for whoever looks.
fn report(panic: &std::panic::PanicHookInfo<'_>) {
    web_sys::console::error_1(&panic.to_string().into());
}

#[derive(Clone, Debug)]
enum Stage {
    Deciding,
    Asking {
        address: String,
        at_once: Option<Option<Credentials>>,
    },
    Connected(Wanted),
}

#[component]
fn App() -> impl IntoView {
    let clock = BrowserClock::new();
    provide_context(Now::ticking(clock.clone()));
    let stage = RwSignal::new_local(Stage::Deciding);
    let demo = RwSignal::new(None::<Demo>);
    let is_superseded = RwSignal::new(false);
    let connect = Callback::new(move |wanted: Wanted| {
        location::name_server(&wanted.base);
        stage.set(Stage::Connected(wanted));
    });
    spawn_local(async move {
        let patience = clock.sleep_until(clock.now() + INTRODUCTION_PATIENCE);
        let introduced = match select(std::pin::pin!(demo::introduction()), patience).await {
            Either::Left((introduced, _)) => introduced,
            Either::Right(((), _)) => None,
        };
        let step = decide(introduced.as_ref());
        let credentials = |base: &str| credentials(base, introduced.as_ref());
        match step {
            FirstStep::Connect(base) => connect.run(Wanted {
                name: introduced
                    .as_ref()
                    .filter(|demo| demo.base() == base)
                    .and_then(Demo::name),
                credentials: credentials(&base),
                keep: Settings::open().keep(&base).unwrap_or(Keep::ForTab),
                base,
            }),
            FirstStep::Try(address) => stage.set(Stage::Asking {
                at_once: Some(credentials(&address)),
                address,
            }),
            FirstStep::Ask(address) => stage.set(Stage::Asking {
                address: address.unwrap_or_else(|| "http://localhost:4096".to_owned()),
                at_once: None,
            }),
        }
        demo.set(introduced);
    });
    let demo_prompts = move |base: &str| demo.get().filter(|demo| demo.base() == base);
    let page = move || match stage.get() {
        Stage::Deciding => None,
        Stage::Asking { address, at_once } => {
            let try_demo = demo
                .get_untracked()
                .map(|demo| Callback::new(move |()| connect.run(demo.wanted())));
            Some(view! { <ConnectPage address at_once demo=try_demo on_connect=connect /> }.into_any())
        }
        Stage::Connected(wanted) => {
            let introduced = demo_prompts(&wanted.base);
            let superseded = Rc::new(move || is_superseded.set(true));
            let connection = Connection::open(wanted, superseded, connect);
            Some(view! { <Shell connection demo=introduced /> }.into_any())
        }
    };
    view! {
        {page}
        <Show when=move || is_superseded.get()><Superseded /></Show>
    }
}

/// A newer version of the page, in another tab, has taken the storage.
#[component]
fn Superseded() -> impl IntoView {
    let reload = move |_| {
        // Reloading fails only in a page that is going away.
        let _ = window().location().reload();
    };
    view! {
        <div class="notice superseded" role="alert">
            <p>"A newer version of Switchboard is open in another tab. This tab can no longer keep answers on this device."</p>
            <button type="button" class="button" on:click=reload>"Reload"</button>
        </div>
    }
}

fn decide(introduced: Option<&Demo>) -> FirstStep {
    let linked = location::server().and_then(|address| normalise_address(&address).ok());
    let is_near = |base: &String| is_loopback(base) || location::is_own_host(base);
    first_step(Known {
        linked_is_near: linked.as_ref().is_some_and(is_near),
        linked,
        introduced: introduced.map(Demo::base),
        remembered: Settings::open()
            .servers()
            .into_iter()
            .map(|server| server.base)
            .collect(),
    })
}

fn credentials(base: &str, introduced: Option<&Demo>) -> Option<Credentials> {
    let from_demo = introduced
        .filter(|demo| demo.base() == base)
        .and_then(Demo::credentials);
    from_demo.or_else(|| Settings::open().credentials(base))
}
