//! The servers that the page is connected to, each with what shows it and what acts on it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_browser::device::settings::{Keep, RememberedServer, Settings};
use switchboard_browser::device::storage::Loss;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_core::view::RequestView;

use crate::kit::erased::memo;
use crate::state::actions::Actions;
use crate::state::activity::Activity;
use crate::state::connection::{Connection, Wanted};
use crate::state::keys::{Asked, RequestKey, ServerKey};
use crate::state::location;
use crate::state::notification_choices::NotificationChoices;
use crate::state::policies::Policies;
use crate::state::route::{Of, Route};
use crate::state::store::{Store, shared};
use crate::words::server_name::address_name;

/// One connected server. Comes from context where a view is about one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerScope {
    /// Its name on this page.
    pub(crate) key: ServerKey,
    /// The way to it.
    pub(crate) connection: Connection,
    /// What it shows.
    pub(crate) store: Store,
    /// What a person does there.
    pub(crate) actions: Actions,
    /// What happened there.
    pub(crate) activity: Activity,
    policies: Policies,
    notifications: NotificationChoices,
    /// Its name in addresses; none for the server that the page was opened with.
    named: StoredValue<Option<String>>,
}

impl ServerScope {
    /// Begins to show a server, until the present owner is gone.
    fn new(key: ServerKey, named: Option<String>, connection: Connection, changes: RwSignal<usize>) -> Self {
        let handle = connection.handle();
        let store = Store::following(&handle);
        let actions = Actions::new(handle);
        Self {
            key,
            connection,
            store,
            actions,
            activity: Activity::new(),
            policies: Policies::following(connection.base(), store, actions),
            notifications: NotificationChoices::new(connection.base(), changes),
            named: StoredValue::new(named),
        }
    }

    /// Has all that is shown under the present owner be about this server.
    pub(crate) fn provide(self) {
        provide_context(self);
        provide_context(self.connection);
        provide_context(self.store);
        provide_context(self.actions);
        provide_context(self.activity);
        provide_context(self.policies);
        provide_context(self.notifications);
    }

    /// The place of one of its requests.
    pub(crate) fn request(self, id: RequestId) -> Route {
        Route::Request(self.of(id))
    }

    /// The place of one of its sessions.
    pub(crate) fn session(self, id: SessionId) -> Route {
        Route::Session(self.of(id))
    }

    fn of<I>(self, id: I) -> Of<I> {
        let server = self.named.get_value();
        Of { server, id }
    }
}

/// All connected servers. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Servers {
    list: RwSignal<Vec<ServerScope>>,
    requests: Memo<Vec<Asked>>,
    /// The addresses of all that were connected, in the order of their keys.
    known: StoredValue<Vec<String>>,
    owners: StoredValue<Vec<(ServerKey, Owner)>>,
    owner: StoredValue<Owner>,
    storage_lost: StoredValue<Rc<dyn Fn(Loss)>, LocalStorage>,
    /// How often the choices about notifications were changed.
    told_changes: RwSignal<usize>,
}

impl Servers {
    /// Connects to a server, and to those that a person has put beside it, until the present owner is gone.
    pub(crate) fn connecting(first: Wanted, storage_lost: Rc<dyn Fn(Loss)>) -> Self {
        let list = RwSignal::new(Vec::<ServerScope>::new());
        let requests = memo(move || {
            let mut all = Vec::new();
            for scope in &*list.read() {
                scope.store.requests().with(|requests| {
                    all.extend(requests.iter().map(|view| Asked {
                        server: scope.key,
                        view: view.clone(),
                    }));
                });
            }
            all
        });
        let servers = Self {
            list,
            requests,
            known: StoredValue::new(Vec::new()),
            owners: StoredValue::new(Vec::new()),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            storage_lost: StoredValue::new_local(storage_lost),
            told_changes: RwSignal::new(0),
        };
        let beside = beside(&first.base);
        servers.add(first);
        for wanted in beside {
            servers.add(wanted);
        }
        servers
    }

    /// The servers, in the order in which they are shown.
    pub(crate) fn list(self) -> ReadSignal<Vec<ServerScope>> {
        self.list.read_only()
    }

    /// Whether there are several: what one says of a request then names its server.
    pub(crate) fn are_several(self) -> bool {
        self.list.read().len() > 1
    }

    /// A server, while it is connected.
    pub(crate) fn get(self, key: ServerKey) -> Option<ServerScope> {
        self.list.read().iter().find(|scope| scope.key == key).copied()
    }

    /// The first of them; not tracked.
    pub(crate) fn first(self) -> ServerKey {
        self.list
            .read_untracked()
            .first()
            .map_or(ServerKey(0), |first| first.key)
    }

    /// The server that an address is about.
    pub(crate) fn named(self, server: Option<&String>) -> Option<ServerScope> {
        let list = self.list.read();
        let is_it = |scope: &&ServerScope| scope.named.with_value(|named| named.as_ref() == server);
        let found = list.iter().find(is_it);
        // The one that the page was opened with may be gone.
        found.or_else(|| list.first().filter(|_| server.is_none())).copied()
    }

    /// The request that an address is about.
    pub(crate) fn request_of(self, of: &Of<RequestId>) -> Option<RequestKey> {
        Some(self.named(of.server.as_ref())?.key.request(&of.id))
    }

