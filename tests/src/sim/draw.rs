//! Draws a history from a seed.

use std::time::Duration;

use super::history::{Act, Event, EventQuality, Fault, History, Meanwhile, Setup};
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
        act: begin(&random),
    }];
    for _ in 0..count(&random) {
        events.push(Event {
            after: pause(&random),
            act: act(&random, tabs, setup.tabs.len()),
        });
    }
    History { seed, setup, events }
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

fn pause(random: &Random) -> Duration {
    let most = match random.below(10) {
        0..4 => 60,
        4..8 => 1_500,
        _ => 4_000,
    };
    Duration::from_millis(random.below(most))
}

fn begin(random: &Random) -> Act {
    Act::Begin {
        directory: small(random, 2),
        script: small(random, 10),
    }
}

fn act(random: &Random, tabs: usize, devices: usize) -> Act {
    let tab = place(random, tabs);
    let device = place(random, devices);
    let directory = small(random, 2);
    let pick = u32::try_from(random.below(64)).unwrap_or_default();
    match random.below(100) {
        0..8 => begin(random),
        8..30 => Act::Answer {
            tab,
            pick,
            reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
        },
        30..35 => Act::Prompt { tab, pick },
        35..38 => Act::Type { tab, pick },
        38..40 => Act::Stop { tab, pick },
        40..43 => Act::Rescue { tab, pick },
        43 => Act::Discard { tab, pick },
        44..46 => Act::Open { tab, pick },
        46 => Act::Hide {
            tab,
            hidden: random.happens(60),
        },
        47..49 => Act::OtherAnswers { pick },
        49 => Act::OtherRejects { pick },
        50 => Act::OtherClearsGhost { pick },
        51..53 => Act::OtherPrompts { pick },
        53..56 => Act::OtherStops { pick },
        56 => Act::OtherDeletes { pick },
        57..60 => Act::Restart {
            down: 200 + random.below(3_000),
        },
        60..62 => Act::DieAfterReply,
        62 => Act::DieAfterPrompt,
        63 => Act::Dispose { directory },
        64 => Act::Change { pick },
        65..80 => network(random, tab),
        80..84 => Act::Reload { tab },
        84 => Act::Close { tab },
        85..87 => Act::Reopen { tab },
        87..91 => Act::Crash {
            tab,
            writes: 1 + u32::try_from(random.below(3)).unwrap_or_default(),
        },
        91 => Act::Sleep {
            device,
            seconds: random.below(8),
            minutes: 60,
        },
        92 => Act::ClockJump {
            device,
            minutes: 1 + i64::from(small(random, 90)),
        },
        93 => Act::ClockBack { device, minutes: 60 },
        94 => Act::AnswerOffline {
            tab,
            pick,
            reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
            meanwhile: match random.below(3) {
                0 => Meanwhile::AnHourPasses,
                1 => Meanwhile::RequestsChange,
                _ => Meanwhile::Nothing,
            },
        },
        95..97 => Act::Storage {
            device,
            health: health(random),
        },
        97 if random.happens(50) => Act::Outage { tab },
        97 => Act::Lead { tab },
        _ => Act::Change { pick },
    }
}

fn network(random: &Random, tab: usize) -> Act {
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
    Act::Network {
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

fn place(random: &Random, of: usize) -> usize {
    usize::try_from(random.below(of as u64)).unwrap_or_default()
}

fn small(random: &Random, below: u64) -> u8 {
    u8::try_from(random.below(below)).unwrap_or_default()
}
