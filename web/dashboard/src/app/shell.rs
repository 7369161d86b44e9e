//! The desk as a page: side bar, main column, side panel, in the layout that fits the width.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::model::SessionId;

use super::{keys, leaving, tab_title};
use crate::app::announce::Announcer;
use crate::app::dialogs::DialogLayer;
use crate::app::key_help::key_help_part;
use crate::app::notifier::notifier_part;
use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::focus;
use crate::kit::now::Now;
use crate::kit::viewport::IsPhone;
use crate::pages::activity::{activity_part, recorder_part};
use crate::pages::connect::connect_part;
use crate::pages::connection_bar::ConnectionBars;
use crate::pages::inbox::{Absence, Inbox, RequestPage};
use crate::pages::new_session::new_session_part;
use crate::pages::nowhere::{NoRequest, Nowhere};
use crate::pages::removed::{no_server_part, removed_part};
use crate::pages::servers::servers_part;
use crate::pages::session_page::session_part;
use crate::pages::sessions::sessions_part;
use crate::pages::settings_dialog::settings_part;
use crate::pages::workflows::{workflow_runner_part, workflows_part};
use crate::parts::{self, Loading};
use crate::request::why_panel::{SidePanel, WhyPanel, reasons_part};
use crate::side::palette::palette_part;
use crate::side::sidebar::Sidebar;
use crate::state::desk::Desk;
use crate::state::dialogs::Dialogs;
use crate::state::each_server::{about, for_each_server};
use crate::state::keys::{RequestKey, ServerKey};
use crate::state::narrowed::Narrowed;
use crate::state::navigation::Navigation;
use crate::state::open_request::OpenRequest;
use crate::state::route::{Of, Route};
use crate::state::servers::Servers;
use crate::words::control_names::SKIP;
use switchboard_browser::platform::page::idle;

/// Everything that is shown of a connected server.
#[component]
pub(crate) fn Shell(servers: Servers) -> impl IntoView {
    let now = expect_context::<Now>();
    let navigation = Navigation::following();
    let is_phone = IsPhone::following();
    let narrowed = Narrowed::following(navigation, servers);
    let desk = Desk::new(servers, now, narrowed, navigation, is_phone);
    provide_context(servers);
    provide_context(navigation);
    provide_context(narrowed);
    provide_context(is_phone);
    provide_context(desk);
    let dialogs = Dialogs::new();
    let panel = SidePanel::new();
    provide_context(dialogs);
    provide_context(panel);
    provide_context(Absence::following(servers, now));
    provide_context(OpenRequest::new(desk, is_phone, navigation, servers));
    keys::listen(desk, navigation, dialogs);
    follow_route(desk, servers, navigation);
    tab_title::follow(servers, navigation);
    leaving::ask_while_unsaved(servers);
    let is_missing = is_missing(servers, navigation);
    load_parts(servers);
    let is_read = memo(move || servers.is_read());
    let can_tell = loaded(is_read, notifier_part::load);
    // The page of the loops shows those of this device also while no server answers.
    let are_loops_wanted = memo(move || servers.is_read() || matches!(*navigation.route().read(), Route::Checks(_)));
    let can_check = loaded(are_loops_wanted, workflow_runner_part::load);
    let page = memo(move || Page::of(navigation.route().get(), is_phone.get(), is_missing.get(), servers));
    focus_heading(page);
    let has_panel = memo(move || *page.read() == Page::Inbox && desk.open().read().is_some());
    view! {
        <a class="skip" href="#main" on:click=skip>{SKIP}</a>
        <div
            class="shell"
            class:shell-panel=move || has_panel.get()
            class:panel-toggled=move || panel.is_toggled()
            class:shell-page=move || matches!(*page.read(), Page::Request(_))
        >
            <Sidebar />
            <main class="main" id="main" tabindex="-1">
                <Show when=move || !matches!(*page.read(), Page::Session(..) | Page::NoServer(_))><ConnectionBars /></Show>
                {live(move || can_tell.get().then(|| (notifier_part(), for_each_server(servers, recorder_part))))}
                {live(move || can_check.get().then(|| for_each_server(servers, workflow_runner_part)))}
                {live(move || match page.get() {
                    Page::Inbox => view! { <Inbox /> }.into_any(),
                    Page::Request(key) => view! { <RequestPage key /> }.into_any(),
                    Page::Sessions => sessions_part(),
                    Page::Session(server, id) => about(servers, server, || session_part(id)),
                    Page::New => new_session_part(),
                    Page::Servers => servers_part(),
                    Page::Activity => activity_part(),
                    Page::NoServer(named) => no_server_part(named),
                    Page::NoRequest => view! { <NoRequest /> }.into_any(),
                    Page::Nowhere => view! { <Nowhere /> }.into_any(),
                })}
            </main>
            <Show when=move || has_panel.get()><WhyPanel /></Show>
            <Announcer />
        </div>
        <DialogLayer />
    }
}

