//! One session: what the server lists of it, its messages, and how its turn stands.

use std::sync::Arc;
use std::time::Duration;

use crate::collections::{SortedMap, SortedSet};
use crate::engine::evidence::ReadStamp;
use crate::engine::server_clock::ServerClock;
use crate::engine::sessions::asks::{Asks, NewestReads};
use crate::engine::sessions::runner::{Runner, Sightings};
use crate::engine::sessions::transcript::Transcript;
use crate::engine::sessions::turn::{Descendant, Prompted, Signals, TurnDetector};
use crate::engine::sessions::window::Window;
use crate::model::{CallId, Message, MessageId, PartId, Role, Session, SessionId, Status, ToolStatus};
use crate::primitives::deferred::{DeferredTracker, Settling};
use crate::time::Time;
use crate::view::{Ending, SessionView, TurnState};

/// Messages before the newest ones that may still change and are read one by one.
const UNFINISHED_MAX: usize = 3;

/// How often a message that could be understood in part only is read for itself, before what it says is taken as it is: it may
/// have been damaged on the way.
const FAULTY_READS_MAX: u32 = 5;
/// How long such a message is left alone after that; doubled for each further read.
const FAULTY_PAUSE_MIN: Duration = Duration::from_secs(5);
/// The longest such pause.
const FAULTY_PAUSE_MAX: Duration = Duration::from_secs(60);

/// How long after its beginning a run shows a message of its own. Source: docs/opencode.md §3: a few hundred milliseconds; this allows
/// for a slow machine.
const RUN_SHOWS: Duration = Duration::from_secs(3);

/// How often a run of another process is looked at that may have ended: its session does not move when it is stopped or fails.
const ELSEWHERE_READ: Duration = Duration::from_secs(10);

/// The same where the run may have been cut off long ago.
const PERHAPS_ELSEWHERE_READ: Duration = Duration::from_secs(50);

/// Characters of the last line that are kept.
const LINE_MAX: usize = 200;

/// One session of a board.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) session: Arc<Session>,
    /// When this was last heard.
    pub(crate) heard: Time,
    /// When the newest read began that has shown it.
    pub(crate) read: Option<Time>,
    pub(crate) transcript: Transcript,
    pub(crate) turn: TurnDetector,
    /// Its place in the newest status map of its directory.
    pub(crate) status: Option<Status>,
    /// Since when it has been in there without a break, as far as it was looked at.
    running_since: Option<Time>,
    /// When this server was seen to run it.
    pub(crate) sightings: Sightings,
    /// When its present `updated` was first known.
    updated_at: Time,
    /// The session's `updated` that its newest messages were last read after.
    tail_updated: Option<u64>,
    /// The read that last showed its newest messages.
    pub(crate) tail_read: ReadStamp,
    /// Messages before the newest ones that may have changed since they were read.
    unread: SortedSet<MessageId>,
    /// How often messages that could be understood in part only were read for themselves, and when last.
    faulty_reads: SortedMap<MessageId, (u32, Time)>,
    /// When the newest step was made that was ever seen of it, server clock, milliseconds since the epoch.
    pub(crate) newest_step: u64,
    /// Something happened in it: read it soon.
    pub(crate) woken: bool,
    /// Its existence is in question: read the session itself.
    pub(crate) questioned: bool,
    /// The prompt of ours that was sent last.
    pub(crate) prompted: Option<Prompted>,
    /// The number of the newest read or send when the last prompt of this device was no longer on its way to it; 0 before there is one.
    prompt_over: u64,
    /// When it was last stopped from here.
    pub(crate) stopped: Option<Time>,
    /// Why its messages could not be read, when that failed last.
    pub(crate) problem: Option<String>,
    /// How many of them are asked for at once.
    pub(crate) window: Window,
    /// How many of those before what is held are: a page of the past that cannot be read keeps nothing new away.
    pub(crate) past: Window,
    /// The first line of the newest text of the agent.
    pub(crate) last_line: String,
    /// The tool calls of the present turn, by message and part: a call id alone is not unique.
    calls: DeferredTracker<(MessageId, PartId), ToolStatus>,
    /// Calls that were still running when their turn had ended.
    pub(crate) abandoned: SortedSet<PartId>,
    /// The grace for calls that run although their session is idle has begun.
    in_grace: bool,
    /// Something has changed since the last conclusion about its turn.
    moved: bool,
    /// The sessions that running `task` parts of its turn name.
    children: Vec<SessionId>,
    /// Its questions that wait and may be of another process.
    pub(crate) asks: Asks,
    /// What was last shown of it.
    shown: Option<Arc<SessionView>>,
}

