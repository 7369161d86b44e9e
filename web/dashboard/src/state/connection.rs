//! A connected server, as the page holds it.

use std::rc::Rc;

use leptos::prelude::*;
use switchboard_core::Handle;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::ports::{ReadError, StoreError};
use switchboard_core::workflow::WorkflowStore;

use crate::words::server_name::short_name;
use switchboard_browser::device::activity::Happening;
use switchboard_browser::device::settings::{Keep, RememberedServer, Settings};
use switchboard_browser::device::storage::Loss;
use switchboard_browser::formats::Changes;
use switchboard_browser::opencode::http::{Credentials, Offer};
use switchboard_browser::server::{Server, ServerConfig, is_log_wanted};

/// A server that answers, and how to sign in there.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Its normalised address.
    pub(crate) base: String,
    /// What it is called, where it has a name.
    pub(crate) name: Option<String>,
    /// User and password, if it wants them.
    pub(crate) credentials: Option<Credentials>,
    /// How long to keep the password.
    pub(crate) keep: Keep,
}

/// A connected server. Comes from context. It ends with the owner it was made in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connection {
    server: StoredValue<Rc<Server>, LocalStorage>,
    base: StoredValue<String>,
    name: RwSignal<String>,
    /// The name that every tab of this device was last known to have for it; none while it is shared with none.
    shared_name: StoredValue<Option<Option<String>>>,
}

impl Connection {
    /// Connects, and remembers the server.
    pub(crate) fn open(wanted: Wanted, storage_lost: Rc<dyn Fn(Loss)>) -> Self {
        let name = remember(&wanted).unwrap_or_else(|| short_name(&wanted.base));
        let Wanted { base, credentials, .. } = wanted;
        let server = Server::connect(ServerConfig {
            unattended: Settings::open().unattended(&base),
            base: base.clone(),
            credentials,
            directory: None,
            log: is_log_wanted(),
            storage_lost,
        });
        Self {
            server: StoredValue::new_local(Rc::new(server)),
            shared_name: StoredValue::new(shared_name(&base)),
            base: StoredValue::new(base),
            name: RwSignal::new(name),
        }
    }

    /// The board of the server.
    pub(crate) fn handle(self) -> Handle {
        self.server.with_value(|server| server.handle().clone())
    }

    /// The address of the server.
    pub(crate) fn base(self) -> String {
        self.base.get_value()
    }

    /// What the server is called.
    pub(crate) fn name(self) -> String {
        self.name.get()
    }

    /// Calls it by another name, here and after a reload; a blank one is its address.
    pub(crate) fn rename(self, name: &str) {
        let base = self.base();
        let name = Some(name.trim()).filter(|name| !name.is_empty());
        Settings::open().rename(&base, name);
        self.call(name);
    }

    /// Takes the name that another tab has given it.
    pub(crate) fn follow_name(self) {
        let base = self.base();
        let shared = shared_name(&base);
        let before = self
            .shared_name
            .try_update_value(|known| std::mem::replace(known, shared.clone()));
        if before.as_ref() == Some(&shared) {
            return;
        }
        // Where it was shared with none, this tab may know its name when the others do not.
        let is_renamed = matches!(before, Some(Some(_)));
        if let Some(name) = shared.filter(|name| is_renamed || name.is_some()) {
            Settings::open().rename_in_tab(&base, name.as_deref());
            self.call(name.as_deref());
        }
    }

    fn call(self, name: Option<&str>) {
        let name = name.map_or_else(|| short_name(&self.base()), str::to_owned);
        if *self.name.read_untracked() != name {
            self.name.set(name);
        }
    }

    /// Reads what a prompt may name in a directory.
    pub(crate) fn offer(self, directory: &Directory) -> impl Future<Output = Result<Offer, ReadError>> + use<> {
        self.server.with_value(|server| server.offer(directory))
    }

    /// Where the workflows of the server outlive the page.
    pub(crate) fn workflows(self) -> Option<Rc<dyn WorkflowStore>> {
        self.server.with_value(|server| server.workflows())
    }

    /// Reads which commands probably check the project in a directory.
    pub(crate) fn suggested_checks(
        self,
        directory: &Directory,
    ) -> impl Future<Output = Result<Vec<String>, ReadError>> + use<> {
        self.server.with_value(|server| server.suggested_checks(directory))
    }

    /// Reads what a session has changed.
    pub(crate) fn session_changes(
        self,
        session: &SessionId,
        directory: &Directory,
    ) -> impl Future<Output = Result<Changes, ReadError>> + use<> {
        self.server
            .with_value(|server| server.session_changes(session, directory))
    }

    /// What happened on the server, as far as this device has kept it.
    pub(crate) fn activity(self) -> impl Future<Output = Result<Vec<Happening>, StoreError>> + use<> {
        self.server.with_value(|server| server.activity())
    }

    /// Keeps what happened.
    pub(crate) fn keep_activity(self, happening: Happening) {
        self.server.with_value(|server| server.keep_activity(happening));
    }

    /// How many answers and prompts on this device another version of the page has written.
    pub(crate) fn not_understood(self) -> usize {
        self.server.with_value(|server| server.not_understood())
    }

    /// Signs in anew.
    pub(crate) fn sign_in(self, wanted: Wanted) {
        remember(&wanted);
        self.server
            .with_value(|server| server.set_credentials(wanted.credentials));
    }
}

fn shared_name(base: &str) -> Option<Option<String>> {
    Settings::open().shared(base).map(|server| server.name)
}

/// Remembers a server. Returns its name, if it has one, or had one before.
fn remember(wanted: &Wanted) -> Option<String> {
    let settings = Settings::open();
    let known = settings.known(&wanted.base);
    let (known_name, known_user) = known.map(|known| (known.name, known.username)).unwrap_or_default();
    let name = wanted.name.clone().or(known_name);
    let credentials = wanted.credentials.as_ref();
    let server = RememberedServer {
        base: wanted.base.clone(),
        name: name.clone(),
        username: credentials.map(|known| known.username.clone()).or(known_user),
    };
    settings.remember(server, wanted.credentials.as_ref(), wanted.keep);
    name
}
