//! Takes in what was read: sessions, lists, status, messages.

use std::sync::Arc;

use crate::collections::{SortedMap, SortedSet};
use crate::engine::board::Board;
use crate::engine::outbox::PartState;
use crate::engine::refresh::USE_LASTS;
use crate::engine::refresh::scope::{Phase, Refresh, ScopeKey};
use crate::engine::requests::{Kind, Offered, TrackedRequest, kind_of};
use crate::engine::sessions::session::Node;
use crate::engine::sessions::turn::Descendant;
use crate::engine::waits::shell::ShellError;
use crate::log::Level;
use crate::model::{
    Directory, Draft, DraftKey, DraftText, Entry, Message, MessageId, Page, Request, RequestId, Sent, Session,
    SessionId, SessionPage, Stage, Status, ToolStatus,
};
use crate::ports::{Fetched, Posted, Read, ReadError, Saved};
use crate::time::Time;
use crate::view::TurnState;

impl Board {
    pub(crate) fn observe(
        &mut self,
        read: &Read,
        result: Result<Fetched, ReadError>,
        number: u64,
        begun: Time,
        now: Time,
    ) {
        match (read, result) {
            (Read::Health, Ok(Fetched::Health(health))) => {
                self.changed |= self.reader.link.version.as_ref() != Some(&health.version);
                self.reader.link.version = Some(health.version);
            }
            (Read::Directories, Ok(Fetched::Directories(mut directories))) => {
                directories.retain(|directory| self.shows(directory));
                for directory in &directories {
                    self.scope(ScopeKey::Directory(directory.clone()));
                }
                self.sweep.directories = Some(directories.into_iter().collect());
            }
            (Read::Sessions { since, page: cursor }, Ok(Fetched::Sessions(page))) => {
                if cursor.is_none() {
                    self.sweep.listed_update = 0;
                    self.compare_session_clocks(*since, &page, begun, now);
                }
                if let (None, None, Some(open)) = (since, cursor, self.attention.open.clone()) {
                    // A page that names it settles that. None names an archived one, and the tab that sweeps may not need it.
                    self.question(&open);
                }
                self.observe_sessions(*since, page, now);
            }
            (Read::Session { session, .. }, Ok(Fetched::Session(found))) => {
                self.observe_session(*found, now);
                self.settle_missing(session, PartState::Vanished, number, now);
            }
            (Read::Session { session, .. }, Err(ReadError::NotFound(_))) => self.observe_deletion(session, number, now),
            (Read::Questions(directory), Ok(Fetched::Requests(requests))) => {
                self.observe_list(directory, Kind::Question, requests, (number, begun), now);
            }
            (Read::Permissions(directory), Ok(Fetched::Requests(requests))) => {
                self.observe_list(directory, Kind::Permission, requests, (number, begun), now);
            }
            (Read::Status(directory), Ok(Fetched::Statuses(statuses))) => {
                self.observe_statuses(directory, statuses, number, begun, now);
            }
            (Read::Messages { session, before, .. }, Ok(Fetched::Page(page))) => {
                self.observe_page(session, before.as_deref(), page, (number, begun), now);
            }
            (Read::Message { session, message, .. }, Ok(Fetched::Message(found))) => {
                self.observe_message(session, message, &found, (number, begun), now);
            }
            (
                Read::Message {
                    session,
                    directory,
                    message,
                },
                Err(ReadError::NotFound(_)),
            ) => {
                self.observe_missing(session, directory, message, (number, begun), now);
            }
            (Read::Message { session, message, .. }, Err(_)) => {
                for id in self.asked_in(session, message) {
                    if let Some(tracked) = self.requests.get_mut(&id) {
                        tracked.handle_unreadable(number);
                    }
                    self.publish(&id);
                }
            }
            (
                Read::Messages {
                    session,
                    limit,
                    before,
                    directory,
                },
                Err(error),
            ) => {
                self.observe_unreadable_page(session, directory, *limit, before.as_deref(), &error, now);
            }
            (_, Ok(_) | Err(_)) => {}
        }
    }