impl Node {
    pub(crate) fn new(session: Session, now: Time) -> Self {
        Self {
            session: Arc::new(session),
            heard: now,
            read: None,
            transcript: Transcript::new(),
            turn: TurnDetector::new(),
            status: None,
            running_since: None,
            sightings: Sightings::default(),
            updated_at: now,
            tail_updated: None,
            tail_read: ReadStamp::default(),
            unread: SortedSet::new(),
            faulty_reads: SortedMap::new(),
            newest_step: 0,
            woken: false,
            questioned: false,
            prompted: None,
            prompt_over: 0,
            stopped: None,
            problem: None,
            window: Window::default(),
            past: Window::default(),
            last_line: String::new(),
            calls: DeferredTracker::new(),
            abandoned: SortedSet::new(),
            in_grace: false,
            moved: true,
            children: Vec::new(),
            asks: Asks::default(),
            shown: None,
        }
    }

    /// Whether what a read that began then says of the session was so before what is known. Where the server's clock was set
    /// back, the next read tells.
    pub(crate) fn is_newer_than(&self, session: &Session, begun: Time) -> bool {
        session.updated < self.session.updated && begun < self.heard
    }

    /// Takes what a read says of the session. Returns true when it is new.
    pub(crate) fn observe_session(&mut self, session: Session, now: Time) -> bool {
        self.heard = now;
        self.questioned = false;
        if *self.session == session {
            return false;
        }
        if self.session.updated != session.updated {
            self.turn.handle_movement(now);
            self.updated_at = now;
        }
        self.session = Arc::new(session);
        self.moved = true;
        true
    }

    /// Takes a message that was read.
    pub(crate) fn observe_message(&mut self, message: &Message) {
        if message.role == Role::Assistant {
            self.newest_step = self.newest_step.max(message.created);
        }
    }

    /// Takes its place in the status map of a read that began then. Returns true when it has changed.
    pub(crate) fn observe_status(&mut self, status: Option<&Status>, begun: Time, now: Time) -> bool {
        self.sightings.observe_status(status.is_some(), begun);
        if self.status.as_ref() == status {
            return false;
        }
        self.turn.handle_movement(now);
        self.running_since = status.and(self.running_since.or(Some(now)));
        self.status = status.cloned();
        self.moved = true;
        true
    }

    /// Whether a read of its newest messages began after the one that is held: those of other tabs arrive in any order.
    pub(crate) fn is_newest_tail(&self, begun: Time) -> bool {
        begun >= self.tail_read.begun
    }

    /// Whether it became known then or later, or was seen to have been updated.
    pub(crate) fn has_moved_since(&self, then: Time) -> bool {
        self.updated_at >= then
    }

    /// The window that a read of its messages before such a cursor belongs to.
    pub(crate) fn window_of(&mut self, before: Option<&str>) -> &mut Window {
        if self.is_past(before) {
            &mut self.past
        } else {
            &mut self.window
        }
    }

    /// How many messages may be asked for before such a cursor, where so many are wanted.
    pub(crate) fn limit_of(&self, before: Option<&str>, wanted: u32) -> u32 {
        let window = if self.is_past(before) { &self.past } else { &self.window };
        window.limit(wanted)
    }

    fn is_past(&self, before: Option<&str>) -> bool {
        before.is_some() && before != self.transcript.gap_cursor()
    }

    /// Something has happened in it: it is read soon.
    pub(crate) fn wake(&mut self) {
        self.woken = true;
        self.window.end_server_rest();
    }

