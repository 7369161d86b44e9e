//! The page: finds a server to begin with, then shows the desk.

pub(crate) mod announce;
pub(crate) mod dialogs;
pub(crate) mod key_help;
pub(crate) mod keys;
mod leaving;
pub(crate) mod notifier;
pub(crate) mod shell;
pub(crate) mod tab_title;
mod typing;

use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, select};
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::Clock;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::Event;

use crate::app::shell::Shell;
use crate::kit::erased::live;
use crate::kit::now::Now;
use crate::pages::connect::first_step::{FirstStep, Known, first_step};
use crate::pages::connect::{AtFirst, connect_part};
use crate::pages::demo::{self, Demo, Introduced};
use crate::state::connection::Wanted;
use crate::state::location;
use crate::state::servers::Servers;
use crate::words::unsaved::{LOST_AS_CLEARED, LOST_TO_NEWER};
use switchboard_browser::device::settings::{Keep, Settings};
use switchboard_browser::device::storage::Loss;
use switchboard_browser::opencode::http::Credentials;
use switchboard_browser::opencode::probe::{answers, is_loopback, normalise_address};
use switchboard_browser::platform::clock::BrowserClock;

/// How long the form waits for an introduction, which only our own server has.
const INTRODUCTION_PATIENCE: Duration = Duration::from_secs(2);

/// Tells `www/boot.js` that the program has stopped.
const STOPPED: &str = "switchboard:stopped";

/// Starts the dashboard in a page of ours. Elsewhere this library is only a library.
#[wasm_bindgen(start)]
pub fn start() {
    if document().get_element_by_id("boot-script").is_some() {
        std::panic::set_hook(Box::new(report));
        mount_to_body(App);
    }
}

/// Logs a panic, and has the page say that nothing works any more.
fn report(panic: &std::panic::PanicHookInfo<'_>) {
    web_sys::console::error_1(&panic.to_string().into());
    if let Ok(stopped) = Event::new(STOPPED) {
        // Dispatching fails only for an event that is being dispatched.
        let _ = window().dispatch_event(&stopped);
    }
}

#[derive(Clone, Debug)]
enum Stage {
    Deciding,
    Asking {
        address: String,
        credentials: Option<Credentials>,
        at_first: AtFirst,
    },
    Connected(Servers),
}

#[component]
fn App() -> impl IntoView {
    let clock = BrowserClock::new();
    provide_context(Now::ticking(clock.clone()));
    let stage = RwSignal::new_local(Stage::Deciding);
    let introduced = Introduced::new();
    provide_context(introduced);
    let is_expected = RwSignal::new(false);
    let is_used = RwSignal::new(false);
    let loss = RwSignal::new(None::<Loss>);
    let owner = Owner::current().unwrap_or_default();
    // The servers are asked before the page is drawn: they think meanwhile.
    let connect = Callback::new(move |wanted: Wanted| {
        location::name_server(&wanted.base);
        let storage_lost = Rc::new(move |lost| loss.set(Some(lost)));
        let servers = owner.with(|| Servers::connecting(wanted, storage_lost));
        stage.set(Stage::Connected(servers));
    });
    let is_taken =
        move || is_used.get_untracked() || stage.with_untracked(|stage| matches!(stage, Stage::Connected(_)));
    let glance_clock = Rc::new(clock.clone());
    let begin = async move || {
        let introduced = introduced.get_untracked();
        let credentials = |base: &str| credentials(base, introduced.as_ref());
        let wanted = |base: String| Wanted {
            name: introduced
                .as_ref()
                .filter(|demo| demo.base() == base)
                .and_then(Demo::name),
            credentials: credentials(&base),
            keep: Settings::open().keep(&base).unwrap_or(Keep::ForTab),
            base,
        };
        match decide(introduced.as_ref()) {
            FirstStep::Connect(base) => connect.run(wanted(base)),
            FirstStep::Try(address) => {
                let is_fine = answers(&address, credentials(&address), glance_clock.clone()).await;
                if is_taken() {
                    return;
                }
                if is_fine {
                    return connect.run(wanted(address));
                }
                stage.set(Stage::Asking {
                    credentials: credentials(&address),
                    address,
                    at_first: AtFirst::Connect,
                });
            }
            FirstStep::Ask(address) => stage.set(Stage::Asking {
                address: address.unwrap_or_else(|| "http://localhost:4096".to_owned()),
                credentials: None,
                at_first: AtFirst::Wait,
            }),
        }
    };
    spawn_local(async move {
        let patience = clock.sleep_until(clock.now() + INTRODUCTION_PATIENCE);
        let late = match select(demo::introduction().boxed_local(), patience).await {
            Either::Left((introduction, _)) => {
                introduced.set(introduction);
                return begin().await;
            }
            Either::Right(((), late)) => late,
        };
        is_expected.set(true);
        begin().await;
        introduced.set(late.await);
        is_expected.set(false);
        if !is_taken() {
            begin().await;
        }
    });
    let page = move || match stage.get() {
        Stage::Deciding => None,
        Stage::Asking {
            address,
            credentials,
            at_first,
        } => {
            let page = view! {
                <div on:input=move |_| is_used.set(true) on:submit=move |_| is_used.set(true)>
                    {connect_part(address, credentials, at_first, is_expected, connect)}
                </div>
            };
            Some(page.into_any())
        }
        Stage::Connected(servers) => Some(view! { <Shell servers /> }.into_any()),
    };
    view! {
        {live(page)}
        {live(move || loss.get().map(|lost| view! { <StorageLost lost on_close=Callback::new(move |()| loss.set(None)) /> }))}
    }
}

/// What it means that the storage is gone, and what to do.
#[component]
fn StorageLost(lost: Loss, on_close: Callback<()>) -> impl IntoView {
    let reload = move |_| {
        // Reloading fails only in a page that is going away.
        let _ = window().location().reload();
    };
    let (text, action) = match lost {
        Loss::Superseded => (
            LOST_TO_NEWER,
            view! { <button type="button" class="button" on:click=reload>"Reload"</button> }.into_any(),
        ),
        Loss::Cleared => (
            LOST_AS_CLEARED,
            view! { <button type="button" class="button" on:click=move |_| on_close.run(())>"Close"</button> }
                .into_any(),
        ),
    };
    view! {
        <div class="notice superseded" role="alert">
            <p>{text}</p>
            {action}
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
