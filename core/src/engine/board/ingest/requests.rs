//! Takes in the lists of requests, and shows what they name.

use std::sync::Arc;

use crate::engine::board::Board;
use crate::engine::evidence::ReadStamp;
use crate::engine::refresh::scope::ScopeKey;
use crate::engine::requests::{Kind, Offered, TrackedRequest, kind_of};
use crate::engine::server_clock::Earlier;
use crate::engine::sessions::session::Node;
use crate::log::Level;
use crate::model::{Directory, Request, RequestId, Sent};
use crate::time::Time;

impl Board {
    pub(super) fn observe_list(
        &mut self,
        directory: &Directory,
        kind: Kind,
        requests: Vec<Request>,
        read: ReadStamp,
        now: Time,
    ) {
        let named: Vec<RequestId> = requests.iter().map(|request| request.id.clone()).collect();
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        let is_first = !scope.is_concluded;
        let before = scope.listed.entry(kind).or_default().replace(read.begun, None);
        for request in requests {
            self.observe_made(&request.id, before, now);
            self.offer(Arc::new(request), is_first, read, now);
        }
        let nodes = &self.sessions.nodes;
        let counts = |request: &Request| {
            nodes
                .get(&request.session)
                .is_none_or(|node| node.session.directory == *directory)
        };
        let mut touched = self.requests.observe_list(directory, kind, &named, read, counts);
        if let Some(refresh) = self.refresh_of(directory) {
            refresh.lists.insert(kind);
        }
        if let (Some(before), false) = (before, touched.is_empty()) {
            self.note_found(directory, before.begun(), now);
        }
        let waiting = self
            .outbox
            .queue
            .iter()
            .filter(|delivery| delivery.is_ready())
            .filter_map(|delivery| {
                let Sent::Reply { request, .. } = &delivery.entry.sent else {
                    return None;
                };
                (kind_of(request) == kind && request.directory == *directory).then(|| request.id.clone())
            });
        let also: Vec<RequestId> = waiting.filter(|id| !touched.contains(id)).collect();
        self.changed |= !touched.is_empty();
        touched.extend(also);
        for id in touched {
            self.decide_request(&id, now);
        }
    }

    /// Takes in when a request was made that no list has shown up to `before`. One that is known says nothing new.
    pub(in crate::engine::board) fn observe_made(&mut self, id: &RequestId, before: Option<Earlier>, now: Time) {
        if self.requests.get(id).is_none()
            && let Some(made) = id.made(now)
        {
            let after = before.and_then(|before| before.made_after(made));
            self.changed |= self.reader.server_clock.observe(made, after, now);
        }
    }

    /// Offers a request. One whose part has ended before it is first seen is never shown (requirements R2).
    ///
    /// `is_first` is whether it may have been asked long before its directory was first read.
    pub(in crate::engine::board) fn offer(
        &mut self,
        request: Arc<Request>,
        is_first: bool,
        read: ReadStamp,
        now: Time,
    ) {
        let id = request.id.clone();
        let (session, directory) = (request.session.clone(), request.directory.clone());
        match self.requests.offer(request, now) {
            Offered::New => {}
            Offered::Changed => {
                self.record(Level::Warn, format!("{id} of {session}: changed under its id"));
                self.changed = true;
                return;
            }
            Offered::Same => return,
        }
        if !self.sessions.nodes.contains_key(&session) {
            self.sessions.unknown.insert(session.clone(), directory.clone());
        }
        self.scope(ScopeKey::Directory(directory)).used = Some(now);
        let transcript = self.sessions.nodes.get(&session).map(|node| &node.transcript);
        let part = self.requests.get_mut(&id).and_then(|tracked| {
            if is_first {
                tracked.hold_until_read();
            }
            let transcript = transcript?;
            let message = transcript.message(tracked.asker()?)?;
            tracked.observe_call(message);
            Some(tracked.part_in(message))
        });
        match part {
            Some(part) if part.is_final() => {
                if let Some(tracked) = self.requests.get_mut(&id) {
                    tracked.observe_part(part, read);
                    tracked.settled = true;
                }
                self.record(
                    Level::Info,
                    format!("{id} of {session}: not shown, its tool call had ended before"),
                );
            }
            Some(_) | None if !is_first && self.sessions.nodes.get(&session).is_some_and(Node::is_running) => {
                self.publish(&id)
            }
            Some(_) | None => {}
        }
        self.changed = true;
    }

    /// Shows a request.
    pub(crate) fn publish(&mut self, id: &RequestId) {
        let Some(tracked) = self.requests.get_mut(id) else {
            return;
        };
        if !tracked.is_published() && tracked.ended().is_none() {
            tracked.publish();
            let text = format!("{id} of {}: shown", tracked.request.session);
            self.record(Level::Info, text);
            self.changed = true;
            self.note_seen(id);
        }
    }

    pub(super) fn publish_where(&mut self, which: impl Fn(&TrackedRequest) -> bool) {
        let hidden = self
            .requests
            .iter()
            .filter(|(_, tracked)| !tracked.is_published() && which(tracked));
        let ids: Vec<RequestId> = hidden.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.publish(&id);
        }
    }

    /// Shows what has been held back for long enough.
    pub(crate) fn publish_due(&mut self, now: Time) {
        self.publish_where(|tracked| tracked.publish_deadline().is_some_and(|deadline| deadline <= now));
    }
}