/// What the main column shows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Page {
    Inbox,
    Request(RequestKey),
    Sessions,
    Session(ServerKey, SessionId),
    New,
    Servers,
    Activity,
    NoServer(String),
    NoRequest,
    Nowhere,
}

impl Page {
    fn of(route: Route, is_phone: bool, is_missing: bool, servers: Servers) -> Self {
        let no_server = |server: &Option<String>| {
            let named = servers.address_name(server.as_ref());
            move || Page::NoServer(named)
        };
        match route {
            Route::Request(of) if servers.named(of.server.as_ref()).is_none() => no_server(&of.server)(),
            Route::Request(_) if is_missing => Page::NoRequest,
            Route::Request(of) if is_phone => servers.request_of(&of).map_or(Page::NoRequest, Page::Request),
            Route::Inbox | Route::Request(_) => Page::Inbox,
            Route::Sessions => Page::Sessions,
            Route::Session(Of { server, id }) | Route::Checks(Of { server, id }) => servers
                .named(server.as_ref())
                .map_or_else(no_server(&server), |scope| Page::Session(scope.key, id)),
            Route::New => Page::New,
            Route::Servers => Page::Servers,
            Route::Activity => Page::Activity,
            Route::Unknown => Page::Nowhere,
        }
    }
}

/// Whether the address names a request that is not there, and has not been there since the address was opened.
fn is_missing(servers: Servers, navigation: Navigation) -> Memo<bool> {
    let seen = StoredValue::new(None::<RequestKey>);
    memo(move || {
        let Route::Request(of) = navigation.route().get() else {
            seen.set_value(None);
            return false;
        };
        let Some(scope) = servers.named(of.server.as_ref()) else {
            return true;
        };
        let key = scope.key.request(&of.id);
        if servers.requests().with(|all| all.iter().any(|asked| asked.is(&key))) {
            seen.set_value(Some(key));
            return false;
        }
        scope.store.server().read().listed && seen.with_value(|seen| seen.as_ref() != Some(&key))
    })
}

/// A new page is read from its heading on, unless something in it has the focus by then.
fn focus_heading(page: Memo<Page>) {
    Effect::new(move |before: Option<Page>| {
        let page = page.get();
        if before.is_some_and(|before| before != page) {
            focus::heading();
        }
        page
    });
}

/// Loads the rest of the program once the server has been read: what is on the screen came first.
fn load_parts(servers: Servers) {
    let is_read = memo(move || servers.is_read());
    effect(move || {
        if is_read.get() {
            parts::load_all([
                reasons_part::load,
                session_part::load,
                workflows_part::load,
                palette_part::load,
                sessions_part::load,
                new_session_part::load,
                settings_part::load,
                key_help_part::load,
                servers_part::load,
                activity_part::load,
                connect_part::load,
                no_server_part::load,
                removed_part::load,
            ]);
        }
    });
}

/// Whether a program that shows nothing is there, told once. After a failure it is asked for with the next read: no button
/// does so.
fn loaded(is_wanted: Memo<bool>, load: fn() -> Loading) -> ReadSignal<bool> {
    let is_loaded = RwSignal::new(false);
    let is_asked_for = StoredValue::new(false);
    effect(move || {
        if !is_wanted.get() || is_asked_for.get_value() {
            return;
        }
        is_asked_for.set_value(true);
        spawn_local(async move {
            idle().await;
            if load().await.is_ok() {
                is_loaded.try_set(true);
            } else {
                is_asked_for.try_set_value(false);
            }
        });
    });
    is_loaded.read_only()
}

/// The address of a request opens it.
fn follow_route(desk: Desk, servers: Servers, navigation: Navigation) {
    effect(move || {
        if let Route::Request(of) = navigation.route().get()
            && let Some(key) = servers.request_of(&of)
        {
            desk.choose(&key);
        }
    });
}

fn skip(event: leptos::ev::MouseEvent) {
    event.prevent_default();
    focus::first("article[data-open], #main");
}
