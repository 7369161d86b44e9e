//! Gives some histories storages that do not answer, in a stream of its own.

use super::draw::{pause, place, small};
use super::history::{Event, History, Transition};
use crate::random::Random;
use crate::store::StoreHealth;

/// In how many of a hundred histories the pages have no Web Locks: their claims are in the storage.
const NO_LOCKS: u64 = 20;
/// In how many of these the storage hangs for a while as well.
const HANGS: u64 = 40;
/// In how many of a hundred histories some claims and loads are never answered.
const UNANSWERED: u64 = 6;

pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0x6a09_e667_f3bc_c908);
    history.setup.has_no_locks = random.happens(NO_LOCKS);
    let device = place(&random, history.setup.tabs.len());
    if history.setup.has_no_locks && random.happens(HANGS) {
        let health = StoreHealth::Hanging;
        insert(history, &random, Transition::Storage { device, health });
    }
    if random.happens(UNANSWERED) {
        let (claims, loads) = (small(&random, 3), small(&random, 3));
        insert(history, &random, Transition::Unanswered { device, claims, loads });
    }
}

fn insert(history: &mut History, random: &Random, transition: Transition) {
    let at = place(random, history.events.len() + 1);
    let after = pause(random);
    history.events.insert(at, Event { after, transition });
}
