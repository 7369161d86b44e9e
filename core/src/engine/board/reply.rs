//! Waiting for the reply to a message of ours (requirements F1, F4).
//!
//! A session somebody awaits a reply from is *followed*: all its messages are held from ours on, and its directory is
//! read at the pace of a wait.

use std::sync::Arc;
use std::time::Duration;

use futures::channel::oneshot;

use crate::engine::board::Board;
use crate::engine::board::deliver::message_of;
use crate::engine::outbox::Delivery;
use crate::engine::outbox::submission::{OwnEntry, PromptError, PromptOptions};
use crate::engine::sessions::runner::run_of;
use crate::engine::sessions::session::Node;
use crate::engine::sessions::transcript::fallback;
use crate::engine::sessions::turn::ending_of;
use crate::engine::told::Waiter;
use crate::engine::waits::follow_up::{FollowUpError, FollowUpOptions, TurnReply, WasSent};
use crate::engine::waits::patience::{Late, Patience, UNREAD_MAX};
use crate::log::Level;
use crate::model::{
    Attempt, Directory, Entry, EntryId, GoneReason, Message, MessageId, Outcome, Role, SessionId, Stage,
};
use crate::time::Time;
use crate::view::{EndReason, Ending, TurnState};

/// Characters of a follow-up that appear in the log. Source: requirements F6.
const LOGGED: usize = 100;
/// How long a reply waits for a message that could be read in part only: it is read again, and may have been damaged on the
/// way.
const FAULTY_PATIENCE: Duration = Duration::from_secs(15);

/// How long after its last message a run may still take a prompt up, in milliseconds of the server's clock. Source:
/// docs/opencode.md, trap 8.
const ENDS_WITHIN: u64 = 1_000;

pub(crate) type ReplyReceiver = oneshot::Receiver<Result<TurnReply, FollowUpError>>;

/// Somebody who waits for the reply to a message.
#[derive(Debug)]
pub(crate) struct ReplyWaiter {
    pub(crate) session: SessionId,
    pub(crate) message: MessageId,
    patience: Patience,
    /// It can be found again under its name: whoever waits for it outlasts an outage, and gives the agent its time from when the
    /// server has the message.
    is_named: bool,
    /// The server is known to have the message, or was in an earlier life of the page.
    has_arrived: bool,
    stop: bool,
    /// Since when the message is known to be stored, and the number of the newest read then. What was read before that
    /// counts for nothing.
    stored: Option<(Time, u64)>,
    waiter: Waiter<Result<TurnReply, FollowUpError>>,
}

impl ReplyWaiter {
    pub(crate) fn is_stored(&self) -> bool {
        self.stored.is_some()
    }

    /// Where the message is among those that are held.
    fn place_in(&self, held: &[Arc<Message>]) -> Option<usize> {
        held.iter().rposition(|message| message.id == self.message)
    }

    /// When the time was up, once it is.
    fn late_since(&self) -> Option<Time> {
        self.patience.deadline().filter(|_| self.patience.is_late())
    }

    fn observe_outage(&mut self, now: Time) {
        match self.has_arrived {
            true => self.patience.observe_outage(now),
            false => self.patience.begin_again(now),
        }
    }
}

