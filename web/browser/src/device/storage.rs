//! Keeps entries of the ledger, drafts, workflows and what happened in IndexedDB, so that they outlive the page.
//!
//! There is one database for all servers of this origin. Each operation is one transaction, and runs to its end also
//! when its caller no longer waits: half of a commit is worse than none.

mod claim;
mod connection;
mod outcome;
mod persist;
mod row;
mod transaction;
mod workflows;

use std::cell::Cell;
use std::cmp::Reverse;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use js_sys::Array;
use switchboard_core::metrics::Figure;
use switchboard_core::model::{Draft, DraftKey, Entry, EntryId, Stage};
use switchboard_core::ports::{Claim, CommitError, Saved, SessionLink, Store, StoreError};
use switchboard_core::{Clock, Time};

use crate::device::activity::{Happening, KEPT_MAX, Kind};
use crate::device::records::{self, NotUnderstood, draft_name};
use crate::platform::task::detached;
use connection::Connection;
use row::{finished_from, key, names_of, open_entries, pruned_before};
use transaction::{Durability, Mode, Transaction};
use wasm_bindgen_futures::spawn_local;

pub use workflows::IdbWorkflows;

/// How long finished entries and workflows, figures, links and what happened are kept.
const FINISHED_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

const ENTRIES: &str = "entries";
const DRAFTS: &str = "drafts";
const LEASES: &str = "leases";
const FIGURES: &str = "figures";
const LINKS: &str = "links";
const ACTIVITY: &str = "activity";
const WORKFLOWS: &str = "workflows";

/// What has an index of finished rows.
const PRUNED: [&str; 5] = [ENTRIES, FIGURES, LINKS, ACTIVITY, WORKFLOWS];

/// The part of IndexedDB that belongs to one server.
///
/// Where IndexedDB is not to be had, every call fails and says why.
pub struct IdbStore(Rc<Shelf>);

/// What the store tells its owner.
pub struct Notices {
    /// An entry was committed here, or a draft kept or dropped; other tabs may want to know.
    pub committed: Box<dyn Fn()>,
    /// The database is no longer what it was.
    pub lost: Rc<dyn Fn(Loss)>,
}

/// How a database was lost while it was open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// A newer version of the page wants it: this one has let go of it, and keeps nothing from now on.
    Superseded,
    /// What was in it was cleared. A new one is made when something is to be kept.
    Cleared,
}

/// What is kept in versions, each replacing the one that was read.
trait Versioned: Sized {
    /// The object store that it is in.
    const STORE: &'static str;

    fn id(&self) -> &str;

    fn version(&self) -> u64;

    /// So many finished ones of a server are kept at most; none where only their age counts.
    const FINISHED_MAX: Option<u32>;

    /// When it was finished, as written `now`; none while something is to be done.
    fn finished(&self, now: Time) -> Option<Time>;

    fn write(&self) -> String;

    fn read(text: &str) -> Result<Self, NotUnderstood>;
}

impl Versioned for Entry {
    const STORE: &'static str = ENTRIES;
    const FINISHED_MAX: Option<u32> = None;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn version(&self) -> u64 {
        self.version
    }

    fn finished(&self, _: Time) -> Option<Time> {
        let at = match &self.stage {
            Stage::Saved => self.created,
            Stage::Attempting { begun } => *begun,
            Stage::Attempted { at, .. } | Stage::Ended { at, .. } => *at,
        };
        self.is_finished().then_some(at)
    }

    fn write(&self) -> String {
        records::write_entry(self)
    }

    fn read(text: &str) -> Result<Self, NotUnderstood> {
        records::read_entry(text)
    }
}

struct Shelf {
    server: String,
    connection: Connection,
    clock: Rc<dyn Clock>,
    notices: Notices,
    pruned: Cell<bool>,
    asked_to_persist: Cell<bool>,
    not_understood: Cell<usize>,
}

impl IdbStore {
    /// The store of one server, named by its normalised address. Nothing is opened before it is needed.
    #[must_use]
    pub fn new(server: &str, clock: Rc<dyn Clock>, notices: Notices) -> Self {
        Self(Rc::new(Shelf {
            server: server.to_owned(),
            connection: Connection::new(Rc::clone(&clock), Rc::clone(&notices.lost)),
            clock,
            notices,
            pruned: Cell::new(false),
            asked_to_persist: Cell::new(false),
            not_understood: Cell::new(0),
        }))
    }

    /// How many unfinished entries the last load has left alone, because another version of this page wrote them.
    #[must_use]
    pub fn not_understood(&self) -> usize {
        self.0.not_understood.get()
    }

    /// The workflows of this server. Each of these hears what the others commit, in any tab.
    #[must_use]
    pub fn workflows(&self) -> IdbWorkflows {
        IdbWorkflows::open(Rc::clone(&self.0))
    }

    /// What happened. Of more than [`KEPT_MAX`] the oldest are deleted.
    pub fn load_activity(&self) -> impl Future<Output = Result<Vec<Happening>, StoreError>> + use<> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.load_activity().await })
    }

    /// Keeps what happened, together with what is kept of the same ([`Happening::added_to`]).
    pub fn keep_activity(&self, happening: Happening) -> impl Future<Output = Result<(), StoreError>> + use<> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.keep_activity(happening).await })
    }
}

