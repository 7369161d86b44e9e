//! What happens to requests that nobody answers: time-outs are counted from the first sight, told in time, and free
//! whoever waits; a default answer comes after a countdown that somebody could see and stop.
//!
//! The model knows when each tab saw each request, and what earlier tabs of its device have kept of that.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use switchboard_core::model::{Ask, Reply, Request, RequestId};
use switchboard_core::policy::{Policy, Then};
use switchboard_core::view::{RequestView, Unanswered, View};
use switchboard_core::{Clock, Time};

use super::assertions::eventually::Unmet;
use super::calls::Kind;
use super::history::Unattended;
use super::sut::{SAVING, Slot, Sut};
use crate::clock::TabClock;
use crate::tab::Tab;
use crate::watch::{Entrusted, Watch};

/// How long a countdown to a default answer is seen at least. Source: requirements R5.
const COUNTDOWN: Duration = Duration::from_secs(60);
/// The option that a default answer is.
const OPTION: &str = "Blue";
/// The warning comes so long before the end, or after half the time where that is later.
const WARNING: Duration = Duration::from_secs(300);
/// From the moment at which a request is read to the one at which it is shown, at the most.
const SHOWN: Duration = Duration::from_millis(600);
/// The same in a directory that is read for the first time: whether it is a ghost is looked up before.
const FIRST_SHOWN: Duration = Duration::from_millis(2_100);
/// A page that slept or whose clock has jumped looks at its deadlines again so late.
const LOOKS: Duration = Duration::from_secs(40);
/// How long after its time the end of a command may be looked for where its session cannot be read.
const UNREAD: Duration = Duration::from_secs(75);
/// How long after its time a reply may be looked for where its session cannot be read, and where it can.
const LOOKED: Duration = Duration::from_secs(10);
const ONE_LOOK: Duration = Duration::from_secs(2);
/// How much of a sleep or a jump may count as a part of a countdown.
const COUNTED: Duration = Duration::from_secs(6);
/// How long after it was stopped in one tab of a device a countdown may still end in another one: that has read what is noted,
/// and the list does not come.
const STOPS_OTHERS: Duration = Duration::from_secs(20);
/// How old a list may be from which a request is answered.
const LISTED: Duration = Duration::from_secs(20);

/// What was seen of requests that nobody has answered.
#[derive(Debug, Default)]
pub(super) struct Sights {
    /// The clocks of the tabs that have shown requests.
    clocks: BTreeMap<usize, TabClock>,
    /// When tabs first showed a request: by the number of the tab.
    first: BTreeMap<(usize, RequestId), Sight>,
    /// Since when tabs have shown a countdown.
    countdowns: BTreeMap<(usize, RequestId), Time>,
    /// Countdowns that a person has stopped, by the number of the tab.
    stopped: BTreeMap<(usize, RequestId), Stopped>,
    /// What policies have replied to, by device.
    replied: BTreeSet<(usize, RequestId)>,
}

#[derive(Clone, Copy, Debug)]
struct Sight {
    device: usize,
    at: Time,
    /// The same by the clock of its tab.
    there: Time,
    /// The tab died so soon that nobody knows whether it was noted.
    is_doubtful: bool,
}

