//! Puts one server together: the way to it, the clock, the store, the other tabs, its events, and the engine.

mod log;
mod reader;

use std::cell::{OnceCell, RefCell};
use std::fmt;
use std::rc::Rc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, Shared};
use switchboard_core::log::Record;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::policy::Unattended;
use switchboard_core::ports::{ReadError, Store, StoreError, Wake};
use switchboard_core::workflow::WorkflowStore;
use switchboard_core::{Clock, Config, Handle, connect};

use crate::device::activity::Happening;
use crate::device::storage::{IdbStore, Loss, Notices};
use crate::formats::Changes;
use crate::opencode::http::{Credentials, Fetch, FetchTransport, Offer, SharedCredentials, Tap};
use crate::platform::clock::BrowserClock;
use crate::platform::page::{PageEvent, PageWatch, is_visible};
use crate::platform::task::detached;
use crate::tabs::{Channel, Message, Tabs};
use reader::Reader;

pub use log::is_log_wanted;

/// Which server, and how.
pub struct ServerConfig {
    /// Its address, as [`crate::opencode::probe::normalise_address`] gives it.
    pub base: String,
    /// The name and password, if it wants them.
    pub credentials: Option<Credentials>,
    /// Shows this directory alone. Defaults to all of the server.
    pub directory: Option<Directory>,
    /// What happens to requests that nobody answers.
    pub unattended: Unattended,
    /// Writes each decision to the console.
    pub log: bool,
    /// Called when the storage is no longer what it was.
    pub storage_lost: Rc<dyn Fn(Loss)>,
}

/// Takes the records of a log.
pub type Log = Rc<dyn Fn(&Record)>;

/// What stands in for parts of the browser.
#[derive(Default)]
pub struct Outside {
    /// Makes the requests.
    pub fetch: Fetch,
    /// Takes the records of the log, in place of the console.
    pub log: Option<Log>,
    /// Keeps the ledger, in place of IndexedDB. Its owner shares nothing with other tabs.
    pub store: Option<Rc<dyn Store>>,
}

/// A server that is connected. Dropping it closes it.
pub struct Server {
    handle: Handle,
    /// Resolves when the store has what was said before the end.
    ended: Shared<LocalBoxFuture<'static, ()>>,
    /// None where another store stands in for it.
    store: Option<Rc<IdbStore>>,
    reader: Rc<Reader>,
    transport: FetchTransport,
    senses: RefCell<Option<Senses>>,
}

/// What an open server hears of.
struct Senses {
    _tabs: Rc<OnceCell<Tabs>>,
    _page: PageWatch,
}

impl Server {
    /// Connects. It never fails: a server that cannot be reached is tried again until this is dropped.
    #[must_use]
    pub fn connect(config: ServerConfig) -> Self {
        Self::connect_over(config, Outside::default())
    }

    /// Connects over something else than what the browser has.
    #[must_use]
    pub fn connect_over(config: ServerConfig, outside: Outside) -> Self {
        let ServerConfig {
            base,
            credentials,
            directory,
            unattended,
            log,
            storage_lost,
        } = config;
        let clock: Rc<dyn Clock> = Rc::new(BrowserClock::new());
        let credentials = SharedCredentials::new(credentials);
        let group = group(&base, directory.as_ref());
        let channel = match outside.store {
            Some(_) => Channel::closed(),
            None => Channel::open(&group),
        };
        let tabs = Rc::new(OnceCell::new());

        let transport = FetchTransport::new(&base, credentials.clone(), Rc::clone(&clock))
            .with_fetch(outside.fetch.clone())
            .with_tap(tap(&tabs));
        let (store, idb): (Rc<dyn Store>, _) = match outside.store {
            Some(store) => (store, None),
            None => {
                let store = Rc::new(IdbStore::new(&base, Rc::clone(&clock), notices(&channel, storage_lost)));
                (store.clone(), Some(store))
            }
        };
        let mut settings = Config::new(seed());
        settings.directory = directory;
        settings.unattended = unattended;
        let (handle, driver) = connect(
            settings,
            Rc::new(transport.clone()),
            Rc::clone(&clock),
            store,
            outside.log.unwrap_or_else(|| log::sink(log)),
        );
        let ended = detached(driver).boxed_local().shared();

        let reader = Rc::new(Reader::new(
            base,
            credentials,
            outside.fetch,
            Rc::clone(&clock),
            handle.clone(),
            &tabs,
        ));
        let joined = {
            let reader = Rc::clone(&reader);
            Tabs::join(&group, channel, clock, move |event| reader.hear(event))
        };
        tabs.get_or_init(|| joined);
        handle.set_visible(is_visible());
        let senses = Senses {
            _page: watch(&handle, &tabs),
            _tabs: tabs,
        };
        Self {
            handle,
            ended,
            store: idb,
            reader,
            transport,
            senses: RefCell::new(Some(senses)),
        }
    }