    /// A prompt of this device is no longer on its way to it: what reads numbered up to this show may be older.
    pub(crate) fn handle_prompt_over(&mut self, number: u64) {
        self.prompt_over = number;
        self.wake();
    }

    /// Whether no read of its messages shows yet what has come of a prompt of this device.
    pub(crate) fn awaits_prompt(&self) -> bool {
        self.turn.messages_read() <= self.prompt_over
    }

    /// Its newest messages have been read.
    pub(crate) fn handle_tail_read(&mut self, read: ReadStamp) {
        // A read that was already under way does not show what has moved since.
        if read.begun >= self.updated_at {
            self.tail_updated = Some(self.session.updated);
        }
        self.tail_read = read;
        self.moved = true;
        self.woken = read.number <= self.prompt_over;
    }

    /// The messages that may still change and do not lie in the newest `tail` ones, which were just read: each must be read
    /// for itself.
    pub(crate) fn find_unread(&mut self, tail: usize, now: Time) -> &SortedSet<MessageId> {
        let unfinished = self.transcript.unfinished_before_tail(tail);
        let tries = &self.faulty_reads;
        let faulty = self.transcript.messages().iter().rev().skip(tail).filter(|message| {
            message.fault.is_some()
                && tries
                    .get(&message.id)
                    .is_none_or(|(tries, _)| *tries < FAULTY_READS_MAX)
        });
        let faulty: Vec<MessageId> = faulty.map(|message| message.id.clone()).take(UNFINISHED_MAX).collect();
        self.unread = unfinished.chain(&faulty).take(UNFINISHED_MAX).cloned().collect();
        let held = &self.transcript;
        self.faulty_reads.retain(|id, _| held.contains(id));
        for id in faulty {
            let (tries, last) = self.faulty_reads.entry(id).or_default();
            (*tries, *last) = (*tries + 1, now);
        }
        &self.unread
    }

    /// The messages that could be understood in part only, and are looked at again although nothing moves. It happens less
    /// and less often, and never ends: a device in between may have damaged them for as long as it pleased.
    pub(crate) fn faulty_due(&self, now: Time) -> impl Iterator<Item = &MessageId> {
        let is_due = move |message: &&Arc<Message>| {
            self.faulty_reads.get(&message.id).is_none_or(|(tries, last)| {
                let doublings = tries.saturating_sub(FAULTY_READS_MAX).min(8);
                *tries >= FAULTY_READS_MAX
                    && now.since(*last) >= FAULTY_PAUSE_MIN.saturating_mul(1 << doublings).min(FAULTY_PAUSE_MAX)
            })
        };
        let newest_first = self.transcript.messages().iter().rev();
        let faulty = newest_first.filter(|message| message.fault.is_some());
        faulty.filter(is_due).take(UNFINISHED_MAX).map(|message| &message.id)
    }

    /// A message has been read for itself, or is not there.
    pub(crate) fn handle_message_read(&mut self, id: &MessageId, is_faulty: bool, now: Time) {
        let was_asked_for = self.unread.remove(id);
        if is_faulty && !was_asked_for {
            let (tries, last) = self.faulty_reads.entry(id.clone()).or_default();
            (*tries, *last) = ((*tries + 1).max(FAULTY_READS_MAX), now);
        }
    }

    /// Whether all that it has said is held as it is.
    pub(crate) fn is_read(&self) -> bool {
        self.unread.is_empty() && !self.transcript.is_catching_up()
    }

    /// Whether its messages were read at that time or later. What was damaged on the way, or is still to be read, may be what is
    /// looked for.
    pub(crate) fn was_read_whole(&self, time: Time) -> bool {
        let mut messages = self.transcript.messages().iter();
        self.tail_read.begun >= time && self.is_read() && messages.all(|message| message.fault.is_none())
    }

