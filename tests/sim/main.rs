//! `cargo xtask sim`: plays random histories, and shortens those that fail.
#![allow(clippy::print_stdout, reason = "this is a command line program")]

mod arguments;

use std::process::ExitCode;

use arguments::Wanted;
use switchboard_tests::sim::play::play;
use switchboard_tests::sim::run::{Plan, history_of, run};
use switchboard_tests::sim::shorten::shorten;
use switchboard_tests::sim::tally::EXPECTED;

/// So many histories are a long run, in which everything happens.
const LONG: u64 = 10_000;

fn main() -> ExitCode {
    match arguments::parse(std::env::args().skip(1)) {
        Ok(Wanted::One(seed)) => tell(seed),
        Ok(Wanted::Many { plan, brief }) => play_all(&plan, brief),
        Ok(Wanted::Help) => {
            print!("{}", arguments::HELP);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn play_all(plan: &Plan, brief: bool) -> ExitCode {
    let result = run(plan);
    if !brief {
        print!("{}", result.tally);
    }
    match result.rate() {
        Some(rate) => println!("{} histories, {rate:.0} a second and core", result.played),
        None => println!("{} histories", result.played),
    }
    for (seed, breach) in &result.failures {
        println!("seed {seed}: {breach}");
    }
    let is_missing = |name: &&&str| result.tally.times(name) == 0;
    let are_all = plan.choice.with.is_none() && plan.choice.without.is_empty();
    if result.played >= LONG
        && are_all
        && let Some(missing) = EXPECTED.iter().find(is_missing)
    {
        println!("in {} histories this has never happened: {missing}", result.played);
        return ExitCode::FAILURE;
    }
    match result.failures.first() {
        None => ExitCode::SUCCESS,
        Some(_) if brief => ExitCode::FAILURE,
        Some((seed, _)) => tell(*seed),
    }
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
    println!("{}", played.story);
    if let Some(breach) = &played.breach {
        println!("{breach}\n");
    }
    println!(
        "shortened from {} events:\n{short}\nreplay: cargo xtask sim --seed {seed}",
        history.events.len()
    );
    ExitCode::FAILURE
}
