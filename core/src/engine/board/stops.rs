//! Stops: one is repeated while the run goes on that it was meant for, and not once a later run has been seen (requirements E7).
//!
//! `200 true` to an abort proves nothing: it is also the answer for an idle session, and an abort that overtakes a prompt is
//! followed by that prompt's run. So a stop waits for prompts that are being sent, and ends when the status map shows that
//! nothing runs, and that no prompt from before it may still begin to. Such a prompt may also wait behind a later run: the stop
//! leaves that run alone, and goes on when a step shows that the prompt is worked at.

use std::time::Duration;

use futures::channel::oneshot;

use crate::collections::{SortedMap, SortedSet};
use crate::engine::action::Action;
use crate::engine::board::Board;
use crate::engine::outbox::{Delivery, retry_pause};
use crate::engine::server_clock::ServerClock;
use crate::engine::sessions::session::Node;
use crate::log::Level;
use crate::model::{Directory, Entry, Message, MessageId, Outcome, Role, Sent, SessionId, Stage};
use crate::ports::{Post, Posted};
use crate::time::Time;
use crate::view::TurnState;

use crate::engine::board::deliver::message_of;
use crate::engine::told::Waiter;

/// How long after its prompt was seen to be stored a run may begin. Source: docs/opencode.md, trap 9: 1.4 s on a cold server; §3:
/// after 10 s it does not begin by itself.
const RUN_BEGINS: Duration = Duration::from_secs(10);

/// How long the newest messages of a session may be unreadable before a stop goes by what is held.
const UNREAD_PATIENCE: Duration = Duration::from_secs(10);

/// How long after it was asked for a stop goes by what is held. Later it waits for the newest messages to be readable.
const UNSEEN_MAX: Duration = Duration::from_secs(60);

/// A stop that was not taken ends like this where it is not certain that the run goes on that it was meant for.
const NOT_TAKEN: &str = "it is not known whether the server took the stop, and what runs now may be a later run: stop it again if it is to end";

/// The stops that have not ended, by session.
#[derive(Debug, Default)]
pub(crate) struct Stops(SortedMap<SessionId, Stop>);

/// One stop.
#[derive(Debug)]
struct Stop {
    /// The prompts that were known when it was asked for: their run is meant.
    known: SortedSet<MessageId>,
    /// When the newest messages were read that were held then; what was not held has come since.
    read: Time,
    /// The newest messages have been read since, and those prompts are known as well that had come in between.
    has_learned: bool,
    /// Those of ours that had been sent before, or were about to be: their run is meant as well.
    prompts: SortedSet<MessageId>,
    /// The session was made for a command: whatever runs there is meant.
    is_command: bool,
    /// When it was asked for, the last time.
    asked: Time,
    phase: Phase,
    /// When the last send began, and when it ended.
    begun: Option<Time>,
    sent: Option<Time>,
    /// Since when something runs whose messages are not read, after the last send.
    unread: Option<Time>,
    attempts: u32,
    /// The server has accepted one that was sent since.
    got_through: bool,
    waiters: Vec<Waiter<Posted>>,
    /// How many of the waiters the send under way is for: the others have asked again since it began.
    waiters_in_send: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It is sent then, or as soon as no prompt is being sent to the session.
    Due(Time),
    /// The send with this number is under way.
    Posting(u64),
    /// A send has ended, accepted or in doubt. A refresh begun after it decides.
    Sent { accepted: bool },
    /// A later run goes on, or may: a step that answers a prompt from before the stop decides.
    Queued,
}

impl Stops {
    /// Everything that waits for a stop.
    pub(crate) fn take_waiters(&mut self) -> impl Sized + use<> {
        let waiters = self.0.values_mut().map(|stop| std::mem::take(&mut stop.waiters));
        waiters.collect::<Vec<_>>()
    }

    /// The sessions of those that are to be sent, or are being sent.
    pub(crate) fn on_their_way(&self) -> impl Iterator<Item = &SessionId> {
        let is_on_its_way = |stop: &Stop| matches!(stop.phase, Phase::Due(_) | Phase::Posting(_));
        self.0
            .iter()
            .filter(move |(_, stop)| is_on_its_way(stop))
            .map(|(session, _)| session)
    }

    pub(crate) fn contains(&self, session: &SessionId) -> bool {
        self.0.contains_key(session)
    }

    /// The sessions that are being stopped.
    pub(crate) fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.0.keys()
    }

    /// Whether a prompt that was not sent before must wait: a stop that was asked for first has not got through.
    pub(crate) fn holds_back(&self, prompt: &Entry) -> bool {
        self.0.get(&prompt.session).is_some_and(|stop| {
            let may_follow = matches!(stop.phase, Phase::Sent { accepted: true } | Phase::Queued);
            let is_meant = message_of(prompt).is_some_and(|message| stop.prompts.contains(&message));
            !may_follow && !is_meant
        })
    }
}

