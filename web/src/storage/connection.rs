//! The connection to the database: opened when it is needed, and let go of when a newer version of the page wants it.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use futures::lock::Mutex;
use gloo_events::EventListener;
use js_sys::{Array, Reflect};
use switchboard_core::runtime::StoreError;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbDatabase, IdbFactory, IdbObjectStoreParameters, IdbOpenDbRequest};

use super::outcome::{failure, result_of};
use super::row::{ENDED, OPEN};
use super::transaction::{Mode, Transaction};
use super::{DRAFTS, ENTRIES, FIGURES, LEASES, LINKS};

/// The name of the database.
const NAME: &str = "switchboard";
/// The version of its object stores and indexes.
const VERSION: u32 = 2;

/// The connection of one store.
pub(super) struct Connection {
    state: Rc<RefCell<State>>,
    opening: Mutex<()>,
    superseded: Rc<dyn Fn()>,
}

enum State {
    Closed,
    Open(Open),
    /// A newer version of the page has the database.
    Superseded,
}

struct Open {
    database: IdbDatabase,
    _listeners: [EventListener; 2],
}

impl Connection {
    pub(super) fn new(superseded: Rc<dyn Fn()>) -> Self {
        Self {
            state: Rc::new(RefCell::new(State::Closed)),
            opening: Mutex::new(()),
            superseded,
        }
    }

    /// Begins a transaction, on a new connection if need be.
    pub(super) async fn begin(&self, stores: &[&str], mode: Mode) -> Result<Transaction, StoreError> {
        let _one_at_a_time = self.opening.lock().await;
        let is_closed = matches!(*self.state.borrow(), State::Closed);
        if is_closed {
            let open = self.open().await?;
            *self.state.borrow_mut() = State::Open(open);
        }
        match &*self.state.borrow() {
            State::Open(open) => Transaction::begin(&open.database, stores, mode),
            State::Closed => Err(StoreError("the browser has closed it".to_owned())),
            State::Superseded => Err(StoreError(
                "a newer version of this page is open: reload the page".to_owned(),
            )),
        }
    }

    async fn open(&self) -> Result<Open, StoreError> {
        let request = factory()?
            .open_with_u32(NAME, VERSION)
            .map_err(|error| failure(&error))?;
        let upgrade = {
            let request = request.clone();
            EventListener::once(&request.clone(), "upgradeneeded", move |_| {
                if make_stores(&request).is_err() {
                    request.transaction().map(|upgrade| upgrade.abort());
                }
            })
        };
        let database: IdbDatabase = result_of(&request).await?.unchecked_into();
        drop(upgrade);
        let superseded = Rc::clone(&self.superseded);
        let (let_go, forget) = (Rc::downgrade(&self.state), Rc::downgrade(&self.state));
        let _listeners = [
            EventListener::once(&database, "versionchange", move |_| {
                replace(&let_go, State::Superseded);
                superseded();
            }),
            EventListener::once(&database, "close", move |_| replace(&forget, State::Closed)),
        ];
        Ok(Open { database, _listeners })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.database.close();
    }
}

fn replace(state: &Weak<RefCell<State>>, by: State) {
    if let Some(state) = state.upgrade() {
        drop(state.replace(by));
    }
}

fn factory() -> Result<IdbFactory, StoreError> {
    Reflect::get(&js_sys::global(), &"indexedDB".into())
        .ok()
        .and_then(|found| found.dyn_into().ok())
        .ok_or_else(|| StoreError("there is no IndexedDB here".to_owned()))
}

/// The object stores of [`VERSION`] 2, as far as an older version has not made them. Rows are told apart by server and id.
fn make_stores(request: &IdbOpenDbRequest) -> Result<(), JsValue> {
    let database: IdbDatabase = request.result()?.unchecked_into();
    let by_server_and_id = IdbObjectStoreParameters::new();
    by_server_and_id.set_key_path(&path(&["server", "id"]));
    let made = database.object_store_names();
    let links = database.create_object_store_with_optional_parameters(LINKS, &by_server_and_id)?;
    links.create_index_with_str_sequence(ENDED, &path(&["server", "format", "ended"]))?;
    if made.contains(ENTRIES) {
        return Ok(());
    }
    let entries = database.create_object_store_with_optional_parameters(ENTRIES, &by_server_and_id)?;
    entries.create_index_with_str_sequence(OPEN, &path(&["server", "open"]))?;
    entries.create_index_with_str_sequence(ENDED, &path(&["server", "format", "ended"]))?;
    database.create_object_store_with_optional_parameters(DRAFTS, &by_server_and_id)?;
    database.create_object_store_with_optional_parameters(LEASES, &by_server_and_id)?;
    let figures = database.create_object_store_with_optional_parameters(FIGURES, &by_server_and_id)?;
    figures.create_index_with_str_sequence(ENDED, &path(&["server", "format", "ended"]))?;
    Ok(())
}

fn path(names: &[&str]) -> Array {
    names.iter().map(|name| JsValue::from(*name)).collect()
}
