//! Sending: applies the decision tables to what was seen, and turns what came of a send into what to look for.

use std::time::Duration;

use crate::engine::action::Action;
use crate::engine::board::Board;
use crate::engine::evidence::Observed;
use crate::engine::outbox::{
    Attempts, CONSENT_PATIENCE, Decision, Delivery, decide_answer, decide_permission, decide_prompt,
};
use crate::engine::requests::{SEEN, TrackedRequest};
use crate::engine::sessions::turn::Prompted;
use crate::log::Level;
use crate::model::{
    Ask, Attempt, Directory, Draft, DraftKey, ElsewhereAnswer, Entry, EntryId, GoneReason, MessageId, NotSentReason,
    Outcome, Reply, Request, RequestId, Sent, SessionId, Stage,
};
use crate::ports::{Post, Posted};
use crate::time::Time;

/// A reply to a permission is not sent later than this after it was given (requirements R19).
const PERMISSION_FRESH: Duration = Duration::from_secs(600);

// A reply whose attempt began longer ago than that is looked at again first: waiting for the store must not take so long.
const _: () = assert!(CONSENT_PATIENCE.as_millis() < SEEN.as_millis());

/// The entry of the message that carries an answer whose question died: one request, one message.
pub(crate) fn rescue_of(request: &RequestId) -> EntryId {
    EntryId::from(format!("rescue:{request}"))
}

/// The message of a prompt.
pub(crate) fn message_of(entry: &Entry) -> Option<MessageId> {
    match &entry.sent {
        Sent::Prompt { prompt, .. } => Some(prompt.message.clone()),
        Sent::Reply { .. } => None,
    }
}

impl Board {
    /// The send of an entry whose attempt has begun; none when that was saved so slowly that it may be sent no more, or asks
    /// something else by now, or when the page has stood still since: then it is looked at again first.
    pub(crate) fn send(&mut self, id: EntryId, now: Time) -> Option<Action> {
        let delivery = self.outbox.queue.get(&id);
        let delivery = delivery.expect("the queue posts only entries that it holds");
        let (entry, age) = (delivery.entry.clone(), delivery.age(now));
        if let Sent::Reply { request, .. } = &entry.sent
            && let Some(tracked) = self.requests.get(&request.id)
            && let Some(reason) = outdated(request, &tracked.request, age)
        {
            self.refuse(&request.id, &id, reason, now);
            // It waits again, and its time may be up.
            self.handle_time_outs(now);
            return None;
        }
        if let (Sent::Reply { .. }, Stage::Attempting { begun }) = (&entry.sent, &entry.stage)
            && (now.since(*begun) >= SEEN || self.was_stopped_since(&entry.session, *begun))
        {
            let text = "not sent yet: the page has stood still, or its run was stopped from here";
            self.record(Level::Info, format!("{id}: {text}"));
            let number = self.next_number();
            self.outbox.queue.take_back(&id, number, now);
            self.refresh_now(&entry.directory, now);
            self.changed = true;
            return None;
        }
        let attempt = entry.attempts;
        let post = match &entry.sent {
            Sent::Reply { request, reply, .. } => {
                self.record(Level::Info, format!("{}: sent, attempt {attempt}", request.id));
                self.record(Level::Trace, format!("{}: {}", request.id, reply.summary()));
                let directory = self.requests.get(&request.id).map_or_else(
                    || request.directory.clone(),
                    |tracked| tracked.request.directory.clone(),
                );
                Post::Reply {
                    request: request.id.clone(),
                    directory,
                    reply: reply.clone(),
                }
            }
            Sent::Prompt { prompt, .. } => {
                self.record(
                    Level::Info,
                    format!("{} to {}: sent, attempt {attempt}", prompt.message, entry.session),
                );
                Post::Prompt {
                    session: entry.session.clone(),
                    directory: entry.directory.clone(),
                    prompt: prompt.clone(),
                }
            }
        };
        self.changed = true;
        Some(Action::Send { entry: id, post })
    }

