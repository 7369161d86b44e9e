//! The desk as a page: side bar, main column, side panel, in the layout that fits the width.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::List;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_core::view::RequestView;

use super::{keys, tab_title};
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
use crate::pages::connection_bar::ConnectionBar;
use crate::pages::inbox::{Absence, Inbox, RequestPage};
use crate::pages::new_session::new_session_part;
use crate::pages::nowhere::{NoRequest, Nowhere};
use crate::pages::servers::servers_part;
use crate::pages::session_page::session_part;
use crate::pages::sessions::sessions_part;
use crate::pages::settings_dialog::settings_part;
use crate::parts;
use crate::request::unattended::Policies;
use crate::request::why_panel::{SidePanel, WhyPanel, reasons_part};
use crate::side::palette::palette_part;
use crate::side::sidebar::Sidebar;
use crate::state::actions::Actions;
use crate::state::activity::Activity;
use crate::state::connection::Connection;
use crate::state::desk::Desk;
use crate::state::dialogs::Dialogs;
use crate::state::navigation::Navigation;
use crate::state::notification_choices::NotificationChoices;
use crate::state::open_request::OpenRequest;
use crate::state::route::Route;
use crate::state::store::Store;
use crate::words::control_names::SKIP;

/// Everything that is shown of a connected server.
#[component]
pub(crate) fn Shell(connection: Connection) -> impl IntoView {
    let handle = connection.handle();
    let store = Store::following(&handle);
    let actions = Actions::new(handle);
    let now = expect_context::<Now>();
    let navigation = Navigation::following();
    let is_phone = IsPhone::following();
    let desk = Desk::new(store, actions, now, connection.name(), navigation, is_phone);
    provide_context(Policies::following(connection.base(), store, actions));
    provide_context(NotificationChoices::new(connection.base()));
    provide_context(connection);
    provide_context(store);
    provide_context(actions);
    provide_context(navigation);
    provide_context(is_phone);
    provide_context(desk);
    let dialogs = Dialogs::new();
    let panel = SidePanel::new();
    provide_context(dialogs);
    provide_context(panel);
    provide_context(Activity::new());
    provide_context(Absence::following(now, connection.base()));
    provide_context(OpenRequest::new(desk, is_phone, navigation));
    keys::listen(desk, navigation, dialogs);
    follow_route(desk, navigation);
    tab_title::follow(store, navigation);
    let is_missing = is_missing(store, navigation);
    load_parts(store);
    let can_tell = notifier_loaded(store);
    let page = memo(move || Page::of(navigation.route().get(), is_phone.get(), is_missing.get()));
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
                <Show when=move || !matches!(*page.read(), Page::Session(_))><ConnectionBar /></Show>
                {live(move || can_tell.get().then(|| (notifier_part(), recorder_part())))}
                {live(move || match page.get() {
                    Page::Inbox => view! { <Inbox /> }.into_any(),
                    Page::Request(id) => view! { <RequestPage id /> }.into_any(),
                    Page::Sessions => sessions_part(),
                    Page::Session(id) => session_part(id),
                    Page::New => new_session_part(),
                    Page::Servers => servers_part(),
                    Page::Activity => activity_part(),
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
    Request(RequestId),
    Sessions,
    Session(SessionId),
    New,
    Servers,
    Activity,
    NoRequest,
    Nowhere,
}

impl Page {
    fn of(route: Route, is_phone: bool, is_missing: bool) -> Self {
        match route {
            Route::Request(_) if is_missing => Page::NoRequest,
            Route::Request(id) if is_phone => Page::Request(id),
            Route::Inbox | Route::Request(_) => Page::Inbox,
            Route::Sessions => Page::Sessions,
            Route::Session(id) => Page::Session(id),
            Route::New => Page::New,
            Route::Servers => Page::Servers,
            Route::Activity => Page::Activity,
            Route::Unknown => Page::Nowhere,
        }
    }
}

/// Whether the address names a request that is not there, and has not been there since the address was opened.
fn is_missing(store: Store, navigation: Navigation) -> Memo<bool> {
    let seen = StoredValue::new(None::<RequestId>);
    memo(move || {
        let Route::Request(id) = navigation.route().get() else {
            seen.set_value(None);
            return false;
        };
        let is_there = |requests: &List<RequestView>| requests.iter().any(|view| view.request.id == id);
        if store.requests().with(is_there) {
            seen.set_value(Some(id));
            return false;
        }
        store.server().read().listed && seen.with_value(|seen| seen.as_ref() != Some(&id))
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
fn load_parts(store: Store) {
    let is_read = memo(move || store.server().read().read.is_some());
    effect(move || {
        if is_read.get() {
            parts::load_all([
                reasons_part::load,
                session_part::load,
                palette_part::load,
                sessions_part::load,
                new_session_part::load,
                settings_part::load,
                key_help_part::load,
                servers_part::load,
                activity_part::load,
                connect_part::load,
            ]);
        }
    });
}

/// Whether the program that tells of requests is there. It is asked for after each read until it is: no button does so.
fn notifier_loaded(store: Store) -> ReadSignal<bool> {
    let is_loaded = RwSignal::new(false);
    effect(move || {
        if !is_loaded.get_untracked() && store.server().read().read.is_some() {
            spawn_local(async move {
                if notifier_part::load().await.is_ok() {
                    is_loaded.try_set(true);
                }
            });
        }
    });
    is_loaded.read_only()
}

/// The address of a request opens it.
fn follow_route(desk: Desk, navigation: Navigation) {
    effect(move || {
        if let Route::Request(id) = navigation.route().get() {
            desk.choose(&id);
        }
    });
}

fn skip(event: leptos::ev::MouseEvent) {
    event.prevent_default();
    focus::first("article[data-open], #main");
}
