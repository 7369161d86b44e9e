//! What must be true of everything that a tab shows, whenever it shows something new.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::model::{Ask, ElsewhereAnswer, Entry, GoneReason, Reply, Sent, SessionId};
use switchboard_core::policy::Then;
use switchboard_core::view::{Durability, EndReason, Ending, RequestState, RequestView, TurnState, View};
use switchboard_core::{Clock, Time};

use crate::opencode::{Client, IMPORTED, OpenCode};
use crate::sim::assertions::timelines;
use crate::sim::assertions::told::READ_AGE;
use crate::sim::policies::may_say;
use crate::sim::reference::{Reference, ReferenceRequest, Standing};
use crate::sim::sut::{Press, Sut};
use crate::sim::{closings, searches};
use crate::store::Device;
use crate::watch::Watch;
use crate::world::World;

/// How long it takes until the messages of a run that has ended show that.
const CLOSING: Duration = Duration::from_secs(1);
/// How long after the beginning of a run each tab that reads has seen it.
const SEEN: Duration = Duration::from_secs(10);
/// How old a view may be that somebody acts upon.
pub(in crate::sim) const REMEMBERED: Duration = Duration::from_secs(5);
/// How many tasks a tab may have: its loop, and what persons await.
const TASKS_MAX: usize = 80;

impl Sut {
    /// Checks what tabs show that they did not show before.
    pub(in crate::sim) fn look(&mut self) {
        let now = self.world.now();
        let happened = self.reference.observe(&self.world.server, now);
        let watch = self.world.watch();
        // By a clock that jumps nobody can tell how far two refreshes are apart.
        let jumped = !self.jumps.is_empty();
        let is_dated = self.are_clocks_steady() && self.server_ahead.len() == 1;
        for slot in &mut self.slots {
            let Some(tab) = &slot.tab else { continue };
            let view = tab.view();
            let is_new = slot.seen.as_ref().is_none_or(|seen| !Arc::ptr_eq(seen, &view));
            if !is_new && !happened {
                continue;
            }
            if is_new {
                let there = tab.clock.now();
                self.sights.look(slot, &view, now, there, &self.policy, &watch);
            }
            let tasks = self.world.tasks_of(tab);
            if tasks > TASKS_MAX {
                watch.report("memory", format!("tab {} has {tasks} tasks", tab.number));
            }
            for (place, shown) in view.requests.iter().enumerate() {
                let is_known = slot
                    .seen
                    .as_ref()
                    .and_then(|seen| seen.requests.get(place))
                    .is_some_and(|seen| Arc::ptr_eq(seen, shown));
                if !is_known {
                    if closings::seems_lost(tab.number, shown, &self.reference, &self.world) {
                        self.seemed_lost.insert((slot.device, shown.request.id.clone()));
                    }
                    let seemed_lost = self.seemed_lost.contains(&(slot.device, shown.request.id.clone()));
                    check_request(tab.number, shown, &self.reference, jumped || seemed_lost, &watch);
                    let presses = self.presses.iter().filter(|press| press.tab == tab.number);
                    check_durability(shown, presses, &self.devices[slot.device], &watch);
                    check_reply(slot.device, shown, &self.presses, &self.policy.then, &watch);
                    check_session(tab.number, shown, &view, &watch);
                    if is_dated {
                        check_date(tab.number, shown, tab.clock.now(), &watch);
                        self.heard.add("checked: a date", 1);
                    }
                }
            }
            if view
                .requests
                .windows(2)
                .any(|pair| pair[0].request.id == pair[1].request.id)
            {
                watch.report("shown twice", format!("tab {} shows a request twice", tab.number));
            }
            let before = slot.seen.as_deref();
            let was_listed = before.is_some_and(|before| before.server.listed);
            if view.server.listed && !was_listed {
                searches::check_listed(tab.number, &view, slot.opened, &self.reference, &watch);
                self.heard.add("checked: everything was read", 1);
            }
            if let Some(before) = before.filter(|_| is_new) {
                check_known(tab.number, before, &view, &self.world.server, is_dated, &watch);
            }
            if timelines::check(tab.number, &view, before, &self.world.server, &watch) {
                self.heard.add("checked: a timeline", 1);
            }
            if jumped {
                slot.endings.clear();
            } else {
                check_beside(tab.number, &view, &self.world);
                let before = slot.seen.as_deref();
                closings::check(tab.number, &view, before, &self.reference, &self.world);
            }
            let before = slot.seen.as_deref();
            check_runners(tab.number, &view, before, &self.reference, &mut slot.ran, &self.world);
            check_endings(
                tab.number,
                &view,
                slot.seen.as_deref(),
                &self.reference,
                &mut slot.endings,
                &self.world,
            );
            if is_new {
                slot.shown.push_back((now, view.clone()));
                while slot
                    .shown
                    .get(1)
                    .is_some_and(|(since, _)| now.since(*since) > REMEMBERED)
                {
                    slot.shown.pop_front();
                }
            }
            slot.seen = Some(view);
        }
        self.hear();
        self.judge_entrusted();
        self.effects.check_answers(&watch);
        self.deferreds.check(now, &watch);
    }
}