impl Stop {
    fn tell(&mut self, posted: &Posted) {
        self.tell_first(self.waiters.len(), posted);
    }

    fn tell_first(&mut self, count: usize, posted: &Posted) {
        let count = count.min(self.waiters.len());
        for waiter in self.waiters.drain(..count) {
            waiter.tell(posted.clone());
        }
    }

    /// The newest messages have been read for the first time since it was asked for: adds the prompts that had certainly come
    /// between the read before and that. The run of one that may have come later is left alone.
    fn learn(&mut self, node: &Node, clock: &ServerClock) {
        // What looks older than a read that did not show it was made after the server's clock was set back.
        let had_come = |message: &Message| {
            clock.was_made_by(message.created, self.asked) && !clock.was_made_by(message.created, self.read)
        };
        let known: Vec<MessageId> = prompts_in(node, had_come).collect();
        self.known.extend(known);
        self.has_learned = true;
    }

    /// Whose run the newest messages show, where something runs. Only positive evidence counts: a run that has just begun
    /// looks like one that still goes on.
    fn run_in(&self, node: &Node) -> RunSeen {
        if self.is_command {
            return RunSeen::Meant;
        }
        // Before anything was read since, what is held counts, unless the server has stopped that.
        let counts_all = !self.has_learned && !self.got_through;
        let is_meant = |id: &MessageId| counts_all || self.known.contains(id) || self.prompts.contains(id);
        let tail = node.transcript.tail();
        let has_later_prompt = tail
            .iter()
            .any(|message| message.role == Role::User && !is_meant(&message.id));
        let step = tail.iter().rev().find(|message| message.role == Role::Assistant);
        let lies_before = node.transcript.is_catching_up() || node.transcript.older_cursor().is_some();
        match step.and_then(|step| Some((step, step.parent.as_ref()?))) {
            Some((_, parent)) if !is_meant(parent) => RunSeen::Later,
            Some((step, _)) if step.completed.is_none() => RunSeen::Meant,
            Some(_) | None if has_later_prompt => RunSeen::Unknown,
            None if step.is_none() && lies_before => RunSeen::Unknown,
            Some(_) | None => RunSeen::Meant,
        }
    }
}

/// Whose run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunSeen {
    /// The one that is to end.
    Meant,
    /// One that began after the stop was asked for.
    Later,
    /// The newest step has ended and another prompt is queued, or lies before what was read: the next one shows which goes on.
    Unknown,
}

impl Board {
    /// Stops the run of a session. The receiver hears what the server said, or that the run has ended.
    pub(crate) fn abort(&mut self, session: &SessionId, now: Time) -> oneshot::Receiver<Posted> {
        let (sender, receiver) = self.told.waiter();
        let prompts = self
            .prompts_to(session)
            .filter(|delivery| delivery.entry.attempts > 0 || delivery.waits_here())
            .filter_map(|delivery| message_of(&delivery.entry));
        let mut prompts: SortedSet<MessageId> = prompts.collect();
        let is_command = self.waits.commands.contains_key(session);
        let Some(node) = self.sessions.nodes.get_mut(session) else {
            sender.tell_at_once(Posted::NotFound(format!("no session {session} is known")));
            return receiver;
        };
        node.stopped = Some(now);
        node.wake();
        prompts.extend(node.prompted.as_ref().map(|prompted| prompted.message.clone()));
        let known = prompts_in(node, |_| true).collect();
        let read = node.tail_read.begun;
        self.record(Level::Info, format!("{session}: stopped from here"));
        let stop = self.outbox.stops.0.entry(session.clone()).or_insert_with(|| Stop {
            known: SortedSet::new(),
            read,
            has_learned: false,
            prompts: SortedSet::new(),
            is_command,
            asked: now,
            phase: Phase::Due(now),
            begun: None,
            sent: None,
            unread: None,
            attempts: 0,
            got_through: false,
            waiters: Vec::new(),
            waiters_in_send: 0,
        });
        (stop.known, stop.prompts) = (known, prompts);
        (stop.read, stop.has_learned) = (read, false);
        (stop.asked, stop.got_through) = (now, false);
        stop.is_command |= is_command;
        stop.waiters.push(sender);
        if let Phase::Sent { .. } | Phase::Queued = stop.phase {
            // Asked for again by somebody who sees it go on.
            stop.phase = Phase::Due(now);
        }
        receiver
    }

