//! Whether programs are told the truth: the right reply, whether a message was sent, what became of a command.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use switchboard_core::model::{Message as Said, RequestId, Role, SessionId, ToolPart};
use switchboard_core::view::Ending;
use switchboard_core::{
    Checked, Clock, DispatchError, FindError, FollowUpError, PostFailure, ShellError, ShellResult, Time, TurnReply,
    Unresolved, Validated, ValidationEnd, WasSent,
};

use crate::opencode::OpenCode;
use crate::sim::calls::{Call, Command, Kind, ROUNDS, Told, complaint, is_wrong_in};
use crate::sim::policies::millis;
use crate::sim::reference::{Reference, Standing};
use crate::sim::searches::{Found, SessionFound};
use crate::sim::sut::Sut;
use crate::watch::Watch;

/// How old what a board has read of a session may be.
pub(super) const READ_AGE: Duration = Duration::from_secs(8);
/// How long a read may still fail after nothing is wrong any more.
const FAILING: Duration = Duration::from_secs(20);
/// How long it takes until a session that has ended shows how (docs/opencode.md, trap 8).
const CLOSING: Duration = Duration::from_secs(1);

/// What is really the case, as seen by whoever judges one call.
struct Judge<'a> {
    server: &'a OpenCode,
    reference: &'a Reference,
    watch: &'a Watch,
    /// The world's time, the same by the clock of its tab, and how far the server's is ahead in milliseconds.
    now: Time,
    now_there: Time,
    server_ahead: &'a [(Time, i64)],
    tab: usize,
    /// Its board is being closed.
    is_left: bool,
    /// Since when it could see everything; none while it cannot.
    sees_since: Option<Time>,
    /// Sessions that programs have stopped because they took too long, by tab.
    timed_out: &'a BTreeSet<(usize, SessionId)>,
}

impl Sut {
    /// Judges what programs were told.
    pub(in crate::sim) fn hear(&mut self) {
        let told = std::mem::take(&mut *self.ears.borrow_mut());
        if !told.is_empty() {
            self.acted = self.world.now();
        }
        let watch = self.world.watch();
        let open = self
            .slots
            .iter()
            .filter_map(|slot| Some((slot.tab.as_ref()?.number, slot)));
        let sees_since: BTreeMap<usize, Time> = open
            .filter_map(|(tab, slot)| Some((tab, self.sees_since(slot)?)))
            .collect();
        for (number, told) in told {
            let call = &mut self.calls[number];
            let now_there = call.clock.now();
            let judge = Judge {
                server: &self.world.server,
                reference: &self.reference,
                watch: &watch,
                now: self.world.now(),
                now_there,
                server_ahead: &self.server_ahead,
                tab: call.tab,
                is_left: self.left == Some(call.tab),
                sees_since: sees_since.get(&call.tab).copied(),
                timed_out: &self.timed_out,
            };
            self.heard.add(told.name(), 1);
            if call.is_over {
                judge.report("told twice", format!("{:?} after its end: {told:?}", call.kind));
            }
            if judge.hear(call, &told)
                && let Some(session) = session_of(call, &told)
            {
                self.timed_out.insert((call.tab, session));
            }
        }
        let held = |call: &&Call| matches!(call.kind, Kind::FollowUp { is_cancelled: true, .. }) && !call.is_over;
        for call in self.calls.iter().filter(held) {
            if self.slots.iter().any(|slot| slot.is(call.tab)) {
                watch.report("cancel", format!("tab {} still awaits what it has cancelled", call.tab));
            }
        }
    }
}

/// The session whose wait has ended with this.
fn session_of(call: &Call, told: &Told) -> Option<SessionId> {
    match (&call.kind, told) {
        (Kind::FollowUp { message, .. }, _) => message.session.clone(),
        (_, Told::Dispatched(dispatched)) => dispatched.session.clone(),
        (_, _) => None,
    }
}

