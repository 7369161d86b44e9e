//! Programs that have the id of a request or a session and nothing else, and pages that say that everything has been read.

use switchboard_core::model::{Request, RequestId, SessionId};
use switchboard_core::view::View;
use switchboard_core::{FindError, Time};

use super::apply::choose;
use super::calls::{Kind, Told};
use super::draw::{begin, pause, pick, place};
use super::hardships::{after, moment};
use super::history::{Hardship, History, Transition};
use super::reference::Reference;
use super::sut::Sut;
use crate::random::Random;
use crate::watch::Watch;

/// How many histories have searches, in percent.
const SHARE: u64 = 6;
/// How many requests are looked for, at the most.
const SEARCHES: u64 = 4;

/// Lets programs of some histories look for requests, in a stream of its own: of a page that has just been opened, of one that has
/// been there for long, and of what was asked a moment before.
pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0x510e_527f_ade6_82d1);
    if !random.happens(SHARE) {
        return;
    }
    let tabs: usize = history.setup.tabs.iter().sum();
    for _ in 0..=random.below(SEARCHES) {
        let tab = place(&random, tabs);
        let pick = pick(&random);
        let find = if random.happens(30) {
            Hardship::FindSession { tab, pick }
        } else {
            Hardship::Find { tab, pick }
        };
        let mut events = match random.below(4) {
            0 => vec![after(pause(&random), Transition::Reload { tab })],
            1 => vec![after(pause(&random), begin(&random))],
            2 => vec![after(
                pause(&random),
                Transition::Idle {
                    seconds: random.below(90),
                },
            )],
            _ => Vec::new(),
        };
        events.push(after(moment(&random), Transition::Hardship(find)));
        let at = 1 + place(&random, history.events.len());
        history.events.splice(at..at, events);
    }
}

impl Sut {
    /// A program looks for a session that there is or was, more often for one of the newest.
    pub(super) fn find_session(&mut self, place: usize, pick: u32) {
        let Some(tab) = self.tab(place) else { return };
        let known: Vec<&SessionId> = self.reference.sessions.keys().rev().collect();
        let Some(session) = choose(newest(&known, pick), pick).map(|id| (*id).clone()) else {
            return;
        };
        let finding = tab.handle.find_session(&session);
        let begun = self.world.now();
        let tell = self.begin_call(&tab, Kind::SessionSearch { session, begun }, None, None);
        tab.run(async move {
            tell(Told::SessionFound(
                finding.await.map(|found| found.map(|found| found.id.clone())),
            ))
        });
    }

    /// A program looks for a request that was asked at some time, more often for one of the newest.
    pub(super) fn find(&mut self, place: usize, pick: u32) {
        let Some(tab) = self.tab(place) else { return };
        let asked: Vec<&RequestId> = self.reference.requests.keys().rev().collect();
        let Some(id) = choose(newest(&asked, pick), pick).map(|id| (*id).clone()) else {
            return;
        };
        let finding = tab.handle.find(&id);
        let begun = self.world.now();
        let tell = self.begin_call(&tab, Kind::Search { request: id, begun }, None, None);
        tab.run(async move {
            tell(Told::Found(
                finding.await.map(|found| found.map(|found| (*found).clone())),
            ))
        });
    }
}

fn newest<T>(all: &[T], pick: u32) -> &[T] {
    &all[..all.len().min(1 + pick as usize % 8)]
}

/// What a program was told of a session that it has looked for.
pub(super) type SessionFound = Result<Option<SessionId>, FindError>;

/// What a program was told of a request that it has looked for.
pub(super) type Found = Result<Option<Request>, FindError>;

/// Once a tab says that everything has been read, it shows each request that waited when it was opened.
pub(super) fn check_listed(tab: usize, view: &View, opened: Time, reference: &Reference, watch: &Watch) {
    let live = reference
        .requests
        .iter()
        .filter(|(_, real)| real.live && real.since < opened);
    for (id, real) in live {
        let fails = view
            .server
            .failing
            .iter()
            .any(|failing| failing.directory == real.request.directory);
        if !fails && view.request(id).is_none() {
            let words = format!("tab {tab} says that everything was read, and does not show {id}, which waits");
            watch.report("listed", words);
        }
    }
}