    /// The board of this server.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Gives another name and password. They count at once, also for what waits for them.
    pub fn set_credentials(&self, credentials: Option<Credentials>) {
        self.reader.set_credentials(credentials);
    }

    /// How many unfinished entries on this device were written by another version of this page, and are left alone.
    #[must_use]
    pub fn not_understood(&self) -> usize {
        self.store.as_ref().map_or(0, |store| store.not_understood())
    }

    /// What happened on this server, as far as this device has kept it.
    pub fn activity(&self) -> impl Future<Output = Result<Vec<Happening>, StoreError>> + use<> {
        let store = self.store.clone();
        async move {
            match store {
                Some(store) => store.load_activity().await,
                None => Ok(Vec::new()),
            }
        }
    }

    /// Keeps what happened on this device. A failure is not told: the store has its own way to say that it keeps nothing.
    pub fn keep_activity(&self, happening: Happening) {
        if let Some(store) = &self.store {
            // It goes on without its future.
            drop(store.keep_activity(happening));
        }
    }

    /// Where the workflows of this server outlive the page; none where another store stands in for that of this device. Each
    /// call opens a channel of its own to the other tabs.
    #[must_use]
    pub fn workflows(&self) -> Option<Rc<dyn WorkflowStore>> {
        let store = self.store.as_ref()?;
        Some(Rc::new(store.workflows()))
    }

    /// Reads what a prompt may name in a directory. Dropping the future ends the requests.
    pub fn offer(&self, directory: &Directory) -> impl Future<Output = Result<Offer, ReadError>> + use<> {
        self.transport.clone().offer(directory.clone())
    }

    /// The commands that probably check the project in a directory. Dropping the future ends the requests.
    pub fn suggested_checks(
        &self,
        directory: &Directory,
    ) -> impl Future<Output = Result<Vec<String>, ReadError>> + use<> {
        self.transport.clone().suggested_checks(directory.clone())
    }

    /// Reads the changes of a session, for reviewers. Dropping the future ends the requests.
    pub fn session_changes(
        &self,
        session: &SessionId,
        directory: &Directory,
    ) -> impl Future<Output = Result<Changes, ReadError>> + use<> {
        self.transport
            .clone()
            .session_changes(session.clone(), directory.clone())
    }

    /// Ends everything; twice is fine. What was not delivered is in the store, and the next connection goes on with it.
    pub fn close(&self) {
        self.handle.close();
        self.reader.close();
        drop(self.senses.take());
    }

    /// Resolves when the server was closed and the store has what was said before, 2 s later at most.
    pub fn ended(&self) -> impl Future<Output = ()> + use<> {
        self.ended.clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Server")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Outside {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Outside")
            .field("fetch", &self.fetch)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerConfig")
            .field("base", &self.base)
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}

/// Tabs that show different parts of a server cannot read for each other.
fn group(base: &str, directory: Option<&Directory>) -> String {
    match directory {
        Some(directory) => format!("{base} {directory}"),
        None => base.to_owned(),
    }
}

fn tap(tabs: &Rc<OnceCell<Tabs>>) -> Tap {
    let tabs = Rc::downgrade(tabs);
    Rc::new(move |shared| {
        if let Some(tabs) = tabs.upgrade().as_deref().and_then(OnceCell::get) {
            tabs.show(shared);
        }
    })
}

fn notices(channel: &Channel, lost: Rc<dyn Fn(Loss)>) -> Notices {
    let channel = channel.clone();
    Notices {
        committed: Box::new(move || channel.post(&Message::Ledger)),
        lost,
    }
}

fn watch(handle: &Handle, tabs: &Rc<OnceCell<Tabs>>) -> PageWatch {
    let (handle, tabs) = (handle.clone(), Rc::downgrade(tabs));
    PageWatch::begin(move |event| match event {
        PageEvent::Focus => handle.wake(Wake::Focus),
        PageEvent::Visible(is_visible) => {
            handle.set_visible(is_visible);
            if let Some(tabs) = tabs.upgrade().as_deref().and_then(OnceCell::get) {
                tabs.set_visible(is_visible);
            }
        }
    })
}

/// Where the ids of this connection come from; as many bits as a random number of JavaScript has.
fn seed() -> u64 {
    (js_sys::Math::random() * 2_f64.powi(53)) as u64
}
