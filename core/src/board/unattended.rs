//! Time-outs of requests: the warning, the end of the wait, and what the policy does then (requirements R5, R6).

use std::time::Duration;

use futures::channel::oneshot;

use super::Board;
use crate::figures::AnsweredBy;
use crate::model::{Ask, Directory, Reply, RequestId};
use crate::record::Level;
use crate::rendezvous::{Countdown, Meeting, Resolution};
use crate::time::Time;
use crate::unattended::{COUNTDOWN, Then, Unattended};
use crate::view::Unanswered;

/// Between two looks at a countdown. It is shown, so it moves.
const TICK: Duration = Duration::from_secs(1);
/// How much of a countdown may pass between two looks: a page that sleeps does not count on.
const TICK_MAX: Duration = Duration::from_secs(5);

impl Board {
    /// Sets what happens to requests that nobody answers.
    pub(crate) fn set_unattended(&mut self, unattended: Unattended) {
        self.config.unattended = unattended;
        self.changed = true;
    }

    /// The default answer is not given: the request stays as it is.
    pub(crate) fn stop_countdown(&mut self, id: &RequestId) {
        if let Some(meeting) = self.rendezvous.get_mut(id) {
            meeting.countdown = None;
            self.record(Level::Info, format!("{id}: the countdown was stopped by a person"));
            self.changed = true;
        }
    }

    /// When something happens by itself to a request that waits.
    pub(super) fn next_time_out(&self) -> Option<Time> {
        self.time_outs().map(|(_, at)| at).min()
    }

    fn time_outs(&self) -> impl Iterator<Item = (&RequestId, Time)> {
        let waiting = self.rendezvous.iter().filter(|(_, meeting)| self.waits(meeting));
        waiting.filter_map(|(id, meeting)| {
            if let Some(countdown) = &meeting.countdown {
                return countdown.is_running().then(|| (id, countdown.looked + TICK));
            }
            let policy = self.config.unattended.policy(&meeting.request);
            let (warning, end) = policy.deadlines(meeting.seen)?;
            let next = if meeting.warned { end } else { warning };
            meeting.timed_out.is_none().then_some((id, next))
        })
    }

    /// Does what is due by now.
    pub(super) fn handle_time_outs(&mut self, now: Time) {
        let due = self.time_outs().filter(|(_, at)| *at <= now);
        let ids: Vec<RequestId> = due.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.tick(&id, now);
            self.warn_or_time_out(&id, now);
        }
    }

    fn warn_or_time_out(&mut self, id: &RequestId, now: Time) {
        let Some(meeting) = self.rendezvous.get_mut(id) else {
            return;
        };
        let policy = self.config.unattended.policy(&meeting.request);
        let Some((warning, end)) = policy.deadlines(meeting.seen) else {
            return;
        };
        if meeting.timed_out.is_some() || now < warning {
            return;
        }
        if now < end {
            if !std::mem::replace(&mut meeting.warned, true) {
                self.changed = true;
                let left = end.since(now).as_secs();
                self.record(Level::Warn, format!("{id}: nobody has answered; {left} s are left"));
            }
            return;
        }
        meeting.time_out(now);
        let (then, answers) = (policy.then.clone(), policy.answers(&meeting.request));
        let is_question = matches!(meeting.request.ask, Ask::Questions(_));
        if answers.is_some() {
            meeting.countdown = Some(Countdown::new(COUNTDOWN, now));
        }
        self.changed = true;
        self.record(Level::Warn, format!("{id}: timed out; then: {then:?}"));
        if then == Then::Reject {
            let reply = if is_question {
                Reply::Dismiss
            } else {
                Reply::Reject { message: None }
            };
            self.answer_by_policy(id, reply, now);
        }
    }

    /// Lets a countdown run while the page is awake. At its end a fresh list decides.
    fn tick(&mut self, id: &RequestId, now: Time) {
        let number = self.number;
        let Some(meeting) = self.rendezvous.get_mut(id) else {
            return;
        };
        let directory = meeting.request.directory.clone();
        let Some(countdown) = &mut meeting.countdown else {
            return;
        };
        if !countdown.is_running() || now < countdown.looked + TICK {
            return;
        }
        let passed = now.since(countdown.looked).min(TICK_MAX);
        countdown.left = countdown.left.saturating_sub(passed);
        countdown.looked = now;
        if countdown.left.is_zero() {
            countdown.over = Some(number);
            self.hasten(&directory, now);
        }
        self.changed = true;
    }

    /// Gives the default answers whose countdown is over, where the refresh that has just ended still lists the request.
    pub(super) fn answer_unattended(&mut self, directory: &Directory, now: Time) {
        let due = |meeting: &Meeting| {
            let over = meeting.countdown.as_ref().and_then(|countdown| countdown.over);
            let fresh = over.is_some_and(|number| meeting.is_listed_since(number));
            meeting.request.directory == *directory && fresh && meeting.is_alive(self.status_of(meeting))
        };
        let due = self
            .rendezvous
            .iter()
            .filter(|(_, meeting)| self.waits(meeting) && due(meeting));
        let answers: Vec<(RequestId, Reply)> = due
            .filter_map(|(id, meeting)| {
                let policy = self.config.unattended.policy(&meeting.request);
                Some((id.clone(), Reply::Answers(policy.answers(&meeting.request)?)))
            })
            .collect();
        for (id, reply) in answers {
            self.answer_by_policy(&id, reply, now);
        }
    }

    fn answer_by_policy(&mut self, id: &RequestId, reply: Reply, now: Time) {
        if let Some(meeting) = self.rendezvous.get_mut(id) {
            meeting.countdown = None;
        }
        match self.answer(id, reply, now) {
            Ok(_) => self.note(id, |figure| figure.by = Some(AnsweredBy::Policy)),
            Err(error) => self.record(Level::Warn, format!("{id}: the policy could not answer: {error}")),
        }
    }

    /// What is shown of a request's time-out.
    pub(super) fn unanswered(&self, meeting: &Meeting) -> Option<Unanswered> {
        if meeting.ended().is_some() || self.ledger.get(&meeting.entry).is_some() {
            return None;
        }
        let (_, end) = self
            .config
            .unattended
            .policy(&meeting.request)
            .deadlines(meeting.seen)?;
        Some(Unanswered {
            until: end,
            warned: meeting.warned,
            timed_out: meeting.timed_out,
            answering_in: meeting.countdown.as_ref().map(|countdown| countdown.left),
        })
    }

    /// The end of a request, for somebody who does not answer it.
    pub(crate) fn wait(&mut self, id: &RequestId) -> Option<oneshot::Receiver<Resolution>> {
        self.rendezvous.get_mut(id).map(Meeting::wait)
    }
}