    /// Sends the stops that are due.
    pub(crate) fn send_due_stops(&mut self, now: Time) {
        let due = self.outbox.stops.0.iter().filter(|(session, stop)| {
            matches!(stop.phase, Phase::Due(due) if due <= now) && !self.is_prompting(session, stop)
        });
        let due: Vec<SessionId> = due.map(|(session, _)| session.clone()).collect();
        for session in due {
            let directory = self
                .sessions
                .nodes
                .get(&session)
                .map(|node| node.session.directory.clone());
            let Some(directory) = directory else {
                self.end_stop(&session, &Posted::NotFound(format!("no session {session} is known")));
                continue;
            };
            let number = self.next_number();
            if let Some(stop) = self.outbox.stops.0.get_mut(&session) {
                stop.phase = Phase::Posting(number);
                stop.attempts += 1;
                stop.begun = Some(now);
                stop.waiters_in_send = stop.waiters.len();
            }
            let post = Post::Abort { session, directory };
            self.actions.push_back(Action::Command { number, post });
        }
    }

    pub(crate) fn next_stop_deadline(&self) -> Option<Time> {
        let due = self
            .outbox
            .stops
            .0
            .iter()
            .filter(|(session, stop)| !self.is_prompting(session, stop));
        due.filter_map(|(_, stop)| match stop.phase {
            Phase::Due(due) => Some(due),
            Phase::Posting(_) | Phase::Sent { .. } | Phase::Queued => None,
        })
        .min()
    }

    /// The send of a stop has ended. Returns false when the number is not that of a stop.
    pub(crate) fn observe_stop_posted(&mut self, number: u64, posted: &Posted, now: Time) -> bool {
        let is_it = |stop: &Stop| stop.phase == Phase::Posting(number);
        let Some((session, stop)) = self.outbox.stops.0.iter_mut().find(|(_, stop)| is_it(stop)) else {
            return false;
        };
        let session = session.clone();
        let accepted = match posted {
            Posted::Accepted | Posted::Created(_) => true,
            // The same run is stopped again once it is seen to go on.
            Posted::InDoubt(_) | Posted::Unauthorized => false,
            Posted::Refused { .. } | Posted::NotFound(_) => {
                self.end_stop(&session, posted);
                return true;
            }
        };
        // A caller that has asked again since may mean a run that began after this send had arrived.
        let is_asked_again = stop.waiters.len() > stop.waiters_in_send;
        if accepted || *posted == Posted::Unauthorized {
            stop.tell_first(stop.waiters_in_send, posted);
        }
        let accepted = accepted && !is_asked_again;
        stop.phase = Phase::Sent { accepted };
        stop.got_through |= accepted;
        (stop.sent, stop.unread) = (Some(now), None);
        if let Some(node) = self.sessions.nodes.get_mut(&session) {
            node.stopped = Some(now);
            node.wake();
            let directory = node.session.directory.clone();
            self.refresh_now(&directory, now);
        }
        true
    }

    /// A refresh of a directory that began then has read its status: decides about the stops there.
    pub(crate) fn decide_stops(&mut self, directory: &Directory, begun: Time, now: Time) {
        let there = self
            .outbox
            .stops
            .0
            .keys()
            .filter(|session| self.is_in(session, directory));
        let there: Vec<SessionId> = there.cloned().collect();
        for session in there {
            self.decide_stop(&session, begun, now);
        }
    }

    fn decide_stop(&mut self, session: &SessionId, begun: Time, now: Time) {
        let (Some(stop), Some(node)) = (self.outbox.stops.0.get(session), self.sessions.nodes.get(session)) else {
            return;
        };
        let (false, Some(at)) = (matches!(stop.phase, Phase::Posting(_)), stop.sent) else {
            return;
        };
        if begun < at {
            return;
        }
        let may_begin = self.may_still_begin(stop, node, begun);
        if !node.is_running() {
            if !may_begin {
                self.end_stop(session, &Posted::Accepted);
            }
            return;
        }
        let is_fresh = self.is_freshly_read(node);
        let (Some(stop), Some(node)) = (
            self.outbox.stops.0.get_mut(session),
            self.sessions.nodes.get_mut(session),
        ) else {
            return;
        };
        if !stop.has_learned && node.tail_read.begun >= stop.asked {
            stop.learn(node, &self.reader.server_clock);
        }
        if is_fresh {
            stop.unread = None;
        } else {
            // A later run may have begun: the newest messages tell.
            node.wake();
            let unread = *stop.unread.get_or_insert(now);
            // What was stopped and cannot be read cannot be told from a later run.
            if stop.phase == (Phase::Sent { accepted: true }) || now.since(unread) < UNREAD_PATIENCE {
                return;
            }
        }
        let goes_unseen = stop.is_command || now.since(stop.asked) < UNSEEN_MAX;
        let run = if is_fresh || goes_unseen {
            stop.run_in(node)
        } else {
            RunSeen::Later
        };
        match (run, stop.phase) {
            (RunSeen::Later, _) => {
                let posted = if stop.got_through {
                    Posted::Accepted
                } else {
                    Posted::InDoubt(NOT_TAKEN.to_owned())
                };
                if is_fresh && !may_begin {
                    return self.end_stop(session, &posted);
                }
                stop.tell(&posted);
                if std::mem::replace(&mut stop.phase, Phase::Queued) != Phase::Queued {
                    let text = format!("{session}: the stop waits, and what runs may be another's: {posted:?}");
                    self.record(Level::Info, text);
                }
            }
            (RunSeen::Meant, Phase::Sent { .. } | Phase::Queued) => {
                let attempts = stop.attempts;
                stop.phase = Phase::Due(at + retry_pause(attempts));
                self.record(Level::Warn, format!("{session}: still runs after stop {attempts}"));
            }
            (RunSeen::Unknown, Phase::Due(_)) => stop.phase = Phase::Sent { accepted: false },
            (RunSeen::Meant | RunSeen::Unknown, _) => {}
        }
    }

