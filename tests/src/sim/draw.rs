//! Draws a history from a seed.

use std::time::Duration;

use super::hardships;
use super::history::{Check, Event, EventQuality, Fault, History, Meanwhile, Patience, Setup, Transition, Unattended};
use super::{closings, countdowns, many, searches, stamps, stops, storages};
use crate::random::Random;
use crate::store::StoreHealth;

/// How many events a history has: most are short, so that there are many.
const EVENTS: [(u64, u64); 3] = [(70, 6), (25, 12), (5, 40)];

/// The history of a seed.
pub(super) fn draw(seed: u64) -> History {
    let random = Random::new(seed ^ 0x5eed);
    let setup = setup(&random);
    let tabs = setup.tabs.iter().sum();
    let mut events = vec![Event {
        after: Duration::ZERO,
        transition: begin(&random),
    }];
    for _ in 0..count(&random) {
        events.push(Event {
            after: pause(&random),
            transition: transition(&random, tabs, setup.tabs.len()),
        });
    }
    let mut history = History { seed, setup, events };
    add_programs(&mut history);
    add_process(&mut history);
    hardships::add(&mut history);
    many::add(&mut history);
    searches::add(&mut history);
    closings::add(&mut history);
    storages::add(&mut history);
    stops::add(&mut history);
    stamps::add(&mut history);
    countdowns::add(&mut history);
    history
}

/// Lets programs use the boards of some histories, too. What they do is drawn from a stream of its own, so that the other
/// histories stay as they are.
fn add_programs(history: &mut History) {
    let random = Random::new(history.seed ^ 0x9806_2a35);
    if !random.happens(34) {
        return;
    }
    let tabs: usize = history.setup.tabs.iter().sum();
    let mut added = Vec::new();
    if random.happens(30) {
        history.setup.policy = Some(policy(&random));
        added.extend((0..=random.below(3)).map(|_| policy_act(&random, tabs)));
    }
    if random.happens(60) {
        added.extend((0..=random.below(4)).map(|_| program(&random, tabs)));
    }
    if random.happens(30) {
        added.extend((0..=random.below(5)).map(|_| beside(&random)));
    }
    for transition in added {
        let after = pause(&random);
        let at = 1 + place(&random, history.events.len());
        history.events.insert(
            at,
            Event {
                after,
                transition: transition.clone(),
            },
        );
        if let Transition::FollowUp { tab, .. } = transition
            && random.happens(25)
        {
            let (after, transition) = (Duration::from_millis(random.below(50)), Transition::Cancel { tab });
            history.events.insert(at + 1, Event { after, transition });
        }
    }
}

/// Lets another process of the server run sessions of some histories, too, in a stream of its own.
fn add_process(history: &mut History) {
    let random = Random::new(history.seed ^ 0x0be5_1de0);
    if !random.happens(8) {
        return;
    }
    let mut at = place(&random, history.events.len());
    for number in 0..2 + random.below(4) {
        let transition = match random.below(8) {
            _ if number == 0 => Transition::BesideBegins {
                directory: small(&random, 4),
                script: small(&random, 11),
            },
            0 => Transition::BesideDies,
            1 => Transition::BesideStops,
            2 | 3 => Transition::Idle {
                seconds: 5 + random.below(40),
            },
            _ => Transition::BesideAnswers,
        };
        let after = pause(&random);
        at += 1 + place(&random, history.events.len() - at);
        history.events.insert(at, Event { after, transition });
    }
}

fn policy(random: &Random) -> (Unattended, u64) {
    let then = match random.below(4) {
        0 => Unattended::Leave,
        1 => Unattended::Reject,
        _ => Unattended::Answer,
    };
    (then, 2 + random.below(20))
}

fn policy_act(random: &Random, tabs: usize) -> Transition {
    let tab = place(random, tabs);
    match random.below(8) {
        0 | 1 => Transition::Await {
            tab,
            pick: pick(random),
        },
        2 => Transition::StopCountdown {
            tab,
            pick: pick(random),
        },
        3 => Transition::Reload { tab },
        _ => Transition::Idle {
            seconds: 5 + random.below(75),
        },
    }
}

fn program(random: &Random, tabs: usize) -> Transition {
    let tab = place(random, tabs);
    let directory = small(random, 2);
    let seconds = 2 + random.below(40);
    match random.below(20) {
        0..7 => Transition::FollowUp {
            tab,
            pick: pick(random),
            script: small(random, 6),
            patience: Patience {
                seconds: random.happens(60).then_some(seconds / 2),
                stops: random.happens(40),
            },
        },
        7 | 8 => Transition::Cancel { tab },
        9 | 10 => Transition::Dispatch {
            tab,
            directory,
            scripts: std::array::from_fn(|_| small(random, 6)),
            seconds,
        },
        11..13 => Transition::Validate {
            tab,
            pick: pick(random),
            check: match random.below(5) {
                0 => Check::Stubborn,
                1 => Check::Command(small(random, 3)),
                2 => Check::StubbornCommand,
                _ => Check::Function(small(random, 6)),
            },
        },
        13..15 => Transition::Shell {
            tab,
            directory,
            command: small(random, 4),
            seconds,
        },
        15 => Transition::Create { tab, directory },
        16 | 17 => Transition::Leave { tab },
        18 => Transition::Await {
            tab,
            pick: pick(random),
        },
        _ => Transition::Idle { seconds },
    }
}