    /// Compares the clocks by the sessions that have moved since the last complete list. One that is new there has, too,
    /// where the list has only what was updated since: others may have been brought from another server.
    fn compare_session_clocks(&mut self, since: Option<u64>, page: &SessionPage, begun: Time, now: Time) {
        if page.next.is_some() {
            return;
        }
        let after = self.sweep.list_begun.replace(begun);
        for session in &page.sessions {
            let has_moved = match self.sessions.nodes.get(&session.id) {
                Some(known) => known.session.updated != session.updated,
                None => since.is_some() && !self.sessions.gone.contains(&session.id),
            };
            if has_moved {
                self.changed |= self.reader.server_clock.observe(session.updated, after, now);
            }
        }
    }

    fn observe_sessions(&mut self, since: Option<u64>, page: SessionPage, now: Time) {
        let sweep = since.is_none();
        let newest = page.sessions.iter().map(|session| session.updated).max();
        self.sweep.listed_update = self.sweep.listed_update.max(newest.unwrap_or(0));
        if page.next.is_none() {
            // Only a list that was read to its end says that nothing older has moved.
            self.sweep.newest_update = self.sweep.newest_update.max(self.sweep.listed_update);
        }
        let next = page.next.map(|next| Read::Sessions {
            since,
            page: Some(next),
        });
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
            if sweep {
                self.sweep.sessions.insert(session.id.clone());
            }
            if self.shows(&session.directory) {
                self.observe_session(session, now);
            }
        }
    }

    pub(crate) fn observe_session(&mut self, mut session: Session, now: Time) {
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
        let status = self
            .reader
            .scopes
            .get(&key)
            .and_then(|scope| scope.statuses.get(&id).cloned());
        let known = self.sessions.nodes.contains_key(&id);
        let node = self
            .sessions
            .nodes
            .entry(id.clone())
            .or_insert_with(|| Node::new(session.clone(), now));
        let moved = node.session.updated != updated;
        let changed = node.observe_session(session, now) | node.observe_status(status.as_ref(), now);
        self.sessions.gone.remove(&id);
        self.changed |= changed || !known;
        let scope = self.scope(key);
        // After the first sweep a session that is new or moved means that something goes on there.
        if moved || (!known && scope.status_begun.is_some()) {
            scope.used = Some(now);
            scope.cadence.wake(now, &pace);
        }
        if !known && self.attention.open.as_ref() == Some(&id) {
            let directory = self.sessions.nodes[&id].session.directory.clone();
            self.refresh_now(&directory, now);
        }
    }

    /// The open session is in no list (it may be archived): any directory can tell about it.
    pub(crate) fn look_for_open_session(&mut self) {
        let Some(open) = self
            .attention
            .open
            .clone()
            .filter(|open| !self.sessions.nodes.contains_key(open) && !self.sessions.gone.contains(open))
        else {
            return;
        };
        let directory = self.reader.scopes.keys().find_map(|key| match key {
            ScopeKey::Directory(directory) => Some(directory.clone()),
            ScopeKey::Sessions => None,
        });
        if let Some(directory) = directory {
            self.sessions.unknown.insert(open, directory);
        }
    }

    /// Asks for the session itself in the next refresh of its directory.
    fn question(&mut self, session: &SessionId) {
        if let Some(node) = self.sessions.nodes.get_mut(session) {
            node.questioned = true;
        }
    }

    fn observe_list(
        &mut self,
        directory: &Directory,
        kind: Kind,
        requests: Vec<Request>,
        (number, begun): (u64, Time),
        now: Time,
    ) {
        let named: Vec<RequestId> = requests.iter().map(|request| request.id.clone()).collect();
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        let before = scope.listed.entry(kind).or_default().replace(begun);
        for request in requests {
            if self.requests.get(&request.id).is_none()
                && let Some(made) = request.id.made(now)
            {
                self.changed |= self.reader.server_clock.observe(made, before, now);
            }
            self.offer(Arc::new(request), number, now);
        }
        let nodes = &self.sessions.nodes;
        let counts = |request: &Request| {
            nodes
                .get(&request.session)
                .is_none_or(|node| node.session.directory == *directory)
        };
        let mut touched = self.requests.observe_list(directory, kind, &named, number, counts);
        if let Some(refresh) = self.refresh_of(directory) {
            refresh.lists.insert(kind);
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

    /// Offers a request. One whose part has ended before it is first seen is never shown (requirements R2).
    fn offer(&mut self, request: Arc<Request>, number: u64, now: Time) {
        let id = request.id.clone();
        let part = request.tool.as_ref().and_then(|tool| {
            let message = self
                .sessions
                .nodes
                .get(&request.session)?
                .transcript
                .message(&tool.message)?;
            Some(part_state_of(message, tool.call.as_str()))
        });
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
        let scope = self.scope(ScopeKey::Directory(directory));
        scope.used = Some(now);
        let is_first = !scope.is_concluded;
        if let Some(tracked) = self.requests.get_mut(&id).filter(|_| is_first) {
            tracked.hold_until_read();
        }
        match part {
            Some(part) if part.is_final() => {
                if let Some(tracked) = self.requests.get_mut(&id) {
                    tracked.observe_part(part, number, now);
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

    fn publish_where(&mut self, which: impl Fn(&TrackedRequest) -> bool) {
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

    fn observe_statuses(
        &mut self,
        directory: &Directory,
        mut statuses: SortedMap<SessionId, Status>,
        number: u64,
        begun: Time,
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
                    self.changed |= node.observe_status(Some(status), now);
                }
                Some(_) | None if self.sessions.gone.contains(id) => {}
                Some(_) | None => {
                    self.sessions.unknown.insert(id.clone(), directory.clone());
                }
            }
        }
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        scope.status_begun = Some(begun);
        scope.status_number = number;
        if let Some(refresh) = scope.refresh.as_mut() {
            refresh.status = true;
        }
        let before = std::mem::replace(&mut scope.statuses, statuses);
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
                self.changed |= node.observe_status(None, now);
            }
        }
    }

    fn observe_page(&mut self, session: &SessionId, before: Option<&str>, page: Page, read: (u64, Time), now: Time) {
        let followed = self.is_followed(session);
        let Some(directory) = self
            .sessions
            .nodes
            .get(session)
            .map(|node| node.session.directory.clone())
        else {
            return;
        };
        let before_status = self
            .refresh_of(&directory)
            .is_some_and(|refresh| refresh.phase == Phase::Lists);
        let Some(node) = self
            .sessions
            .nodes
            .get_mut(session)
            .filter(|node| before.is_some() || node.is_newest_tail(read.1))
        else {
            return;
        };
        node.window_of(before).handle_read(now);
        node.problem = None;
        page.messages.iter().for_each(|message| node.observe_message(message));
        let newest = page.messages.iter().map(|message| message.created).max();
        self.newest_message = self.newest_message.max(newest.unwrap_or(0));
        let ids: Vec<MessageId> = page.messages.iter().map(|message| message.id.clone()).collect();
        let changed = match before {
            None => {
                let changed = if !followed && node.transcript.is_apart_from(&page) {
                    node.transcript.restart(page);
                    true
                } else {
                    node.transcript.observe_tail(page)
                };
                // Read before the status, it proves nothing about the end of a run: the newest ones are read again.
                node.handle_tail_read(if before_status { 0 } else { read.0 }, read.1);
                node.woken = before_status;
                if changed {
                    node.handle_messages_changed(now);
                }
                changed
            }
            Some(cursor) if node.transcript.gap_cursor() == Some(cursor) => {
                let changed = node.transcript.observe_gap(page);
                if changed {
                    node.handle_messages_changed(now);
                }
                changed
            }
            Some(cursor) if node.transcript.older_cursor() == Some(cursor) => {
                self.attention.older_wanted &= self.attention.open.as_ref() != Some(session);
                self.changed = true;
                node.transcript.observe_older(page)
            }
            // It was asked for before what is held has changed, and belongs nowhere any more.
            Some(_) => false,
        };
        if !followed {
            node.transcript.shrink(self.config.limits.held);
        }
        self.changed |= changed;
        let parts: Vec<Arc<Message>> = ids
            .iter()
            .filter_map(|id| node.transcript.message(id).cloned())
            .collect();
        for message in parts {
            self.forget_previews(&message);
            self.observe_parts(session, &message, read, now);
        }
        if followed {
            self.read_missing_pages(session);
            if before.is_none() {
                self.read_unfinished(session, &directory, ids.len(), now);
            }
        }
    }

    /// A window of messages could not be read. Where the server itself says so, less is asked for at once.
    fn observe_unreadable_page(
        &mut self,
        session: &SessionId,
        directory: &Directory,
        limit: u32,
        before: Option<&str>,
        error: &ReadError,
        now: Time,
    ) {
        if matches!(error, ReadError::NotFound(_)) {
            self.question(session);
        }
        let Some(node) = self.sessions.nodes.get_mut(session) else {
            return;
        };
        let narrowed = match error {
            // The way, or the server, has failed: in a moment the same may be read.
            ReadError::Unreachable(_) | ReadError::Unauthorized | ReadError::NotFound(_) | ReadError::Server { .. } => {
                None
            }
            // It may be larger than what this device takes, or a page of something in between.
            ReadError::Unexpected(_) => node.window_of(before).narrow(limit, now),
            ReadError::TimedOut => node.window_of(before).handle_failure(limit, now),
            ReadError::Refused { .. } => {
                let narrowed = node.window_of(before).handle_failure(limit, now);
                if narrowed.is_none() && before.is_some() && node.transcript.gap_cursor() == before {
                    node.transcript.skip_gap();
                    node.handle_messages_changed(now);
                }
                narrowed
            }
        };
        node.problem = Some(error.to_string());
        self.changed = true;
        let again = narrowed.map(|limit| Read::Messages {
            session: session.clone(),
            directory: directory.clone(),
            limit,
            before: before.map(str::to_owned),
        });
        match (again, self.refresh_of(directory)) {
            (Some(again), Some(refresh)) if *error != ReadError::TimedOut => refresh.queue.push_front(again),
            (_, _) if before.is_some() => self.attention.older_wanted = false,
            (_, _) => {}
        }
    }

    /// What may have changed since it slid out of the newest `tail` messages is read for itself.
    fn read_unfinished(&mut self, session: &SessionId, directory: &Directory, tail: usize, now: Time) {
        let Some(node) = self.sessions.nodes.get_mut(session) else {
            return;
        };
        let reads: Vec<Read> = node
            .find_unread(tail, now)
            .iter()
            .map(|message| Read::Message {
                session: session.clone(),
                directory: directory.clone(),
                message: message.clone(),
            })
            .collect();
        if let Some(refresh) = self.refresh_of(directory) {
            for read in reads {
                if !refresh.queue.contains(&read) {
                    refresh.queue.push_back(read);
                }
            }
        }
    }

    /// Goes on paging back while the newest messages do not touch what is held.
    fn read_missing_pages(&mut self, session: &SessionId) {
        let Some(node) = self.sessions.nodes.get(session) else {
            return;
        };
        let Some(cursor) = node.transcript.gap_cursor() else {
            return;
        };
        let read = Read::Messages {
            session: session.clone(),
            directory: node.session.directory.clone(),
            limit: node.window.limit(self.config.limits.page),
            before: Some(cursor.to_owned()),
        };
        let directory = node.session.directory.clone();
        if let Some(refresh) = self.refresh_of(&directory)
            && !refresh.queue.contains(&read)
        {
            refresh.queue.push_back(read);
        }
    }

    fn observe_message(
        &mut self,
        session: &SessionId,
        id: &MessageId,
        message: &Message,
        read: (u64, Time),
        now: Time,
    ) {
        if let Some(node) = self.sessions.nodes.get_mut(session) {
            node.handle_message_read(id, message.fault.is_some(), now);
            node.observe_message(message);
            if node.transcript.observe_message(message) {
                node.handle_messages_changed(now);
                self.changed = true;
            }
        }
        self.newest_message = self.newest_message.max(message.created);
        self.forget_previews(message);
        self.outbox.stored.insert(id.clone(), (true, read.0, read.1));
        self.observe_parts(session, message, read, now);
        self.decide_prompt_of(id, now);
    }

    /// The server has the text of these parts now.
    fn forget_previews(&mut self, message: &Message) {
        if message.completed.is_some() {
            self.attention.previews.forget_message(&message.id);
        }
    }

    /// The requests that were asked in a message.
    fn asked_in(&self, session: &SessionId, message: &MessageId) -> Vec<RequestId> {
        let asked = |request: &Request| {
            request.session == *session && request.tool.as_ref().is_some_and(|tool| tool.message == *message)
        };
        self.requests
            .iter()
            .filter(|(_, tracked)| asked(&tracked.request))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Takes what a message shows of the requests that were asked in it. The read has a number, and a time at which it
    /// began.
    fn observe_parts(&mut self, session: &SessionId, message: &Message, (number, begun): (u64, Time), now: Time) {
        let ids = self.asked_in(session, &message.id);
        for id in ids {
            self.look_at(&id, number);
            let Some(tracked) = self.requests.get_mut(&id) else {
                continue;
            };
            let Some(tool) = &tracked.request.tool else { continue };
            let evidence = part_state_of(message, tool.call.as_str());
            if tracked.asked.is_none() {
                tracked.asked = message.tool(&tool.call).and_then(|tool| tool.started);
                self.changed |= tracked.asked.is_some();
            }
            let waits = evidence == PartState::Running;
            tracked.message_created = Some(message.created);
            tracked.observe_part(evidence, number, begun);
            let directory = tracked.request.directory.clone();
            if let Some(refresh) = self.refresh_of(&directory)
                && begun >= refresh.begun
            {
                refresh.parts.insert(id.clone());
            }
            if waits {
                self.publish(&id);
            }
            self.decide_request(&id, now);
        }
    }

    /// A message is not there. Whether its session is decides what that means.
    fn observe_missing(
        &mut self,
        session: &SessionId,
        directory: &Directory,
        id: &MessageId,
        read: (u64, Time),
        now: Time,
    ) {
        self.outbox.stored.insert(id.clone(), (false, read.0, read.1));
        self.sessions
            .missing
            .entry(session.clone())
            .or_default()
            .insert(id.clone());
        if let Some(node) = self.sessions.nodes.get_mut(session) {
            node.handle_message_read(id, false, now);
            self.changed |= node.transcript.remove(id);
        }
        let read = Read::Session {
            session: session.clone(),
            directory: directory.clone(),
        };
        let asked = self.reader.in_flight.values().any(|reading| reading.read == read);
        if let Some(refresh) = self.refresh_of(directory)
            && !asked
            && !refresh.queue.contains(&read)
        {
            refresh.queue.push_back(read);
        }
        self.decide_prompt_of(id, now);
    }

    fn observe_deletion(&mut self, session: &SessionId, number: u64, now: Time) {
        self.record(Level::Info, format!("{session}: deleted"));
        self.sessions.gone.insert(session.clone());
        self.sessions.unknown.remove(session);
        self.sessions.nodes.remove(session);
        self.settle_missing(session, PartState::SessionGone, number, now);
        let orphans: Vec<RequestId> = self
            .requests
            .iter()
            .filter(|(_, tracked)| tracked.request.session == *session)
            .map(|(id, _)| id.clone())
            .collect();
        for id in orphans {
            if let Some(tracked) = self.requests.get_mut(&id) {
                tracked.observe_part(PartState::SessionGone, number, now);
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

    fn settle_missing(&mut self, session: &SessionId, evidence: PartState, number: u64, now: Time) {
        self.sessions.unknown.remove(session);
        let Some(missing) = self.sessions.missing.remove(session) else {
            return;
        };
        let ids: Vec<RequestId> = self
            .requests
            .iter()
            .filter(|(_, tracked)| {
                tracked.request.session == *session
                    && tracked
                        .request
                        .tool
                        .as_ref()
                        .is_some_and(|tool| missing.contains(&tool.message))
            })
            .map(|(id, _)| id.clone())
            .collect();
        for id in ids {
            if let Some(tracked) = self.requests.get_mut(&id) {
                tracked.observe_part(evidence.clone(), number, now);
            }
            self.decide_request(&id, now);
        }
    }

    /// Draws the conclusions of a refresh that has read everything it wanted to.
    pub(crate) fn conclude_refresh(&mut self, directory: &Directory, refresh: &Refresh, now: Time) {
        let gap = self.config.pace.absence_gap;
        self.scope(ScopeKey::Directory(directory.clone())).is_concluded |= refresh.status;
        let mut touched = Vec::new();
        let ids: Vec<RequestId> = self
            .requests
            .iter()
            .filter(|(_, tracked)| tracked.ended().is_none() && tracked.request.directory == *directory)
            .map(|(id, _)| id.clone())
            .collect();
        for id in ids {
            let Some(tracked) = self.requests.get(&id) else {
                continue;
            };
            let running = self.runs_for(tracked);
            let complete = refresh.status
                && refresh.lists.contains(&kind_of(&tracked.request))
                && (refresh.parts.contains(&id) || tracked.request.tool.is_none());
            let anybody = match (complete, tracked.is_listed(), running) {
                (true, Some(listed), Some(running)) => Some(listed || running || tracked.part().is_final()),
                (true | false, _, _) => None,
            };
            if let Some(tracked) = self.requests.get_mut(&id) {
                tracked.observe_waiting(anybody, refresh.begun, gap, now);
                if let (true, Some(listed)) = (complete, tracked.is_listed()) {
                    tracked.observe_absence(listed, refresh.begun, gap, now);
                }
            }
            touched.push(id);
        }
        for id in touched {
            self.decide_request(&id, now);
            if self
                .requests
                .get(&id)
                .is_some_and(|tracked| !tracked.awaits_first_look())
            {
                self.publish(&id);
            }
        }
        if refresh.status {
            let asking: SortedSet<&SessionId> = self
                .requests
                .iter()
                .filter(|(_, tracked)| tracked.ended().is_none())
                .map(|(_, tracked)| &tracked.request.session)
                .collect();
            let sessions: Vec<SessionId> = self
                .sessions
                .nodes
                .iter()
                .filter(|(id, node)| {
                    (!node.is_at_rest() || asking.contains(id)) && node.session.directory == *directory
                })
                .map(|(id, _)| id.clone())
                .collect();
            for id in sessions {
                self.conclude(&id, now);
            }
        }
        self.decide_prompts_in(directory, now);
        self.answer_unattended(directory, now);
        if refresh.status {
            self.decide_replies(directory, refresh.begun, refresh.number);
            self.decide_shells(directory, refresh.begun);
            self.decide_stops(directory, refresh.begun, now);
        }
    }

    /// Draws the conclusion about the turn of a session, from the newest status of its directory.
    fn conclude(&mut self, id: &SessionId, now: Time) {
        let waiting = self.waiting_in(id);
        let descendant = self.descendant_of(id);
        let gap = self.config.pace.absence_gap;
        let status = self
            .sessions
            .nodes
            .get(id)
            .and_then(|node| self.directory_scope(&node.session.directory))
            .and_then(|scope| Some((scope.status_begun?, scope.status_number)));
        let (Some(node), Some(status)) = (self.sessions.nodes.get_mut(id), status) else {
            return;
        };
        let changed = node.conclude(waiting, descendant, status, gap, now);
        let text = changed.then(|| format!("{id}: {:?}", node.turn.state()));
        let ended = matches!(node.turn.state(), TurnState::Ended { .. });
        let abandoned = if ended && (changed || node.has_open_calls()) {
            node.end_calls()
        } else {
            Vec::new()
        };
        let grace = (!ended && node.begins_grace()).then(|| node.session.directory.clone());
        if let Some(text) = text {
            self.changed = true;
            self.record(Level::Info, text);
        }
        if !abandoned.is_empty() {
            self.changed = true;
            self.record(
                Level::Warn,
                format!("{id}: abandoned with its turn: {}", abandoned.join(", ")),
            );
        }
        if let Some(directory) = grace {
            // The gap between wakes is the grace.
            let pace = self.config.pace;
            self.scope(ScopeKey::Directory(directory)).cadence.wake(now, &pace);
        }
    }

    /// Draws the conclusions about the sessions that have begun to wait for a person, or wait no more, and about those that
    /// wait for them.
    pub(crate) fn conclude_waiting(&mut self, now: Time) {
        let waiting = self.requests.iter().filter(|(_, tracked)| self.waits(tracked));
        let waiting: SortedSet<SessionId> = waiting.map(|(_, tracked)| tracked.request.session.clone()).collect();
        if waiting == self.sessions.waiting {
            return;
        }
        let before = std::mem::replace(&mut self.sessions.waiting, waiting);
        let ended = before
            .iter()
            .filter(|session| !self.sessions.waiting.contains(*session));
        let begun = self
            .sessions
            .waiting
            .iter()
            .filter(|session| !before.contains(*session));
        let changed: Vec<SessionId> = ended.chain(begun).cloned().collect();
        for session in changed {
            let mut next = Some(session);
            let mut steps = 0;
            while let Some(session) = next.filter(|_| steps < NESTING_MAX) {
                self.conclude(&session, now);
                next = self
                    .sessions
                    .nodes
                    .get(&session)
                    .and_then(|node| node.session.parent.clone());
                steps += 1;
            }
        }
    }

    /// Whether a request waits for a person: it has not ended, and no answer is on its way.
    pub(crate) fn waits(&self, tracked: &TrackedRequest) -> bool {
        let delivery = self.outbox.queue.get(&tracked.entry);
        tracked.ended().is_none()
            && tracked.is_published()
            && !delivery.is_some_and(|delivery| delivery.entry.is_on_its_way())
    }

    /// Whether the run that asked goes on, as far as it is known. A run begins no new step while one of its calls is
    /// open: where a later step is seen, the session works on something else.
    pub(crate) fn runs_for(&self, tracked: &TrackedRequest) -> Option<bool> {
        let node = self.sessions.nodes.get(&tracked.request.session)?;
        let moved_on = tracked.message_created.is_some_and(|asked| asked < node.newest_step);
        Some(node.is_running() && !moved_on)
    }

    /// Requests of a session itself that wait for a person.
    pub(crate) fn waiting_in(&self, session: &SessionId) -> usize {
        let waiting =
            |(_, tracked): &(&RequestId, &TrackedRequest)| tracked.request.session == *session && self.waits(tracked);
        self.requests.iter().filter(waiting).count()
    }

    /// What goes on in the sessions that running `task` parts name, directly or through others.
    fn descendant_of(&self, id: &SessionId) -> Option<Descendant> {
        let mut visited = SortedSet::from([id.clone()]);
        let mut open = vec![id];
        let mut works = false;
        while let Some(next) = open.pop() {
            let children = self
                .sessions
                .nodes
                .get(next)
                .map(Node::running_children)
                .unwrap_or_default();
            for child in children {
                if !visited.insert(child.clone()) {
                    continue;
                }
                if self.waiting_in(child) > 0 {
                    return Some(Descendant::Waits(child.clone()));
                }
                works |= self.sessions.nodes.get(child).is_some_and(Node::is_running);
                open.push(child);
            }
        }
        works.then_some(Descendant::Works)
    }

    /// Takes what the store holds.
    pub(crate) fn observe_saved(&mut self, saved: Saved, now: Time) {
        let number = self.number;
        self.changed |= !self.storage.loaded || !saved.entries.is_empty() || self.outbox.queue.iter().next().is_some();
        self.observe_links(saved.links);
        self.drafts.repeat_failed_writes(&mut self.actions);
        let replaced = self.outbox.queue.observe_saved(&saved.entries, number, now);
        for (ours, theirs) in replaced {
            self.keep_losing_answer(&ours, &theirs);
        }
        // What has happened here since they were saved counts more: the store may be slow.
        let newest = |entry: &Arc<Entry>| Some(self.outbox.queue.get(&entry.id)?.entry.clone());
        let entries: Vec<Arc<Entry>> = saved.entries.iter().filter_map(newest).collect();
        for entry in entries {
            self.remember(&entry, now);
        }
        let is_first = !std::mem::replace(&mut self.storage.loaded, true);
        let is_saved = |key: &DraftKey| saved.drafts.iter().any(|draft| draft.key == *key);
        self.changed |= self.drafts.forget_dropped(is_saved);
        for draft in saved.drafts {
            if let (true, DraftText::Form { request, .. }) = (is_first, &draft.text) {
                self.recall(request, now);
                self.watch(&request.session, &request.directory, now);
            }
            let key = draft.key.clone();
            // The page before was closed between the two writes of a Send.
            let was_sent = is_first
                && self
                    .outbox
                    .queue
                    .iter()
                    .any(|delivery| is_sent_as(&draft, &delivery.entry));
            self.changed |= self.drafts.observe_saved(draft);
            if was_sent {
                self.drop_draft(key);
            }
        }
    }

    /// Shows a request that was kept before the server has named it.
    fn recall(&mut self, request: &Arc<Request>, now: Time) {
        let tracked = self.requests.recall(request, now);
        tracked.publish();
        if let Some(asked) = tracked.asked {
            self.reader.server_clock.observe(asked, None, now);
        }
    }

    /// Looks after the request of an entry that another tab, or an earlier life, has left.
    pub(crate) fn remember(&mut self, entry: &Entry, now: Time) {
        if let Sent::Reply { request, .. } = &entry.sent {
            self.recall(request, now);
            self.note_seen(&request.id);
            if let Stage::Ended { outcome, at } = &entry.stage {
                let outcome = self.attributed(&request.id, outcome.clone());
                if let Some(tracked) = self.requests.get_mut(&request.id) {
                    tracked.end(outcome, *at);
                    tracked.settled = entry.settled;
                }
            }
        }
        if !entry.settled && !matches!(entry.stage, Stage::Ended { .. }) {
            self.watch(&entry.session, &entry.directory, now);
        }
    }

    /// Keeps a directory in use, and finds out about a session that is not known yet.
    fn watch(&mut self, session: &SessionId, directory: &Directory, now: Time) {
        if !self.sessions.nodes.contains_key(session) {
            self.sessions.unknown.insert(session.clone(), directory.clone());
        }
        let pace = self.config.pace;
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        let rests = scope.used.replace(now).is_none_or(|used| now.since(used) >= USE_LASTS);
        if rests {
            scope.cadence.wake(now, &pace);
        }
    }

    fn refresh_of(&mut self, directory: &Directory) -> Option<&mut Refresh> {
        self.reader
            .scopes
            .get_mut(&ScopeKey::Directory(directory.clone()))?
            .refresh
            .as_mut()
    }
}

/// The most parents that are walked from a sub-agent upwards.
pub(crate) const NESTING_MAX: usize = 16;

/// Whether an entry that is on its way says what a draft of a prompt says. One that was refused is no longer: its text may
/// have been typed again.
fn is_sent_as(draft: &Draft, entry: &Entry) -> bool {
    match (&draft.key, &draft.text, &entry.sent) {
        (DraftKey::Prompt(session), DraftText::Prompt(_), Sent::Prompt { prompt, .. }) => {
            *session == entry.session && entry.is_on_its_way() && draft.says(&prompt.text)
        }
        (DraftKey::Prompt(_) | DraftKey::Request(_), _, Sent::Prompt { .. } | Sent::Reply { .. }) => false,
    }
}

/// What a message shows of a call.
fn part_state_of(message: &Message, call: &str) -> PartState {
    let tool = message
        .tools()
        .map(|(_, tool)| tool)
        .find(|tool| tool.call.as_ref().is_some_and(|id| id.as_str() == call));
    // A part that is not there is no proof of anything.
    let Some(tool) = tool else { return PartState::Unread };
    match tool.status {
        ToolStatus::Completed => PartState::Completed(tool.answers.clone()),
        ToolStatus::Error => PartState::Error(tool.error.clone().unwrap_or_default()),
        ToolStatus::Pending | ToolStatus::Running | ToolStatus::Other(_) => PartState::Running,
    }
}