impl Board {
    /// Sends a message, and waits for the reply. An entry of the caller's own is sent once: where the store holds it already,
    /// the reply to that one is awaited.
    pub(crate) fn follow_up(
        &mut self,
        own: Option<OwnEntry>,
        session: &SessionId,
        text: &str,
        options: &FollowUpOptions,
        now: Time,
    ) -> Result<(EntryId, ReplyReceiver), FollowUpError> {
        if self.reader.link.last_success.is_none() {
            return Err(FollowUpError::NotConnected);
        }
        let held = own.as_ref().and_then(|own| self.held_prompt(&own.entry));
        let number = self.number;
        let (message, stored) = match held {
            Some((message, stored)) => (message, stored.map(|_| (now, number))),
            None => {
                let prompt: PromptOptions = options.prompt.clone();
                let entered = self.prompt_as(own.clone(), session, text, prompt, now);
                let (message, _) = entered.map_err(|error| match error {
                    PromptError::Closed => FollowUpError::Disposed,
                    PromptError::UnknownSession(_) | PromptError::Empty => FollowUpError::NotTaken(error),
                })?;
                (message, None)
            }
        };
        let shown: String = text.chars().take(LOGGED).collect();
        self.record(
            Level::Debug,
            format!("{message} to {session}: follows up with: {shown}"),
        );
        let (is_named, begun) = (own.is_some(), own.as_ref().and_then(|own| own.stored));
        let grace = match is_named {
            true => UNREAD_MAX,
            false => self.longest_rest(),
        };
        let entry = own.map_or_else(|| EntryId::new(message.as_str()), |own| own.entry);
        let (waiter, receiver) = self.told.waiter();
        let awaited = ReplyWaiter {
            session: session.clone(),
            message,
            patience: Patience::new(options.timeout, begun.map_or(now, |begun| begun.min(now)), grace),
            is_named,
            has_arrived: begun.is_some() || stored.is_some(),
            stop: options.stop,
            stored,
            waiter,
        };
        self.waits.replies.insert(entry.clone(), awaited);
        Ok((entry, receiver))
    }

    /// Whether the server is known to have a message whose reply is awaited.
    pub(crate) fn is_awaited_reply_stored(&self, id: &EntryId) -> bool {
        self.waits.replies.get(id).is_some_and(ReplyWaiter::is_stored)
    }

    /// Whether all new messages of a session are held: it is open, or somebody waits for its reply.
    pub(crate) fn is_followed(&self, session: &SessionId) -> bool {
        self.attention.open.as_ref() == Some(session)
            || self.waits.commands.contains_key(session)
            || self.waits.replies.values().any(|awaited| awaited.session == *session)
    }

    /// Whether a session is known to work in a directory.
    pub(crate) fn is_in(&self, session: &SessionId, directory: &Directory) -> bool {
        let node = self.sessions.nodes.get(session);
        node.is_some_and(|node| node.session.directory == *directory)
    }

    /// Whether somebody waits for a reply from a directory.
    pub(crate) fn is_awaited(&self, directory: &Directory) -> bool {
        let replies = self.waits.replies.values().map(|awaited| &awaited.session);
        replies
            .chain(self.waits.commands.keys())
            .any(|session| self.is_in(session, directory))
    }

    pub(crate) fn next_reply_deadline(&self) -> Option<Time> {
        let replies = self.waits.replies.values();
        replies
            .filter_map(|awaited| awaited.patience.next_deadline(self.attention.awake))
            .min()
    }

    /// Looks once more at the sessions of the waits whose time is up: the reply may have come in time. Ends those of messages that
    /// were not sent, and those that cannot be looked at.
    pub(crate) fn end_late_replies(&mut self, now: Time) {
        self.waits.replies.retain(|_, awaited| !awaited.waiter.is_canceled());
        let (is_outage, awake) = (self.is_out_of_reach(now), self.attention.awake);
        let mut due = Vec::new();
        for (id, awaited) in self.waits.replies.iter_mut() {
            if is_outage && awaited.is_named {
                awaited.observe_outage(now);
            }
            if let Some(late) = awaited.patience.handle_deadline(awake, now) {
                due.push((id.clone(), awaited.session.clone(), late));
            }
        }
        for (id, session, late) in due {
            match late {
                Late::Look if self.was_sent(&id) != WasSent::No => self.refresh_directory_of(&session, now),
                Late::Look | Late::GiveUp => self.end_late_reply(&id, now),
            }
        }
    }

    fn end_late_reply(&mut self, id: &EntryId, now: Time) {
        let sent = self.settle_whether_sent(id, now);
        self.stop_only_if_sent(id, sent);
        let text = self.said_so_far(id);
        self.mark_timed_out(id);
        self.leave(id, FollowUpError::TimedOut { sent, text }, now);
    }

