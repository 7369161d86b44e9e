//! `cargo xtask sim`: plays random histories, and shortens those that fail.
#![allow(clippy::print_stdout, reason = "this is a command line program")]

use std::process::ExitCode;
use std::time::Duration;

use switchboard_tests::sim::play::play;
use switchboard_tests::sim::run::{Plan, history_of, run};
use switchboard_tests::sim::shorten::shorten;

/// How many histories are played unless something else is said.
const SEEDS: u64 = 100_000;

fn main() -> ExitCode {
    let mut plan = Plan {
        seeds: 0..SEEDS,
        time: None,
        threads: std::thread::available_parallelism().map_or(1, Into::into),
        stops_at_failure: false,
    };
    let mut one = None;
    let mut brief = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok());
        match (argument.as_str(), &mut plan) {
            ("--brief", _) => brief = true,
            ("--first", plan) => plan.stops_at_failure = true,
            ("--seeds", plan) => plan.seeds.end = number().unwrap_or(SEEDS),
            ("--threads", plan) => plan.threads = number().and_then(|n| usize::try_from(n).ok()).unwrap_or(1),
            ("--seed", _) => one = number(),
            ("--minutes", plan) => {
                plan.time = number().map(|minutes| Duration::from_secs(60 * minutes));
                plan.seeds.end = u64::MAX;
            }
            (other, _) => {
                eprintln!(
                    "sim: {other:?} is not known; --seeds N, --seed S, --minutes M, --threads T, --first, --brief"
                );
                return ExitCode::FAILURE;
            }
        }
    }
    match one {
        Some(seed) => tell(seed),
        None => play_all(&plan, brief),
    }
}

fn play_all(plan: &Plan, brief: bool) -> ExitCode {
    let result = run(plan);
    if !brief {
        print!("{}", result.tally);
    }
    println!("{} histories, {:.0} a second and core", result.played, result.rate());
    let Some((seed, _)) = result.failures.first() else {
        return ExitCode::SUCCESS;
    };
    for (seed, breach) in &result.failures {
        println!("seed {seed}: {breach}");
    }
    if !brief {
        tell(*seed);
    }
    ExitCode::FAILURE
}

/// Plays one seed; when it fails, shortens it and tells its story.
fn tell(seed: u64) -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    let history = history_of(seed);
    let Some(breach) = play(&history, false).breach else {
        println!("seed {seed} ends well:\n{history}");
        return ExitCode::SUCCESS;
    };
    let short = shorten(&history, breach.checker);
    let played = play(&short, true);
    if let Some(breach) = &played.breach {
        println!(
            "\n{}\n{breach}\n\nshortened from {} events:\n{short}",
            played.story,
            history.events.len()
        );
    }
    println!("replay: cargo xtask sim --seed {seed}");
    ExitCode::FAILURE
}
