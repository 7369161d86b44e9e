//! The view as an object of JavaScript: one per version, and the requests as they were shown in it.

use std::sync::Arc;

use switchboard_core::SortedMap;
use switchboard_core::model::{Request, RequestId};
use switchboard_core::view::View;
use wasm_bindgen::JsValue;

use super::view;

/// The newest snapshot. Looking at a view that has not changed costs nothing.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    newest: Option<(Arc<View>, JsValue)>,
    revisions: Revisions,
}

/// The requests that are shown, each with a number that grows when it asks something else under the same id.
#[derive(Debug, Default)]
pub(super) struct Revisions(SortedMap<RequestId, (usize, Arc<Request>)>);

impl Snapshots {
    /// The object of a view: the same one, unless something that JavaScript sees has changed.
    pub(super) fn of(&mut self, view: &Arc<View>) -> Result<JsValue, JsValue> {
        if let Some((newest, object)) = &mut self.newest
            && is_same(newest, view)
        {
            *newest = Arc::clone(view);
            return Ok(object.clone());
        }
        self.revisions.observe(view);
        let object = view::to_js(view, &self.revisions)?;
        self.newest = Some((Arc::clone(view), object.clone()));
        Ok(object)
    }

    pub(super) fn revisions(&self) -> &Revisions {
        &self.revisions
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
