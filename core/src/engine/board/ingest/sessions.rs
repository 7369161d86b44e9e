//! Takes in what was read of sessions: lists, the status map, and that one is gone.

use std::time::Duration;

use crate::collections::SortedMap;
use crate::engine::board::Board;
use crate::engine::evidence::ReadStamp;
use crate::engine::outbox::PartState;
use crate::engine::refresh::scope::ScopeKey;
use crate::engine::server_clock::Earlier;
use crate::engine::sessions::session::Node;
use crate::engine::waits::shell::ShellError;
use crate::log::Level;
use crate::model::{Directory, RequestId, Session, SessionId, SessionPage, Status};
use crate::ports::{Posted, Read};
use crate::time::Time;

impl Board {
    pub(super) fn observe_sessions(
        &mut self,
        since: Option<u64>,
        cursor: Option<&str>,
        page: SessionPage,
        begun: Time,
        now: Time,
    ) {
        let sweep = since.is_none();
        let clock = &self.reader.server_clock;
        self.sweep.observe_page(since, cursor, &page, begun, clock);
        let closing = self.sweep.closing_since(clock);
        let refresh = self.scope(ScopeKey::Sessions).refresh.as_ref();
        let is_sweeping = refresh.is_some_and(|refresh| refresh.sweep);
        let next = match page.next {
            Some(next) => Some(Read::Sessions {
                since,
                page: Some(next),
            }),
            // What has moved from a page that was not read yet to one that was is in none of them.
            None if sweep && cursor.is_some() && is_sweeping => Some(Read::Sessions {
                since: Some(closing),
                page: None,
            }),
            None => None,
        };
        // The same page may have come from another tab, too.
        let is_asked = next
            .as_ref()
            .is_some_and(|next| self.reader.in_flight.values().any(|reading| reading.read == *next));
        if let Some(refresh) = self.scope(ScopeKey::Sessions).refresh.as_mut()
            && let Some(next) = next
            && !is_asked
            && !refresh.queue.contains(&next)
        {
            refresh.queue.push_back(next);
        }
        for session in page.sessions {
            self.sweep.sessions.insert(session.id.clone());
            if self.shows(&session.directory) {
                self.observe_session(session, begun, now);
            }
        }
    }

    /// Takes what a read that began then says of a session. Anything older than what is known is ignored: reads overtake each
    /// other, and other tabs may pass on late what they have read.
    pub(crate) fn observe_session(&mut self, mut session: Session, begun: Time, now: Time) {
        let is_old = self.sessions.gone.get(&session.id).is_some_and(|gone| begun < *gone)
            || self
                .sessions
                .nodes
                .get(&session.id)
                .is_some_and(|node| node.is_newer_than(&session, begun));
        if is_old {
            return;
        }
        let key = ScopeKey::Directory(session.directory.clone());
        if let Some((ScopeKey::Directory(directory), _)) = self.reader.scopes.get_key_value(&key) {
            // Equal by pointer, and held once.
            session.directory = directory.clone();
        }
        if session.parent.is_none() {
            session.parent = self.sessions.links.get(&session.id).cloned();
        }
        let pace = self.config.pace;
        let (id, updated) = (session.id.clone(), session.updated);
        let scope = self.reader.scopes.get(&key);
        let status = scope.and_then(|scope| scope.statuses.get(&id).cloned());
        let status_begun = scope.and_then(|scope| scope.status_read).unwrap_or_default().begun;
        let known = self.sessions.nodes.contains_key(&id);
        let known_since = self.sessions.nodes.get(&id).and_then(|node| node.read);
        // No list names what is archived.
        let before = self.sweep.list_before(begun).filter(|_| !session.archived);
        let node = self
            .sessions
            .nodes
            .entry(id.clone())
            .or_insert_with(|| Node::new(session.clone(), now));
        let moved = node.session.updated != updated;
        if known && moved {
            // It has this stamp from the server's clock.
            let after = known_since.max(before.and_then(|before| before.made_after(updated)));
            self.changed |= self.reader.server_clock.observe(updated, after, now);
            if let Some(listed) = before.and_then(|before| before.made_after(updated)) {
                node.observe_movement(listed);
            }
        } else if let Some(before) = before.filter(|before| !known && is_young(&session, *before, now))
            && let Some(listed) = before.made_after(session.created)
        {
            // It may have been imported, or taken out of the archive.
            self.changed |= self.reader.server_clock.observe_doubtful(updated, listed, now);
            let created = session.created.saturating_sub(1);
            node.sightings.observe_movement(listed, created);
        }
        node.read = node.read.max(Some(begun));
        let changed = node.observe_session(session, now) | node.observe_status(status.as_ref(), status_begun, now);
        let is_running = node.is_running();
        self.sessions.gone.remove(&id);
        self.changed |= changed || !known;
        let scope = self.scope(key);
        // After the first sweep a session that is new or moved means that something goes on there.
        if moved || (!known && scope.status_read.is_some()) {
            scope.used = Some(now);
            if !(known && is_running) {
                scope.cadence.wake(now, &pace);
            }
        }
        if !known && self.attention.open.as_ref() == Some(&id) {
            let directory = self.sessions.nodes[&id].session.directory.clone();
            self.refresh_now(&directory, now);
        }
    }