    /// The place of a request.
    pub(crate) fn place_of(self, key: RequestKey) -> Route {
        untrack(|| self.get(key.server)).map_or(Route::Inbox, |scope| scope.request(key.id))
    }

    /// The requests of all servers: server by server, each oldest first.
    pub(crate) fn requests(self) -> Memo<Vec<Asked>> {
        self.requests
    }

    /// A request; not tracked.
    pub(crate) fn request(self, key: &RequestKey) -> Option<Arc<RequestView>> {
        self.requests
            .with_untracked(|all| all.iter().find(|asked| asked.is(key)).map(|asked| asked.view.clone()))
    }

    /// The same as a signal; its view has changed when another object is found.
    pub(crate) fn following(self, key: RequestKey) -> Memo<Option<Arc<RequestView>>> {
        shared(move || {
            self.requests
                .with(|all| all.iter().find(|asked| asked.is(&key)).map(|asked| asked.view.clone()))
        })
    }

    /// How many requests wait for a person.
    pub(crate) fn waiting(self) -> usize {
        self.requests
            .with(|all| all.iter().filter(|asked| asked.view.state.is_waiting()).count())
    }

    /// Whether anything has been read of any of them.
    pub(crate) fn is_read(self) -> bool {
        self.list
            .read()
            .iter()
            .any(|scope| scope.store.server().read().read.is_some())
    }

    /// Signs in anew at a server that is connected, or connects to another one beside it.
    pub(crate) fn connect(self, wanted: Wanted) {
        let is_it = |scope: &&ServerScope| scope.connection.base() == wanted.base;
        if let Some(scope) = self.list.read_untracked().iter().find(is_it) {
            return scope.connection.sign_in(wanted);
        }
        self.add(wanted);
        self.keep(None);
    }

    fn add(self, wanted: Wanted) {
        let base = wanted.base.clone();
        let key = self.key_of(&base);
        let owner = self.owner.with_value(Owner::child);
        let scope = owner.with(|| {
            let storage_lost = self.storage_lost.get_value();
            let taken: Vec<String> = self.names();
            let named = (key.0 > 0).then(|| address_name(&base, &taken));
            ServerScope::new(key, named, Connection::open(wanted, storage_lost), self.told_changes)
        });
        self.owners.update_value(|owners| owners.push((key, owner)));
        self.list.update(|list| list.push(scope));
    }

    /// Ends the connection to one of several servers. What was not delivered there stays on this device.
    pub(crate) fn disconnect(self, key: ServerKey) {
        if self.list.read_untracked().len() < 2 {
            return;
        }
        let base = untrack(|| self.get(key)).map(|scope| scope.connection.base());
        self.list.update(|list| list.retain(|scope| scope.key != key));
        self.keep(base.as_ref());
        if let Some(first) = self.list.read_untracked().first() {
            location::name_server(&first.connection.base());
        }
        let gone = self.owners.try_update_value(|owners| {
            let place = owners.iter().position(|(known, _)| *known == key)?;
            Some(owners.swap_remove(place).1)
        });
        // What shows it goes first.
        set_timeout(
            move || {
                if let Some(owner) = gone.flatten() {
                    owner.cleanup();
                }
            },
            Duration::ZERO,
        );
    }

    /// Moves a server one place up in the order in which they are shown.
    pub(crate) fn raise(self, key: ServerKey) {
        self.list.update(|list| {
            if let Some(place @ 1..) = list.iter().position(|scope| scope.key == key) {
                list.swap(place - 1, place);
            }
        });
        self.keep(None);
    }

    fn key_of(self, base: &String) -> ServerKey {
        let place = self.known.try_update_value(|known| {
            known.iter().position(|each| each == base).unwrap_or_else(|| {
                known.push(base.clone());
                known.len() - 1
            })
        });
        ServerKey(place.and_then(|place| u32::try_from(place).ok()).unwrap_or_default())
    }

    fn names(self) -> Vec<String> {
        let list = self.list.read_untracked();
        list.iter().filter_map(|scope| scope.named.get_value()).collect()
    }

    /// Remembers on this device which servers are shown together. Those that only another tab can sign in at stay.
    fn keep(self, removed: Option<&String>) {
        let list = self.list.read_untracked();
        let mut bases: Vec<String> = list.iter().map(|scope| scope.connection.base()).collect();
        for base in Settings::open().together() {
            if Some(&base) != removed && !bases.contains(&base) {
                bases.push(base);
            }
        }
        Settings::open().set_together(&bases);
    }
}

/// The servers that are shown together with this one: those that a person has connected beside it.
fn beside(base: &String) -> Vec<Wanted> {
    let settings = Settings::open();
    let together = settings.together();
    if !together.contains(base) {
        return Vec::new();
    }
    let remembered = settings.servers();
    let others = together.iter().filter(|other| *other != base);
    others
        .filter_map(|other| remembered.iter().find(|server| server.base == *other))
        .map(remembered_as_left)
        .collect()
}

/// A remembered server as it was left: its password is kept for as long as before.
pub(crate) fn remembered_as_left(server: &RememberedServer) -> Wanted {
    let settings = Settings::open();
    Wanted {
        base: server.base.clone(),
        name: server.name.clone(),
        credentials: settings.credentials(&server.base),
        keep: settings.keep(&server.base).unwrap_or(Keep::ForTab),
    }
}
