//! Time-outs of requests: the warning, the end of the wait, and what the policy does then (requirements R5, R6).

use std::time::Duration;

use futures::channel::oneshot;

use crate::collections::SortedSet;
use crate::engine::board::Board;
use crate::engine::requests::{Countdown, Resolution, TrackedRequest, Unresolved, kind_of};
use crate::log::Level;
use crate::metrics::AnsweredBy;
use crate::model::{Directory, Reply, RequestId};
use crate::policy::{COUNTDOWN, Unattended};
use crate::time::Time;
use crate::view::Unanswered;

/// Between two looks at a countdown. It is shown, so it moves.
const TICK: Duration = Duration::from_secs(1);
/// How much of a countdown may pass between two looks: a page that sleeps does not count on.
const TICK_MAX: Duration = Duration::from_secs(5);
/// While something is read the loop passes at least once in the time that one read may take, and this: where it has not, the
/// page may have stood still.
const LATE_PASS: Duration = Duration::from_secs(2);

impl Board {
    /// How long the loop may rest while something is read.
    pub(crate) fn longest_rest(&self) -> Duration {
        self.config.pace.read_deadline + LATE_PASS
    }

    /// Whether the page has certainly not stood still since the newest look at a request began: its list is read first, then
    /// the status and its part.
    pub(crate) fn has_run_since_look(&self, tracked: &TrackedRequest, now: Time) -> bool {
        let scope = self.directory_scope(&tracked.request.directory);
        let listed = scope.and_then(|scope| scope.begun.get(&Some(kind_of(&tracked.request))));
        listed.is_some_and(|listed| self.attention.awake.has_run_since(*listed, self.longest_rest(), now))
    }

    /// Sets what happens to requests that nobody answers. A countdown to another reply ends, and so does one whose request
    /// gets more time, which is warned of anew.
    pub(crate) fn set_unattended(&mut self, unattended: Unattended, now: Time) {
        let before = std::mem::replace(&mut self.config.unattended, unattended);
        for tracked in self.requests.tracked_mut() {
            let (old, new) = (
                before.policy(&tracked.request),
                self.config.unattended.policy(&tracked.request),
            );
            let deadlines = new.deadlines(tracked.seen);
            let is_over = deadlines.is_some_and(|(_, end)| now >= end);
            if !is_over || old.reply(&tracked.request) != new.reply(&tracked.request) {
                tracked.countdown = None;
            }
            tracked.warned &= deadlines.is_some_and(|(warning, _)| now >= warning);
            tracked.timed_out = tracked.timed_out.filter(|_| is_over);
        }
        self.changed = true;
    }

    /// The default answer is not given: the request stays as it is.
    pub(crate) fn stop_countdown(&mut self, id: &RequestId, now: Time) {
        if let Some(tracked) = self.requests.get_mut(id) {
            tracked.countdown = None;
            self.note(id, |figure| figure.stopped = Some(now));
            self.record(Level::Info, format!("{id}: the countdown was stopped by a person"));
            self.changed = true;
        }
    }

    /// When something happens by itself to a request that waits.
    pub(crate) fn next_time_out(&self) -> Option<Time> {
        self.time_outs().map(|(_, at)| at).min()
    }

    fn time_outs(&self) -> impl Iterator<Item = (&RequestId, Time)> {
        let waiting = self.requests.iter().filter(|(_, tracked)| self.waits(tracked));
        waiting.filter_map(|(id, tracked)| {
            if let Some(countdown) = &tracked.countdown {
                return countdown.is_running().then(|| (id, countdown.looked + TICK));
            }
            let policy = self.config.unattended.policy(&tracked.request);
            let (warning, end) = policy.deadlines(tracked.seen)?;
            let next = if tracked.warned { end } else { warning };
            tracked.timed_out.is_none().then_some((id, next))
        })
    }

    /// Does what is due by now.
    pub(crate) fn handle_time_outs(&mut self, now: Time) {
        let due = self.time_outs().filter(|(_, at)| *at <= now);
        let ids: Vec<RequestId> = due.map(|(id, _)| id.clone()).collect();
        for id in ids {
            self.tick(&id, now);
            self.warn_or_time_out(&id, now);
        }
    }

    fn warn_or_time_out(&mut self, id: &RequestId, now: Time) {
        let is_stopped = self.is_countdown_stopped(id);
        let Some(tracked) = self.requests.get_mut(id) else {
            return;
        };
        let policy = self.config.unattended.policy(&tracked.request);
        let Some((warning, end)) = policy.deadlines(tracked.seen) else {
            return;
        };
        if tracked.timed_out.is_some() || now < warning {
            return;
        }
        if now < end {
            tracked.redated = false;
            if !std::mem::replace(&mut tracked.warned, true) {
                self.changed = true;
                let left = end.since(now).as_secs();
                self.record(Level::Warn, format!("{id}: nobody has answered; {left} s are left"));
            }
            return;
        }
        // What an earlier life has seen, and is read late, leaves the person no time either.
        let is_sudden = tracked.redated;
        tracked.time_out(now);
        let (then, countdown) = (policy.then.clone(), policy.countdown());
        let countdown = if !is_sudden && self.attention.awake.is_for(COUNTDOWN, now) {
            countdown
        } else {
            countdown.max(COUNTDOWN)
        };
        let says_something = policy.reply(&tracked.request).is_some() && !is_stopped;
        tracked.countdown = says_something.then(|| Countdown::new(countdown, now));
        self.changed = true;
        self.record(Level::Warn, format!("{id}: timed out; then: {then:?}"));
        if says_something && countdown.is_zero() {
            self.end_countdown(id, now);
        }
    }