#[derive(Clone, Copy, Debug)]
struct Stopped {
    device: usize,
    at: Time,
    /// The tab died so soon that nobody knows whether it was noted.
    is_doubtful: bool,
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
                is_doubtful: false,
            };
            self.first.entry(key.clone()).or_insert(sight);
            self.clocks.entry(tab.number).or_insert_with(|| tab.clock.clone());
            let Some(unanswered) = &shown.unanswered else { continue };
            if unanswered.answering_in.is_some() {
                self.countdowns.entry(key.clone()).or_insert(at);
            }
            let end = self.first_sight(slot, &key, watch) + after;
            let problem = if unanswered.until > end {
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
    fn first_sight(&self, slot: &Slot, (tab, request): &(usize, RequestId), watch: &Watch) -> Time {
        let are_read = !watch.has_storage_failed(slot.device, slot.opened, Time(u64::MAX));
        let known = self.first.iter().filter(|((number, id), sight)| {
            let is_noted =
                are_read && !slot.is_shared && sight.device == slot.device && sight.at + SAVING < slot.opened;
            id == request && (number == tab || is_noted && number < tab && !sight.is_doubtful)
        });
        known.map(|(_, sight)| sight.there).min().unwrap_or_default()
    }

    /// When a tab, or one before it on its device, has first seen a request, also where nobody knows whether that is noted.
    fn earliest_sight(&self, device: usize, (tab, request): &(usize, RequestId)) -> Option<Sight> {
        let seen = self
            .first
            .iter()
            .filter(|((number, id), sight)| sight.device == device && id == request && number <= tab);
        seen.map(|(_, sight)| *sight).min_by_key(|sight| sight.there)
    }

    /// The time in a tab that has shown requests, also when it is no more.
    fn now_in(&self, tab: usize) -> Time {
        self.clocks.get(&tab).map(TabClock::now).unwrap_or_default()
    }

    /// The tabs of a device that have seen a request, and when by their clocks. What a tab has begun it has begun by its own
    /// sight, noted or not.
    fn who_saw<'a>(&'a self, device: usize, request: &'a RequestId) -> impl Iterator<Item = (usize, Time)> + 'a {
        let here = move |((_, id), sight): &(&(usize, RequestId), &Sight)| sight.device == device && id == request;
        let seen = self.first.iter().filter(here);
        seen.map(|((number, _), sight)| (*number, sight.there))
    }

    /// The requests that a tab has shown.
    pub(super) fn shown_in(&self, tab: usize) -> impl Iterator<Item = &RequestId> {
        let here = self.first.keys().filter(move |(number, _)| *number == tab);
        here.map(|(_, id)| id)
    }

    /// Whether a policy on a device has replied to a request.
    pub(super) fn have_replied(&self, device: usize, request: &RequestId) -> bool {
        self.replied.contains(&(device, request.clone()))
    }

    /// A person keeps a countdown from its end.
    fn stop(&mut self, tab: usize, device: usize, request: &RequestId, at: Time) {
        let stopped = Stopped {
            device,
            at,
            is_doubtful: false,
        };
        self.stopped.insert((tab, request.clone()), stopped);
    }

    /// Whether a person has stopped a countdown in this tab, or long enough ago in another one of its device.
    fn is_stopped(&self, tab: usize, device: usize, request: &RequestId, now: Time, watch: &Watch) -> bool {
        let mut stops = self.stopped.iter().filter(|((_, id), _)| id == request);
        stops.any(|((number, _), stopped)| {
            let is_noted = !stopped.is_doubtful && !watch.has_storage_failed(device, stopped.at, stopped.at + SAVING);
            *number == tab || stopped.device == device && is_noted && now.since(stopped.at) > STOPS_OTHERS
        })
    }

    /// A tab dies: what it has just seen is perhaps not noted.
    pub(super) fn doubt_unsaved(&mut self, tab: usize, may_be_lost: impl Fn(Time) -> bool) {
        let seen = self.first.iter_mut().filter(|((number, _), _)| *number == tab);
        seen.for_each(|(_, sight)| sight.is_doubtful = may_be_lost(sight.at));
        let stopped = self.stopped.iter_mut().filter(|((number, _), _)| *number == tab);
        stopped.for_each(|(_, stopped)| stopped.is_doubtful = may_be_lost(stopped.at));
    }
}

/// Neither the warning nor the end is told before its time.
fn told_in_time(unanswered: &Unanswered, there: Time, after: Duration) -> bool {
    let warning = after.saturating_sub(WARNING).max(after / 2);
    (!unanswered.warned || there + after >= unanswered.until + warning)
        && (unanswered.timed_out.is_none() || there >= unanswered.until)
}