impl Told {
    fn name(&self) -> &'static str {
        let result = match self {
            Told::Replied(result) => result.as_ref().map_err(Some),
            Told::Dispatched(dispatched) => match &dispatched.result {
                Ok(reply) => Ok(reply),
                Err(DispatchError::NoReply(error)) => Err(Some(error)),
                Err(_) => Err(None),
            },
            Told::AllDispatched => return "told: all agents are done",
            Told::Checked(..) => return "told: a reply is checked",
            Told::Validated(validated) => match validated.end {
                ValidationEnd::Passed => return "told: the check passed",
                ValidationEnd::Stalled => return "told: the same failure twice",
                ValidationEnd::RoundsUsedUp => return "told: all rounds failed",
                ValidationEnd::NoReply(_)
                | ValidationEnd::Ended(_)
                | ValidationEnd::CheckBroken(_)
                | ValidationEnd::OverBudget(_) => return "told: the loop is broken",
            },
            Told::Ran(Ok(_)) => return "told: a command has ended",
            Told::Ran(Err(ShellError::TimedOut { .. })) => return "told: a command took too long",
            Told::Ran(Err(_)) => return "told: a command may not have run",
            Told::Made(Ok(_)) => return "told: a session was made",
            Told::Made(Err(_)) => return "told: a session may not have been made",
            Told::Resolved(Ok(_)) => return "told: a request has ended",
            Told::Resolved(Err(Unresolved::TimedOut)) => return "told: a request has timed out",
            Told::Resolved(Err(Unresolved::Closed))
            | Told::Found(Err(FindError::Closed))
            | Told::SessionFound(Err(FindError::Closed)) => return "told: closed",
            Told::Found(Ok(Some(_))) => return "told: a request was found",
            Told::Found(Ok(None)) => return "told: no such request waits",
            Told::SessionFound(Ok(Some(_))) => return "told: a session was found",
            Told::SessionFound(Ok(None)) => return "told: there is no such session",
            Told::Found(Err(_)) | Told::SessionFound(Err(_)) => return "told: a search failed",
        };
        match result {
            Ok(reply) if reply.ending == Ending::NotStarted => "told: a message was never picked up",
            Ok(_) => "told: a reply",
            Err(Some(FollowUpError::TimedOut { sent: WasSent::No, .. })) => "told: no reply in time, not sent",
            Err(Some(FollowUpError::TimedOut { .. })) => "told: no reply in time",
            Err(Some(FollowUpError::Cancelled { sent: WasSent::No })) => "told: cancelled, not sent",
            Err(Some(FollowUpError::Cancelled { sent: WasSent::Yes })) => "told: cancelled, sent",
            Err(Some(FollowUpError::Cancelled { .. })) => "told: cancelled, maybe sent",
            Err(Some(FollowUpError::Disposed)) => "told: closed",
            Err(_) => "told: not taken, or not made",
        }
    }
}

