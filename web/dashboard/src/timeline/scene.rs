//! What all parts of one timeline share. Comes from context.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::model::{Message, MessageId, PartBody, PartId, RequestId, SessionId};
use switchboard_core::view::{AskedElsewhere, Older, RequestView, Timeline};
use switchboard_core::{List, SortedMap, SortedSet, Time};

use super::anchor::{Anchor, anchors, leave_at_the_end};
use crate::doctor::Doctor;
use crate::kit::erased::memo;
use crate::state::focus::hand;
use crate::state::store::{Previews, Store, in_messages, shared};

/// One session as its timeline needs it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene {
    store: Store,
    /// The session.
    pub(super) session: StoredValue<SessionId>,
    /// What keeps it from going on.
    pub(super) doctor: Doctor,
    /// Its messages; none until they have been read.
    pub(super) timeline: Memo<Option<Arc<Timeline>>>,
    /// Its messages.
    pub(super) messages: Memo<List<Message>>,
    /// Where its requests belong.
    anchors: Memo<SortedMap<Anchor, Vec<RequestId>>>,
    /// Where its requests stand: where they belong, but for the one that has the focus.
    places: Memo<SortedMap<Anchor, Vec<RequestId>>>,
    /// Its directory, empty while it is not known.
    pub(super) directory: Memo<Arc<str>>,
    /// Its newest command.
    newest_command: Memo<Option<PartId>>,
    /// Calls that were still running when their turn had ended.
    abandoned: Memo<SortedSet<PartId>>,
    /// Its questions that wait in another process.
    asked_elsewhere: Memo<Vec<AskedElsewhere>>,
    /// Set when what is shown of it is old.
    pub(super) stale: Memo<Option<Time>>,
}

impl Scene {
    /// The scene of a session.
    pub(super) fn new(store: Store, session: &SessionId) -> Self {
        let open = session.clone();
        let timeline = shared(move || store.timeline().get().filter(|timeline| timeline.session == open));
        let messages = store.messages(session.clone());
        let asking = session.clone();
        let anchors = memo(move || {
            messages.with(|messages| store.requests().with(|requests| anchors(&asking, messages, requests)))
        });
        let places = Memo::new(move |before: Option<&SortedMap<Anchor, Vec<RequestId>>>| {
            let mut places = anchors.get();
            if let Some((before, focused)) = before.zip(hand().focused.map(|key| key.id))
                && store.requests().with_untracked(|requests| waits(requests, &focused))
            {
                leave_at_the_end(&mut places, before, &focused);
            }
            places
        });
        let view = store.session(session.clone());
        let directory = memo(move || {
            view.with(|view| {
                view.as_ref()
                    .map_or_else(|| "".into(), |view| view.session.directory.as_str().into())
            })
        });
        let commands = in_messages(messages, newest_command);
        let newest_command = memo(move || commands.with(|commands| commands.iter().rev().flatten().next().cloned()));
        let abandoned = memo(move || {
            timeline.with(|timeline| {
                timeline
                    .as_ref()
                    .map(|timeline| timeline.abandoned.clone())
                    .unwrap_or_default()
            })
        });
        Self {
            store,
            session: StoredValue::new(session.clone()),
            doctor: Doctor::new(store, session.clone()),
            timeline,
            messages,
            anchors,
            places,
            directory,
            newest_command,
            abandoned,
            asked_elsewhere: memo(move || {
                view.with(|view| view.as_ref().map(|view| view.asked_elsewhere.clone()))
                    .unwrap_or_default()
            }),
            stale: memo(move || view.with(|view| view.as_ref()?.stale)),
        }
    }

    /// What lies before the first of its messages.
    pub(super) fn older(self) -> Older {
        self.timeline
            .with(|timeline| timeline.as_ref().map_or(Older::Unknown, |timeline| timeline.older))
    }

    /// The requests that stand at this place.
    pub(super) fn requests_at(self, anchor: Anchor) -> Memo<Vec<RequestId>> {
        memo(move || {
            self.places
                .with(|places| places.get(&anchor).cloned().unwrap_or_default())
        })
    }

    /// Where the doctor's finding stands: with the request that it is about, else at the end; none without one.
    pub(super) fn finding_place(self) -> Option<Anchor> {
        self.doctor.cause.with(|cause| {
            let request = cause.as_ref()?.request();
            let holds = |requests: &Vec<RequestId>| request.is_some_and(|request| requests.contains(request));
            let place = self.places.with(|places| {
                let found = places.iter().find(|(_, requests)| holds(requests));
                found.map(|(place, _)| place.clone())
            });
            Some(place.unwrap_or(Anchor::End))
        })
    }

    /// The messages that requests stand under.
    pub(super) fn asking(self) -> Memo<Vec<MessageId>> {
        let calls = in_messages(self.messages, |message| {
            let calls: Vec<PartId> = message.tools().map(|(id, _)| id.clone()).collect();
            (message.id.clone(), calls)
        });
        memo(move || {
            self.places.with(|places| {
                let is_asked = |part: &PartId| places.contains_key(&Anchor::Part(part.clone()));
                calls.with(|calls| {
                    let asking = calls.iter().filter(|(_, calls)| calls.iter().any(is_asked));
                    asking.map(|(message, _)| message.clone()).collect()
                })
            })
        })
    }

    /// Whether a request belongs to this place.
    pub(super) fn is_asked_at(self, anchor: Anchor) -> Memo<bool> {
        memo(move || self.anchors.with(|anchors| anchors.contains_key(&anchor)))
    }

    /// Whether one of the requests at this place waits for a person.
    pub(super) fn waits_at(self, anchor: Anchor) -> Memo<bool> {
        let here = self.requests_at(anchor);
        memo(move || {
            let waits =
                |view: &Arc<RequestView>| view.state.is_waiting() && here.with(|here| here.contains(&view.request.id));
            here.with(|here| !here.is_empty()) && self.store.requests().with(|requests| requests.iter().any(waits))
        })
    }

    /// The question of this part, while it waits in another process.
    pub(super) fn asked_elsewhere(self, part: PartId) -> Memo<Option<AskedElsewhere>> {
        memo(move || {
            self.asked_elsewhere
                .with(|asked| asked.iter().find(|asked| asked.part == part).cloned())
        })
    }

    /// Whether this part is the newest command.
    pub(super) fn is_newest_command(self, part: PartId) -> Memo<bool> {
        memo(move || self.newest_command.with(|newest| newest.as_ref() == Some(&part)))
    }

    /// Whether this call was still running when its turn had ended.
    pub(super) fn is_abandoned(self, part: PartId) -> Memo<bool> {
        memo(move || self.abandoned.with(|abandoned| abandoned.contains(&part)))
    }

    /// The text that streams into this part, when it is ahead of `stored`.
    pub(super) fn preview(self, part: &PartId, stored: &str) -> Option<String> {
        self.previews().with(|previews| {
            let preview = previews.get(part)?;
            (preview.len() > stored.len()).then(|| preview.to_string())
        })
    }

    /// The text that streams, by part.
    pub(super) fn previews(self) -> ReadSignal<Previews> {
        self.store.previews()
    }
}

fn waits(requests: &[Arc<RequestView>], id: &RequestId) -> bool {
    requests
        .iter()
        .any(|view| view.request.id == *id && view.state.is_waiting())
}

/// The last command that a message runs.
fn newest_command(message: &Message) -> Option<PartId> {
    let is_command = |body: &PartBody| matches!(body, PartBody::Tool(tool) if tool.tool == "bash");
    let part = message.parts.iter().rev().find(|part| is_command(&part.body))?;
    Some(part.id.clone())
}