/// A reply that a tab has on its way and calls saved is in the store of the device; or another tab, which had sent its own before,
/// has just taken its place there.
fn check_durability<'a>(
    shown: &RequestView,
    mut presses: impl Iterator<Item = &'a Press>,
    device: &Device,
    watch: &Watch,
) {
    let id = &shown.request.id;
    let is_said_saved = matches!(shown.state, RequestState::Sending { .. }) && shown.durability == Durability::Saved;
    let Some(reply) = shown.reply.as_ref().filter(|_| is_said_saved) else {
        return;
    };
    let Some(press) = presses.find(|press| press.request.id == *id && press.reply == *reply) else {
        return;
    };
    let is_sent = |entry: &Entry| entry.attempts > 0 && (entry.is_on_its_way() || entry.is_finished());
    let is_kept = device.entries().iter().any(|entry| match &entry.sent {
        Sent::Reply {
            request, reply: kept, ..
        } => request.id == *id && (kept == reply || is_sent(entry)),
        Sent::Prompt { .. } => false,
    });
    if !is_kept {
        watch.report(
            "unsaved",
            format!(
                "tab {} shows the reply to {id} as saved, which its device does not have",
                press.tab
            ),
        );
    }
}

/// However far the server's clock is ahead, nothing was asked in the future. Where a clock is set meanwhile, or tabs have
/// clocks of their own, it may seem so for a while.
/// Views are dated in whole seconds.
fn check_date(tab: usize, shown: &RequestView, now: Time, watch: &Watch) {
    if let Some(asked) = shown.asked.filter(|asked| asked.since(now) >= Duration::from_secs(1)) {
        let id = &shown.request.id;
        watch.report(
            "dates",
            format!("tab {tab} shows {id} as asked at {}, at {}", asked.0, now.0),
        );
    }
}

/// What is said of a request must not contradict what is the case. It may be old.
fn check_request(tab: usize, shown: &RequestView, reference: &Reference, jumped: bool, watch: &Watch) {
    let id = &shown.request.id;
    let Some(real) = reference.requests.get(id) else {
        return watch.report("invented", format!("tab {tab} shows {id}, which nobody asked"));
    };
    if shown.request.session != real.request.session {
        watch.report("invented", format!("tab {tab} shows {id} in {}", shown.request.session));
    }
    if let Some((checker, words)) = contradiction(shown, real, reference, jumped) {
        watch.report(checker, format!("tab {tab} shows {id} as {:?}: {words}", shown.state));
    }
}

fn contradiction(
    shown: &RequestView,
    real: &ReferenceRequest,
    reference: &Reference,
    jumped: bool,
) -> Option<(&'static str, String)> {
    match (&shown.state, &shown.request.ask) {
        (RequestState::Answered { .. }, Ask::Questions(_)) => {
            let meant = match &shown.reply {
                Some(Reply::Answers(answers)) => Some(answers),
                Some(_) | None => None,
            };
            (real.answers().is_none() || real.answers() != meant).then(|| {
                (
                    "answered",
                    format!("the agent has {:?}, not {:?}", real.answers(), shown.reply),
                )
            })
        }
        (state, Ask::Permission(_)) if let Some(allowed) = claims_allowed(state, shown.reply.as_ref()) => {
            let is_ours = matches!(state, RequestState::Answered { note: None, .. });
            let is_so = match (&real.taken, &shown.reply) {
                // What is sent twice, and was answered in between, may have gone on without it.
                (Some((Client::Tab(_), taken)), Some(meant)) if is_ours && allowed => taken == meant,
                (_, _) if is_ours && allowed => false,
                // What is rejected takes the others of its session along.
                (_, _) if real.is_allowed() == Some(allowed) => true,
                // One call may ask twice, and its part tells how the last of them ended.
                (_, _) => !allowed && !is_ours && reference.rejects_later(real),
            };
            (!is_so).then(|| {
                let words = format!("it was told {:?}, and taken along {:?}", real.taken, real.taken_along);
                ("permission", words)
            })
        }
        (
            RequestState::AnsweredElsewhere {
                answer: ElsewhereAnswer::Unknown,
                ..
            },
            Ask::Permission(_),
        ) => real
            .is_allowed()
            .is_none()
            .then(|| ("permission", "nobody has settled it".to_owned())),
        (
            RequestState::AnsweredElsewhere {
                answer: ElsewhereAnswer::Answers(answers),
                ..
            },
            _,
        ) => (real.answers() != Some(answers)).then(|| ("elsewhere", format!("the agent has {:?}", real.answers()))),
        (RequestState::Dismissed { .. }, _) => {
            let is_so = matches!(&real.taken, Some((_, Reply::Dismiss)));
            (!is_so).then(|| ("elsewhere", format!("it was told {:?}", real.taken)))
        }
        (
            RequestState::Gone {
                reason: GoneReason::Restarted,
                ..
            },
            _,
        ) if !real.forgotten && !jumped => Some(("gone", "the server was not restarted".to_owned())),
        // Of a deleted session nothing can be proven.
        (RequestState::Gone { reason, .. }, Ask::Questions(_))
            if real.answers().is_some() && *reason != GoneReason::SessionDeleted =>
        {
            Some(("gone", format!("the agent has {:?}", real.answers())))
        }
        (state, _) if state.is_ended() && real.live => Some(("hidden", "it waits".to_owned())),
        (_, _) => None,
    }
}