impl Judge<'_> {
    fn report(&self, checker: &'static str, words: String) {
        self.watch.report(checker, words);
    }

    /// Judges one word. Returns true when it says that an agent was stopped because it took too long.
    fn hear(&self, call: &mut Call, told: &Told) -> bool {
        let (begun, patience) = (call.begun, call.patience);
        let mut is_over = true;
        let mut is_stopped = false;
        match (&mut call.kind, told) {
            (
                Kind::FollowUp {
                    message, is_cancelled, ..
                },
                Told::Replied(result),
            ) => {
                if !*is_cancelled && matches!(result, Err(FollowUpError::Cancelled { .. })) {
                    self.report("told", format!("{} was cancelled by nobody", message.text));
                }
                is_stopped = message.stops && matches!(result, Err(FollowUpError::TimedOut { .. }));
                self.reply(result, &message.text, begun, patience);
                self.late(result, message.session.as_ref(), &message.text, begun, patience);
                self.stopped(
                    result,
                    message.session.as_ref().filter(|_| message.stops),
                    &message.text,
                );
            }
            (Kind::Dispatch { jobs, told }, Told::Dispatched(dispatched)) => {
                is_over = false;
                if told.contains(&dispatched.index) || dispatched.index >= jobs.len() {
                    self.report("told twice", format!("job {} twice", dispatched.index));
                }
                told.push(dispatched.index);
                let Some(job) = jobs.get(dispatched.index) else {
                    return false;
                };
                match &dispatched.result {
                    Ok(reply) => self.reply(&Ok(reply.clone()), &job.text, begun, patience),
                    Err(DispatchError::NoReply(error)) => {
                        let result = Err(error.clone());
                        is_stopped = matches!(error, FollowUpError::TimedOut { .. });
                        self.reply(&result, &job.text, begun, patience);
                        self.late(&result, dispatched.session.as_ref(), &job.text, begun, patience);
                        self.stopped(&result, dispatched.session.as_ref(), &job.text);
                    }
                    Err(DispatchError::NotCreated(failure)) => self.not_posted(failure),
                    Err(other) => self.report("told", format!("an error that is not known here: {other:?}")),
                }
            }
            (Kind::Dispatch { jobs, told }, Told::AllDispatched) => {
                if told.len() != jobs.len() {
                    self.report("told", format!("of {} jobs {told:?} were told", jobs.len()));
                }
            }
            (Kind::Validation { checked, texts, .. }, Told::Checked(message, said)) => {
                is_over = false;
                checked.push((message.clone(), said.clone()));
                texts.extend(said.as_ref().ok().and_then(complaint));
            }
            (
                Kind::Validation {
                    session,
                    texts,
                    checked,
                },
                Told::Validated(validated),
            ) => {
                self.validated(validated, session, texts, checked, begun, patience);
            }
            (Kind::Shell(command), Told::Ran(result)) => match result {
                Ok(result) => self.ran(result, command),
                Err(error) => self.has_no_result(error, command, begun, patience),
            },
            (Kind::Session { title }, Told::Made(result)) => match result {
                Ok(session) => {
                    let made = self.server.session(session);
                    let deleted = || self.reference.sessions.get(session).is_some_and(|real| real.deleted);
                    if made.map_or_else(|| !deleted(), |made| made.title != *title) {
                        self.report("told", format!("{session} was not made as {title}"));
                    }
                }
                Err(failure) => self.not_posted(failure),
            },
            (Kind::Request(id), Told::Resolved(result)) => match result {
                Ok(outcome) => {
                    if self.reference.requests.get(id).is_some_and(|real| real.live) {
                        self.report("told", format!("{id} has ended with {outcome:?}, and waits"));
                    }
                }
                Err(Unresolved::TimedOut) => {}
                Err(Unresolved::Closed) => self.closed("a request"),
            },
            (Kind::Search { request, begun }, Told::Found(found)) => self.found(request, *begun, found),
            (Kind::SessionSearch { session, begun }, Told::SessionFound(found)) => {
                self.session_found(session, *begun, found);
            }
            (kind, told) => self.report("told", format!("{kind:?} was told {told:?}")),
        }
        call.is_over |= is_over;
        is_stopped
    }

    fn closed(&self, what: &str) {
        if !self.is_left {
            self.report(
                "told",
                format!("{what} was told that the board is closed, and it is not"),
            );
        }
    }

    /// A request that is found is that one, and one that is not has not waited all the time since.
    fn found(&self, id: &RequestId, begun: Time, found: &Found) {
        let real = self.reference.requests.get(id);
        let waits = real.is_some_and(|real| real.live && real.since <= begun);
        match found {
            Ok(Some(found)) if found.id == *id => {}
            Ok(None) if !waits => {}
            Err(error) => self.not_found(error, begun),
            Ok(_) => self.report(
                "found",
                format!("{id}, which waits: {waits}, was looked for: {found:?}"),
            ),
        }
    }

    /// The same of a session. No list names one that is archived.
    fn session_found(&self, id: &SessionId, begun: Time, found: &SessionFound) {
        let is_listed = self.server.session(id).is_some_and(|session| !session.archived);
        match found {
            Ok(Some(found)) if found == id => {}
            Ok(None) if !is_listed => {}
            Err(error) => self.not_found(error, begun),
            Ok(_) => self.report(
                "found",
                format!("{id}, which is listed: {is_listed}, was looked for: {found:?}"),
            ),
        }
    }

    fn not_found(&self, error: &FindError, begun: Time) {
        // What was on its way while something was wrong may fail a little later.
        let may_fail = self.sees_since.is_none_or(|since| begun.since(since) < FAILING);
        match error {
            FindError::Closed => self.closed("a search"),
            FindError::Unread { .. } | _ if may_fail => {}
            FindError::Unread { .. } | _ => {
                self.report("found", format!("a search failed, and nothing is wrong: {error:?}"))
            }
        }
    }

    fn not_posted(&self, failure: &PostFailure) {
        if *failure == PostFailure::Closed {
            self.closed("a send");
        }
    }

    /// No wait ends before its time.
    fn in_time(&self, begun: Time, patience: Option<Duration>) {
        if patience.is_none_or(|patience| self.now_there < begun + patience) {
            self.report(
                "time-out",
                format!("{:?} after {begun:?}, and not {patience:?}", self.now_there),
            );
        }
    }

    /// A reply that had come when its time was up, in sight of the tab, is not late.
    fn late(
        &self,
        result: &Result<TurnReply, FollowUpError>,
        session: Option<&SessionId>,
        text: &str,
        begun: Time,
        patience: Option<Duration>,
    ) {
        let (Err(FollowUpError::TimedOut { .. }), Some(session), Some(patience)) = (result, session, patience) else {
            return;
        };
        let over = Time(
            self.now
                .0
                .saturating_sub(millis(self.now_there.since(begun + patience))),
        );
        let saw = self.sees_since.is_some_and(|since| since <= over) && !self.server.wants_password();
        let ended = self
            .reference
            .sessions
            .get(session)
            .and_then(|session| session.last_end);
        let had_ended = ended.is_some_and(|ended| over.since(ended) > CLOSING);
        // That a run was cut off is known late.
        let is_over = match self.reference.standing(session, self.server) {
            Standing::Ended(ending) => ending != Ending::Interrupted,
            Standing::Runs | Standing::Closing | Standing::Fresh => false,
        };
        let replies = |messages: &[Said]| {
            let ours = messages.iter().rposition(|message| message.role == Role::User);
            let ours = ours.filter(|ours| messages[*ours].text() == text);
            let mut after = ours.into_iter().flat_map(|ours| &messages[ours..]);
            after.any(|message| message.role == Role::Assistant && self.at(message.created) < over)
        };
        if saw && had_ended && is_over && self.server.with_messages(session, replies) {
            self.report(
                "late",
                format!("the reply to {text} had come at {ended:?}, and was late"),
            );
        }
    }

    /// An agent that takes too long is stopped where that was asked for, unless it was never prompted.
    fn stopped(&self, result: &Result<TurnReply, FollowUpError>, session: Option<&SessionId>, text: &str) {
        let is_given_up = matches!(
            result,
            Err(FollowUpError::TimedOut { sent, .. } | FollowUpError::Cancelled { sent }) if *sent != WasSent::No
        );
        if let Some(session) = session.filter(|_| is_given_up) {
            self.watch.expect_stop(self.tab, session, text);
        }
    }

    fn reply(&self, result: &Result<TurnReply, FollowUpError>, text: &str, begun: Time, patience: Option<Duration>) {
        let sent = match result {
            Ok(reply) => return self.replied(reply, text),
            Err(FollowUpError::TimedOut { sent, .. }) => {
                self.in_time(begun, patience);
                *sent
            }
            Err(FollowUpError::Cancelled { sent }) => *sent,
            Err(FollowUpError::NotConnected | FollowUpError::NotTaken(_) | FollowUpError::Refused(_)) => WasSent::No,
            Err(FollowUpError::Disposed) => return self.closed(text),
            Err(_) => return,
        };
        match sent {
            WasSent::No => self.watch.keep_unsent(self.tab, text),
            WasSent::Yes if !self.watch.is_stored(text) => {
                self.report(
                    "sent",
                    format!("{text} is not there, and a program was told that it is"),
                );
            }
            WasSent::Yes | WasSent::Unknown => {}
        }
    }

    /// The reply is the one to this message: what the agent has said since, up to the end of its run.
    fn replied(&self, reply: &TurnReply, text: &str) {
        let wrong = |words: String| self.report("reply", format!("to {}: {words}", reply.message));
        let standing = self.reference.standing(&reply.session, self.server);
        let messages = self.server.messages(&reply.session);
        if self.server.session(&reply.session).is_none() {
            return;
        }
        let Some(place) = messages.iter().position(|message| message.id == reply.message) else {
            return wrong("it is not stored".to_owned());
        };
        let ours = &messages[place];
        if ours.text() != text {
            return wrong(format!("it is {:?}, and not {text:?}", ours.text()));
        }
        let after: Vec<&Said> = messages[place..]
            .iter()
            .filter(|message| message.role == Role::Assistant)
            .collect();
        let real: Vec<&str> = after.iter().map(|message| message.id.as_str()).collect();
        let told: Vec<&str> = reply.messages.iter().map(|message| message.id.as_str()).collect();
        let first = after.first().map(|message| self.at(message.created));
        if reply.ending == Ending::NotStarted {
            if first.is_some_and(|first| self.now.since(first) > READ_AGE) || !told.is_empty() {
                wrong(format!("it was picked up at {first:?}"));
            }
            return;
        }
        if told.is_empty() || !real.starts_with(&told) {
            return wrong(format!("{told:?} are not the first of {real:?}"));
        }
        let session = self.reference.sessions.get(&reply.session);
        let ended = session.and_then(|session| session.last_end);
        if standing == Standing::Runs && ended < first {
            return wrong("its run has not ended".to_owned());
        }
        if standing == Standing::Closing && reply.ending == Ending::Interrupted && told.len() == real.len() {
            return wrong("it is told as interrupted, and its message is being closed".to_owned());
        }
        let last = self.at(after[told.len() - 1].created);
        let begun = session.and_then(|session| session.last_begin);
        if matches!(standing, Standing::Runs | Standing::Closing) || begun.is_some_and(|begun| begun > last) {
            return;
        }
        if told.len() != real.len() {
            return wrong(format!("{told:?} are not all of {real:?}"));
        }
        let is_settled = ended.is_none_or(|ended| self.now.since(ended) > CLOSING);
        let is_newest = messages.last().map(|last| &last.id) == after.last().map(|last| &last.id);
        if is_settled && is_newest && !self.is_right_ending(reply, standing) {
            wrong(format!("it ended as {standing:?}, and not as {:?}", reply.ending));
        }
        let texts = after.iter().rev().map(|message| message.text());
        if let Some(said) = texts.into_iter().find(|said| !said.is_empty())
            && said != reply.text
        {
            wrong(format!("the agent said {said:?}, and not {:?}", reply.text));
        }
    }

    fn is_right_ending(&self, reply: &TurnReply, standing: Standing) -> bool {
        let is_stopped = standing == Standing::Ended(Ending::Aborted) && reply.ending == Ending::TimedOut;
        let is_known = || self.timed_out.contains(&(self.tab, reply.session.clone()));
        standing == Standing::Ended(reply.ending) || is_stopped && is_known()
    }

    fn at(&self, stamp: u64) -> Time {
        by_the_world(stamp, self.server_ahead)
    }

    /// Each reply was checked once, and the loop ended for the reason that its rounds give.
    fn validated(
        &self,
        validated: &Validated<String>,
        session: &SessionId,
        texts: &[String],
        checked: &[(switchboard_core::model::MessageId, Result<Checked, String>)],
        begun: Time,
        patience: Option<Duration>,
    ) {
        for (round, text) in validated.rounds.iter().zip(texts) {
            if round.reply.session != *session {
                self.report("told", format!("{} replied in place of {session}", round.reply.session));
            }
            self.replied(&round.reply, text);
        }
        let finished = validated.rounds.iter().filter(|round| is_finished(round.reply.ending));
        let replies: Vec<_> = finished
            .map(|round| (&round.reply.message, round.check.as_ref()))
            .collect();
        let checks: Vec<_> = checked
            .iter()
            .map(|(message, said)| (message, said.as_ref().ok()))
            .collect();
        if replies != checks {
            self.report("checked", format!("{checks:?}, and not {replies:?}"));
        }
        if let ValidationEnd::NoReply(error) = &validated.end {
            let text = &texts[validated.rounds.len().min(texts.len() - 1)];
            self.reply(&Err(error.clone()), text, begun, patience);
        }
        if !is_right_end(validated) {
            self.report("checked", format!("{:?} after {:?}", validated.end, checked));
        }
    }

    /// A command ran once, and is told as it ended.
    fn ran(&self, result: &ShellResult, command: &Command) {
        let Some(session) = self.server.session(&result.session) else {
            return;
        };
        let runs = self.runs_in(&result.session);
        let is_told = match result.exit {
            Some(exit) => exit == command.exit && result.output.trim() == command.prints,
            None => {
                let mut printed = runs.iter().filter_map(|run| run.output.as_ref());
                !printed.any(|output| output.contains(&command.prints))
            }
        };
        if session.title != command.title || runs.len() != 1 || !is_told {
            self.report(
                "command",
                format!("{command:?} ended as {result:?}, and not as {runs:?}"),
            );
        }
    }

    /// A program was told that a command has no result.
    fn has_no_result(&self, error: &ShellError, command: &Command, begun: Time, patience: Option<Duration>) {
        let title = &command.title;
        let runs = || {
            let made = self.titled(title).into_iter();
            made.flat_map(|session| self.runs_in(&session)).collect::<Vec<_>>()
        };
        let at = |stamp: Option<u64>| stamp.map(|stamp| by_the_world(stamp, self.server_ahead));
        let is_before = |stamp: Option<u64>, end: Time| at(stamp).is_some_and(|at| at < end);
        let read = Time(self.now.0.saturating_sub(millis(READ_AGE)));
        let is_wrong = match error {
            ShellError::NotCreated(failure) => {
                self.not_posted(failure);
                self.has_not_run(title);
                false
            }
            ShellError::Refused(_) => {
                self.has_not_run(title);
                false
            }
            ShellError::TimedOut { .. } => {
                self.in_time(begun, patience);
                if let Some(session) = self.titled(title).first() {
                    self.watch.expect_stop(self.tab, session, title);
                }
                let over = begun + patience.unwrap_or_default();
                let over = Time(self.now.0.saturating_sub(millis(self.now_there.since(over))));
                runs().iter().any(|run| is_before(run.ended, over))
            }
            ShellError::Interrupted { .. } => runs().iter().any(|run| is_before(run.ended, read)),
            ShellError::InDoubt(_) => runs().iter().any(|run| is_before(run.started, read)),
            ShellError::Unread { .. } => {
                self.in_time(begun, patience);
                self.sees_since.is_some_and(|since| self.now.since(since) >= FAILING)
            }
            ShellError::Closed => {
                self.closed("a command");
                false
            }
            error @ (ShellError::Stopped { .. } | ShellError::NoShell | _) => {
                self.report("command", format!("{title} has ended with {error:?}"));
                false
            }
        };
        if is_wrong {
            let runs = runs();
            self.report(
                "command",
                format!("{title} is said to have no result, {error:?}: {runs:?}"),
            );
        }
    }

    fn has_not_run(&self, title: &str) {
        let made = self.titled(title);
        if made.iter().any(|session| !self.runs_in(session).is_empty()) {
            self.report(
                "command",
                format!("{title} has run, and a program was told that it has not"),
            );
        }
    }

    /// The sessions with this title.
    fn titled(&self, title: &str) -> Vec<SessionId> {
        let mut sessions = self.server.sessions();
        sessions.retain(|id| self.server.session(id).is_some_and(|session| session.title == title));
        sessions
    }

    /// The commands that ran in a session for a client.
    fn runs_in(&self, session: &SessionId) -> Vec<ToolPart> {
        self.server.with_messages(session, |messages| {
            let tools = messages.iter().flat_map(Said::tools).map(|(_, tool)| tool);
            let commands = tools.filter(|tool| tool.input.contains("base64 -d | sh"));
            commands.cloned().collect()
        })
    }
}

