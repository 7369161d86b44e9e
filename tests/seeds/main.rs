//! Random histories: for a while everything goes wrong, then nothing, and then everything must have come to a known end.
//!
//! `SWITCHBOARD_SEEDS=17` plays one seed, `SWITCHBOARD_SEEDS=0..10000` many. A seed that fails becomes a scenario.

mod history;
mod promises;

use history::History;

/// How many histories are played unless something else is said.
const SEEDS: std::ops::Range<u64> = 0..100;

/// R4, R10, R11, R12, R13, R14
#[test]
fn every_history_comes_to_a_known_end() {
    let usual_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let failures: Vec<(u64, String)> = seeds().filter_map(|seed| Some((seed, failure_of(seed)?))).collect();
    std::panic::set_hook(usual_hook);
    let first = failures.first().map(|(_, story)| story.as_str()).unwrap_or_default();
    let list: Vec<String> = failures
        .iter()
        .map(|(seed, story)| format!("seed {seed}: {}", first_line(story)))
        .collect();
    assert!(
        failures.is_empty(),
        "{first}\n\n{} of these seeds fail:\n{}",
        failures.len(),
        list.join("\n")
    );
}

/// Plays one seed. Returns what went wrong, with the whole story.
fn failure_of(seed: u64) -> Option<String> {
    let played = std::panic::catch_unwind(|| {
        let mut history = History::new(seed);
        history.play();
        history.calm_down();
        promises::check(&history);
    });
    let panic = played.err()?;
    let text = panic.downcast_ref::<String>().cloned();
    Some(text.unwrap_or_else(|| "a panic without words".to_owned()))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn seeds() -> std::ops::Range<u64> {
    let Ok(wanted) = std::env::var("SWITCHBOARD_SEEDS") else {
        return SEEDS;
    };
    let number = |text: &str| {
        text.parse::<u64>()
            .expect("SWITCHBOARD_SEEDS is a seed, or a range such as 0..1000")
    };
    match wanted.split_once("..") {
        Some((from, to)) => number(from)..number(to),
        None => number(&wanted)..number(&wanted) + 1,
    }
}