impl Sut {
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
        if let Some(id) = super::apply::choose(&counting, pick) {
            tab.handle.stop_countdown(id);
            let device = self.slots[place].device;
            self.sights.stop(tab.number, device, id, self.world.now());
        }
    }

    /// Judges what tabs have said to requests that no person has said.
    pub(super) fn judge_entrusted(&mut self) {
        let watch = self.world.watch();
        for entrusted in watch.take_entrusted() {
            self.entrusted = Some(entrusted.at);
            if let Some(slot) = self.slots.iter().find(|slot| slot.is(entrusted.tab)) {
                self.sights.replied.insert((slot.device, entrusted.request.clone()));
            }
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
        let Some(real) = self.reference.requests.get(request) else {
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
        if self.is_left_behind(slot, request, *at) {
            return Ok(());
        }
        if let Some(sight) = self.sights.earliest_sight(slot.device, &key) {
            // It was read a moment before it was shown: by what the clock said before it jumped.
            let has_jumped = self
                .jumps
                .iter()
                .any(|jump| *jump <= sight.at && sight.at.since(*jump) <= FIRST_SHOWN);
            let due = sight.there + self.policy.after.unwrap_or_default();
            if self.sights.now_in(*tab) + FIRST_SHOWN < due && !has_jumped {
                return Err(format!("its time is up at {due:?}"));
            }
        }
        if self.policy.then == Then::Reject {
            return Ok(());
        }
        let Some(since) = self.sights.countdowns.get(&key) else {
            return Err("no countdown was shown".to_owned());
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
        if self
            .sights
            .is_stopped(*tab, slot.device, request, *at, &self.world.watch())
        {
            return Err("a person has stopped the countdown".to_owned());
        }
        Ok(())
    }

    /// Whether a tab that is no more, or whose claim was not answered, had waited long enough to reply to a request: the others
    /// of its device finish what it has begun.
    fn is_left_behind(&self, slot: &Slot, request: &RequestId, now: Time) -> bool {
        let after = self.policy.after.unwrap_or_default();
        self.sights.who_saw(slot.device, request).any(|(tab, seen)| {
            let has_counted = || {
                let countdown = self.sights.countdowns.get(&(tab, request.clone()));
                countdown.is_some_and(|since| now.since(*since) > COUNTDOWN / 2)
            };
            let is_dead = !self.slots.iter().any(|slot| slot.is(tab));
            let is_kept_from_it = self.sights.stopped.contains_key(&(tab, request.clone()));
            let leaves_it = is_dead || self.world.watch().is_unanswered(slot.device);
            leaves_it
                && !is_kept_from_it
                && seen + after <= self.sights.now_in(tab)
                && (self.policy.then == Then::Reject || has_counted())
        })
    }

    /// What should have happened by itself and has not.
    pub(super) fn overdue(&self, found: &mut Vec<Unmet>) {
        let now = self.world.now();
        for slot in &self.slots {
            let is_awake = |tab: &&Tab| !tab.is_dead.get() && slot.frozen.is_none();
            let Some(tab) = slot.tab.as_ref().filter(is_awake) else {
                continue;
            };
            let there = tab.clock.now();
            let awake = slot.woken.last().map_or(slot.opened, |(woken, _)| *woken);
            // By when in the world's time something had to happen that was due at a time of the tab, and takes at most so long
            // after a sleep.
            let until =
                |due: Time, left: Duration| Time(now.0.saturating_sub(there.0 - due.0)).max(awake + left) + SHOWN;
            let mut unmet = |due: Time, left: Duration, words: String| {
                if there > due {
                    let words = format!("tab {}: {words}", tab.number);
                    found.push(Unmet::new("outlived", until(due, left), words));
                }
            };
            let view = tab.view();
            for shown in view.requests.iter().filter(|shown| shown.state.is_waiting()) {
                let Some(unanswered) = &shown.unanswered else { continue };
                if unanswered.timed_out.is_none() {
                    unmet(
                        unanswered.until,
                        LOOKS,
                        format!("{} has not timed out", shown.request.id),
                    );
                }
                let after = self.policy.after.unwrap_or_default();
                let warning = after.saturating_sub(WARNING).max(after / 2);
                let warned = Time((unanswered.until + warning).0.saturating_sub(millis(after)));
                if !unanswered.warned && unanswered.timed_out.is_none() {
                    unmet(warned, LOOKS, format!("nobody is warned of {}", shown.request.id));
                }
            }
            for call in self.calls.iter().filter(|call| call.tab == tab.number && !call.is_over) {
                let request = match &call.kind {
                    Kind::Request(id) => view.request(id),
                    Kind::FollowUp { .. }
                    | Kind::Dispatch { .. }
                    | Kind::Validation { .. }
                    | Kind::Shell(_)
                    | Kind::Session { .. }
                    | Kind::Search { .. }
                    | Kind::SessionSearch { .. } => None,
                };
                let unanswered = request.and_then(|shown| shown.unanswered.as_ref());
                let end = unanswered
                    .map(|unanswered| unanswered.until)
                    .filter(|until| call.begun < *until);
                // What has several steps may have slept before the longest of them began.
                let longest = call.longest.map(|span| {
                    let due = call.begun + span;
                    let is_read = self
                        .sees_since(slot)
                        .is_some_and(|since| now.since(since) >= there.since(due) + LOOKS);
                    let unread = match &call.kind {
                        Kind::Shell(_) if !is_read => UNREAD,
                        Kind::Shell(_) | Kind::Request(_) | Kind::Session { .. } => Duration::ZERO,
                        Kind::FollowUp { .. } | Kind::Dispatch { .. } | Kind::Validation { .. } if is_read => ONE_LOOK,
                        Kind::FollowUp { .. } | Kind::Dispatch { .. } | Kind::Validation { .. } => LOOKED,
                        Kind::Search { .. } | Kind::SessionSearch { .. } => Duration::ZERO,
                    };
                    (due + unread, LOOKS.max(span) + unread)
                });
                if let Some((due, left)) = longest.or(end.map(|end| (end, LOOKS))) {
                    unmet(due, left, format!("{:?} is still awaited", call.kind));
                }
            }
        }
    }
}

pub(super) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}
