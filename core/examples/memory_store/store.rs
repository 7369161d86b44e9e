//! A store in memory: what it holds outlives a connection, and not the process.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use switchboard_core::metrics::Figure;
use switchboard_core::model::{Draft, DraftKey, Entry, EntryId, RequestId, SessionId};
use switchboard_core::ports::{Claim, CommitError, Saved, SessionLink, Store, StoreError};

/// Clones hold the same.
#[derive(Clone, Default)]
pub(crate) struct MemoryStore {
    held: Rc<RefCell<Held>>,
}

#[derive(Default)]
struct Held {
    entries: BTreeMap<EntryId, Arc<Entry>>,
    drafts: BTreeMap<DraftKey, Draft>,
    figures: BTreeMap<RequestId, Figure>,
    links: BTreeMap<SessionId, SessionLink>,
    claimed: BTreeSet<EntryId>,
}

/// Gives the right to send an entry back when it is dropped.
struct Guard {
    store: MemoryStore,
    entry: EntryId,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.store.held.borrow_mut().claimed.remove(&self.entry);
    }
}

/// Nothing here waits: each future is ready when it is made.
impl Store for MemoryStore {
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>> {
        let held = self.held.borrow();
        let unfinished = held.entries.values().filter(|entry| !entry.is_finished());
        let mut saved = Saved::default();
        saved.entries.extend(unfinished.cloned());
        saved.drafts.extend(held.drafts.values().cloned());
        saved.links.extend(held.links.values().cloned());
        ready(Ok(saved)).boxed_local()
    }

    fn commit(&self, entry: Arc<Entry>, expected: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>> {
        let entries = &mut self.held.borrow_mut().entries;
        let result = match entries.get(&entry.id) {
            Some(held) if Some(held.version) != expected => Err(CommitError::Conflict(held.clone())),
            Some(_) | None => {
                entries.insert(entry.id.clone(), entry);
                Ok(())
            }
        };
        ready(result).boxed_local()
    }

    fn keep_draft(&self, draft: Draft, _: Option<Draft>) -> LocalBoxFuture<'static, Result<Draft, StoreError>> {
        self.held.borrow_mut().drafts.insert(draft.key.clone(), draft.clone());
        ready(Ok(draft)).boxed_local()
    }

    fn drop_draft(&self, key: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        self.held.borrow_mut().drafts.remove(&key);
        ready(Ok(())).boxed_local()
    }

    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>> {
        let figures = self.held.borrow().figures.values().cloned().collect();
        ready(Ok(figures)).boxed_local()
    }

    fn keep_figure(&self, figure: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let figures = &mut self.held.borrow_mut().figures;
        let figure = match figures.remove(&figure.request) {
            Some(kept) => {
                let mut figure = figure;
                figure.add(&kept);
                figure
            }
            None => figure,
        };
        figures.insert(figure.request.clone(), figure);
        ready(Ok(())).boxed_local()
    }

    fn keep_link(&self, link: SessionLink) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        self.held.borrow_mut().links.insert(link.session.clone(), link);
        ready(Ok(())).boxed_local()
    }

    fn claim(&self, entry: EntryId) -> LocalBoxFuture<'static, Option<Claim>> {
        let is_free = self.held.borrow_mut().claimed.insert(entry.clone());
        let store = self.clone();
        ready(is_free.then(|| Claim::new(Guard { store, entry }))).boxed_local()
    }
}