    /// Something in its messages has changed.
    pub(crate) fn handle_messages_changed(&mut self, now: Time) {
        self.moved = true;
        self.turn.handle_movement(now);
        let newest_first = self.transcript.messages().iter().rev();
        let of_agent = newest_first.filter(|message| message.role == Role::Assistant);
        let said = of_agent.map(|message| message.text()).find(|text| !text.is_empty());
        // While nothing that is held says anything, what was said before is the last word.
        if let Some(said) = said {
            let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let end = line.char_indices().nth(LINE_MAX).map_or(line.len(), |(end, _)| end);
            line[..end].clone_into(&mut self.last_line);
        }
        self.observe_calls();
        self.children = running_children(self.transcript.messages());
    }

    fn observe_calls(&mut self) {
        let turn = self.transcript.messages().iter().rev();
        for message in turn.take_while(|message| !starts_turn(message)) {
            for (part, tool) in message.tools() {
                let key = (message.id.clone(), part.clone());
                match &tool.status {
                    ToolStatus::Completed | ToolStatus::Error => {
                        // One that ended before it was seen to run was never open.
                        if self.calls.settle(&key, Ok(tool.status.clone())) == Settling::Late {
                            // The message itself shows it; nothing else waits for what came late.
                            drop(self.calls.take_late());
                            self.abandoned.remove(part);
                        }
                    }
                    ToolStatus::Pending | ToolStatus::Running | ToolStatus::Other(_) => {
                        self.calls.observe(key);
                    }
                }
            }
        }
    }

    /// True once when calls run although the session is idle: look again after the grace.
    pub(crate) fn begins_grace(&mut self) -> bool {
        let wants_grace = self.status.is_none() && self.calls.open() > 0;
        let begun = std::mem::replace(&mut self.in_grace, wants_grace);
        wants_grace && !begun
    }

    pub(crate) fn has_open_calls(&self) -> bool {
        self.calls.open() > 0
    }

    /// Ends the calls of a turn that has ended. Returns the names of the tools that never did.
    pub(crate) fn end_calls(&mut self) -> Vec<String> {
        let abandoned = self.calls.abandon_all();
        let tool_of = |(message, part): &(MessageId, PartId)| {
            let message = self.transcript.message(message)?;
            let (_, tool) = message.tools().find(|(id, _)| *id == part)?;
            Some(tool.tool.clone())
        };
        let names = abandoned.iter().filter_map(tool_of).collect();
        self.abandoned.extend(abandoned.into_iter().map(|(_, part)| part));
        names
    }