    /// Lets a countdown run while the page is awake. At its end a fresh list decides.
    fn tick(&mut self, id: &RequestId, now: Time) {
        let tracked = self.requests.get_mut(id);
        let Some(countdown) = tracked.and_then(|tracked| tracked.countdown.as_mut()) else {
            return;
        };
        if !countdown.is_running() || now < countdown.looked + TICK {
            return;
        }
        let passed = now.since(countdown.looked).min(TICK_MAX);
        countdown.left = countdown.left.saturating_sub(passed);
        countdown.looked = now;
        let is_over = countdown.left.is_zero();
        self.changed = true;
        if is_over {
            self.end_countdown(id, now);
        }
    }

    /// The policy replies as soon as a list that is read from now on still names the request.
    fn end_countdown(&mut self, id: &RequestId, now: Time) {
        let number = self.number;
        let Some(tracked) = self.requests.get_mut(id) else {
            return;
        };
        if let Some(countdown) = &mut tracked.countdown {
            countdown.over = Some(number);
        }
        let directory = tracked.request.directory.clone();
        self.load_figures();
        self.refresh_now(&directory, now);
    }

    /// A refresh of a directory begins. Where a countdown is over there, and the list that was to decide has not come, another
    /// tab may have stopped it meanwhile.
    pub(super) fn renew_figures(&mut self, directory: &Directory, now: Time) {
        if !self.storage.figures.are_old(now) {
            return;
        }
        let number = self.number;
        let here = self
            .requests
            .tracked_mut()
            .filter(|tracked| tracked.request.directory == *directory);
        let mut is_wanted = false;
        for over in here.filter_map(|tracked| tracked.countdown.as_mut()?.over.as_mut()) {
            *over = number;
            is_wanted = true;
        }
        if is_wanted {
            self.load_figures();
        }
    }

    /// Reads the figures once more where a countdown has ended since they were read, and the list where it came first.
    pub(super) fn go_on_with_figures(&mut self, now: Time) {
        let over = |tracked: &TrackedRequest| tracked.countdown.as_ref()?.over;
        let figures = &self.storage.figures;
        let ends = || {
            self.requests
                .iter()
                .filter_map(|(_, tracked)| Some((tracked, over(tracked)?)))
        };
        let is_behind = ends().any(|(_, number)| !figures.are_read_since(number));
        let decidable = ends().filter(|(tracked, number)| tracked.is_listed_since(*number));
        let directories: SortedSet<Directory> = decidable
            .map(|(tracked, _)| tracked.request.directory.clone())
            .collect();
        if is_behind {
            return self.load_figures();
        }
        for directory in directories {
            self.refresh_now(&directory, now);
        }
    }

    /// Gives the replies of policies whose countdown is over, where the refresh that has just ended still lists the
    /// request, and its part shows that it waits: a ghost is never replied to. What a person has said and could not be
    /// sent is not replaced, and a countdown that was stopped, in whichever tab, says nothing.
    pub(crate) fn answer_unattended(&mut self, directory: &Directory, now: Time) {
        let due = |tracked: &TrackedRequest| {
            let over = tracked.countdown.as_ref().and_then(|countdown| countdown.over);
            let figures = &self.storage.figures;
            let fresh = over.is_some_and(|number| tracked.is_listed_since(number) && figures.are_read_since(number));
            let is_seen = self.is_alive(tracked) && self.has_run_since_look(tracked, now);
            tracked.request.directory == *directory && fresh && is_seen
        };
        let due = self.requests.iter().filter(|(_, tracked)| {
            self.waits(tracked) && due(tracked) && self.outbox.queue.get(&tracked.entry).is_none()
        });
        let replies: Vec<(RequestId, Reply)> = due
            .filter_map(|(id, tracked)| {
                let policy = self.config.unattended.policy(&tracked.request);
                Some((id.clone(), policy.reply(&tracked.request)?))
            })
            .collect();
        for (id, reply) in replies {
            self.answer_by_policy(&id, reply, now);
        }
    }

    fn answer_by_policy(&mut self, id: &RequestId, reply: Reply, now: Time) {
        if let Some(tracked) = self.requests.get_mut(id) {
            tracked.countdown = None;
        }
        if let Err(error) = self.reply(id, reply, AnsweredBy::Policy, now) {
            self.record(Level::Warn, format!("{id}: the policy could not answer: {error}"));
        }
    }

    /// What is shown of a request's time-out.
    pub(crate) fn unanswered(&self, tracked: &TrackedRequest) -> Option<Unanswered> {
        if tracked.ended().is_some() || self.outbox.queue.get(&tracked.entry).is_some() {
            return None;
        }
        let policy = self.config.unattended.policy(&tracked.request);
        let (_, end) = policy.deadlines(tracked.seen)?;
        let countdown = tracked.countdown.as_ref().filter(|countdown| countdown.is_running());
        Some(Unanswered {
            until: end,
            warned: tracked.warned,
            timed_out: tracked.timed_out,
            answering_in: countdown.map(|countdown| countdown.left),
        })
    }

    /// The end of a request, for somebody who does not answer it. One whose time is up, and that nobody has answered since,
    /// frees whoever waits at once.
    pub(crate) fn wait(&mut self, id: &RequestId) -> Option<oneshot::Receiver<Resolution>> {
        let tracked = self.requests.get(id)?;
        let is_late = tracked.timed_out.is_some() && self.waits(tracked);
        let (waiter, receiver) = self.told.waiter();
        if is_late {
            waiter.tell_at_once(Err(Unresolved::TimedOut));
        } else {
            self.requests.get_mut(id)?.wait(waiter);
        }
        Some(receiver)
    }
}
