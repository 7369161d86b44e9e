//! A store that the caller supplies. Entries, drafts and figures travel as the texts of [`switchboard_browser::device::records`].

use std::sync::Arc;

use futures::future::LocalBoxFuture;
use futures::{FutureExt, TryFutureExt};
use js_sys::{Array, Function, Object, Promise, Reflect};
use switchboard_core::metrics::Figure;
use switchboard_core::model::{Draft, DraftKey, Entry, EntryId};
use switchboard_core::ports::{Claim, CommitError, Saved, SessionLink, Store, StoreError};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::error::words_of;
use super::given::property;
use switchboard_browser::device::records::{self, draft_name};
use switchboard_browser::platform::task::detached;

#[wasm_bindgen]
extern "C" {
    /// What the caller supplies: `Storage` in `types.d.ts`.
    #[derive(Clone, Debug)]
    pub(super) type Storage;

    #[wasm_bindgen(method, catch)]
    fn load(this: &Storage, server: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn commit(this: &Storage, server: &str, entry: &JsValue, expected: Option<f64>) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = keepDraft)]
    fn keep_draft(this: &Storage, server: &str, key: &str, text: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = dropDraft)]
    fn drop_draft(this: &Storage, server: &str, key: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = loadFigures)]
    fn load_figures(this: &Storage, server: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = keepFigure)]
    fn keep_figure(this: &Storage, server: &str, key: &str, text: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = keepLink)]
    fn keep_link(this: &Storage, server: &str, key: &str, text: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch)]
    fn claim(this: &Storage, server: &str, entry: &str) -> Result<JsValue, JsValue>;
}

/// The part of a caller's store that belongs to one server. A call has begun when its future is returned.
#[derive(Debug)]
pub(super) struct GivenStore {
    server: String,
    storage: Storage,
}

impl GivenStore {
    pub(super) fn new(server: &str, storage: Storage) -> Self {
        Self {
            server: server.to_owned(),
            storage,
        }
    }
}

impl Store for GivenStore {
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>> {
        let loading = end_of(self.storage.load(&self.server));
        async move {
            let saved = loading.await?;
            let saved = property(&saved, "entries").is_some().then_some(saved);
            let saved = saved.ok_or_else(|| StoreError::Failed("load of the storage gave no object".to_owned()))?;
            let texts = |name| match property(&saved, name) {
                Some(list) if !list.is_undefined() => texts(&list, "load", name),
                Some(_) | None => Ok(Vec::new()),
            };
            let mut saved = Saved::default();
            saved.entries = understood(texts("entries")?, |text| records::read_entry(text).map(Arc::new));
            saved.drafts = understood(texts("drafts")?, records::read_draft);
            saved.links = understood(texts("links")?, records::read_link);
            Ok(saved)
        }
        .boxed_local()
    }

    fn commit(&self, entry: Arc<Entry>, expected: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>> {
        let expected = expected.map(|version| version as f64);
        let committing = end_of(self.storage.commit(&self.server, &row_of(&entry), expected));
        async move {
            let held = committing.await.map_err(CommitError::Failed)?;
            match held.as_string().map(|text| records::read_entry(&text)) {
                None => Ok(()),
                Some(Ok(held)) => Err(CommitError::Conflict(Arc::new(held))),
                Some(Err(_)) => Err(CommitError::Failed(StoreError::NewerVersion)),
            }
        }
        .boxed_local()
    }

    fn keep_draft(&self, draft: Draft, _: Option<Draft>) -> LocalBoxFuture<'static, Result<Draft, StoreError>> {
        let (key, text) = (draft_name(&draft.key), records::write_draft(&draft));
        let keeping = done(self.storage.keep_draft(&self.server, &key, &text));
        keeping.map_ok(|()| draft).boxed_local()
    }

    fn drop_draft(&self, key: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        done(self.storage.drop_draft(&self.server, &draft_name(&key)))
    }

    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>> {
        let loading = end_of(self.storage.load_figures(&self.server));
        async move {
            let figures = texts(&loading.await?, "loadFigures", "the result")?;
            Ok(understood(figures, records::read_figure))
        }
        .boxed_local()
    }

    fn keep_figure(&self, figure: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let text = records::write_figure(&figure);
        done(self.storage.keep_figure(&self.server, figure.request.as_str(), &text))
    }

    fn keep_link(&self, link: SessionLink) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let text = records::write_link(&link);
        done(self.storage.keep_link(&self.server, link.session.as_str(), &text))
    }

    /// What comes back is called to give the claim back. A store that fails here knows of no other claim.
    fn claim(&self, entry: EntryId) -> LocalBoxFuture<'static, Option<Claim>> {
        let claiming = end_of(self.storage.claim(&self.server, entry.as_str()));
        // Where the caller has stopped waiting, the claim is given back once it is there.
        let claim = detached(async move {
            match claiming.await {
                Ok(release) if release.is_null() => None,
                Ok(release) => Some(Claim::new(Release(release.dyn_into().ok()))),
                Err(_) => Some(Claim::new(())),
            }
        });
        claim.boxed_local()
    }
}

/// Gives a claim back when it is dropped.
struct Release(Option<Function>);

impl Drop for Release {
    fn drop(&mut self) {
        if let Some(release) = &self.0 {
            // A claim that cannot be given back is the store's to mend.
            let _thrown = release.call0(&JsValue::UNDEFINED);
        }
    }
}

/// An entry, and what a store wants to know about it without reading its text.
fn row_of(entry: &Entry) -> JsValue {
    let row = Object::new();
    let set = |name: &str, value: JsValue| {
        Reflect::set(&row, &name.into(), &value).expect("a new object takes any property");
    };
    set("id", entry.id.as_str().into());
    set("version", (entry.version as f64).into());
    set("text", records::write_entry(entry).into());
    set("finished", entry.is_finished().into());
    row.into()
}

fn done(begun: Result<JsValue, JsValue>) -> LocalBoxFuture<'static, Result<(), StoreError>> {
    end_of(begun).map(|end| end.map(drop)).boxed_local()
}

/// What a call resolves with; a plain value is as good as a promise. It is listened to from now on, so that no failure is
/// left unhandled.
fn end_of(begun: Result<JsValue, JsValue>) -> impl Future<Output = Result<JsValue, StoreError>> {
    let failed = |thrown: JsValue| StoreError::Failed(words_of(&thrown));
    let end = begun.map(|begun| JsFuture::from(Promise::resolve(&begun)));
    async move { end.map_err(failed)?.await.map_err(failed) }
}

/// The texts of a list.
///
/// # Errors
/// What the store gave is no list of texts.
fn texts(list: &JsValue, call: &str, name: &str) -> Result<Vec<String>, StoreError> {
    let texts = list
        .dyn_ref::<Array>()
        .and_then(|list| list.iter().map(|text| text.as_string()).collect());
    texts.ok_or_else(|| StoreError::Failed(format!("{call} of the storage: {name} must be a list of texts")))
}

/// What this version understands. The rest belongs to another one, or is damaged: it is left alone, and told on the console.
fn understood<T>(texts: Vec<String>, read: impl Fn(&str) -> Result<T, records::NotUnderstood>) -> Vec<T> {
    let count = texts.len();
    let read: Vec<T> = texts.iter().filter_map(|text| read(text).ok()).collect();
    let strange = count - read.len();
    if strange > 0 {
        let text = format!(
            "opencode-switchboard: {strange} of {count} texts in the storage cannot be read, and are left as they are"
        );
        web_sys::console::warn_1(&text.into());
    }
    read
}