/// What this says of a permission that is over: that it was allowed, or rejected.
fn claims_allowed(state: &RequestState, reply: Option<&Reply>) -> Option<bool> {
    match state {
        RequestState::Answered { .. } => match reply? {
            Reply::Once | Reply::Always => Some(true),
            Reply::Reject { .. } => Some(false),
            Reply::Answers(_) | Reply::Dismiss => None,
        },
        RequestState::AnsweredElsewhere { answer, .. } => match answer {
            ElsewhereAnswer::Allowed => Some(true),
            ElsewhereAnswer::Rejected => Some(false),
            ElsewhereAnswer::Answers(_) | ElsewhereAnswer::Unknown => None,
        },
        RequestState::Waiting
        | RequestState::Sending { .. }
        | RequestState::Sent { .. }
        | RequestState::Dismissed { .. }
        | RequestState::NotSent { .. }
        | RequestState::Gone { .. } => None,
    }
}

/// A session that was shown is shown until it is deleted, or archived: then no list names it. What is shown of it does not
/// become older, unless a clock is set: one that was imported has its stamp from another clock.
fn check_known(tab: usize, before: &View, view: &View, server: &OpenCode, is_dated: bool, watch: &Watch) {
    for known in &before.sessions {
        let id = &known.session.id;
        match view.session(id) {
            Some(shown)
                if shown.session.updated < known.session.updated && is_dated && shown.session.title != IMPORTED =>
            {
                watch.report(
                    "older",
                    format!("tab {tab} shows {id} as it was before what it has shown"),
                );
            }
            None if server.session(id).is_some_and(|session| !session.archived) => {
                watch.report("forgotten", format!("tab {tab} has shown {id}, and does not any more"));
            }
            Some(_) | None => {}
        }
    }
}

/// A session whose request waits is shown to wait, at the same moment. Of one that was never read nothing can be said.
fn check_session(tab: usize, shown: &RequestView, view: &View, watch: &Watch) {
    let id = &shown.request.session;
    let Some(session) = view.session(id).filter(|_| shown.state.is_waiting()) else {
        return;
    };
    if !matches!(session.state, TurnState::WaitingForHuman { .. } | TurnState::Unknown) {
        let words = format!(
            "tab {tab} shows {}, which waits, and {id} as {:?}",
            shown.request.id, session.state
        );
        watch.report("waiting", words);
    }
}

/// What is shown as said to a request was said to it, on this device or by its policy.
fn check_reply(device: usize, shown: &RequestView, presses: &[Press], then: &Then, watch: &Watch) {
    let Some(reply) = &shown.reply else { return };
    let id = &shown.request.id;
    let was_said = presses
        .iter()
        .any(|press| press.device == device && press.request.id == *id && press.reply == *reply);
    if !was_said && !may_say(then, &shown.request, reply) {
        watch.report(
            "wrong request",
            format!("{id} shows {reply:?}, which was not said to it on device {device}"),
        );
    }
}