    /// True when its newest messages may differ from what is held. A run of another process may end without a sign.
    pub(crate) fn wants_tail(&self, now: Time) -> bool {
        let pause = match self.turn.state() {
            _ if self.is_used_elsewhere() => Some(ELSEWHERE_READ),
            TurnState::Elsewhere { .. } => Some(PERHAPS_ELSEWHERE_READ),
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. }
            | TurnState::Ended { .. } => None,
        };
        self.woken
            || pause.is_some_and(|pause| now >= self.tail_read.begun + pause)
            || self.status.is_some()
            || self.tail_updated != Some(self.session.updated)
            || !self.is_read()
            || self.is_undecided()
    }

    /// True when it runs no longer, and how it ended is still open.
    pub(crate) fn is_undecided(&self) -> bool {
        self.status.is_none()
            && match self.turn.state() {
                TurnState::Working
                | TurnState::WaitingForHuman { .. }
                | TurnState::Retrying { .. }
                | TurnState::Stuck { .. } => true,
                TurnState::Unknown => self.transcript.newest().is_some(),
                TurnState::Elsewhere { .. } | TurnState::Ended { .. } => self.turn.is_provisional(),
            }
    }

    /// Whether its newest messages were read after the status that was read as number `status`, and after it was last seen to
    /// move.
    pub(crate) fn is_fresh(&self, status: u64) -> bool {
        self.tail_read.number > status && self.tail_updated == Some(self.session.updated)
    }

    /// It has moved since a list that began then, and showed it as it is known.
    pub(crate) fn observe_movement(&mut self, listed: Time) {
        // Of movements in a row, before any message was read, the first counts.
        if self.tail_updated == Some(self.session.updated) || !self.sightings.has_moved() {
            self.sightings.observe_movement(listed, self.session.updated);
        }
    }

    /// Draws the conclusion about its turn. `status` is when the read of the status began, and its number. Returns true when
    /// it has changed.
    pub(crate) fn conclude(
        &mut self,
        waiting: usize,
        descendant: Option<Descendant>,
        status: ReadStamp,
        runner: Runner,
        absence_gap: Duration,
        now: Time,
    ) -> bool {
        self.moved = false;
        if self.status.is_some() {
            self.sightings.observe_messages(self.transcript.tail());
        }
        let signals = Signals {
            status: self.status.as_ref(),
            status_begun: status.begun,
            messages: self.transcript.tail(),
            reads: [status.number, self.tail_read.number],
            fresh: self.is_fresh(status.number),
            waiting,
            descendant,
            prompted: self.prompted.as_ref(),
            runner,
        };
        self.turn.observe(&signals, absence_gap, now)
    }

    /// True when nothing has changed since the last conclusion about it, and time alone changes none: its turn has ended, or
    /// nothing at all is known of it.
    pub(crate) fn is_at_rest(&self) -> bool {
        let is_settled = match self.turn.state() {
            TurnState::Elsewhere { .. } | TurnState::Ended { .. } => !self.turn.is_provisional(),
            TurnState::Unknown => self.prompted.is_none() && self.transcript.newest().is_none(),
            TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. } => false,
        };
        is_settled && !self.asks.are_open() && !self.moved && !self.is_running()
    }

    /// Whether another process is known to have begun what is open, or to ask something.
    pub(crate) fn is_used_elsewhere(&self) -> bool {
        *self.turn.state() == TurnState::Elsewhere { certain: true } || self.asks.are_certain()
    }

    pub(crate) fn is_running(&self) -> bool {
        self.status.is_some()
    }

    /// Whether the run that is under way would have shown a message by now if it were one that began after a message made
    /// then, server clock: its newest messages have been read since the status, read as number `status`.
    pub(crate) fn shows_its_run(&self, status: u64, made: Option<u64>) -> bool {
        let is_prompted = || {
            let newest_first = self.transcript.tail().iter().rev();
            let mut newer = newest_first.take_while(|message| made.is_none_or(|made| message.created > made));
            newer.any(|message| message.role == Role::User)
        };
        let has_run = |since: Time| self.tail_read.begun >= since + RUN_SHOWS;
        self.tail_read.number > status && (!is_prompted() || self.running_since.is_some_and(has_run))
    }

    /// The agent of the newest prompt.
    pub(crate) fn last_agent(&self) -> Option<String> {
        let mut newest_first = self.transcript.messages().iter().rev();
        newest_first.find(|message| message.role == Role::User)?.agent.clone()
    }

    /// The sessions that running `task` parts of this turn name.
    pub(crate) fn running_children(&self) -> &[SessionId] {
        &self.children
    }

    /// Takes which questions of its messages another process asks, beside the status that was read as number `status`.
    /// `is_listed` says whether this server has listed the request of a call. Returns true when something has changed.
    pub(crate) fn observe_asks(&mut self, status: u64, is_listed: impl Fn(&MessageId, &CallId) -> bool) -> bool {
        let messages = self.tail_read.number;
        let read = NewestReads { status, messages };
        self.asks.observe(&self.transcript, self.turn.state(), read, is_listed)
    }

    /// What to show of it: what was shown before, if nothing has changed.
    pub(crate) fn show(
        &mut self,
        waiting: usize,
        waiting_below: usize,
        stale: Option<Time>,
        clock: &ServerClock,
    ) -> &Arc<SessionView> {
        let updated = clock.ours(self.session.updated);
        let asked_elsewhere = self.asks.show(&self.transcript, clock);
        let agent = self.transcript.messages().last().and_then(|last| last.agent.as_ref());
        let is_same = self.shown.as_ref().is_some_and(|shown| {
            Arc::ptr_eq(&shown.session, &self.session)
                && shown.state == *self.turn.state()
                && (shown.waiting, shown.waiting_below, shown.stale) == (waiting, waiting_below, stale)
                && (shown.updated, shown.moved) == (updated, self.turn.moved())
                && shown.agent.as_ref() == agent
                && shown.last_text == self.last_line
                && shown.asked_elsewhere == asked_elsewhere
        });
        let shown = self.shown.take().filter(|_| is_same).unwrap_or_else(|| {
            Arc::new(SessionView {
                session: self.session.clone(),
                state: self.turn.state().clone(),
                waiting,
                waiting_below,
                stale,
                updated,
                moved: self.turn.moved(),
                agent: agent.cloned(),
                last_text: self.last_line.clone(),
                asked_elsewhere,
            })
        });
        self.shown.insert(shown)
    }

    /// True when its newest turn ended without text, so that a fallback is shown.
    pub(crate) fn ended_without_text(&self) -> bool {
        matches!(
            self.turn.state(),
            TurnState::Ended {
                ending: Ending::Empty,
                ..
            }
        )
    }
}

