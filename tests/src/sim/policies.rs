//! What happens to requests that nobody answers: time-outs are counted from the first sight, told in time, and free
//! whoever waits; a default answer comes after a countdown that somebody could see and stop.
//!
//! The model knows when each tab saw each request, and what earlier tabs of its device have kept of that.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use switchboard_core::model::{Ask, Reply, Request, RequestId};
use switchboard_core::time::Time;
use switchboard_core::unattended::{COUNTDOWN, Policy, Then};
use switchboard_core::view::{RequestView, Unanswered, View};

use super::calls::Kind;
use super::desk::{Desk, SAVING, Slot};
use super::history::Unattended;
use super::judge::Unmet;
use crate::watch::{Entrusted, Watch};

/// The option that a default answer is.
const OPTION: &str = "Blue";
/// The warning comes so long before the end, or after half the time where that is later.
const WARNING: Duration = Duration::from_secs(300);
/// From the moment at which a request is read to the one at which it is shown, at the most.
const SHOWN: Duration = Duration::from_millis(600);
/// A page that slept or whose clock has jumped looks at its deadlines again so late.
const LOOKS: Duration = Duration::from_secs(40);
/// How much of a sleep or a jump may count as a part of a countdown.
const COUNTED: Duration = Duration::from_secs(6);
/// How old a list may be from which a request is answered.
const LISTED: Duration = Duration::from_secs(20);

/// What was seen of requests that nobody has answered.
#[derive(Debug, Default)]
pub(super) struct Sights {
    /// When tabs first showed a request: by the number of the tab.
    first: BTreeMap<(usize, RequestId), Sight>,
    /// Since when tabs have shown a countdown.
    countdowns: BTreeMap<(usize, RequestId), Time>,
    /// Countdowns that a person has stopped.
    stopped: BTreeSet<(usize, RequestId)>,
}

#[derive(Clone, Copy, Debug)]
struct Sight {
    device: usize,
    at: Time,
    /// The same by the clock of its device.
    there: Time,
}

/// The policy of a history.
pub(super) fn policy(setup: Option<(Unattended, u64)>) -> Policy {
    setup.map_or_else(Policy::default, |(then, seconds)| Policy {
        after: Some(Duration::from_secs(seconds)),
        then: match then {
            Unattended::Leave => Then::Leave,
            Unattended::Reject => Then::Reject,
            Unattended::Answer => Then::Answer(OPTION.to_owned()),
        },
    })
}

/// Whether a policy may say this to a request by itself.
pub(super) fn may_say(then: &Then, request: &Request, reply: &Reply) -> bool {
    match (then, reply, &request.ask) {
        (Then::Reject, Reply::Dismiss, Ask::Questions(_)) => true,
        (Then::Reject, Reply::Reject { message }, Ask::Permission(_)) => message.is_none(),
        (Then::Answer(label), Reply::Answers(answers), Ask::Questions(questions)) => {
            let offers = questions
                .iter()
                .map(|question| question.options.iter().any(|option| option.label == *label));
            answers.len() == questions.len()
                && offers
                    .zip(answers)
                    .all(|(offers, answer)| offers && *answer == [label.clone()])
        }
        (_, _, _) => false,
    }
}

impl Sights {
    /// Takes in what a tab shows, and compares its times with those of the model.
    pub(super) fn look(&mut self, slot: &Slot, view: &View, at: Time, there: Time, policy: &Policy, watch: &Watch) {
        let Some(tab) = &slot.tab else { return };
        let after = policy.after.unwrap_or_default();
        for shown in &view.requests {
            let key = (tab.number, shown.request.id.clone());
            let sight = Sight {
                device: slot.device,
                at,
                there,
            };
            self.first.entry(key.clone()).or_insert(sight);
            let Some(unanswered) = &shown.unanswered else { continue };
            if unanswered.answering_in.is_some() {
                self.countdowns.entry(key.clone()).or_insert(at);
            }
            let end = self.first_sight(slot, &key, slot.is_shared) + after;
            let problem = if unanswered.until > end && !watch.is_distrusted(slot.device) {
                Some(format!(
                    "is counted from later than it was seen: until {:?}",
                    unanswered.until
                ))
            } else if unanswered.timed_out.is_some_and(|over| over < unanswered.until)
                || !told_in_time(unanswered, there, after)
            {
                Some(format!("is told before its time: {unanswered:?}"))
            } else {
                None
            };
            if let Some(problem) = problem {
                let words = format!("tab {} at {there:?}: {} {problem}; {end:?}", tab.number, key.1);
                watch.report("time-out", words);
            }
        }
    }

