//! What all parts of one timeline share. Comes from context.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::SortedMap;
use switchboard_core::model::{Message, PartBody, PartId, RequestId, SessionId};
use switchboard_core::view::{RequestView, Timeline};

use super::anchor::{Anchor, anchors};
use crate::state::store::Store;

/// One session as its timeline needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    store: Store,
    /// Its messages and previews; none until they have been read.
    pub(super) timeline: Memo<Option<Arc<Timeline>>>,
    /// Where its requests stand.
    anchors: Memo<SortedMap<Anchor, Vec<RequestId>>>,
    /// Its directory, empty while it is not known.
    pub(super) directory: Memo<Arc<str>>,
    /// Its newest command.
    newest_command: Memo<Option<PartId>>,
}

impl Scene {
    /// The scene of a session.
    pub(super) fn new(store: Store, session: &SessionId) -> Self {
        let open = session.clone();
        let timeline = Memo::new_with_compare(
            move |_| store.timeline().get().filter(|timeline| timeline.session == open),
            |old, new| match (old.and_then(Option::as_ref), new.and_then(Option::as_ref)) {
                (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
                (old, new) => old.is_some() != new.is_some(),
            },
        );
        let asking = session.clone();
        let anchors = Memo::new(move |_| {
            timeline.with(|timeline| {
                let messages = timeline.as_ref().map_or(&[][..], |timeline| &timeline.messages);
                store.requests().with(|requests| anchors(&asking, messages, requests))
            })
        });
        let view = store.session(session.clone());
        let directory = Memo::new(move |_| {
            view.with(|view| {
                view.as_ref()
                    .map_or_else(|| "".into(), |view| view.session.directory.as_str().into())
            })
        });
        let newest_command = Memo::new(move |_| timeline.with(|timeline| newest_command(&timeline.as_ref()?.messages)));
        Self {
            store,
            timeline,
            anchors,
            directory,
            newest_command,
        }
    }

    /// The requests that stand at this place.
    pub(super) fn requests_at(self, anchor: Anchor) -> Memo<Vec<RequestId>> {
        Memo::new(move |_| {
            self.anchors
                .with(|anchors| anchors.get(&anchor).cloned().unwrap_or_default())
        })
    }

    /// Whether one of the requests at this place waits for a person.
    pub(super) fn waits_at(self, anchor: Anchor) -> Memo<bool> {
        let here = self.requests_at(anchor);
        Memo::new(move |_| {
            let waits =
                |view: &Arc<RequestView>| view.state.is_waiting() && here.with(|here| here.contains(&view.request.id));
            here.with(|here| !here.is_empty()) && self.store.requests().with(|requests| requests.iter().any(waits))
        })
    }

    /// Whether this part is the newest command.
    pub(super) fn is_newest_command(self, part: PartId) -> Memo<bool> {
        Memo::new(move |_| self.newest_command.with(|newest| newest.as_ref() == Some(&part)))
    }

    /// Whether this call was still running when its turn had ended.
    pub(super) fn is_abandoned(self, part: PartId) -> Memo<bool> {
        Memo::new(move |_| {
            self.timeline.with(|timeline| {
                timeline
                    .as_ref()
                    .is_some_and(|timeline| timeline.abandoned.contains(&part))
            })
        })
    }

    /// The text that streams into this part, when it is ahead of `stored`.
    pub(super) fn preview(self, part: &PartId, stored: &str) -> Option<String> {
        self.timeline.with(|timeline| {
            let preview = timeline.as_ref()?.previews.get(part)?;
            (preview.len() > stored.len()).then(|| preview.to_string())
        })
    }
}

fn newest_command(messages: &[Arc<Message>]) -> Option<PartId> {
    messages.iter().rev().find_map(|message| {
        let is_command = |body: &PartBody| matches!(body, PartBody::Tool(tool) if tool.tool == "bash");
        message
            .parts
            .iter()
            .rev()
            .find(|part| is_command(&part.body))
            .map(|part| part.id.clone())
    })
}
