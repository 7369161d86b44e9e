//! Random histories: for a while everything goes wrong, then nothing, and then everything must have come to a known end.
//!
//! These are the first of those that `cargo xtask sim` plays; CI plays 20,000 in an optimised build. `cargo xtask sim
//! --seed S` plays one of them, shortens it if it fails, and tells its story.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use switchboard_tests::sim::play::play;
use switchboard_tests::sim::run::{Choice, Plan, Result, history_of, run};
use switchboard_tests::sim::shorten::shorten;

/// How many histories are played here.
const SEEDS: u64 = 1_000;

static RESULT: LazyLock<Result> = LazyLock::new(|| {
    run(&Plan {
        seeds: 0..SEEDS,
        time: None,
        threads: std::thread::available_parallelism().map_or(1, Into::into),
        stops_at_failure: false,
        choice: Choice::default(),
    })
});

/// R1, R2, R3, R4, R5, R6, R8, R9, R10, R11, R12, R13, R14, R19, R20, C3, C6, C8, D2, D4, D5, D10, E3, E5, E6, E7, F1, F4, F5,
/// F7
#[test]
fn every_history_comes_to_a_known_end() {
    let Some((seed, breach)) = RESULT.failures.first() else {
        return;
    };
    let list: Vec<String> = RESULT
        .failures
        .iter()
        .map(|(seed, breach)| format!("seed {seed}: {breach}"))
        .collect();
    let short = shorten(&history_of(*seed), breach.checker);
    let story = play(&short, true).story;
    panic!(
        "{story}\n{short}\nreplay: cargo xtask sim --seed {seed}\n\n{}",
        list.join("\n")
    );
}

/// What never happens proves nothing.
#[test]
fn every_trap_of_the_server_and_of_the_network_is_met() {
    let names = [
        "call: request lost",
        "call: response lost",
        "call: 500",
        "call: a web page",
        "call: hangs",
        "server: killed",
        "server: an instance disposed of",
        "server: a session deleted",
        "server: somebody else's reply",
        "server: our reply reaches its agent",
        "server: our reply reaches a ghost",
        "server: our reply reaches nothing",
        "a device sleeps",
        "a clock is set back",
        "a storage is full",
        "a tab is to die after a write",
        "a policy replies",
        "told: a reply",
        "told: no reply in time",
        "told: cancelled, not sent",
        "told: a request has timed out",
        "told: a command has ended",
        "told: the check passed",
        "told: closed",
    ];
    let met: BTreeMap<&str, u64> = names.iter().map(|name| (*name, RESULT.tally.times(name))).collect();
    assert!(met.values().all(|times| *times > 0), "{met:?}");
}

#[test]
fn the_same_seed_gives_the_same_history() {
    let (first, second) = (play(&history_of(7), true), play(&history_of(7), true));
    assert_eq!(first.story, second.story);
    assert!(!first.story.is_empty());
}
