//! A busy server, which closes the messages of runs that fail or are stopped long after they have ended (docs/opencode.md, trap 8).

use std::time::Duration;

use switchboard_core::view::{Ending, RequestView, TurnState, View};

use super::draw::{pause, pick, place, small};
use super::hardships::{after, moment};
use super::history::{Fault, Hardship, History, Patience, Transition};
use super::reference::{Reference, Standing};
use crate::random::Random;
use crate::world::World;

/// How many histories have a busy server, in percent.
const SHARE: u64 = 5;
/// The longest time that it takes, in milliseconds. Source: docs/opencode.md, trap 8.
const CLOSES_MAX: u64 = 13_000;
/// How long after the beginning of its stream a tab knows which runs are of this server.
const SETTLED: Duration = Duration::from_secs(5);
/// How many runs are refused, at the most.
const REFUSALS: u64 = 3;
/// How many of them cannot be read for a while once they have ended, in percent.
const UNREADABLE: u64 = 40;
/// The script of a program that is refused ([`super::calls`]).
const REFUSED: u8 = 5;

/// Makes the servers of some histories busy, in a stream of its own, and lets the provider refuse runs there.
pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0x3c6e_f372_fe94_f82b);
    if !random.happens(SHARE) {
        return;
    }
    let milliseconds = 500 + random.below(CLOSES_MAX - 500);
    let busy = Transition::Hardship(Hardship::CloseLate { milliseconds });
    history.events.insert(0, after(moment(&random), busy));
    let tabs: usize = history.setup.tabs.iter().sum();
    for _ in 0..=random.below(REFUSALS) {
        let tab = place(&random, tabs);
        let refuse = if random.happens(40) {
            Transition::Dispatch {
                tab,
                directory: small(&random, 2),
                scripts: [REFUSED; 3],
                seconds: 60,
            }
        } else {
            Transition::FollowUp {
                tab,
                pick: pick(&random),
                script: REFUSED,
                patience: Patience {
                    seconds: None,
                    stops: false,
                },
            }
        };
        let at = 2 + place(&random, history.events.len() - 1);
        let mut events = vec![after(pause(&random), refuse)];
        if random.happens(UNREADABLE) {
            let network = |fault| Transition::Network {
                tab,
                fault,
                percent: 100,
            };
            let begins = Duration::from_millis(random.below(6_000));
            let lasts = Duration::from_secs(random.below(45));
            events.push(after(begins, network(Fault::Messages)));
            events.push(after(lasts, network(Fault::None)));
        }
        let at = at.min(history.events.len());
        history.events.splice(at..at, events);
    }
}

/// Whether the run that asked is being closed, and nothing tells the tab that its server was not restarted.
pub(super) fn seems_lost(tab: usize, shown: &RequestView, reference: &Reference, world: &World) -> bool {
    let asked = reference.requests.get(&shown.request.id).map(|real| real.asked);
    let is_watched = world
        .stream_since(tab)
        .zip(asked)
        .is_some_and(|(since, asked)| asked > since);
    let session = &shown.request.session;
    !is_watched && (world.server.is_closing(session) || reference.standing(session, &world.server) == Standing::Closing)
}

/// A tab whose event stream has gone on since before the run gives up none that its server is about to close.
pub(super) fn check(tab: usize, view: &View, before: Option<&View>, reference: &Reference, world: &World) {
    let is_given_up =
        |state: &TurnState| matches!(state, TurnState::Ended { ending, .. } if *ending == Ending::Interrupted);
    let Some(since) = world.stream_since(tab) else { return };
    for session in view.sessions.iter().filter(|session| is_given_up(&session.state)) {
        let id = &session.session.id;
        let run = reference.sessions.get(id).and_then(|session| session.last_begin);
        let is_read = world
            .server
            .session(id)
            .is_some_and(|now| now.updated == session.session.updated);
        if !is_read || run.is_none_or(|begun| begun <= since + SETTLED) {
            continue;
        }
        let was_given_up = before
            .and_then(|before| before.session(id))
            .is_some_and(|before| is_given_up(&before.state));
        if !was_given_up && reference.standing(id, &world.server) == Standing::Closing {
            world.watch().report(
                "closing",
                format!("tab {tab} gives up {id}, whose message is being closed"),
            );
        }
    }
}