fn beside(random: &Random) -> Transition {
    let draws = random.number();
    if random.happens(50) {
        Transition::Effects { draws }
    } else {
        Transition::Deferreds { draws }
    }
}

fn setup(random: &Random) -> Setup {
    let tabs = match random.below(10) {
        0..6 => vec![1],
        6..8 => vec![2],
        8 => vec![1, 1],
        _ => vec![2, 1],
    };
    let events = match random.below(4) {
        0 | 1 => Some(EventQuality::Good),
        2 => Some(EventQuality::Bad),
        _ => None,
    };
    let server_ahead = match random.below(8) {
        0 => 3_600,
        1 => -3_600,
        _ => 0,
    };
    Setup {
        tabs,
        events,
        cold: random.happens(20),
        server_ahead,
        long_end: random.happens(2),
        calls_back: false,
        has_no_locks: false,
        policy: None,
    }
}

fn count(random: &Random) -> u64 {
    let mut place = random.below(100);
    for (share, most) in EVENTS {
        if place < share {
            return 2 + random.below(most);
        }
        place -= share;
    }
    2
}

pub(super) fn pause(random: &Random) -> Duration {
    let most = match random.below(10) {
        0..4 => 60,
        4..8 => 1_500,
        _ => 4_000,
    };
    Duration::from_millis(random.below(most))
}

pub(super) fn begin(random: &Random) -> Transition {
    Transition::Begin {
        directory: small(random, 2),
        script: small(random, 11),
    }
}

fn transition(random: &Random, tabs: usize, devices: usize) -> Transition {
    let tab = place(random, tabs);
    let device = place(random, devices);
    let directory = small(random, 2);
    let pick = pick(random);
    match random.below(100) {
        0..8 => begin(random),
        8..30 => Transition::Answer {
            tab,
            pick,
            reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
        },
        30..35 => Transition::Prompt { tab, pick },
        35..38 => Transition::Type { tab, pick },
        38..40 => Transition::Stop { tab, pick },
        40..43 => Transition::Rescue { tab, pick },
        43 => Transition::Discard { tab, pick },
        44..46 => Transition::Open { tab, pick },
        46 => Transition::Hide {
            tab,
            hidden: random.happens(60),
        },
        47..49 => Transition::OtherAnswers { pick },
        49 => Transition::OtherRejects { pick },
        50 => Transition::OtherClearsGhost { pick },
        51..53 => Transition::OtherPrompts { pick },
        53..56 => Transition::OtherStops { pick },
        56 => Transition::OtherDeletes { pick },
        57..60 => Transition::Restart {
            down: 200 + random.below(3_000),
        },
        60..62 => Transition::DieAfterReply,
        62 => Transition::DieAfterPrompt,
        63 => Transition::Dispose { directory },
        64 => Transition::Change { pick },
        65..80 => network(random, tab),
        80..84 => Transition::Reload { tab },
        84 => Transition::Close { tab },
        85..87 => Transition::Reopen { tab },
        87..91 => Transition::Crash {
            tab,
            writes: 1 + u32::try_from(random.below(3)).unwrap_or_default(),
        },
        91 => Transition::Sleep {
            device,
            seconds: random.below(8),
            minutes: 60,
        },
        92 => Transition::ClockJump {
            device,
            minutes: 1 + i64::from(small(random, 90)),
        },
        93 => Transition::ClockBack { device, minutes: 60 },
        94 => Transition::AnswerOffline {
            tab,
            pick,
            reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
            meanwhile: match random.below(3) {
                0 => Meanwhile::AnHourPasses,
                1 => Meanwhile::RequestsChange,
                _ => Meanwhile::Nothing,
            },
        },
        95..97 => Transition::Storage {
            device,
            health: health(random),
        },
        97 if random.happens(50) => Transition::Outage { tab },
        97 => Transition::Lead { tab },
        _ => Transition::Change { pick },
    }
}

fn network(random: &Random, tab: usize) -> Transition {
    let fault = match random.below(12) {
        0 | 1 => Fault::None,
        2 => Fault::RequestLost,
        3 | 4 => Fault::ResponseLost,
        5 => Fault::ServerError,
        6 => Fault::Garbage,
        7 => Fault::Hang,
        8 | 9 => Fault::Slow,
        10 => Fault::Cut,
        _ => Fault::HangingDirectory,
    };
    Transition::Network {
        tab,
        fault,
        percent: 10 + random.below(60),
    }
}

fn health(random: &Random) -> StoreHealth {
    match random.below(4) {
        0 => StoreHealth::Well,
        1 => StoreHealth::Slow(Duration::from_millis(random.below(2_500))),
        2 => StoreHealth::Full,
        _ => StoreHealth::Hanging,
    }
}

pub(super) fn pick(random: &Random) -> u32 {
    u32::try_from(random.below(64)).unwrap_or_default()
}

pub(super) fn place(random: &Random, of: usize) -> usize {
    usize::try_from(random.below(of as u64)).unwrap_or_default()
}

pub(super) fn small(random: &Random, below: u64) -> u8 {
    u8::try_from(random.below(below)).unwrap_or_default()
}