impl Store for IdbStore {
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>> {
        let shelf = Rc::clone(&self.0);
        let load = detached(async move {
            let loaded = shelf.load().await;
            if !shelf.pruned.replace(true) {
                spawn_local(shelf.prune());
            }
            loaded
        });
        load.boxed_local()
    }

    fn commit(&self, entry: Arc<Entry>, expected: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.commit(&entry, expected).await }).boxed_local()
    }

    fn keep_draft(&self, draft: Draft, known: Option<Draft>) -> LocalBoxFuture<'static, Result<Draft, StoreError>> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.keep_draft(draft, known).await }).boxed_local()
    }

    fn drop_draft(&self, key: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.drop_draft(&key).await }).boxed_local()
    }

    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.load_figures().await }).boxed_local()
    }

    fn keep_figure(&self, figure: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.keep_figure(&figure).await }).boxed_local()
    }

    fn keep_link(&self, link: SessionLink) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let shelf = Rc::clone(&self.0);
        detached(async move { shelf.keep_link(&link).await }).boxed_local()
    }

    fn claim(&self, entry: EntryId) -> LocalBoxFuture<'static, Option<Claim>> {
        claim::claim(Rc::clone(&self.0), entry.as_str().to_owned()).boxed_local()
    }
}

impl Shelf {
    async fn load(&self) -> Result<Saved, StoreError> {
        let transaction = self.connection.begin(&[ENTRIES, DRAFTS, LINKS], Mode::Read).await?;
        let entries = transaction.all_by_index(ENTRIES, row::OPEN, &open_entries(&self.server)?)?;
        let drafts = transaction.all(DRAFTS, &names_of(&self.server)?)?;
        let links = transaction.all(LINKS, &names_of(&self.server)?)?;
        let (entries, drafts) = (row::texts(&entries.await?)?, row::texts(&drafts.await?)?);
        let links = row::texts(&links.await?)?;
        let understood: Vec<Arc<Entry>> = entries
            .iter()
            .filter_map(|text| records::read_entry(text).ok().map(Arc::new))
            .collect();
        self.not_understood.set(entries.len() - understood.len());
        let drafts = drafts
            .iter()
            .filter_map(|text| records::read_draft(text).ok())
            .collect();
        let links = links.iter().filter_map(|text| records::read_link(text).ok()).collect();
        let mut saved = Saved::default();
        (saved.entries, saved.drafts, saved.links) = (understood, drafts, links);
        Ok(saved)
    }

    /// Deletes what is old. Nothing depends on it: a failure is logged, and the next page tries again.
    async fn prune(self: Rc<Self>) {
        if let Err(error) = self.delete_old().await {
            web_sys::console::warn_1(&format!("switchboard: old entries were not deleted: {error}").into());
        }
    }

    async fn delete_old(&self) -> Result<(), StoreError> {
        let transaction = self.connection.begin(&PRUNED, Mode::Write(Durability::Relaxed)).await?;
        let range = pruned_before(&self.server, self.clock.now() - FINISHED_KEPT)?;
        for store in PRUNED {
            let old = transaction.keys_by_index(store, row::ENDED, &range)?.await?;
            for key in Array::from(&old) {
                transaction.delete(store, &key)?;
            }
        }
        transaction.completed().await
    }

    async fn commit(&self, entry: &Entry, expected: Option<u64>) -> Result<(), CommitError> {
        match self.replace(entry, expected).await {
            Ok(None) => {
                (self.notices.committed)();
                Ok(())
            }
            Ok(Some(held)) => Err(CommitError::Conflict(Arc::new(held))),
            Err(error) => Err(CommitError::Failed(error)),
        }
    }

    /// Makes a version durable in place of the expected one; if another one is held, writes nothing and returns that.
    async fn replace<V: Versioned>(&self, next: &V, expected: Option<u64>) -> Result<Option<V>, StoreError> {
        let transaction = self
            .connection
            .begin(&[V::STORE], Mode::Write(Durability::Strict))
            .await?;
        let finished = next.finished(self.clock.now());
        let row = row::of_versioned(&self.server, next, finished)?;
        match (self.held::<V>(&transaction, next.id()).await?, expected) {
            (None, None) => transaction.add(V::STORE, &row)?,
            (Some(held), Some(version)) if held.version() == version => transaction.put(V::STORE, &row)?,
            (Some(held), _) => return Ok(Some(held)),
            (None, Some(_)) => return Err(StoreError::Cleared),
        }
        if let Some(most) = V::FINISHED_MAX.filter(|_| finished.is_some()) {
            self.delete_beyond(&transaction, next, most).await?;
        }
        transaction.completed().await?;
        if finished.is_none() && !self.asked_to_persist.replace(true) {
            persist::ask();
        }
        Ok(None)
    }