    /// Whether the newest messages of a session were read after the newest status of its directory.
    fn is_freshly_read(&self, node: &Node) -> bool {
        let scope = self.directory_scope(&node.session.directory);
        scope.is_some_and(|scope| node.tail_read.number > scope.status_read.unwrap_or_default().number)
    }

    /// Whether what the stop is meant for may still begin to run, as far as a refresh tells that began then.
    fn may_still_begin(&self, stop: &Stop, node: &Node, begun: Time) -> bool {
        let messages = node.transcript.messages();
        if stop.is_command {
            return messages.is_empty() && begun.since(stop.asked) < RUN_BEGINS;
        }
        let is_answered = |message: &MessageId| {
            let place = messages.iter().rposition(|held| held.id == *message);
            place.map(|place| messages[place..].iter().any(|held| held.role == Role::Assistant))
        };
        if node.is_running() && stop.prompts.iter().any(|message| is_answered(message) == Some(false)) {
            return true;
        }
        // Next to a status that was read before the run began, messages of the run prove nothing: its ending does, or a later
        // run.
        let has_ended = node.is_running() || matches!(node.turn.state(), TurnState::Ended { .. });
        self.prompts_to(&node.session.id).any(|delivery| {
            let Some(message) = message_of(&delivery.entry).filter(|message| stop.prompts.contains(message)) else {
                return false;
            };
            match &delivery.entry.stage {
                Stage::Ended {
                    outcome: Outcome::Confirmed { .. },
                    at,
                } => {
                    let last = delivery.answered.map_or(*at, |answered| answered.max(*at));
                    // A proxy may deliver an attempt twice, and a copy that arrives after the stop is answered once more.
                    let may_come_again = delivery.answered.is_some_and(|answered| stop.begun < Some(answered));
                    let is_over = has_ended && !may_come_again && is_answered(&message) == Some(true);
                    delivery.is_posted() || begun.since(last) < RUN_BEGINS && !is_over
                }
                Stage::Ended { .. } => false,
                Stage::Saved | Stage::Attempting { .. } | Stage::Attempted { .. } => delivery.entry.is_on_its_way(),
            }
        })
    }

    /// The prompts of ours to a session.
    pub(super) fn prompts_to(&self, session: &SessionId) -> impl Iterator<Item = &Delivery> {
        let session = session.clone();
        self.outbox.queue.iter().filter(move |delivery| {
            delivery.entry.session == session && matches!(delivery.entry.sent, Sent::Prompt { .. })
        })
    }

    /// Whether a prompt is being sent to a session: a stop that left now could overtake it.
    fn is_prompting(&self, session: &SessionId, stop: &Stop) -> bool {
        let is_meant = |delivery: &Delivery| message_of(&delivery.entry).is_some_and(|id| stop.prompts.contains(&id));
        self.prompts_to(session)
            .any(|delivery| delivery.is_being_sent() || delivery.is_about_to_be_sent() && is_meant(delivery))
    }

    /// A stop is over.
    pub(crate) fn end_stop(&mut self, session: &SessionId, posted: &Posted) {
        if let Some(mut stop) = self.outbox.stops.0.remove(session) {
            self.record(Level::Info, format!("{session}: the stop is over: {posted:?}"));
            stop.tell(posted);
        }
    }
}

/// The prompts among those messages of a session that are held, and those whose steps are: the prompt of a run may lie before
/// what is held.
fn prompts_in(node: &Node, counts: impl Fn(&Message) -> bool) -> impl Iterator<Item = MessageId> {
    let held = node.transcript.messages().iter().chain(node.transcript.tail());
    let held = held.filter(move |message| counts(message));
    held.filter_map(|message| match message.role {
        Role::User => Some(message.id.clone()),
        Role::Assistant | Role::Other(_) => message.parent.clone(),
    })
}
