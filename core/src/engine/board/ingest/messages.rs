//! Takes in messages, and what they show of tool calls.

use std::sync::Arc;

use crate::engine::board::Board;
use crate::engine::board::deliver::message_of;
use crate::engine::evidence::{Observed, ReadStamp};
use crate::engine::outbox::PartState;
use crate::engine::refresh::scope::Phase;
use crate::model::{Directory, Message, MessageId, Page, RequestId, SessionId};
use crate::ports::{Read, ReadError};
use crate::time::Time;

impl Board {
    pub(super) fn observe_page(
        &mut self,
        session: &SessionId,
        before: Option<&str>,
        page: Page,
        read: ReadStamp,
        now: Time,
    ) {
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
            .filter(|node| before.is_some() || node.is_newest_tail(read.begun))
        else {
            return;
        };
        node.window_of(before).handle_read(now);
        node.problem = None;
        for id in self.requests.find_askers(session, before, &page, read) {
            self.look_at(&id, read.number);
        }
        let Some(node) = self.sessions.nodes.get_mut(session) else {
            return;
        };
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
                let number = if before_status { 0 } else { read.number };
                node.handle_tail_read(ReadStamp { number, ..read });
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
        }
        let is_asked_elsewhere = || {
            self.sessions
                .nodes
                .get(session)
                .is_some_and(|node| node.asks.are_certain())
        };
        if before.is_none() && (followed || is_asked_elsewhere()) {
            self.read_unfinished(session, &directory, ids.len(), now);
        }
    }

    /// A window of messages could not be read. Where the server itself says so, less is asked for at once.
    pub(super) fn observe_unreadable_page(
        &mut self,
        session: &SessionId,
        limit: u32,
        before: Option<&str>,
        error: &ReadError,
        now: Time,
    ) {
        if matches!(error, ReadError::NotFound(_)) {
            self.question(session);
        }
        let is_followed = self.is_followed(session);
        let Some(node) = self.sessions.nodes.get_mut(session) else {
            return;
        };
        let narrowed = match error {
            // The way has failed: in a moment the same may be read.
            ReadError::Unreachable(_) | ReadError::Unauthorized | ReadError::NotFound(_) => None,
            ReadError::Server { .. } => {
                node.window_of(before).handle_server_failure(is_followed, now);
                None
            }
            // It may be larger than what this device takes, or a page of something in between.
            ReadError::Unexpected(_) => {
                let narrowed = node.window_of(before).narrow(limit, now);
                if narrowed.is_none() {
                    node.window_of(before).handle_server_failure(is_followed, now);
                }
                narrowed
            }
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
        let directory = node.session.directory.clone();
        self.changed = true;
        let is_wanted = before.is_some() && node.transcript.older_cursor() == before;
        let is_away = matches!(error, ReadError::Unreachable(_) | ReadError::Unauthorized);
        if !is_away || self.refresh_of(&directory).is_some_and(|refresh| refresh.got_through) {
            self.requests.handle_unreadable_page(session, before, now);
        }
        let again = narrowed.map(|limit| Read::Messages {
            session: session.clone(),
            directory: directory.clone(),
            limit,
            before: before.map(str::to_owned),
        });
        let is_of_open = is_wanted && self.attention.open.as_ref() == Some(session);
        match (again, self.refresh_of(&directory)) {
            (Some(again), Some(refresh)) if *error != ReadError::TimedOut => refresh.queue.push_front(again),
            (_, _) if is_of_open => self.attention.older_wanted = false,
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

    pub(super) fn observe_message(
        &mut self,
        session: &SessionId,
        id: &MessageId,
        message: &Message,
        read: ReadStamp,
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
        self.outbox.stored.insert(id.clone(), Observed::new(true, read));
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
    pub(super) fn asked_in(&self, session: &SessionId, message: &MessageId) -> Vec<RequestId> {
        self.requests
            .iter()
            .filter(|(_, tracked)| tracked.request.session == *session && tracked.asker() == Some(message))
            .map(|(id, _)| id.clone())
            .collect()
    }

    /// Takes what a message shows of the requests that were asked in it.
    fn observe_parts(&mut self, session: &SessionId, message: &Message, read: ReadStamp, now: Time) {
        let ids = self.asked_in(session, &message.id);
        for id in ids {
            self.look_at(&id, read.number);
            let Some(tracked) = self.requests.get_mut(&id) else {
                continue;
            };
            let evidence = tracked.part_in(message);
            if tracked.asked.is_none() {
                let call = tracked.request.tool.as_ref().and_then(|tool| message.tool(&tool.call));
                tracked.asked = call.and_then(|call| call.started);
                self.changed |= tracked.asked.is_some();
            }
            self.changed |= tracked.observe_call(message);
            let waits = evidence == PartState::Running;
            tracked.message_created = Some(message.created);
            tracked.observe_part(evidence, read);
            let directory = tracked.request.directory.clone();
            if let Some(refresh) = self.refresh_of(&directory)
                && read.begun >= refresh.begun
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
    pub(super) fn observe_missing(
        &mut self,
        session: &SessionId,
        directory: &Directory,
        id: &MessageId,
        read: ReadStamp,
        now: Time,
    ) {
        self.outbox.stored.insert(id.clone(), Observed::new(false, read));
        self.sessions
            .missing
            .entry(session.clone())
            .or_default()
            .insert(id.clone());
        if let Some(node) = self.sessions.nodes.get_mut(session) {
            node.handle_message_read(id, false, now);
            // One that is on its way may have arrived since this read began, and be shown.
            let mut prompts = self.outbox.queue.iter().map(|delivery| &delivery.entry);
            let is_arriving = prompts.any(|entry| entry.is_on_its_way() && message_of(entry).as_ref() == Some(id));
            self.changed |= !is_arriving && node.transcript.remove(id);
        }
        self.decide_prompt_of(id, now);
        if self.is_yet_to_arrive(session, id) {
            return;
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
    }

    /// Whether a message is that of a prompt, and its session was heard of since the last attempt to send it: it is missing
    /// because it has not arrived.
    fn is_yet_to_arrive(&self, session: &SessionId, message: &MessageId) -> bool {
        let Some(node) = self.sessions.nodes.get(session) else {
            return false;
        };
        let mut prompts = self.prompts_to(session);
        prompts.any(|delivery| {
            let is_of_it = message_of(&delivery.entry).as_ref() == Some(message);
            let attempted = delivery.ended_attempt();
            is_of_it && attempted.is_some_and(|(_, at)| node.heard >= at)
        })
    }
}
