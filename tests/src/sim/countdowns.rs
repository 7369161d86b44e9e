//! Countdowns that a person stops, before a tab reads a storage that does not work, or beside another tab.

use super::draw::{pause, pick, place, small};
use super::hardships::after;
use super::history::{History, Transition, Unattended};
use crate::random::Random;
use crate::store::StoreHealth;

/// How many histories have such a countdown, in percent.
const SHARE: u64 = 2;

/// Lets a person stop a countdown in some histories, in a stream of its own.
pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0xa54f_f53a_5f1d_36f1);
    if !random.happens(SHARE) {
        return;
    }
    let seconds = 1 + random.below(40);
    history.setup.policy = Some((Unattended::Answer, seconds));
    let tabs = history.setup.tabs.iter().sum();
    let tab = place(&random, tabs);
    let device = device_of(history, tab);
    let mut events = vec![
        Transition::Begin {
            directory: small(&random, 2),
            script: small(&random, 7),
        },
        idle(seconds + 5 + random.below(50)),
        Transition::StopCountdown {
            tab: if random.happens(70) { tab } else { place(&random, tabs) },
            pick: pick(&random),
        },
        idle(random.below(5)),
    ];
    let health = match random.below(3) {
        0 => StoreHealth::Broken,
        1 => StoreHealth::Hanging,
        _ => StoreHealth::Well,
    };
    if health != StoreHealth::Well {
        events.push(Transition::Storage { device, health });
    }
    events.push(Transition::Reload { tab });
    events.push(idle(random.below(120)));
    if health != StoreHealth::Well {
        events.push(Transition::Storage {
            device,
            health: StoreHealth::Well,
        });
    }
    events.push(idle(random.below(120)));
    let at = place(&random, history.events.len() + 1);
    let events = events.into_iter().map(|transition| after(pause(&random), transition));
    history.events.splice(at..at, events);
}

/// The device of a tab.
fn device_of(history: &History, tab: usize) -> usize {
    let mut first = 0;
    let ends = history.setup.tabs.iter().map(|tabs| {
        first += tabs;
        first
    });
    ends.take_while(|end| *end <= tab).count()
}

fn idle(seconds: u64) -> Transition {
    Transition::Idle { seconds }
}
