//! Draws the conclusions: what a complete refresh says about requests and sessions, and who waits for whom.

use crate::collections::SortedSet;
use crate::engine::board::Board;
use crate::engine::board::deliver::message_of;
use crate::engine::outbox::Delivery;
use crate::engine::refresh::scope::{Refresh, ScopeKey};
use crate::engine::requests::{TrackedRequest, kind_of};
use crate::engine::sessions::runner::{Watch, open_message};
use crate::engine::sessions::session::Node;
use crate::engine::sessions::turn::{Descendant, NewestTurn};
use crate::log::Level;
use crate::model::{Directory, MessageId, RequestId, SessionId, ToolRef};
use crate::time::Time;
use crate::view::TurnState;

impl Board {
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
            // It closes the calls of a run that is over.
            let is_there = self
                .reader
                .trust
                .there_since()
                .is_some_and(|since| since <= tracked.seen);
            let has_lists = refresh.status && refresh.lists.contains(&kind_of(&tracked.request));
            let is_idle = self
                .sessions
                .nodes
                .get(&tracked.request.session)
                .is_some_and(|node| !node.is_running());
            let complete = has_lists && (refresh.parts.contains(&id) || tracked.has_lost_asker());
            let anybody = match (tracked.is_listed(), running) {
                (Some(listed), Some(running)) if has_lists => {
                    let waits = listed || running || tracked.part().is_final();
                    (waits || complete).then_some(waits)
                }
                (_, _) => None,
            };
            if let Some(tracked) = self.requests.get_mut(&id) {
                tracked.observe_waiting(anybody, is_there, refresh.begun, gap, now);
                if let (true, Some(listed)) = (complete, tracked.is_listed()) {
                    tracked.observe_absence(listed, refresh.begun, gap, now);
                }
                if let (true, Some(listed)) = (has_lists, tracked.is_listed()) {
                    let is_stranded = tracked.is_permission_without_call() && listed && is_idle;
                    tracked.observe_stranded(is_stranded, refresh.begun, gap, now);
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
            self.decide_replies(directory, refresh.begun, refresh.number, now);
            self.decide_stops(directory, refresh.begun, now);
        }
        self.decide_shells(directory, now);
    }

    /// How the newest turn of a session stands. None before its newest messages were read.
    pub(crate) fn turn_of(&self, id: &SessionId) -> Option<NewestTurn> {
        let node = self.sessions.nodes.get(id)?;
        let complete_until = node.turn.complete_until()?;
        let scope = self.directory_scope(&node.session.directory)?;
        // Of one at rest no conclusion is drawn anew.
        let status_read = match node.is_at_rest() {
            true => scope.status_read?.number,
            false => node.turn.status_read(),
        };
        let is_on_its_way = |delivery: &Delivery| {
            let entry = &delivery.entry;
            entry.session == *id && entry.is_on_its_way() && message_of(entry).is_some()
        };
        Some(NewestTurn {
            state: node.turn.state().clone(),
            complete_until,
            status_read,
            is_prompted: node.awaits_prompt() || self.outbox.queue.iter().any(is_on_its_way),
            has_messages: node.transcript.newest().is_some(),
        })
    }

