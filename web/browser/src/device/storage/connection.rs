//! The connection to the database: opened when it is needed, and let go of when another version of the page wants it.
//!
//! The browser may take for ever to open a database: an older version of the page in another tab has to let go of it
//! first. Nobody waits for that: the caller gets an error, and the connection is used once it is there.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::{Either, LocalBoxFuture, Shared, select};
use gloo_events::EventListener;
use js_sys::{Array, Reflect};
use switchboard_core::Clock;
use switchboard_core::ports::StoreError;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbDatabase, IdbFactory, IdbObjectStoreParameters, IdbOpenDbRequest, IdbVersionChangeEvent};

use super::outcome::{failure, result_of};
use super::row::{ENDED, OPEN};
use super::transaction::{Mode, Transaction};
use super::{ACTIVITY, DRAFTS, ENTRIES, FIGURES, LEASES, LINKS, Loss, WORKFLOWS};
use crate::platform::task::detached;

/// The name of the database.
const NAME: &str = "switchboard";
/// The version of its object stores and indexes.
const VERSION: u32 = 4;
/// How long a caller waits for the database to be opened.
const PATIENCE: Duration = Duration::from_secs(5);

/// The connection of one store.
pub(super) struct Connection(Rc<Inner>);

struct Inner {
    state: RefCell<State>,
    clock: Rc<dyn Clock>,
    lost: Rc<dyn Fn(Loss)>,
}

enum State {
    /// Not open. Data that was there before the connection was lost is missed if it is gone.
    Closed {
        was_open: bool,
    },
    Opening(Opening),
    Open(Open),
    /// A newer version of the page has the database.
    Superseded,
}

/// Ends when the database is open, or cannot be opened.
type Opening = Shared<LocalBoxFuture<'static, Result<(), StoreError>>>;

struct Open {
    database: IdbDatabase,
    _listeners: [EventListener; 2],
}

impl Connection {
    pub(super) fn new(clock: Rc<dyn Clock>, lost: Rc<dyn Fn(Loss)>) -> Self {
        Self(Rc::new(Inner {
            state: RefCell::new(State::Closed { was_open: false }),
            clock,
            lost,
        }))
    }

    /// Begins a transaction, on a new connection if need be.
    pub(super) async fn begin(&self, stores: &[&str], mode: Mode) -> Result<Transaction, StoreError> {
        if let Some(opening) = self.0.opening() {
            let deadline = self.0.clock.now() + PATIENCE;
            match select(opening, self.0.clock.sleep_until(deadline)).await {
                Either::Left((opened, _)) => opened?,
                Either::Right(((), _)) => return Err(StoreError::Failed("the browser does not open it".to_owned())),
            }
        }
        match &*self.0.state.borrow() {
            State::Open(open) => Transaction::begin(&open.database, stores, mode),
            State::Closed { .. } | State::Opening(_) => Err(StoreError::Failed("the browser has closed it".to_owned())),
            State::Superseded => Err(StoreError::NewerVersion),
        }
    }
}

impl Inner {
    /// The opening that is under way, begun if need be; none when there is nothing to open.
    fn opening(self: &Rc<Self>) -> Option<Opening> {
        let was_open = match &*self.state.borrow() {
            State::Open(_) | State::Superseded => return None,
            State::Opening(opening) => return Some(opening.clone()),
            State::Closed { was_open } => *was_open,
        };
        let (tell, told) = oneshot::channel();
        let work = detached(Rc::clone(self).open(was_open, tell));
        let opening = async move {
            match select(work.boxed_local(), told).await {
                Either::Left((opened, _)) => opened,
                Either::Right((Ok(()), _)) => Err(StoreError::OlderVersion),
                Either::Right((Err(_), work)) => work.await,
            }
        };
        let opening = opening.boxed_local().shared();
        *self.state.borrow_mut() = State::Opening(opening.clone());
        Some(opening)
    }

    /// Opens the database. `blocked` hears when another tab does not let go of it; the work goes on.
    async fn open(self: Rc<Self>, was_open: bool, blocked: oneshot::Sender<()>) -> Result<(), StoreError> {
        let opened = connect(blocked).await;
        let state = match &opened {
            Ok((database, _)) => State::Open(self.hold(database.clone())),
            Err(_) => State::Closed { was_open },
        };
        *self.state.borrow_mut() = state;
        let (_, is_new) = opened?;
        if was_open && is_new {
            (self.lost)(Loss::Cleared);
        }
        Ok(())
    }