fn running_children(messages: &[Arc<Message>]) -> Vec<SessionId> {
    let turn = messages.iter().rev().take_while(|message| !starts_turn(message));
    let running = turn
        .flat_map(|message| message.tools())
        .filter(|(_, tool)| matches!(tool.status, ToolStatus::Running | ToolStatus::Pending));
    running.filter_map(|(_, tool)| tool.child.clone()).collect()
}

/// True for the message of a person that begins a turn. One that was queued behind a running turn does not end it, but
/// the parts before it have ended by then.
fn starts_turn(message: &Message) -> bool {
    message.role == Role::User
        && message
            .parts
            .iter()
            .any(|part| !matches!(part.body, crate::model::PartBody::Compaction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{MessageError, Page};

    const GAP: Duration = Duration::from_secs(2);

    fn session(updated: u64) -> Session {
        Session {
            id: "ses_1".into(),
            directory: "/d".into(),
            parent: None,
            title: String::new(),
            created: 1,
            updated,
            archived: false,
            cost: None,
        }
    }

    fn message(role: Role) -> Message {
        let is_agent = role == Role::Assistant;
        Message {
            completed: is_agent.then_some(2),
            error: is_agent.then(|| MessageError {
                name: "MessageAbortedError".to_owned(),
                message: String::new(),
            }),
            ..Message::new("msg_1".into(), "ses_1".into(), role, 1)
        }
    }

    /// A session that runs no longer, whose only message was read then, as number 5, after the status.
    fn read(number: u64, begun: u64) -> ReadStamp {
        ReadStamp {
            number,
            begun: Time(begun),
        }
    }

    fn at_rest(role: Role, now: Time) -> Node {
        let mut node = Node::new(session(1), Time(0));
        node.observe_status(Some(&Status::Busy), Time(0), Time(0));
        node.conclude(0, None, read(1, 0), Runner::Here, GAP, Time(0));
        node.observe_status(None, now, now);
        node.transcript.observe_tail(Page {
            messages: vec![message(role)],
            older: None,
        });
        node.handle_messages_changed(now);
        node.handle_tail_read(read(5, now.0));
        node
    }

    fn ending(node: &Node) -> Option<Ending> {
        let TurnState::Ended { ending, .. } = node.turn.state() else {
            return None;
        };
        Some(*ending)
    }

    #[test]
    fn what_was_read_before_is_older_than_what_is_known_unless_the_servers_clock_was_set_back() {
        let mut node = Node::new(session(1), Time(0));
        node.observe_session(session(9), Time(1_500));
        assert!(node.is_newer_than(&session(1), Time(1_400)));
        assert!(!node.is_newer_than(&session(9), Time(1_400)) && !node.is_newer_than(&session(10), Time(1_400)));
        assert!(!node.is_newer_than(&session(1), Time(1_500)));
    }

    /// C6
    #[test]
    fn a_session_that_has_moved_since_it_was_read_is_not_called_ended_by_what_was_read() {
        let mut node = at_rest(Role::Assistant, Time(1_000));
        node.observe_session(session(9), Time(1_500));
        node.conclude(0, None, read(4, 1_000), Runner::Here, GAP, Time(9_000));
        assert_eq!(ending(&node), None, "somebody may have prompted it again");
        node.handle_tail_read(read(7, 9_500));
        node.conclude(0, None, read(6, 9_400), Runner::Here, GAP, Time(9_600));
        assert_eq!(ending(&node), Some(Ending::Aborted));
    }

    /// C6
    #[test]
    fn a_session_that_has_asked_is_not_called_one_that_never_started() {
        let mut node = at_rest(Role::User, Time(1_000));
        node.conclude(0, None, read(4, 1_000), Runner::Here, GAP, Time(1_100));
        for (number, now) in [(6, 8_000), (8, 16_000)] {
            node.handle_tail_read(read(number + 1, now));
            node.conclude(0, None, read(number, now), Runner::Here, GAP, Time(now));
        }
        assert_eq!(ending(&node), Some(Ending::NotStarted));
        node.observe_session(session(9), Time(17_000));
        node.conclude(1, None, read(10, 18_000), Runner::Here, GAP, Time(18_000));
        assert_eq!(*node.turn.state(), TurnState::WaitingForHuman { descendant: None });
        node.conclude(0, None, read(11, 19_000), Runner::Here, GAP, Time(19_000));
        assert_eq!(ending(&node), None, "its messages are older than what it has asked");
    }

    /// C1
    #[test]
    fn what_answers_our_prompt_has_ended_whatever_either_clock_says() {
        let mut node = at_rest(Role::Assistant, Time(1_000));
        node.prompted = Some(Prompted {
            at: Time(1_000),
            message: "msg_0".into(),
        });
        node.conclude(0, None, read(4, 1_000), Runner::Here, GAP, Time(1_100));
        assert_eq!(ending(&node), None, "the only message is one of before");
        let prompt = Message {
            id: "msg_0".into(),
            ..message(Role::User)
        };
        node.transcript.observe_tail(Page {
            messages: vec![prompt, message(Role::Assistant)],
            older: None,
        });
        node.handle_tail_read(read(7, 1_200));
        node.conclude(0, None, read(6, 1_150), Runner::Here, GAP, Time(1_300));
        assert_eq!(ending(&node), Some(Ending::Aborted));
    }

    /// C1: only the newest messages of a session that is not open are read
    #[test]
    fn what_answers_our_prompt_has_ended_also_when_the_prompt_is_not_read_any_more() {
        let prompt = || Message {
            id: "msg_0".into(),
            ..message(Role::User)
        };
        let reply = |id: &str, parent: Option<&str>| Message {
            id: id.into(),
            parent: parent.map(Into::into),
            ..message(Role::Assistant)
        };
        let pages = [
            vec![vec![prompt()], vec![reply("msg_2", None), reply("msg_3", None)]],
            vec![vec![reply("msg_2", Some("msg_0")), reply("msg_3", Some("msg_0"))]],
        ];
        for pages in pages {
            let mut node = at_rest(Role::Assistant, Time(1_000));
            node.prompted = Some(Prompted {
                at: Time(1_000),
                message: "msg_0".into(),
            });
            node.observe_status(Some(&Status::Busy), Time(1_000), Time(1_000));
            let mut number = 10;
            for messages in pages {
                node.transcript.observe_tail(Page {
                    messages,
                    older: Some("older".to_owned()),
                });
                node.handle_tail_read(read(number, 1_000 + number));
                node.conclude(
                    0,
                    None,
                    read(number - 1, 1_000 + number),
                    Runner::Here,
                    GAP,
                    Time(1_000 + number),
                );
                assert_eq!(ending(&node), None, "it runs");
                number += 10;
            }
            node.observe_status(None, Time(2_000), Time(2_000));
            node.handle_tail_read(read(number + 1, 2_000));
            node.conclude(0, None, read(number, 2_000), Runner::Here, GAP, Time(2_000));
            assert_eq!(ending(&node), Some(Ending::Aborted));
        }
    }
}