/// A run of this server is never said to go on in another process, and that it may is said only where it was not seen to run.
fn check_runners(
    tab: usize,
    view: &View,
    before: Option<&View>,
    reference: &Reference,
    ran: &mut BTreeMap<SessionId, u32>,
    world: &World,
) {
    let now = world.now();
    let seen = |id: &SessionId| {
        before
            .and_then(|before| before.session(id))
            .map(|session| &session.state)
    };
    for session in &view.sessions {
        let id = &session.session.id;
        let Some(real) = reference.sessions.get(id) else {
            continue;
        };
        match session.state {
            TurnState::Elsewhere { .. } if seen(id) == Some(&session.state) => {}
            // What no status map has named in time may be another's while its message is open, or a slow read has found it so.
            TurnState::Elsewhere { .. }
                if reference.standing(id, &world.server) == Standing::Closing || now.since(real.since) < READ_AGE => {}
            TurnState::Elsewhere { certain } if certain || ran.get(id) == Some(&real.turn) => {
                let state = &session.state;
                world.watch().report(
                    "runner",
                    format!("tab {tab} shows {id} as {state:?}, which this server has run"),
                );
            }
            TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. }
                if real.runs
                    && session.stale.is_none()
                    && real.last_begin.is_some_and(|begun| now.since(begun) >= SEEN) =>
            {
                ran.insert(id.clone(), real.turn);
            }
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. }
            | TurnState::Elsewhere { .. }
            | TurnState::Ended { .. } => {}
        }
    }
}

/// A run of another process is never said to be over, and what this server asks never to be asked by another one.
fn check_beside(tab: usize, view: &View, world: &World) {
    let beside = world.server.beside();
    for session in &view.sessions {
        let id = &session.session.id;
        let listed = world.server.listed_of(id);
        let mut messages = listed
            .iter()
            .filter_map(|request| Some(&request.tool.as_ref()?.message));
        let is_ours = messages.any(|message| session.asked_elsewhere.iter().any(|asked| asked.message == *message));
        if is_ours {
            world.watch().report(
                "asked elsewhere",
                format!("tab {tab} shows what this server asks in {id} as asked by another process"),
            );
        }
        if let TurnState::Ended {
            ending: ending @ (Ending::Interrupted | Ending::NotStarted),
            ..
        } = session.state
            && beside.status(id).is_some()
        {
            world.watch().report(
                "beside",
                format!("tab {tab} shows {id} as {ending:?}, which another process runs"),
            );
        }
    }
}

/// A turn has one ending, and none before it has ended.
fn check_endings(
    tab: usize,
    view: &View,
    before: Option<&View>,
    reference: &Reference,
    endings: &mut BTreeMap<SessionId, (u32, Ending)>,
    world: &World,
) {
    let (server, now, watch) = (&world.server, world.now(), world.watch());
    let was_running = |id: &SessionId| {
        let state = before.and_then(|before| before.session(id)).map(|before| &before.state);
        state.is_some_and(|state| !matches!(state, TurnState::Ended { .. } | TurnState::Unknown))
    };
    for session in &view.sessions {
        let TurnState::Ended { ending, reason } = &session.state else {
            continue;
        };
        let id = &session.session.id;
        // What was damaged on the way, and can be read no more, is all there is, and the page says so.
        if server.readable(id).is_some() && *reason == EndReason::CompleteInPart {
            continue;
        }
        let Some(real) = reference.sessions.get(id) else {
            continue;
        };
        let is_announced = || reference.announced(id, server).as_ref() == Some(ending);
        // Without a stream a server that closes its messages late looks like one that was restarted, for a while.
        let may_seem_cut_off = || *ending == Ending::Interrupted && reference.standing(id, server) == Standing::Closing;
        if real.never_ended && *ending != Ending::NotStarted && !is_announced() && !may_seem_cut_off() {
            watch.report(
                "ending",
                format!("tab {tab} shows {id} as ended ({ending:?}) in its first run"),
            );
        }
        match endings.get(id) {
            Some((turn, before)) if *turn == real.turn && before != ending => {
                watch.report(
                    "one ending",
                    format!("tab {tab} shows {id} as {before:?}, then as {ending:?}"),
                );
            }
            Some((turn, _)) if *turn == real.turn => {}
            // What is shown in the moment in which a run ends may still be the ending of the one before.
            Some(_) | None if now.since(real.since) < CLOSING => {}
            // A slow read may have found its message open.
            Some(_) | None if *ending == Ending::Interrupted && now.since(real.since) < READ_AGE => {}
            // A tab that has not read it lately may show the same ending of an earlier run.
            Some(_) | None
                if server
                    .session(id)
                    .is_none_or(|now| now.updated != session.session.updated) => {}
            Some(_) | None => match reference.standing(id, server) {
                Standing::Ended(is) if is == *ending => {
                    endings.insert(id.clone(), (real.turn, is));
                }
                // A run that is stopped at the moment of a dismissal leaves the same messages as one that ends by it.
                Standing::Ended(is) if *ending != Ending::TimedOut && is != Ending::Interrupted && was_running(id) => {
                    watch.report(
                        "one ending",
                        format!("tab {tab} shows {id} as {ending:?}, it is {is:?}"),
                    )
                }
                Standing::Ended(_) | Standing::Runs | Standing::Closing | Standing::Fresh => {}
            },
        }
    }
}