    fn hold(self: &Rc<Self>, database: IdbDatabase) -> Open {
        let (inner, closed) = (Rc::downgrade(self), Rc::downgrade(self));
        let _listeners = [
            EventListener::once(&database, "versionchange", move |event| {
                let is_deleted = event
                    .dyn_ref::<IdbVersionChangeEvent>()
                    .is_some_and(|event| event.new_version().is_none());
                let (state, loss) = if is_deleted {
                    (State::Closed { was_open: false }, Loss::Cleared)
                } else {
                    (State::Superseded, Loss::Superseded)
                };
                replace(&inner, state);
                if let Some(inner) = inner.upgrade() {
                    (inner.lost)(loss);
                }
            }),
            EventListener::once(&database, "close", move |_| {
                replace(&closed, State::Closed { was_open: true })
            }),
        ];
        Open { database, _listeners }
    }
}

/// Opens the database, and tells whether there was none.
async fn connect(blocked: oneshot::Sender<()>) -> Result<(IdbDatabase, bool), StoreError> {
    let request = factory()?
        .open_with_u32(NAME, VERSION)
        .map_err(|error| failure(&error))?;
    let is_new = Rc::new(Cell::new(false));
    let _upgrade = {
        let (request, is_new) = (request.clone(), Rc::clone(&is_new));
        EventListener::once(&request.clone(), "upgradeneeded", move |event| {
            let version = event
                .dyn_ref::<IdbVersionChangeEvent>()
                .map_or(0.0, IdbVersionChangeEvent::old_version);
            is_new.set(version == 0.0);
            if upgrade(&request, version as u32).is_err() {
                request.transaction().map(|upgrade| upgrade.abort());
            }
        })
    };
    let _blocked = EventListener::once(&request, "blocked", move |_| {
        let _nobody_waits = blocked.send(());
    });
    let database: IdbDatabase = result_of(&request).await?.unchecked_into();
    Ok((database, is_new.get()))
}

impl Drop for Open {
    fn drop(&mut self) {
        self.database.close();
    }
}

fn replace(inner: &Weak<Inner>, by: State) {
    if let Some(inner) = inner.upgrade() {
        drop(inner.state.replace(by));
    }
}

fn factory() -> Result<IdbFactory, StoreError> {
    Reflect::get(&js_sys::global(), &"indexedDB".into())
        .ok()
        .and_then(|found| found.dyn_into().ok())
        .ok_or_else(|| StoreError::Failed("there is no IndexedDB here".to_owned()))
}

/// Takes each step from `version` to [`VERSION`]. Rows are told apart by server and id.
fn upgrade(request: &IdbOpenDbRequest, version: u32) -> Result<(), JsValue> {
    let database: IdbDatabase = request.result()?.unchecked_into();
    let make = |name: &str| {
        let by_server_and_id = IdbObjectStoreParameters::new();
        by_server_and_id.set_key_path(&path(&["server", "id"]));
        database.create_object_store_with_optional_parameters(name, &by_server_and_id)
    };
    let by_end = path(&["server", "format", "ended"]);
    if version < 1 {
        let entries = make(ENTRIES)?;
        entries.create_index_with_str_sequence(OPEN, &path(&["server", "open"]))?;
        entries.create_index_with_str_sequence(ENDED, &by_end)?;
        make(DRAFTS)?;
        make(LEASES)?;
        make(FIGURES)?.create_index_with_str_sequence(ENDED, &by_end)?;
    }
    if version < 2 {
        make(LINKS)?.create_index_with_str_sequence(ENDED, &by_end)?;
    }
    if version < 3 {
        make(ACTIVITY)?.create_index_with_str_sequence(ENDED, &by_end)?;
    }
    if version < 4 {
        make(WORKFLOWS)?.create_index_with_str_sequence(ENDED, &by_end)?;
    }
    Ok(())
}

fn path(names: &[&str]) -> Array {
    names.iter().map(|name| JsValue::from(*name)).collect()
}
