//! A store in one file, which belongs to one process.
//!
//! The file is written anew with each change, under another name, and takes its place when it is on the disk. It is small:
//! finished entries are not written.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, ready};
use serde_json::{Value, json};
use switchboard_browser::device::records;
use switchboard_core::metrics::Figure;
use switchboard_core::model::{Draft, DraftKey, Entry, EntryId, RequestId, SessionId};
use switchboard_core::ports::{Claim, CommitError, Saved, SessionLink, Store, StoreError};

/// Clones hold the same file.
#[derive(Clone)]
pub(crate) struct FileStore {
    state: Rc<RefCell<State>>,
}

struct State {
    path: PathBuf,
    /// Locked while this lives.
    _lock: File,
    content: Content,
    claimed: BTreeSet<EntryId>,
}

#[derive(Clone, Default)]
struct Content {
    entries: BTreeMap<EntryId, Arc<Entry>>,
    drafts: BTreeMap<DraftKey, Draft>,
    figures: BTreeMap<RequestId, Figure>,
    links: BTreeMap<SessionId, SessionLink>,
}

impl FileStore {
    /// Opens the store at `path`, and makes it when there is none.
    ///
    /// # Errors
    /// When another process has it open, or it cannot be read or understood.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let lock = File::create(path.with_extension("lock"))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => io::Error::new(ErrorKind::ResourceBusy, "another process has it open"),
            TryLockError::Error(error) => error,
        })?;
        let content = match fs::read_to_string(path) {
            Ok(text) => Content::read(&text).ok_or(ErrorKind::InvalidData)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Content::default(),
            Err(error) => return Err(error),
        };
        let state = State {
            path: path.to_owned(),
            _lock: lock,
            content,
            claimed: BTreeSet::new(),
        };
        Ok(Self {
            state: Rc::new(RefCell::new(state)),
        })
    }

    /// Makes a change, and writes the file. A change that is not on the disk is not made.
    fn change(&self, change: impl FnOnce(&mut Content)) -> Result<(), StoreError> {
        let state = &mut *self.state.borrow_mut();
        let mut content = state.content.clone();
        change(&mut content);
        replace(&state.path, &content.written()).map_err(|error| StoreError::Failed(error.to_string()))?;
        state.content = content;
        Ok(())
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path)
}

impl Content {
    fn written(&self) -> String {
        let unfinished = self.entries.values().filter(|entry| !entry.is_finished());
        let entries: Vec<String> = unfinished.map(|entry| records::write_entry(entry)).collect();
        let drafts: Vec<String> = self.drafts.values().map(records::write_draft).collect();
        let figures: Vec<String> = self.figures.values().map(records::write_figure).collect();
        let links: Vec<String> = self.links.values().map(records::write_link).collect();
        json!({ "entries": entries, "drafts": drafts, "figures": figures, "links": links }).to_string()
    }

    fn read(text: &str) -> Option<Self> {
        let file: Value = serde_json::from_str(text).ok()?;
        let texts = |name: &str| {
            let texts = file.get(name)?.as_array()?.iter();
            texts.map(Value::as_str).collect::<Option<Vec<&str>>>()
        };
        let mut content = Self::default();
        for text in texts("entries")? {
            let entry = records::read_entry(text).ok()?;
            content.entries.insert(entry.id.clone(), Arc::new(entry));
        }
        for text in texts("drafts")? {
            let draft = records::read_draft(text).ok()?;
            content.drafts.insert(draft.key.clone(), draft);
        }
        for text in texts("figures")? {
            let figure = records::read_figure(text).ok()?;
            content.figures.insert(figure.request.clone(), figure);
        }
        for text in texts("links")? {
            let link = records::read_link(text).ok()?;
            content.links.insert(link.session.clone(), link);
        }
        Some(content)
    }
}

/// Gives the right to send an entry back when it is dropped.
struct Guard {
    store: FileStore,
    entry: EntryId,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.store.state.borrow_mut().claimed.remove(&self.entry);
    }
}

/// Each future is ready when it is made: the file is small.
impl Store for FileStore {
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>> {
        let content = &self.state.borrow().content;
        let unfinished = content.entries.values().filter(|entry| !entry.is_finished());
        let mut saved = Saved::default();
        saved.entries.extend(unfinished.cloned());
        saved.drafts.extend(content.drafts.values().cloned());
        saved.links.extend(content.links.values().cloned());
        ready(Ok(saved)).boxed_local()
    }

    fn commit(&self, entry: Arc<Entry>, expected: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>> {
        let held = self.state.borrow().content.entries.get(&entry.id).cloned();
        let result = match held {
            Some(held) if Some(held.version) != expected => Err(CommitError::Conflict(held)),
            Some(_) | None => {
                let insert = |content: &mut Content| drop(content.entries.insert(entry.id.clone(), entry));
                self.change(insert).map_err(CommitError::Failed)
            }
        };
        ready(result).boxed_local()
    }

    fn keep_draft(&self, draft: Draft, _: Option<Draft>) -> LocalBoxFuture<'static, Result<Draft, StoreError>> {
        let kept = self.change(|content| drop(content.drafts.insert(draft.key.clone(), draft.clone())));
        ready(kept.map(|()| draft)).boxed_local()
    }

    fn drop_draft(&self, key: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        ready(self.change(|content| drop(content.drafts.remove(&key)))).boxed_local()
    }

    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>> {
        let figures = self.state.borrow().content.figures.values().cloned().collect();
        ready(Ok(figures)).boxed_local()
    }

    fn keep_figure(&self, mut figure: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let keep = |content: &mut Content| {
            if let Some(kept) = content.figures.get(&figure.request) {
                figure.add(kept);
            }
            content.figures.insert(figure.request.clone(), figure);
        };
        ready(self.change(keep)).boxed_local()
    }

    fn keep_link(&self, link: SessionLink) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        ready(self.change(|content| drop(content.links.insert(link.session.clone(), link)))).boxed_local()
    }

    fn claim(&self, entry: EntryId) -> LocalBoxFuture<'static, Option<Claim>> {
        let is_free = self.state.borrow_mut().claimed.insert(entry.clone());
        let store = self.clone();
        ready(is_free.then(|| Claim::new(Guard { store, entry }))).boxed_local()
    }
}