    /// Whether the messages of a session are wanted for a reply: its time is up, and they were not read since.
    pub(crate) fn wants_look_for_reply(&self, node: &Node) -> bool {
        let mut replies = self.waits.replies.values();
        replies.any(|awaited| {
            let late = awaited.late_since();
            awaited.session == node.session.id && late.is_some_and(|late| node.tail_read.begun < late)
        })
    }

    /// The caller wants no reply any more.
    pub(crate) fn cancel_reply(&mut self, id: &EntryId, now: Time) {
        if !self.waits.replies.contains_key(id) {
            return;
        }
        let sent = self.settle_whether_sent(id, now);
        self.stop_only_if_sent(id, sent);
        self.leave(id, FollowUpError::Cancelled { sent }, now);
    }

    /// Says whether a message was sent whose reply is awaited no longer. One that was not is never sent.
    fn settle_whether_sent(&mut self, id: &EntryId, now: Time) -> WasSent {
        let sent = self.was_sent(id);
        let delivery = self.outbox.queue.get(id);
        if sent == WasSent::No || delivery.is_some_and(Delivery::may_be_elsewhere_too) {
            self.outbox.queue.withdraw(id, now);
            self.waits.posts.retain(|_, commanded| !commanded.is_prompt(id));
            self.changed = true;
        }
        sent
    }

    /// What runs in a session that was not prompted is another's, and so is a later run.
    fn stop_only_if_sent(&mut self, id: &EntryId, sent: WasSent) {
        let Some(awaited) = self.waits.replies.get_mut(id) else {
            return;
        };
        let node = self.sessions.nodes.get(&awaited.session);
        let held = node.map_or(&[][..], |node| node.transcript.messages());
        let ours = awaited.place_in(held);
        awaited.stop &= sent != WasSent::No && ours.is_none_or(|ours| separate_run(held, ours).is_none());
    }

    /// Ends a wait before its reply. The agent is stopped only where that was asked for.
    fn leave(&mut self, id: &EntryId, error: FollowUpError, now: Time) {
        let Some(awaited) = self.waits.replies.remove(id) else {
            return;
        };
        self.record(Level::Info, format!("{}: no longer awaited: {error}", awaited.message));
        if awaited.stop {
            // What the server says of the stop shows in the session.
            drop(self.abort(&awaited.session, now));
        }
        awaited.waiter.tell(Err(error));
    }

    /// The newest text that the agent has said to a message, or is just saying.
    fn said_so_far(&self, id: &EntryId) -> String {
        let streamed = self.waits.replies.get(id).filter(|awaited| awaited.is_stored());
        let streamed = streamed.map_or("", |awaited| self.attention.previews.newest_of(&awaited.session));
        if !streamed.is_empty() {
            return streamed.to_owned();
        }
        let said = || {
            let awaited = self.waits.replies.get(id)?;
            let transcript = &self.sessions.nodes.get(&awaited.session)?.transcript;
            transcript.message(&awaited.message)?;
            let after = transcript.messages().iter().rev();
            let after = after.take_while(|message| message.id != awaited.message);
            let mut texts = after
                .filter(|message| message.role == Role::Assistant)
                .map(|message| message.text());
            texts.find(|text| !text.is_empty())
        };
        said().unwrap_or_default()
    }

    /// Whoever awaited this stops the agent because it took too long: that is how its turn will have ended.
    fn mark_timed_out(&mut self, id: &EntryId) {
        if let Some(awaited) = self.waits.replies.get(id).filter(|awaited| awaited.stop)
            && let Some(node) = self.sessions.nodes.get_mut(&awaited.session)
        {
            node.turn.handle_time_out();
        }
    }