    /// When a tab has first seen a request, or one before it on its device, unless nobody knows whether that is noted.
    /// Where several tabs write notes, those of the last one count.
    fn first_sight(&self, slot: &Slot, (tab, request): &(usize, RequestId), is_alone: bool) -> Time {
        let known = self.first.iter().filter(|((number, id), sight)| {
            let is_noted = !is_alone && sight.device == slot.device && sight.at + SAVING < slot.opened;
            id == request && (number == tab || is_noted && number < tab)
        });
        known.map(|(_, sight)| sight.there).min().unwrap_or_default()
    }

    /// Whether an earlier tab of a device has shown a countdown to its end.
    fn is_shown_by_another(&self, device: usize, (tab, request): &(usize, RequestId), now: Time) -> bool {
        self.countdowns.iter().any(|((number, id), since)| {
            let is_here = self
                .first
                .get(&(*number, id.clone()))
                .is_some_and(|sight| sight.device == device);
            number < tab && id == request && is_here && now.since(*since) > COUNTDOWN / 2
        })
    }

    /// A person keeps a countdown from its end.
    pub(super) fn stop(&mut self, tab: usize, request: &RequestId) {
        self.stopped.insert((tab, request.clone()));
    }

    /// What a tab had no time to note when it died is seen again.
    pub(super) fn forget_unsaved(&mut self, tab: usize, now: Time) {
        self.first
            .retain(|(number, _), sight| *number != tab || now.since(sight.at) >= SAVING);
    }
}

/// Neither the warning nor the end is told before its time.
fn told_in_time(unanswered: &Unanswered, there: Time, after: Duration) -> bool {
    let warning = after.saturating_sub(WARNING).max(after / 2);
    (!unanswered.warned || there + after >= unanswered.until + warning)
        && (unanswered.timed_out.is_none() || there >= unanswered.until)
}

impl Desk {
    pub(super) fn stop_countdown(&mut self, place: usize, pick: u32) {
        let Some(tab) = self.tab(place) else { return };
        let counts = |shown: &&std::sync::Arc<RequestView>| {
            let unanswered = shown.unanswered.as_ref();
            unanswered.is_some_and(|unanswered| unanswered.answering_in.is_some())
        };
        let view = tab.view();
        let counting: Vec<RequestId> = view
            .requests
            .iter()
            .filter(counts)
            .map(|shown| shown.request.id.clone())
            .collect();
        if let Some(id) = super::act::choose(&counting, pick) {
            tab.handle.stop_countdown(id);
            self.sights.stop(tab.number, id);
        }
    }

    /// Judges what tabs have said to requests that no person has said.
    pub(super) fn judge_entrusted(&mut self) {
        let watch = self.world.watch();
        for entrusted in watch.take_entrusted() {
            self.entrusted = Some(entrusted.at);
            self.heard.add("a policy replies", 1);
            if let Err(words) = self.entrusted(&entrusted) {
                let Entrusted {
                    tab, request, reply, ..
                } = &entrusted;
                watch.report("policy", format!("tab {tab} says {reply:?} to {request}: {words}"));
            }
        }
    }