    /// A send has ended. What it proves is decided from the refresh that follows at once (requirements R8).
    pub(crate) fn handle_posted(&mut self, id: &EntryId, posted: Posted, now: Time) {
        let number = self.next_number();
        self.outbox.last_sent = now;
        let attempt = self.outbox.queue.weigh(id, attempt_of(posted));
        self.record(Level::Info, format!("{id}: {attempt:?}"));
        if attempt == Attempt::Unauthorized {
            let begun = self.outbox.queue.get(id).map_or(0, |delivery| delivery.begun);
            self.reader.link.handle_unauthorized(begun);
        }
        if let Attempt::Refused(reason) = &attempt
            && let Some(entry) = self.outbox.queue.get(id).map(|delivery| delivery.entry.clone())
        {
            self.tell_prompt_ended(&entry, &Outcome::Gone(GoneReason::Failed(reason.to_string())), now);
        }
        let accepted = attempt == Attempt::Accepted;
        let may_have_begun = match &attempt {
            Attempt::Accepted | Attempt::InDoubt(_) => true,
            Attempt::NotFound | Attempt::Refused(_) | Attempt::Unauthorized => false,
        };
        self.outbox.queue.handle_posted(id, attempt, number, now);
        self.changed = true;
        let Some(delivery) = self.outbox.queue.get(id) else {
            return;
        };
        if let (Sent::Reply { request, .. }, true) = (&delivery.entry.sent, accepted) {
            let request = request.id.clone();
            self.note(&request, |figure| figure.accepted = Some(now));
        }
        let Some(delivery) = self.outbox.queue.get(id) else {
            return;
        };
        let (session, directory) = (delivery.entry.session.clone(), delivery.entry.directory.clone());
        if let Some(message) = message_of(&delivery.entry).filter(|_| may_have_begun)
            && let Some(node) = self.sessions.nodes.get_mut(&session)
        {
            node.prompted = Some(Prompted { at: now, message });
            node.turn.handle_prompted();
            node.wake();
        }
        self.refresh_now(&directory, now);
    }

    pub(crate) fn decide_all(&mut self, now: Time) {
        let ids: Vec<EntryId> = self
            .outbox
            .queue
            .iter()
            .map(|delivery| delivery.entry.id.clone())
            .collect();
        for id in ids {
            self.decide_entry(&id, now);
        }
    }

    pub(crate) fn decide_entry(&mut self, id: &EntryId, now: Time) {
        let Some(delivery) = self.outbox.queue.get(id) else {
            return;
        };
        match &delivery.entry.sent {
            Sent::Reply { request, .. } => {
                let request = request.id.clone();
                self.decide_request(&request, now);
            }
            Sent::Prompt { .. } => self.decide_prompt(id, now),
        }
    }

    /// Decides about a request, and about the reply to it if there is one.
    pub(crate) fn decide_request(&mut self, id: &RequestId, now: Time) {
        let Some(tracked) = self.requests.get(id) else { return };
        let entry = tracked.entry.clone();
        if let Some((outcome, at)) = tracked.ended() {
            let (outcome, at) = (outcome.clone(), *at);
            if self
                .outbox
                .queue
                .get(&entry)
                .is_some_and(|delivery| delivery.is_ready() && delivery.entry.is_on_its_way())
            {
                self.outbox.queue.end(&entry, outcome, at);
            }
            return;
        }
        let delivery = self.outbox.queue.get(&entry);
        let evidence_after = delivery.map_or(0, |delivery| delivery.evidence_after);
        let attempted = delivery.and_then(Delivery::ended_attempt).map(|(_, at)| at);
        let evidence = tracked.evidence(evidence_after, self.run_of(tracked), attempted);
        let reply = delivery.and_then(|delivery| reply_of(&delivery.entry));
        let attempt = delivery.and_then(|delivery| delivery.entry.last_attempt());
        let attempts = Attempts {
            last: attempt.as_ref(),
            earlier: delivery.is_some_and(|delivery| delivery.entry.attempts > 1),
        };
        let decision = match &tracked.request.ask {
            Ask::Questions(_) => decide_answer(reply, attempts, &evidence),
            Ask::Permission(_) => decide_permission(reply, attempts, &evidence),
        };
        match decision {
            Decision::End(outcome) => self.end_request(id, outcome, now),
            Decision::Hold if attempted.is_some_and(|at| !self.reader.link.lets_in(at)) => {}
            Decision::Send | Decision::Hold if delivery.is_some_and(Delivery::is_ready) => {
                self.attempt(id, &entry, now);
            }
            Decision::Send | Decision::Wait | Decision::Hold | Decision::Refused(_) => {}
        }
    }

    /// Whether the newest refresh of its directory shows that a request waits. What an earlier one has listed may have gone with
    /// a restart that its part, which was read since, does not show.
    pub(crate) fn is_alive(&self, tracked: &TrackedRequest) -> bool {
        let scope = self.directory_scope(&tracked.request.directory);
        let begun = scope.and_then(|scope| scope.cadence.last_begun());
        begun.is_some_and(|begun| tracked.is_alive(self.status_of(tracked), begun))
    }