    /// The open session is in no list (it may be archived): any directory can tell about it. One that hangs would not.
    pub(crate) fn look_for_open_session(&mut self, now: Time) {
        let Some(open) = self
            .attention
            .open
            .clone()
            .filter(|open| !self.sessions.nodes.contains_key(open) && !self.sessions.gone.contains_key(open))
        else {
            return;
        };
        let directories = self.reader.scopes.iter().filter_map(|(key, scope)| match key {
            ScopeKey::Directory(directory) => {
                let is_slow = scope.hangs() || scope.cadence.is_backing_off();
                Some(((is_slow, !scope.answered), directory))
            }
            ScopeKey::Sessions => None,
        });
        let soonest = directories.min_by_key(|(reluctance, _)| *reluctance);
        if let Some(directory) = soonest.map(|(_, directory)| directory.clone()) {
            self.sessions.unknown.insert(open, directory.clone());
            self.refresh_now(&directory, now);
        }
    }

    /// A directory has answered. Where the open session is looked for in one that has not, this one is asked.
    pub(crate) fn look_where_it_is_answered(&mut self, now: Time) {
        let asked = self
            .attention
            .open
            .as_ref()
            .and_then(|open| self.sessions.unknown.get(open));
        let scope = asked.and_then(|directory| self.directory_scope(directory));
        if scope.is_some_and(|scope| !scope.answered || scope.hangs()) {
            self.look_for_open_session(now);
        }
    }

    /// Keeps a session known for as long as it exists, also where no list names it, as with one that is archived, and reads it soon.
    pub(crate) fn need(&mut self, session: &SessionId, directory: &Directory, now: Time) {
        self.attention.needed.insert(session.clone(), directory.clone());
        self.watch(session, directory, now);
        self.refresh_now(directory, now);
    }

    /// Leaves a session to the lists again.
    pub(crate) fn need_no_longer(&mut self, session: &SessionId) {
        self.attention.needed.remove(session);
    }

    /// Whether the server has said of a session that is needed that it does not exist.
    pub(crate) fn is_deleted(&self, session: &SessionId) -> bool {
        self.sessions.gone.contains_key(session)
    }

    /// Asks for the session itself in the next refresh of its directory.
    pub(super) fn question(&mut self, session: &SessionId) {
        if let Some(node) = self.sessions.nodes.get_mut(session) {
            node.questioned = true;
        }
    }