    fn entrusted(&self, entrusted: &Entrusted) -> Result<(), String> {
        let Entrusted {
            tab,
            request,
            reply,
            at,
            listed,
        } = entrusted;
        let Some(real) = self.truth.requests.get(request) else {
            return Err("nobody asked".to_owned());
        };
        if !may_say(&self.policy.then, &real.request, reply) {
            return Err("nobody wants that".to_owned());
        }
        if !real.live && at.since(real.since) > LISTED {
            return Err("it does not wait".to_owned());
        }
        let Some(slot) = self.slots.iter().find(|slot| slot.is(*tab)) else {
            return Ok(());
        };
        let key = (*tab, request.clone());
        let due = self.sights.first_sight(slot, &key, false) + self.policy.after.unwrap_or_default();
        if self.now_on(slot.device) + SHOWN < due {
            return Err(format!("its time is up at {due:?}"));
        }
        if self.policy.then == Then::Reject {
            return Ok(());
        }
        let Some(since) = self.sights.countdowns.get(&key) else {
            // One that died in the middle of its reply is finished by the next.
            return match self.sights.is_shown_by_another(slot.device, &key, *at) {
                true => Ok(()),
                false => Err("no countdown was shown".to_owned()),
            };
        };
        let broken = slot.woken.iter().filter(|(woken, _)| woken > since);
        let slept: Duration = broken.clone().map(|(_, slept)| *slept).sum();
        let times = u32::try_from(broken.count()).unwrap_or(u32::MAX);
        let end = Time((*since + COUNTDOWN + slept).0 - millis(COUNTED * times) - 100);
        if *at < end {
            return Err(format!("the countdown began at {since:?}"));
        }
        if listed.is_none_or(|listed| listed < end) {
            return Err(format!("the newest list is of {listed:?}"));
        }
        if self.sights.stopped.contains(&key) {
            return Err("a person has stopped the countdown".to_owned());
        }
        Ok(())
    }

    /// What should have happened by itself and has not.
    pub(super) fn overdue(&self, found: &mut Vec<Unmet>) {
        let now = self.world.now();
        for slot in &self.slots {
            let Some(tab) = slot.tab.as_ref().filter(|tab| !tab.is_dead.get()) else {
                continue;
            };
            let there = self.now_on(slot.device);
            let awake = slot.woken.last().map_or(slot.opened, |(woken, _)| *woken);
            // By when in the world's time something had to happen that was due at a time of the device.
            let until = |due: Time| Time(now.0.saturating_sub(there.0 - due.0)).max(awake + LOOKS) + SHOWN;
            let mut unmet = |due: Time, words: String| {
                if there > due {
                    found.push(Unmet::new(
                        "outlived",
                        until(due),
                        format!("tab {}: {words}", tab.number),
                    ));
                }
            };
            let view = tab.view();
            for shown in view.requests.iter().filter(|shown| shown.state.is_waiting()) {
                let Some(unanswered) = &shown.unanswered else { continue };
                if unanswered.timed_out.is_none() {
                    unmet(unanswered.until, format!("{} has not timed out", shown.request.id));
                }
                let after = self.policy.after.unwrap_or_default();
                let warning = after.saturating_sub(WARNING).max(after / 2);
                let warned = Time((unanswered.until + warning).0.saturating_sub(millis(after)));
                if !unanswered.warned && unanswered.timed_out.is_none() {
                    unmet(warned, format!("nobody is warned of {}", shown.request.id));
                }
            }
            for call in self.calls.iter().filter(|call| call.tab == tab.number && !call.is_over) {
                let request = match &call.kind {
                    Kind::Request(id) => view.request(id),
                    Kind::FollowUp { .. }
                    | Kind::Dispatch { .. }
                    | Kind::Validation { .. }
                    | Kind::Shell(_)
                    | Kind::Session { .. } => None,
                };
                let unanswered = request.and_then(|shown| shown.unanswered.as_ref());
                let end = unanswered
                    .map(|unanswered| unanswered.until)
                    .filter(|until| call.begun < *until);
                if let Some(due) = call.deadline.or(end) {
                    unmet(due, format!("{:?} is still awaited", call.kind));
                }
            }
        }
    }
}

pub(super) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