    /// Draws the conclusion about the turn of a session, from the newest status of its directory.
    pub(super) fn conclude(&mut self, id: &SessionId, now: Time) {
        let waiting = self.waiting_in(id);
        let descendant = self.descendant_of(id);
        let gap = self.config.pace.absence_gap;
        let status = self
            .sessions
            .nodes
            .get(id)
            .and_then(|node| self.directory_scope(&node.session.directory))
            .and_then(|scope| scope.status_read);
        let is_asked_here = self.is_asked_here(id);
        let (Some(node), Some(status)) = (self.sessions.nodes.get_mut(id), status) else {
            return;
        };
        let watch = Watch {
            unbroken: self.reader.trust.unbroken(),
            there_since: self.reader.trust.there_since(),
            last_failure: self.reader.link.last_failure(),
            clock: &self.reader.server_clock,
            status_begun: status.begun,
            is_fresh: node.is_fresh(status.number),
            is_asked_here,
            now,
        };
        let runner = node.sightings.runner(node.transcript.tail(), watch);
        let changed = node.conclude(waiting, descendant, status, runner, gap, now);
        let requests = &self.requests;
        let has_asked = node.observe_asks(status.number, |message, call| {
            let of_call = |tool: &ToolRef| tool.message == *message && tool.call == *call;
            let mut tools = requests.iter().filter_map(|(_, tracked)| tracked.request.tool.as_ref());
            tools.any(of_call)
        });
        let asks = has_asked.then(|| format!("{id}: {}", node.asks.describe()));
        let text = changed.then(|| format!("{id}: {:?}", node.turn.state()));
        let ended = matches!(node.turn.state(), TurnState::Ended { .. });
        let abandoned = if ended && (changed || node.has_open_calls()) {
            node.end_calls()
        } else {
            Vec::new()
        };
        let grace = (!ended && node.begins_grace()).then(|| node.session.directory.clone());
        for text in text.into_iter().chain(asks) {
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

    /// Whether the newest message of a session is a prompt that went to this server, or what is open answers one, belongs to a
    /// command that runs there, or has asked something that the server has listed, itself or through a sub-agent.
    fn is_asked_here(&self, session: &SessionId) -> bool {
        let Some(node) = self.sessions.nodes.get(session).filter(|node| !node.is_running()) else {
            return false;
        };
        let messages = node.transcript.tail();
        let Some(open) = open_message(messages) else {
            return false;
        };
        let below = self.descendants(session);
        let newest = messages.last().map(|last| &last.id);
        let answers = |message: &MessageId| open.parent.as_ref() == Some(message) || newest == Some(message);
        let is_of_run = |message: &MessageId| {
            let asking = node.transcript.message(message);
            *message == open.id || asking.is_some_and(|asking| asking.parent.is_some() && asking.parent == open.parent)
        };
        let asks = |tracked: &TrackedRequest| {
            let tool = tracked.request.tool.as_ref().map(|tool| &tool.message);
            let is_own = || tracked.request.session == *session && tool.or(tracked.asker()).is_none_or(is_of_run);
            below.contains(&&tracked.request.session) || is_own()
        };
        self.waits.commands.contains_key(session)
            || node
                .prompted
                .as_ref()
                .is_some_and(|prompted| answers(&prompted.message))
            || self.waits.replies.values().any(|awaited| answers(&awaited.message))
            || self
                .prompts_to(session)
                .any(|delivery| message_of(&delivery.entry).is_some_and(|message| answers(&message)))
            || self.requests.iter().any(|(_, tracked)| asks(tracked))
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

    /// What goes on in the sessions below one.
    fn descendant_of(&self, id: &SessionId) -> Option<Descendant> {
        let below = self.descendants(id);
        if let Some(waits) = below.iter().find(|child| self.waiting_in(child) > 0) {
            return Some(Descendant::Waits((*waits).clone()));
        }
        let mut nodes = below.iter().filter_map(|child| self.sessions.nodes.get(*child));
        nodes.any(Node::is_running).then_some(Descendant::Works)
    }

    /// The sessions that running `task` parts name, directly or through others.
    fn descendants<'a>(&'a self, id: &'a SessionId) -> Vec<&'a SessionId> {
        let mut visited = SortedSet::from([id]);
        let (mut open, mut below) = (vec![id], Vec::new());
        while let Some(next) = open.pop() {
            let node = self.sessions.nodes.get(next);
            for child in node.map(Node::running_children).unwrap_or_default() {
                if visited.insert(child) {
                    below.push(child);
                    open.push(child);
                }
            }
        }
        below
    }
}

/// The most parents that are walked from a sub-agent upwards.
pub(crate) const NESTING_MAX: usize = 16;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::config::Config;
    use crate::engine::evidence::ReadStamp;
    use crate::engine::outbox::PartState;
    use crate::engine::requests::Kind;
    use crate::model::{Ask, Request, Session, Status};

    /// R14: what shows that a request waits takes back that it seemed forgotten, also where its part was not read
    #[test]
    fn a_session_that_runs_again_is_no_second_look_at_an_orphan() {
        let (directory, session, id) = (
            Directory::from("/d"),
            SessionId::from("ses_1"),
            RequestId::from("que_1"),
        );
        let mut board = Board::new(Config::new(7));
        let found = Session::new(session.clone(), directory.clone(), 0);
        board.sessions.nodes.insert(session.clone(), Node::new(found, Time(0)));
        let asked = Request::new(
            id.clone(),
            session.clone(),
            directory.clone(),
            Ask::Questions(Vec::new()),
        );
        board.requests.offer(Arc::new(asked), Time(0));
        let mut refresh = |begun: u64, status: Option<Status>, is_looked_at: bool| {
            let (number, begun) = (begun, Time(begun));
            let read = ReadStamp { number, begun };
            board
                .requests
                .observe_list(&directory, Kind::Question, &[], read, |_| true);
            let node = board.sessions.nodes.get_mut(&session).unwrap();
            node.observe_status(status.as_ref(), begun, begun);
            let mut refresh = Refresh::new(number, begun, []);
            (refresh.status, refresh.lists) = (true, SortedSet::from([Kind::Question]));
            if is_looked_at {
                refresh.parts.insert(id.clone());
                let tracked = board.requests.get_mut(&id).unwrap();
                tracked.observe_part(PartState::Running, read);
            }
            board.conclude_refresh(&directory, &refresh, begun);
            board.requests.get(&id).unwrap().ended().is_some()
        };
        assert!(!refresh(1_000, None, true));
        assert!(!refresh(3_500, None, false), "it was not looked at");
        assert!(!refresh(4_000, Some(Status::Busy), false));
        assert!(!refresh(6_500, None, true), "the first look since it ran");
        assert!(refresh(9_000, None, true));
    }
}