    /// Whether the run that asked goes on.
    pub(crate) fn status_of(&self, tracked: &TrackedRequest) -> Option<Observed<bool>> {
        let directory = &self.sessions.nodes.get(&tracked.request.session)?.session.directory;
        let read = self.directory_scope(directory)?.status_read?;
        Some(Observed::new(self.runs_for(tracked)?, read))
    }

    /// The same, where it is certain that what runs is not a later run whose messages are still to come.
    fn run_of(&self, tracked: &TrackedRequest) -> Option<Observed<bool>> {
        let node = self.sessions.nodes.get(&tracked.request.session)?;
        let runs = self.status_of(tracked)?;
        (!runs.value || node.shows_its_run(runs.read.number, tracked.message_created)).then_some(runs)
    }

    /// Begins an attempt if nothing speaks against it.
    fn attempt(&mut self, id: &RequestId, entry: &EntryId, now: Time) {
        let (Some(delivery), Some(tracked)) = (self.outbox.queue.get(entry), self.requests.get(id)) else {
            return;
        };
        let Sent::Reply { request, reply, .. } = &delivery.entry.sent else {
            return;
        };
        // What was on the screen a moment ago is answered at once; whatever is sent later must be alive.
        let is_new = delivery.age(now).is_some_and(|age| age < SEEN);
        let is_stopped = self.was_stopped_since(&delivery.entry.session, delivery.said);
        let first_here = delivery.created_here && delivery.entry.attempts == 0 && is_new && !is_stopped;
        if !first_here {
            if !tracked.is_listed_since(delivery.evidence_after) || !self.is_alive(tracked) {
                return;
            }
            if !self.has_run_since_look(tracked, now) {
                return self.refresh_now(&tracked.request.directory.clone(), now);
            }
            if let Some(reason) = objection(request, reply, &tracked.request, delivery.age(now)) {
                self.refuse(id, entry, reason, now);
                return;
            }
        }
        if self.may_begin(entry, now) {
            self.outbox.queue.begin(entry, self.number, now);
            self.changed = true;
        }
    }

    /// Gives up on sending a reply by itself; the person is told why.
    fn refuse(&mut self, id: &RequestId, entry: &EntryId, reason: NotSentReason, now: Time) {
        self.record(Level::Warn, format!("{id}: not sent: {reason}"));
        self.outbox.queue.refuse(entry, reason, now);
        self.changed = true;
    }

    fn end_request(&mut self, id: &RequestId, outcome: Outcome, now: Time) {
        let Some(tracked) = self.requests.get(id) else { return };
        let session = tracked.request.session.clone();
        let outcome = match outcome {
            Outcome::Cancelled { .. } => Outcome::Cancelled {
                by_us: self.was_stopped_here(&session, now),
            },
            Outcome::Confirmed { .. } | Outcome::AnsweredElsewhere(_) | Outcome::Dismissed | Outcome::Gone(_) => {
                outcome
            }
        };
        // The tab whose reply it was reads how it ended, too.
        let of_reply = outcome.clone();
        let outcome = self.attributed(id, outcome);
        self.record(Level::Info, format!("{id} of {session}: ended, {}", word_of(&outcome)));
        if let Some(tracked) = self.requests.get_mut(id) {
            tracked.end(outcome.clone(), now);
        }
        self.note_end(id, &outcome, now);
        if matches!(outcome, Outcome::Confirmed { .. }) && !self.is_by_policy(id) && !self.says_something_else(id) {
            self.drop_draft(DraftKey::Request(id.clone()));
        }
        self.outbox.queue.end(&EntryId::of_reply(id), of_reply, now);
        self.changed = true;
        if let Some(node) = self.sessions.nodes.get_mut(&session) {
            node.wake();
            let directory = node.session.directory.clone();
            self.refresh_now(&directory, now);
        }
    }

    /// Whether the draft of a request is not what was answered: another tab, which was slower, has said it.
    fn says_something_else(&self, id: &RequestId) -> bool {
        let sent = self.outbox.queue.get(&EntryId::of_reply(id));
        let Some(Reply::Answers(sent)) = sent.and_then(|delivery| reply_of(&delivery.entry)) else {
            return false;
        };
        let drafted = self.drafts.get(&DraftKey::Request(id.clone())).and_then(Draft::answers);
        drafted.is_some_and(|drafted| drafted != *sent)
    }

