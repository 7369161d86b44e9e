//! Many requests of one directory at once: more than one refresh has room to look at.

use super::draw::{pause, place, small};
use super::hardships::after;
use super::history::{Fault, Hardship, History, Transition, Trouble};
use super::sut::Sut;
use crate::network::Faults;
use crate::random::Random;

/// How many histories have so many, in percent.
const SHARE: u64 = 1;
/// How many sessions begin at once, at the least and at the most.
const SESSIONS: (u64, u64) = (8, 40);

/// Lets many agents of some histories ask at once, in a stream of its own. Then something happens to all of them.
pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0x1f83_d9ab_fb41_bd6b);
    if !random.happens(SHARE) {
        return;
    }
    let tabs: usize = history.setup.tabs.iter().sum();
    let tab = place(&random, tabs);
    let directory = small(&random, 2);
    let (fewest, most) = SESSIONS;
    let sessions = usize::try_from(fewest + random.below(most - fewest + 1)).unwrap_or_default();
    let ask = Hardship::Many {
        directory,
        sessions,
        script: small(&random, 7),
    };
    let mut events = vec![
        after(pause(&random), Transition::Hardship(ask)),
        after(pause(&random), idle(1 + random.below(10))),
    ];
    let answer = |count| Transition::Hardship(Hardship::AnswerMany { tab, count });
    let network = |fault| Transition::Network {
        tab,
        fault,
        percent: 100,
    };
    let restart = Transition::Restart {
        down: 200 + random.below(3_000),
    };
    let what = match random.below(9) {
        0 | 1 => vec![restart],
        2 => vec![Transition::Dispose { directory }],
        3 => vec![
            network(Fault::Cut),
            restart,
            idle(random.below(30)),
            network(Fault::None),
        ],
        4 => vec![restart, answer(sessions)],
        5 => {
            let scripts = std::array::from_fn(|_| small(&random, 6));
            let seconds = 2 + random.below(40);
            let dispatch = Transition::Dispatch {
                tab,
                directory,
                scripts,
                seconds,
            };
            vec![dispatch, restart]
        }
        6 => {
            let count = 2 + place(&random, 10);
            let silence = Transition::Hardship(Hardship::Silence { tab, count });
            let what = if random.happens(50) { restart } else { answer(sessions) };
            let span = 10 + random.below(60);
            vec![silence, what, idle(span), network(Fault::None)]
        }
        7 => vec![answer(sessions)],
        _ => {
            let trouble = match random.below(4) {
                0 => network(Fault::ResponseLost),
                1 => network(Fault::Cut),
                _ => Transition::Hardship(Hardship::Line {
                    tab,
                    trouble: Trouble::ReadOnly,
                    percent: 100,
                }),
            };
            let span = 10 + random.below(60);
            vec![trouble, answer(sessions), idle(span), network(Fault::None)]
        }
    };
    events.extend(what.into_iter().map(|transition| after(pause(&random), transition)));
    events.push(after(pause(&random), idle(random.below(60))));
    let at = 1 + place(&random, history.events.len());
    history.events.splice(at..at, events);
}

fn idle(seconds: u64) -> Transition {
    Transition::Idle { seconds }
}

impl Sut {
    /// Terminals begin so many sessions at once.
    pub(super) fn begin_many(&mut self, directory: u8, sessions: usize, script: u8) {
        for _ in 0..sessions {
            self.begin_session(directory, 0, script);
        }
    }

    /// A person answers one request after the other, so many at the most.
    pub(super) fn answer_many(&mut self, place: usize, count: usize) {
        let Some(tab) = self.tab(place) else { return };
        for (choice, shown) in (0..).zip(tab.waiting().iter().take(count)) {
            // Those that have been answered may have left the page, or not yet.
            let waiting = tab.waiting();
            let pick = waiting.iter().position(|other| other.request.id == shown.request.id);
            if let Some(pick) = pick.and_then(|pick| u32::try_from(pick).ok()) {
                self.answer(place, pick, choice);
            }
        }
    }

    /// The messages of the first sessions that wait hang.
    pub(super) fn silence(&mut self, place: usize, count: usize) {
        let Some(tab) = self.tab(place) else { return };
        let waiting = tab.waiting();
        let silent = waiting.iter().map(|shown| shown.request.session.clone());
        let faults = Faults {
            silent: silent.take(count).collect(),
            ..Faults::default()
        };
        self.set_faults(place, faults, false);
    }
}