    pub(super) fn observe_statuses(
        &mut self,
        directory: &Directory,
        mut statuses: SortedMap<SessionId, Status>,
        read: ReadStamp,
        now: Time,
    ) {
        // From here on by our clock.
        for (_, status) in statuses.iter_mut() {
            if let Status::Retry { next: Some(next), .. } = status {
                *next = self.reader.server_clock.ours(*next).0;
            }
        }
        self.publish_where(|tracked| statuses.contains_key(&tracked.request.session) && !tracked.awaits_first_look());
        for (id, status) in &statuses {
            match self.sessions.nodes.get_mut(id) {
                Some(node) if node.session.directory == *directory => {
                    self.changed |= node.observe_status(Some(status), read.begun, now);
                }
                Some(_) | None if self.sessions.gone.contains_key(id) => {}
                Some(_) | None => {
                    self.sessions.unknown.insert(id.clone(), directory.clone());
                }
            }
        }
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        let before_it = scope.status_read.replace(read).map(|read| read.begun);
        if let Some(refresh) = scope.refresh.as_mut() {
            refresh.status = true;
        }
        let before = std::mem::replace(&mut scope.statuses, statuses);
        if let Some(before_it) = before_it.filter(|_| !before.keys().eq(scope.statuses.keys())) {
            self.note_found(directory, before_it, now);
        }
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        let absent: Vec<SessionId> = before
            .into_iter()
            .map(|(id, _)| id)
            .filter(|id| !scope.statuses.contains_key(id))
            .collect();
        for id in absent {
            if let Some(node) = self
                .sessions
                .nodes
                .get_mut(&id)
                .filter(|node| node.session.directory == *directory)
            {
                self.changed |= node.observe_status(None, read.begun, now);
            }
        }
    }

    pub(super) fn observe_deletion(&mut self, session: &SessionId, read: ReadStamp, now: Time) {
        self.record(Level::Info, format!("{session}: deleted"));
        self.sessions.gone.insert(session.clone(), read.begun);
        self.sessions.unknown.remove(session);
        self.sessions.nodes.remove(session);
        self.settle_missing(session, PartState::SessionGone, read, now);
        let orphans: Vec<RequestId> = self
            .requests
            .iter()
            .filter(|(_, tracked)| tracked.request.session == *session)
            .map(|(id, _)| id.clone())
            .collect();
        for id in orphans {
            if let Some(tracked) = self.requests.get_mut(&id) {
                tracked.observe_part(PartState::SessionGone, read);
            }
            self.decide_request(&id, now);
        }
        self.decide_prompts_of(session, now);
        self.end_waits_for(session, now);
        self.changed = true;
    }

    /// Everything that waits for something of a session hears that it was deleted.
    fn end_waits_for(&mut self, session: &SessionId, now: Time) {
        self.end_replies_of(session, now);
        self.end_shell(session, Err(ShellError::Refused("the session was deleted".to_owned())));
        self.end_stop(session, &Posted::NotFound(format!("session {session} was deleted")));
    }

    pub(super) fn settle_missing(&mut self, session: &SessionId, evidence: PartState, read: ReadStamp, now: Time) {
        self.sessions.unknown.remove(session);
        let Some(missing) = self.sessions.missing.remove(session) else {
            return;
        };
        let ids: Vec<RequestId> = self
            .requests
            .iter()
            .filter(|(_, tracked)| {
                tracked.request.session == *session && tracked.asker().is_some_and(|asker| missing.contains(asker))
            })
            .map(|(id, _)| id.clone())
            .collect();
        for id in ids {
            if let Some(tracked) = self.requests.get_mut(&id) {
                tracked.observe_part(evidence.clone(), read);
            }
            self.decide_request(&id, now);
        }
    }
}

/// Whether a session that is listed for the first time can have been created since the list before: others may have been
/// imported, or taken out of the archive.
pub(super) fn is_young(session: &Session, before: Earlier, now: Time) -> bool {
    let life = Duration::from_millis(session.updated.saturating_sub(session.created));
    before.was_longer_ago_than(life, now)
}