    fn was_sent(&self, id: &EntryId) -> WasSent {
        if self.waits.replies.get(id).is_some_and(|awaited| awaited.has_arrived) {
            return WasSent::Yes;
        }
        let delivery = self.outbox.queue.get(id);
        if delivery.is_some_and(Delivery::is_elsewhere) {
            return WasSent::Unknown;
        }
        match delivery.map(|delivery| &delivery.entry.stage) {
            Some(Stage::Saved) if delivery.is_some_and(Delivery::may_be_elsewhere_too) => WasSent::Unknown,
            Some(Stage::Saved) => WasSent::No,
            Some(Stage::Ended {
                outcome: Outcome::Confirmed { .. },
                ..
            }) => WasSent::Yes,
            Some(Stage::Attempted {
                attempt: Attempt::Refused(_) | Attempt::Unauthorized,
                ..
            }) => WasSent::No,
            Some(Stage::Attempting { .. } | Stage::Attempted { .. } | Stage::Ended { .. }) | None => WasSent::Unknown,
        }
    }

    /// The end of the send is known, and which message it was: that of another tab, or of an earlier life, may have come first.
    pub(crate) fn observe_send_ended(&mut self, entry: &Entry, outcome: &Outcome, now: Time) {
        let (id, number) = (&entry.id, self.number);
        let Some(awaited) = self.waits.replies.get_mut(id) else {
            return;
        };
        if let Some(message) = message_of(entry) {
            awaited.message = message;
        }
        let error = match outcome {
            Outcome::Confirmed { .. } => {
                awaited.stored = Some((now, number));
                if !std::mem::replace(&mut awaited.has_arrived, true) && awaited.is_named {
                    awaited.patience.begin_again(now);
                }
                return;
            }
            Outcome::Gone(GoneReason::Failed(reason)) => FollowUpError::Refused(reason.clone()),
            Outcome::Gone(_) | Outcome::AnsweredElsewhere(_) | Outcome::Dismissed | Outcome::Cancelled { .. } => {
                FollowUpError::SessionGone
            }
        };
        awaited.stop = false;
        self.leave(id, error, now);
    }

    /// A session was deleted: no reply will come from it.
    pub(crate) fn end_replies_of(&mut self, session: &SessionId, now: Time) {
        let of_it = self
            .waits
            .replies
            .iter()
            .filter(|(_, awaited)| awaited.session == *session);
        let ids: Vec<EntryId> = of_it.map(|(id, _)| id.clone()).collect();
        for id in ids {
            if let Some(awaited) = self.waits.replies.get_mut(&id) {
                awaited.stop = false;
            }
            self.leave(&id, FollowUpError::SessionGone, now);
        }
    }

    /// A refresh of a directory, begun as number `number`, has drawn its conclusions.
    pub(crate) fn decide_replies(&mut self, directory: &Directory, begun: Time, number: u64, now: Time) {
        self.waits.replies.retain(|_, awaited| !awaited.waiter.is_canceled());
        let (mut replies, mut late) = (Vec::new(), Vec::new());
        for (id, awaited) in &self.waits.replies {
            if !self.is_in(&awaited.session, directory) {
                continue;
            }
            let counts = awaited.stored.is_some_and(|(at, then)| number > then && begun >= at);
            match counts.then(|| self.reply_to(awaited, begun)).flatten() {
                Some(reply) => replies.push((id.clone(), reply)),
                None if self.is_seen_late(awaited, counts) => late.push(id.clone()),
                None => {}
            }
        }
        for id in late {
            self.end_late_reply(&id, now);
        }
        for (id, reply) in replies {
            let text = format!("{}: replied, {:?} ({})", reply.message, reply.ending, reply.reason);
            self.record(Level::Info, text);
            if let Some(awaited) = self.waits.replies.remove(&id) {
                awaited.waiter.tell(Ok(reply));
            }
        }
    }

    /// Whether the session was looked at when the time was up, or later: it ran, or has no reply.
    fn is_seen_late(&self, awaited: &ReplyWaiter, counts: bool) -> bool {
        let (Some(node), Some(late)) = (self.sessions.nodes.get(&awaited.session), awaited.late_since()) else {
            return false;
        };
        if awaited.has_arrived && !counts {
            return false;
        }
        let held = node.transcript.messages();
        let ours = awaited.place_in(held);
        let replies = |ours: usize| held[ours..].iter().any(|message| message.role == Role::Assistant);
        // One that has arrived and is not held lies before what is; so may any other.
        let may_lie_before = awaited.has_arrived || node.transcript.older_cursor().is_some();
        let has_reply = ours.map_or(may_lie_before, replies);
        self.has_run_until(node, late) || !has_reply && node.was_read_whole(late)
    }