/// A moment of the server, by the world's clock.
pub(in crate::sim) fn by_the_world(stamp: u64, server_ahead: &[(Time, i64)]) -> Time {
    let at = |ahead: i64| Time(stamp.saturating_add_signed(-ahead));
    let mut newest = server_ahead.iter().rev();
    let ahead = newest.find(|(since, ahead)| at(*ahead) >= *since);
    ahead.map_or(Time(stamp), |(_, ahead)| at(*ahead))
}

fn is_finished(ending: Ending) -> bool {
    matches!(ending, Ending::Done | Ending::Empty)
}

/// Whether a loop of these rounds ends like this.
fn is_right_end(validated: &Validated<String>) -> bool {
    let mut newest = validated.rounds.iter().rev();
    let (last, before) = (newest.next(), newest.next());
    let Some(last) = last else {
        return matches!(validated.end, ValidationEnd::NoReply(_));
    };
    match (&validated.end, &last.check) {
        (ValidationEnd::Ended(ending), None) => last.reply.ending == *ending && !is_finished(*ending),
        (ValidationEnd::CheckBroken(_), None) => is_finished(last.reply.ending),
        (ValidationEnd::Passed, check) => *check == Some(Checked::Passed),
        (end, Some(failed @ (Checked::CommandFailed(_) | Checked::Failed { .. }))) => {
            let before = before.and_then(|before| before.check.as_ref());
            let stalls = before.and_then(is_wrong_in) == is_wrong_in(failed);
            let is_last = validated.rounds.len() == ROUNDS as usize;
            match end {
                ValidationEnd::Stalled => stalls,
                ValidationEnd::RoundsUsedUp => is_last && !stalls,
                ValidationEnd::NoReply(_) => !is_last && !stalls,
                ValidationEnd::Passed
                | ValidationEnd::OverBudget(_)
                | ValidationEnd::Ended(_)
                | ValidationEnd::CheckBroken(_) => false,
            }
        }
        (_, _) => false,
    }
}
