//! One transaction of IndexedDB, as futures.
//!
//! The browser commits a transaction as soon as nothing more is asked of it. So ask, await the answer, and ask again in
//! the same breath; then await [`Transaction::completed`]. Only that is durable.

use js_sys::{Array, Object, Reflect};
use switchboard_core::ports::StoreError;
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransaction};

use super::outcome::{Answer, FirstOf, failure, result_of};

/// How much must have happened before the browser calls a transaction complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// It is on the disk, and survives a power cut.
    Strict,
    /// It is with the operating system, and survives a crash of the browser.
    Relaxed,
}

/// What a transaction may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Read,
    Write(Durability),
}

/// One transaction. Dropping it neither completes nor aborts it.
pub(super) struct Transaction {
    inner: IdbTransaction,
    end: FirstOf,
}

#[wasm_bindgen]
extern "C" {
    /// A database whose transactions take options: web-sys counts these as unstable.
    #[wasm_bindgen(extends = Object)]
    type WithOptions;

    #[wasm_bindgen(method, catch)]
    fn transaction(this: &WithOptions, stores: &Array, mode: &str, options: &Object)
    -> Result<IdbTransaction, JsValue>;
}

impl Transaction {
    pub(super) fn begin(database: &IdbDatabase, stores: &[&str], mode: Mode) -> Result<Self, StoreError> {
        let (mode, durability) = match mode {
            Mode::Read => ("readonly", "default"),
            Mode::Write(Durability::Strict) => ("readwrite", "strict"),
            Mode::Write(Durability::Relaxed) => ("readwrite", "relaxed"),
        };
        let options = Object::new();
        Reflect::set(&options, &"durability".into(), &durability.into()).map_err(|error| failure(&error))?;
        let stores: Array = stores.iter().map(|store| JsValue::from(*store)).collect();
        let inner = database
            .unchecked_ref::<WithOptions>()
            .transaction(&stores, mode, &options)
            .map_err(|error| failure(&error))?;
        // A failure while committing is told by `abort` alone.
        let end = FirstOf::new(&inner, "complete", "abort");
        Ok(Self { inner, end })
    }

    pub(super) async fn get(&self, store: &str, key: &JsValue) -> Result<JsValue, StoreError> {
        self.ask(store, |store| store.get(key))?.await
    }

    pub(super) fn all(&self, store: &str, range: &IdbKeyRange) -> Result<Answer, StoreError> {
        self.ask(store, |store| store.get_all_with_key(range))
    }

    pub(super) fn all_by_index(&self, store: &str, index: &str, range: &IdbKeyRange) -> Result<Answer, StoreError> {
        self.ask(store, |store| store.index(index)?.get_all_with_key(range))
    }

    pub(super) fn keys(&self, store: &str, range: &IdbKeyRange) -> Result<Answer, StoreError> {
        self.ask(store, |store| store.get_all_keys_with_key(range))
    }

    /// The keys of rows, found by an index.
    pub(super) fn keys_by_index(&self, store: &str, index: &str, range: &IdbKeyRange) -> Result<Answer, StoreError> {
        self.ask(store, |store| store.index(index)?.get_all_keys_with_key(range))
    }

    /// Writes a row that must be new: otherwise the whole transaction fails.
    pub(super) fn add(&self, store: &str, row: &JsValue) -> Result<(), StoreError> {
        self.ask(store, |store| store.add(row)).map(drop)
    }

    pub(super) fn put(&self, store: &str, row: &JsValue) -> Result<(), StoreError> {
        self.ask(store, |store| store.put(row)).map(drop)
    }

    pub(super) fn delete(&self, store: &str, key: &JsValue) -> Result<(), StoreError> {
        self.ask(store, |store| store.delete(key)).map(drop)
    }

    /// Resolves when everything that was written is durable; fails when nothing of it was written.
    pub(super) async fn completed(self) -> Result<(), StoreError> {
        // Committed at once it outlives the page, which may be left in this very moment; where that is no longer possible it
        // commits by itself.
        #[expect(
            deprecated,
            reason = "web-sys goes by an old draft; Indexed Database 3.0 has it, and all browsers do"
        )]
        let _ = self.inner.commit();
        if self.end.came_good().await {
            return Ok(());
        }
        let nameless = || StoreError::Failed("the browser has given up a write".to_owned());
        Err(self.inner.error().map_or_else(nameless, |error| failure(&error)))
    }

    fn ask(
        &self,
        store: &str,
        ask: impl FnOnce(IdbObjectStore) -> Result<IdbRequest, JsValue>,
    ) -> Result<Answer, StoreError> {
        let request = self.inner.object_store(store).and_then(ask);
        request
            .map(|request| result_of(&request))
            .map_err(|error| failure(&error))
    }
}
