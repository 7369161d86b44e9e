//! `cargo xtask soak`: searches for what is rare, for as long as one likes: random acts, many sessions, histories, the page on
//! a busy machine, rare bundlers and compilers. What it finds is a fault of the product or of a test, never of the change at
//! hand, and so it is no part of `cargo xtask test`.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::arguments::SoakOptions;
use crate::problem::Result;
use crate::process::{self, Group};
use crate::sim;
use crate::steps::Steps;
use crate::test;
use crate::tools;

/// How often a single test of the page is repeated: as often as it must pass to leave `tests/flaky.md`.
const TRIES: &str = "30";

/// More than are played in an hour: two runs with other seeds play other histories.
const HISTORIES_PER_SEED: u64 = 100_000_000;

/// How many acts the monkey does with one seed.
const MONKEY_STEPS: &str = "400";

pub(crate) fn run(options: &SoakOptions) -> Result<()> {
    if let Some(title) = &options.title {
        return repeat(title);
    }
    // Three searches share the time; the others take as long as they take.
    let share = Duration::from_secs(options.minutes * 60 / 3);
    let mut steps = Steps::only(options.only.clone());
    steps.run("tools for browser tests", tools::prepare_for_browser_tests);
    steps.run("monkey", || repeat_for(share, |pass| monkey(options.seed + pass)));
    steps.run("random histories", || {
        let from = options.seed.saturating_mul(HISTORIES_PER_SEED).to_string();
        let minutes = share.as_secs().div_ceil(60).to_string();
        sim::run(
            process::NO_LIMIT,
            &["--from", &from, "--minutes", &minutes].map(Into::into),
        )
    });
    steps.run("page on a busy machine", || {
        repeat_for(share, |_| on_a_busy_machine(&mut playwright(&["--grep-invert=@soak"])))
    });
    steps.run("many sessions", || page(&mut playwright(&["many.spec.js"])));
    steps.run("npm package in rare bundlers and compilers", test::rare_packaging_tests);
    steps.finish()
}

/// Repeats the tests of the page with this in their titles on a busy machine.
fn repeat(title: &str) -> Result<()> {
    tools::prepare_for_browser_tests()?;
    let grep = format!("--grep={title}");
    let repeat = format!("--repeat-each={TRIES}");
    on_a_busy_machine(&mut playwright(&[&grep, &repeat]))
}

/// Does something at least once, and again for as long as this lasts; `pass` counts from 0.
fn repeat_for(span: Duration, mut pass: impl FnMut(u64) -> Result<()>) -> Result<()> {
    let begun = Instant::now();
    for count in 0.. {
        pass(count)?;
        if begun.elapsed() > span {
            break;
        }
    }
    Ok(())
}

fn monkey(seed: u64) -> Result<()> {
    let mut playwright = playwright(&["monkey.spec.js"]);
    playwright
        .env("MONKEY_SEED", seed.to_string())
        .env("MONKEY_STEPS", MONKEY_STEPS);
    page(&mut playwright)
}

/// Runs tests of the page while another program keeps a core busy.
fn on_a_busy_machine(playwright: &mut Command) -> Result<()> {
    let burner = Group::spawn(Command::new("sh").args(["-c", "while :; do :; done"]))?;
    let result = page(playwright);
    drop(burner);
    result
}

fn page(playwright: &mut Command) -> Result<()> {
    process::run_within(process::NO_LIMIT, playwright, "A test of the page failed.")
}

/// The tests of the page, searches included, with these arguments.
fn playwright(arguments: &[&str]) -> Command {
    let mut playwright = test::playwright();
    playwright.env(test::SOAK, "1").args(arguments);
    playwright.arg("--output=../../target/soak");
    playwright
}