    /// Who has said something else here than what was delivered was not the one who answered: another tab was faster. The
    /// text stays as a draft.
    pub(crate) fn attributed(&mut self, id: &RequestId, outcome: Outcome) -> Outcome {
        if !self.outbox.lost_races.remove(id) || !matches!(outcome, Outcome::Confirmed { .. }) {
            return outcome;
        }
        let delivered = self
            .outbox
            .queue
            .get(&EntryId::of_reply(id))
            .and_then(|delivery| reply_of(&delivery.entry));
        let answer = match delivered {
            Some(Reply::Answers(answers)) => ElsewhereAnswer::Answers(answers.clone()),
            Some(Reply::Once | Reply::Always) => ElsewhereAnswer::Allowed,
            Some(Reply::Reject { .. }) => ElsewhereAnswer::Rejected,
            Some(Reply::Dismiss) | None => ElsewhereAnswer::Unknown,
        };
        // The tab that was faster has dropped it.
        self.drafts
            .write_again(&DraftKey::Request(id.clone()), &mut self.actions);
        Outcome::AnsweredElsewhere(answer)
    }

    /// Whether the run of a session, or of one above it, was stopped from here a moment ago.
    fn was_stopped_here(&self, session: &SessionId, now: Time) -> bool {
        /// A stop shows within a second; this allows for a slow network.
        const STOP_SHOWS: Duration = Duration::from_secs(30);

        self.was_stopped_since(session, now - STOP_SHOWS)
    }

    /// Whether the run of a session, or of one above it, was stopped from here after this.
    fn was_stopped_since(&self, session: &SessionId, since: Time) -> bool {
        let mut next = self.sessions.nodes.get(session);
        for _ in 0..crate::engine::board::conclude::NESTING_MAX {
            let Some(node) = next else { return false };
            if node.stopped.is_some_and(|stopped| stopped > since) {
                return true;
            }
            next = node
                .session
                .parent
                .as_ref()
                .and_then(|parent| self.sessions.nodes.get(parent));
        }
        false
    }

    pub(crate) fn decide_prompt_of(&mut self, message: &MessageId, now: Time) {
        let about = |delivery: &&Delivery| message_of(&delivery.entry).as_ref() == Some(message);
        let entry = self
            .outbox
            .queue
            .iter()
            .find(about)
            .map(|delivery| delivery.entry.id.clone());
        if let Some(entry) = entry {
            self.decide_prompt(&entry, now);
        }
    }

    pub(crate) fn decide_prompts_in(&mut self, directory: &Directory, now: Time) {
        self.decide_prompts(|entry| entry.directory == *directory, now);
    }

    pub(crate) fn decide_prompts_of(&mut self, session: &SessionId, now: Time) {
        self.decide_prompts(|entry| entry.session == *session, now);
    }

    fn decide_prompts(&mut self, which: impl Fn(&Entry) -> bool, now: Time) {
        let prompts = self
            .outbox
            .queue
            .iter()
            .filter(|delivery| message_of(&delivery.entry).is_some() && which(&delivery.entry));
        let ids: Vec<EntryId> = prompts.map(|delivery| delivery.entry.id.clone()).collect();
        for id in ids {
            self.decide_prompt(&id, now);
        }
    }

    fn decide_prompt(&mut self, id: &EntryId, now: Time) {
        let Some(delivery) = self.outbox.queue.get(id) else {
            return;
        };
        let entry = delivery.entry.clone();
        let (Some(message), true) = (message_of(&entry), entry.is_on_its_way()) else {
            return;
        };
        let stored = self
            .outbox
            .stored
            .get(&message)
            .filter(|stored| stored.is_after(delivery.evidence_after))
            .copied();
        let read_at = stored.map_or(now, |stored| stored.read.begun);
        let waited = match entry.stage {
            Stage::Attempted { at, .. } | Stage::Attempting { begun: at } | Stage::Ended { at, .. } => {
                read_at.since(at)
            }
            Stage::Saved => read_at.since(delivery.said),
        };
        let stored = stored.map(|stored| stored.value);
        let gone = self.sessions.gone.contains_key(&entry.session);
        let taken_in_vain = delivery.accepted;
        // An earlier life may have sent it although the store could not take that an attempt had begun.
        let adopted = (entry.stage == Stage::Saved && !delivery.created_here)
            .then(|| Attempt::InDoubt("the page was closed before it was known".to_owned()));
        let turned_down = delivery.turned_down.clone().map(Attempt::Refused);
        let attempt = turned_down.or_else(|| entry.last_attempt()).or(adopted);
        match decide_prompt(attempt.as_ref(), taken_in_vain, stored, gone, waited) {
            Decision::End(outcome) => self.end_prompt(&entry, outcome, now),
            Decision::Hold if matches!(entry.stage, Stage::Attempted { at, .. } if !self.reader.link.lets_in(at)) => {}
            Decision::Send | Decision::Hold if self.may_begin(id, now) => {
                self.outbox.queue.begin(id, self.number, now);
                self.changed = true;
            }
            Decision::Refused(reason) if entry.is_on_its_way() => {
                self.record(Level::Warn, format!("{id}: given up: {reason}"));
                self.tell_prompt_ended(&entry, &Outcome::Gone(GoneReason::Failed(reason.to_string())), now);
                self.outbox.queue.refuse(id, reason, now);
                self.changed = true;
            }
            Decision::Send | Decision::Wait | Decision::Hold | Decision::Refused(_) => {}
        }
    }