    /// Deletes the oldest finished rows of this server beyond so many, but not the one that was written just now.
    async fn delete_beyond<V: Versioned>(
        &self,
        transaction: &Transaction,
        written: &V,
        most: u32,
    ) -> Result<(), StoreError> {
        let finished = finished_from(&self.server, Time(0))?;
        let finished = row::ids(&transaction.keys_by_index(V::STORE, row::ENDED, &finished)?.await?);
        let beyond = finished.len().saturating_sub(most as usize);
        for old in finished[..beyond].iter().filter(|old| *old != written.id()) {
            transaction.delete(V::STORE, &key(&self.server, old))?;
        }
        Ok(())
    }

    async fn held<V: Versioned>(&self, transaction: &Transaction, id: &str) -> Result<Option<V>, StoreError> {
        let found = transaction.get(V::STORE, &key(&self.server, id)).await?;
        let Some(text) = row::text(&found)? else {
            return Ok(None);
        };
        V::read(&text).map(Some).map_err(|_| StoreError::NewerVersion)
    }

    async fn keep_draft(&self, draft: Draft, known: Option<Draft>) -> Result<Draft, StoreError> {
        let transaction = self
            .connection
            .begin(&[DRAFTS], Mode::Write(Durability::Relaxed))
            .await?;
        let held = transaction
            .get(DRAFTS, &key(&self.server, &draft_name(&draft.key)))
            .await?;
        let held = row::text(&held)?.and_then(|text| records::read_draft(&text).ok());
        let kept = match held {
            Some(held) => draft.in_place_of(&held, known.as_ref()),
            None => draft,
        };
        transaction.put(DRAFTS, &row::of_draft(&self.server, &kept)?)?;
        transaction.completed().await?;
        (self.notices.committed)();
        Ok(kept)
    }

    async fn load_figures(&self) -> Result<Vec<Figure>, StoreError> {
        let transaction = self.connection.begin(&[FIGURES], Mode::Read).await?;
        let rows = transaction.all(FIGURES, &names_of(&self.server)?)?.await?;
        Ok(row::texts(&rows)?
            .iter()
            .filter_map(|text| records::read_figure(text).ok())
            .collect())
    }

    async fn keep_figure(&self, figure: &Figure) -> Result<(), StoreError> {
        let transaction = self
            .connection
            .begin(&[FIGURES], Mode::Write(Durability::Relaxed))
            .await?;
        let mut figure = figure.clone();
        let held = transaction
            .get(FIGURES, &key(&self.server, figure.request.as_str()))
            .await?;
        // Another tab may know more, such as who has answered.
        if let Ok(Some(text)) = row::text(&held)
            && let Ok(held) = records::read_figure(&text)
        {
            figure.add(&held);
        }
        transaction.put(FIGURES, &row::of_figure(&self.server, &figure)?)?;
        transaction.completed().await
    }

    async fn keep_link(&self, link: &SessionLink) -> Result<(), StoreError> {
        let transaction = self
            .connection
            .begin(&[LINKS], Mode::Write(Durability::Relaxed))
            .await?;
        transaction.put(LINKS, &row::of_link(&self.server, link)?)?;
        transaction.completed().await
    }

    async fn load_activity(&self) -> Result<Vec<Happening>, StoreError> {
        let transaction = self
            .connection
            .begin(&[ACTIVITY], Mode::Write(Durability::Relaxed))
            .await?;
        let mut kept = self.activity(&transaction).await?;
        kept.sort_by_key(|happening| Reverse(happening.at));
        for old in kept.drain(KEPT_MAX.min(kept.len())..) {
            transaction.delete(ACTIVITY, &key(&self.server, &old.id))?;
        }
        transaction.completed().await?;
        Ok(kept)
    }

    async fn keep_activity(&self, happening: Happening) -> Result<(), StoreError> {
        let transaction = self
            .connection
            .begin(&[ACTIVITY], Mode::Write(Durability::Relaxed))
            .await?;
        let held = if happening.kind == Kind::Outage {
            let held = self.activity(&transaction).await?;
            held.into_iter().find(|held| held.is_same(&happening))
        } else {
            let row = transaction.get(ACTIVITY, &key(&self.server, &happening.id)).await?;
            row::text(&row)?.and_then(|text| records::read_happening(&text).ok())
        };
        let happening = match &held {
            Some(held) => happening.added_to(held),
            None => happening,
        };
        transaction.put(ACTIVITY, &row::of_happening(&self.server, &happening)?)?;
        transaction.completed().await
    }

    async fn activity(&self, transaction: &Transaction) -> Result<Vec<Happening>, StoreError> {
        let rows = transaction.all(ACTIVITY, &names_of(&self.server)?)?.await?;
        Ok(row::texts(&rows)?
            .iter()
            .filter_map(|text| records::read_happening(text).ok())
            .collect())
    }

    async fn drop_draft(&self, draft: &DraftKey) -> Result<(), StoreError> {
        let transaction = self
            .connection
            .begin(&[DRAFTS], Mode::Write(Durability::Relaxed))
            .await?;
        transaction.delete(DRAFTS, &key(&self.server, &draft_name(draft)))?;
        transaction.completed().await?;
        (self.notices.committed)();
        Ok(())
    }
}

impl fmt::Debug for IdbStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IdbStore")
            .field("server", &self.0.server)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Notices")
    }
}