    /// The reply, once the run that covers the message has ended.
    fn reply_to(&self, awaited: &ReplyWaiter, begun: Time) -> Option<TurnReply> {
        let node = self
            .sessions
            .nodes
            .get(&awaited.session)
            .filter(|node| node.is_read())?;
        let held = node.transcript.messages();
        let ours = awaited.place_in(held)?;
        let after = held[ours..].iter().filter(|message| message.role == Role::Assistant);
        let (ending, reason, after): (_, _, Vec<_>) = match node.turn.state() {
            // A reply is told once: the server may close the message yet.
            TurnState::Ended {
                ending: Ending::Interrupted,
                ..
            } if node.turn.is_provisional() => return None,
            TurnState::Ended { ending, reason } => (*ending, reason.clone(), after.collect()),
            // What goes on there is a later run: that of ours is over.
            TurnState::Elsewhere { .. } => said_before(held, ours, later_run(held, ours)?)?,
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. }
                if awaited.patience.is_late() =>
            {
                said_before(held, ours, separate_run(held, ours)?)
                    .filter(|(ending, ..)| *ending != Ending::Interrupted)?
            }
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. } => return None,
        };
        let messages: Vec<Arc<Message>> = after.into_iter().cloned().collect();
        let is_new = node
            .turn
            .moved()
            .is_some_and(|moved| begun.since(moved) < FAULTY_PATIENCE);
        if is_new && messages.iter().any(|message| message.fault.is_some()) {
            return None;
        }
        let (ending, reason) = match (ending, messages.last()) {
            (Ending::NotStarted, None) => (Ending::NotStarted, reason),
            // What was never picked up is a later message of somebody else.
            (Ending::NotStarted, Some(last)) => match ending_of(last) {
                (Ending::Interrupted, _) if node.turn.is_provisional() => return None,
                ended => ended,
            },
            // What has ended is an earlier run.
            (_, None) => return None,
            (ending, Some(_)) => (ending, reason),
        };
        Some(TurnReply {
            session: awaited.session.clone(),
            message: awaited.message.clone(),
            ending,
            reason,
            text: fallback(&messages),
            messages,
        })
    }
}

/// Where the messages of a later run begin, after ours.
fn later_run(held: &[Arc<Message>], ours: usize) -> Option<usize> {
    let later = run_of(held)?;
    let later = held.iter().rposition(|message| message.id == *later);
    later.filter(|later| *later > ours)
}

/// Where the messages of a run begin that was prompted after the one that covers ours had ended. A prompt that comes while that goes
/// on, or just at its end, belongs to it.
fn separate_run(held: &[Arc<Message>], ours: usize) -> Option<usize> {
    let run = later_run(held, ours);
    let later = run.or_else(|| {
        let newest = held.len().checked_sub(1).filter(|newest| *newest > ours)?;
        (held[newest].role == Role::User).then_some(newest)
    })?;
    let mut said = held[ours..later].iter().rev();
    let last = said.find(|message| message.role == Role::Assistant)?;
    let is_separate = match last.completed {
        Some(completed) => held[later].created > completed.saturating_add(ENDS_WITHIN),
        // It was cut off: a server that is there goes on to the next prompt once it has closed the message.
        None => run.is_some(),
    };
    is_separate.then_some(later)
}

/// What was said to ours before a later message, and how that ended.
fn said_before(held: &[Arc<Message>], ours: usize, later: usize) -> Option<(Ending, EndReason, Vec<&Arc<Message>>)> {
    let reply = held[ours..later].iter();
    let reply: Vec<_> = reply.filter(|message| message.role == Role::Assistant).collect();
    let last = reply.last().filter(|last| last.completed.is_some())?;
    let (ending, reason) = ending_of(last);
    Some((ending, reason, reply))
}
