//! The view as an object of JavaScript: one per version, which shares with the one before what has not changed, and the requests
//! as they were shown in it.

use std::sync::Arc;

use js_sys::{Array, Map};
use switchboard_core::SortedMap;
use switchboard_core::model::{Request, RequestId};
use switchboard_core::view::{PromptView, RequestView, SessionView, View};
use wasm_bindgen::JsValue;

use super::given::property;
use super::object::object;
use super::view::{self, ServerPlace};

/// The newest snapshot. Looking at a view that has not changed costs nothing.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    pub(super) place: ServerPlace,
    newest: Option<(Arc<View>, JsValue)>,
    requests: Objects<RequestView>,
    sessions: Objects<SessionView>,
    prompts: Objects<PromptView>,
    revisions: Revisions,
}

/// The objects of a list, by the addresses of the elements that they were made from.
#[derive(Debug)]
pub(super) struct Objects<T> {
    known: Map,
    /// Keeps the addresses from being used again.
    elements: Vec<Arc<T>>,
}

/// The requests that are shown, each with a number that grows when it asks something else under the same id.
#[derive(Debug, Default)]
pub(super) struct Revisions(SortedMap<RequestId, (usize, Arc<Request>)>);

impl Snapshots {
    pub(super) fn new(place: ServerPlace) -> Self {
        Self {
            place,
            ..Self::default()
        }
    }

    /// The object of a view: the same one, unless something that JavaScript sees has changed.
    pub(super) fn of(&mut self, view: &Arc<View>) -> Result<JsValue, JsValue> {
        if let Some((newest, object)) = &mut self.newest
            && is_same(newest, view)
        {
            *newest = Arc::clone(view);
            return Ok(object.clone());
        }
        self.revisions.observe(view);
        let server = match self.kept("server", |newest| newest.server == view.server) {
            Some(kept) => kept,
            None => view::server(&view.server, &self.place)?,
        };
        let requests = match self.kept("requests", |newest| newest.requests.is_same(&view.requests)) {
            Some(kept) => kept,
            None => {
                let number = |shown: &RequestView| self.revisions.number(&shown.request.id);
                let to_js = |shown: &RequestView| view::request(shown, number(shown), &self.place.name);
                self.requests.list(&view.requests, to_js)?
            }
        };
        let sessions = match self.kept("sessions", |newest| newest.sessions.is_same(&view.sessions)) {
            Some(kept) => kept,
            None => self
                .sessions
                .list(&view.sessions, |shown| view::session(shown, &self.place.name))?,
        };
        let prompts = match self.kept("prompts", |newest| newest.prompts.is_same(&view.prompts)) {
            Some(kept) => kept,
            None => self
                .prompts
                .list(&view.prompts, |shown| view::prompt(shown, &self.place.name))?,
        };
        let drafts = match self.kept("promptDrafts", |newest| newest.prompt_drafts == view.prompt_drafts) {
            Some(kept) => kept,
            None => view::prompt_drafts(&view.prompt_drafts)?,
        };
        let object = object(&[
            ("server", server),
            ("requests", requests),
            ("sessions", sessions),
            ("prompts", prompts),
            ("promptDrafts", drafts),
        ])?;
        self.newest = Some((Arc::clone(view), object.clone()));
        Ok(object)
    }

    /// A part of the newest snapshot, where it is the same in its view.
    fn kept(&self, part: &str, is_same: impl FnOnce(&View) -> bool) -> Option<JsValue> {
        let (_, object) = self.newest.as_ref().filter(|(newest, _)| is_same(newest))?;
        property(object, part)
    }

    pub(super) fn revisions(&self) -> &Revisions {
        &self.revisions
    }
}

impl<T> Objects<T> {
    /// The objects of a list: of what it held the last time, the same ones.
    pub(super) fn list(
        &mut self,
        shown: &[Arc<T>],
        to_js: impl Fn(&T) -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue> {
        let (known, objects) = (Map::new(), Array::new());
        for element in shown {
            let address = JsValue::from(Arc::as_ptr(element) as usize);
            let object = match self.known.get(&address) {
                object if object.is_undefined() => to_js(element)?,
                object => object,
            };
            known.set(&address, &object);
            objects.push(&object);
        }
        (self.known, self.elements) = (known, shown.to_vec());
        Ok(objects.into())
    }
}

impl<T> Default for Objects<T> {
    fn default() -> Self {
        Self {
            known: Map::new(),
            elements: Vec::new(),
        }
    }
}

impl Revisions {
    pub(super) fn number(&self, request: &RequestId) -> usize {
        self.0.get(request).map_or(1, |(number, _)| *number)
    }

    /// The request as it was at a revision; none when it asks something else by now.
    pub(super) fn shown(&self, request: &RequestId, number: usize) -> Option<&Arc<Request>> {
        let (newest, shown) = self.0.get(request)?;
        (*newest == number).then_some(shown)
    }

    fn observe(&mut self, view: &View) {
        let before = std::mem::take(&mut self.0);
        for shown in &*view.requests {
            let number = match before.get(&shown.request.id) {
                Some((number, known)) if known.asks_the_same(&shown.request) => *number,
                Some((number, _)) => number + 1,
                None => 1,
            };
            self.0
                .insert(shown.request.id.clone(), (number, Arc::clone(&shown.request)));
        }
    }
}

/// Whether JavaScript sees the same in both: the messages of an open session are told apart.
fn is_same(one: &Arc<View>, other: &Arc<View>) -> bool {
    Arc::ptr_eq(one, other)
        || one.requests.is_same(&other.requests)
            && one.sessions.is_same(&other.sessions)
            && one.prompts.is_same(&other.prompts)
            && one.server == other.server
            && one.prompt_drafts == other.prompt_drafts
}