    fn end_prompt(&mut self, entry: &Entry, outcome: Outcome, now: Time) {
        self.record(Level::Info, format!("{}: ended, {}", entry.id, word_of(&outcome)));
        if let (
            Sent::Prompt {
                rescues: Some(request), ..
            },
            Outcome::Confirmed { .. },
        ) = (&entry.sent, &outcome)
        {
            self.settle_request(request);
        }
        self.tell_prompt_ended(entry, &outcome, now);
        if matches!(outcome, Outcome::Confirmed { .. }) {
            self.drafts.handle_entry_kept(&entry.id, &mut self.actions);
        }
        self.outbox.queue.end(&entry.id, outcome, now);
        self.handle_prompt_over(&entry.session);
        self.changed = true;
    }

    pub(crate) fn tell_prompt_ended(&mut self, entry: &Entry, outcome: &Outcome, now: Time) {
        self.observe_send_ended(entry, outcome, now);
        if let Some(message) = message_of(entry) {
            self.waits
                .posts
                .retain(|_, commanded| !commanded.handle_prompt_ended(&entry.id, outcome, &message));
        }
    }

    /// A prompt is no longer on its way to a session, which is read soon.
    pub(crate) fn handle_prompt_over(&mut self, session: &SessionId) {
        if let Some(node) = self.sessions.nodes.get_mut(session) {
            node.handle_prompt_over(self.number);
        }
    }

    /// A person has dealt with the end of a request: its text is elsewhere, or given up.
    pub(crate) fn settle_request(&mut self, id: &RequestId) {
        if let Some(tracked) = self.requests.get_mut(id) {
            tracked.settled = true;
        }
        self.outbox.queue.settle(&EntryId::of_reply(id));
        self.drop_draft(DraftKey::Request(id.clone()));
        self.changed = true;
    }

    pub(crate) fn drop_draft(&mut self, key: DraftKey) {
        self.changed |= self.drafts.drop(key, &mut self.actions);
    }
}

/// Why a reply that is sent later than at once must not be sent.
fn objection(shown: &Request, reply: &Reply, listed: &Request, age: Option<Duration>) -> Option<NotSentReason> {
    let is_always = *reply == Reply::Always;
    let always = is_always.then_some(NotSentReason::AlwaysDelayed);
    outdated(shown, listed, age).or(always)
}

/// Why a reply must not be sent any more, whatever it says.
fn outdated(shown: &Request, listed: &Request, age: Option<Duration>) -> Option<NotSentReason> {
    if !shown.asks_the_same(listed) {
        return Some(NotSentReason::Changed);
    }
    shown.permission()?;
    match age {
        None => Some(NotSentReason::AgeUnknown),
        Some(age) => (age >= PERMISSION_FRESH).then_some(NotSentReason::TooOld),
    }
}

fn reply_of(entry: &Entry) -> Option<&Reply> {
    match &entry.sent {
        Sent::Reply { reply, .. } => Some(reply),
        Sent::Prompt { .. } => None,
    }
}

fn attempt_of(posted: Posted) -> Attempt {
    match posted {
        Posted::Accepted | Posted::Created(_) => Attempt::Accepted,
        Posted::Refused(refusal) => Attempt::Refused(NotSentReason::Refused(refusal)),
        Posted::NotFound(_) => Attempt::NotFound,
        Posted::Unauthorized => Attempt::Unauthorized,
        Posted::InDoubt(reason) => Attempt::InDoubt(reason),
    }
}

/// An outcome without the words of people.
fn word_of(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Confirmed { .. } => "confirmed",
        Outcome::AnsweredElsewhere(_) => "answered elsewhere",
        Outcome::Dismissed => "dismissed",
        Outcome::Gone(_) => "gone",
        Outcome::Cancelled { .. } => "cancelled",
    }
}
