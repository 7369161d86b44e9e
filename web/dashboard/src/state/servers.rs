//! The servers that the page is connected to, each with what shows it and what acts on it.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_browser::device::settings::{Keep, RememberedServer, Settings};
use switchboard_browser::device::storage::Loss;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_core::sort_by_key;
use switchboard_core::view::RequestView;

use crate::kit::erased::memo;
use crate::kit::focus;
use crate::state::actions::Actions;
use crate::state::activity::Activity;
use crate::state::connection::{Connection, Wanted};
use crate::state::keys::{Asked, RequestKey, ServerKey};
use crate::state::location;
use crate::state::notification_choices::NotificationChoices;
use crate::state::policies::Policies;
use crate::state::route::{Of, Route};
use crate::state::store::{Store, shared};
use crate::state::workflows::Loops;
use crate::words::server_name::{address_name, distinct};

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
    /// What goes on there until it is right.
    pub(crate) loops: Loops,
    /// The policies that hold there.
    pub(crate) policies: Policies,
    notifications: NotificationChoices,
    /// Its name in addresses.
    named: StoredValue<String>,
    /// The address of the page names it before `#`: behind that, what it has goes without its name.
    is_of_page: bool,
}

impl ServerScope {
    /// Begins to show a server, until the present owner is gone.
    fn new(key: ServerKey, named: String, connection: Connection, changes: RwSignal<usize>) -> Self {
        let handle = connection.handle();
        let store = Store::following(&handle);
        let actions = Actions::new(handle);
        Self {
            key,
            connection,
            store,
            actions,
            activity: Activity::new(),
            loops: Loops::new(),
            policies: Policies::following(connection.base(), store, actions),
            notifications: NotificationChoices::new(connection.base(), changes),
            named: StoredValue::new(named),
            is_of_page: location::server() == Some(connection.base()),
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

    /// Its name in addresses.
    pub(crate) fn address_name(self) -> String {
        self.named.get_value()
    }

    /// The place of what checks and reviews one of its sessions.
    pub(crate) fn checks(self, id: SessionId) -> Route {
        Route::Checks(self.of(id))
    }

    fn of<I>(self, id: I) -> Of<I> {
        let server = (!self.is_of_page).then(|| self.address_name());
        Of { server, id }
    }
}

/// A server that was removed while the page was open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Removed {
    /// Its address.
    pub(crate) base: String,
    /// What it was called.
    pub(crate) name: String,
    /// Another tab has removed it.
    pub(crate) elsewhere: bool,
    /// Its name in addresses.
    named: String,
}

/// All connected servers. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Servers {
    list: RwSignal<Vec<ServerScope>>,
    removed: RwSignal<Vec<Removed>>,
    /// The name in addresses of the server that the page was opened with: those that name none are about it.
    of_page: StoredValue<String>,
    requests: Memo<Vec<Asked>>,
    /// The addresses of all that were connected, in the order of their keys.
    known: StoredValue<Vec<String>>,
    owners: StoredValue<Vec<(ServerKey, Owner)>>,
    owner: StoredValue<Owner>,
    storage_lost: StoredValue<Rc<dyn Fn(Loss)>, LocalStorage>,
    /// How often the choices about notifications were changed.
    told_changes: RwSignal<usize>,
    /// The one that the page of the servers is to examine.
    to_examine: StoredValue<Option<ServerKey>>,
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
            removed: RwSignal::new(Vec::new()),
            of_page: StoredValue::new(address_name(&first.base)),
            requests,
            known: StoredValue::new(Vec::new()),
            owners: StoredValue::new(Vec::new()),
            owner: StoredValue::new(Owner::current().unwrap_or_default()),
            storage_lost: StoredValue::new_local(storage_lost),
            told_changes: RwSignal::new(0),
            to_examine: StoredValue::new(None),
        };
        let beside = beside(&first.base);
        servers.add(first);
        for wanted in beside {
            servers.add(wanted);
        }
        servers.put_in_order();
        let listener = window_event_listener(leptos::ev::storage, move |_| servers.follow());
        on_cleanup(move || listener.remove());
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

    /// Whether closing the page now would lose something that was said or begun here; not tracked.
    pub(crate) fn have_unsaved(self) -> bool {
        let list = self.list.read_untracked();
        list.iter()
            .any(|scope| scope.connection.handle().has_unsaved() || scope.loops.have_unsaved())
    }

    /// A server, while it is connected.
    pub(crate) fn get(self, key: ServerKey) -> Option<ServerScope> {
        self.list.read().iter().find(|scope| scope.key == key).copied()
    }

    /// Has the page of the servers examine this one when it opens.
    pub(crate) fn examine_next(self, key: ServerKey) {
        self.to_examine.set_value(Some(key));
    }

    /// The server that is to be examined; none the next time.
    pub(crate) fn take_to_examine(self) -> Option<ServerScope> {
        let key = self.to_examine.try_update_value(Option::take)??;
        untrack(|| self.get(key))
    }

    /// The one that is shown after a server, else before it; not tracked.
    pub(crate) fn neighbour(self, key: ServerKey) -> Option<ServerKey> {
        let list = self.list.read_untracked();
        let place = list.iter().position(|scope| scope.key == key)?;
        let next = list.get(place + 1).or_else(|| list.get(place.checked_sub(1)?));
        next.map(|scope| scope.key)
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
        let named = self.address_name(server);
        let list = self.list.read();
        list.iter().find(|scope| scope.address_name() == named).copied()
    }

    /// The name of the server that an address is about.
    pub(crate) fn address_name(self, server: Option<&String>) -> String {
        server.cloned().unwrap_or_else(|| self.of_page.get_value())
    }

    /// A server that was removed, by its name in addresses.
    pub(crate) fn removed(self, named: &str) -> Option<Removed> {
        self.removed.read().iter().find(|server| server.named == named).cloned()
    }

    /// The server that another tab has removed last.
    pub(crate) fn removed_elsewhere(self) -> Option<Removed> {
        self.removed.read().iter().rfind(|server| server.elsewhere).cloned()
    }

    /// A person knows that other tabs have removed servers.
    pub(crate) fn note_removed(self) {
        self.removed.update(|removed| {
            for server in removed {
                server.elsewhere = false;
            }
        });
    }

    /// Connects anew to a server that was removed, as it was left.
    pub(crate) fn connect_again(self, removed: &Removed) {
        let Removed { base, name, .. } = removed.clone();
        let known = Settings::open().known(&base);
        self.connect(remembered_as_left(&RememberedServer {
            name: Some(name),
            ..known.unwrap_or_else(|| unknown(base))
        }));
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
        self.follow();
    }

    fn add(self, wanted: Wanted) {
        let base = wanted.base.clone();
        let key = self.key_of(&base);
        let others = self.names_besides(None);
        let wanted = Wanted {
            name: wanted.name.map(|name| distinct(&name, &base, &others)),
            ..wanted
        };
        let owner = self.owner.with_value(Owner::child);
        let scope = owner.with(|| {
            let storage_lost = self.storage_lost.get_value();
            let named = address_name(&base);
            ServerScope::new(key, named, Connection::open(wanted, storage_lost), self.told_changes)
        });
        self.owners.update_value(|owners| owners.push((key, owner)));
        if self
            .removed
            .with_untracked(|removed| removed.iter().any(|server| server.base == base))
        {
            self.removed
                .update(|removed| removed.retain(|server| server.base != base));
        }
        self.list.update(|list| list.push(scope));
    }

    /// Ends the connection to one of several servers. What was not delivered there stays on this device.
    pub(crate) fn disconnect(self, key: ServerKey) {
        if self.list.read_untracked().len() < 2 {
            return;
        }
        if let Some(scope) = untrack(|| self.get(key)) {
            self.end(scope, false);
            self.keep(Some(&scope.connection.base()));
        }
    }

    /// Calls a server by another name. A blank one is its address, and one that another server has gets its host.
    pub(crate) fn rename(self, key: ServerKey, name: &str) {
        if let Some(scope) = untrack(|| self.get(key)) {
            let others = self.names_besides(Some(key));
            scope
                .connection
                .rename(&distinct(name.trim(), &scope.connection.base(), &others));
        }
    }

    fn names_besides(self, key: Option<ServerKey>) -> Vec<String> {
        let list = self.list.read_untracked();
        let others = list.iter().filter(|scope| Some(scope.key) != key);
        untrack(|| others.map(|scope| scope.connection.name()).collect())
    }

    /// Forgets the name of a server, its password and what was chosen for it, and ends the connection to it, also in other
    /// tabs. The last one stays connected until the page is closed. What was written or happened there stays on this device.
    pub(crate) fn forget(self, key: ServerKey) {
        if let Some(scope) = untrack(|| self.get(key)) {
            Settings::open().forget(&scope.connection.base());
            self.disconnect(key);
        }
    }

    fn end(self, scope: ServerScope, elsewhere: bool) {
        let (key, base, named) = (scope.key, scope.connection.base(), scope.address_name());
        self.removed.update(|removed| {
            removed.push(Removed {
                name: untrack(|| scope.connection.name()),
                base: base.clone(),
                elsewhere,
                named: named.clone(),
            });
        });
        self.list.update(|list| list.retain(|scope| scope.key != key));
        if let Some(first) = self.list.read_untracked().first()
            && location::server() == Some(base)
        {
            location::move_to_server(&first.connection.base(), &named);
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

    /// Puts them in the order that a person has given them.
    fn put_in_order(self) {
        let together = Settings::open().together();
        let place = |scope: &ServerScope| place_in(&together, &scope.connection.base());
        if !self.list.read_untracked().is_sorted_by_key(place) {
            self.list.update(|list| sort_by_key(list, place));
        }
    }

    /// Takes over what another tab has made of the servers: their names, which they are, and their order. A tab that shows
    /// none of those that are shown together stays as it is.
    fn follow(self) {
        let together = Settings::open().together();
        let shown = self.list.get_untracked();
        for scope in &shown {
            scope.connection.follow_name();
        }
        let is_listed = |scope: &&ServerScope| place_in(&together, &scope.connection.base()).is_some();
        if !shown.iter().any(|scope| is_listed(&scope)) {
            return;
        }
        focus::hold(|| {
            let is_new = |server: &&RememberedServer| shown.iter().all(|scope| scope.connection.base() != server.base);
            for server in together.iter().filter(is_new) {
                self.add(remembered_as_left(server));
            }
            for scope in shown.iter().filter(|scope| !is_listed(scope)) {
                self.end(*scope, true);
            }
            self.put_in_order();
        });
    }

    /// Remembers on this device which servers are shown together. Those that another tab has put beside them stay.
    fn keep(self, removed: Option<&String>) {
        let settings = Settings::open();
        let mut together = self.remembered();
        for other in settings.together() {
            if Some(&other.base) != removed && together.iter().all(|shown| shown.base != other.base) {
                together.push(other);
            }
        }
        settings.set_together(&together);
    }

    /// What is remembered of each, in the order in which they are shown.
    pub(crate) fn remembered(self) -> Vec<RememberedServer> {
        let settings = Settings::open();
        let list = self.list.read_untracked();
        let bases = list.iter().map(|scope| scope.connection.base());
        bases
            .map(|base| settings.known(&base).unwrap_or_else(|| unknown(base)))
            .collect()
    }

    /// Connects to those of a list that are not connected, each as it was left here. Returns how many that are.
    pub(crate) fn connect_all(self, list: Vec<RememberedServer>) -> usize {
        let connected = self.remembered();
        let is_new = |server: &RememberedServer| connected.iter().all(|known| known.base != server.base);
        let new: Vec<_> = list.into_iter().filter(is_new).collect();
        let count = new.len();
        self.keep(None);
        let settings = Settings::open();
        let mut together = settings.together();
        for server in &new {
            if together.iter().all(|known| known.base != server.base) {
                together.push(server.clone());
            }
        }
        settings.set_together(&together);
        for server in new {
            self.add(remembered_as_left(&settings.known(&server.base).unwrap_or(server)));
        }
        count
    }
}

/// The servers that are shown together with this one: those that a person has connected beside it.
fn beside(base: &String) -> Vec<Wanted> {
    let settings = Settings::open();
    let together = settings.together();
    if together.iter().all(|server| server.base != *base) {
        return Vec::new();
    }
    let others = together.iter().filter(|other| other.base != *base);
    others.map(remembered_as_left).collect()
}

fn place_in(servers: &[RememberedServer], base: &str) -> Option<usize> {
    servers.iter().position(|server| server.base == base)
}

/// A server of which nothing is remembered: this browser keeps nothing.
fn unknown(base: String) -> RememberedServer {
    RememberedServer {
        base,
        name: None,
        username: None,
    }
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
