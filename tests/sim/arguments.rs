//! Reads the command line.

use std::time::Duration;

use switchboard_tests::sim::run::{Choice, Plan};

pub(crate) const HELP: &str = "\
cargo xtask sim            plays random histories on all cores, and shortens the first that fails
    --seeds N              so many; 100000 unless given
    --from S               beginning with this one; 0 unless given
    --minutes M            as many as fit
    --threads T            on so many cores
    --first                no more after the first failure
    --brief                no counts and no story
    --with NAME            those alone in which a transition occurs whose name contains this
    --without NAME         none in which such a transition occurs; may be said several times
    --seed S               this one alone; its story is told when it fails
";

/// How many histories are played unless something else is said.
const SEEDS: u64 = 100_000;

/// What is wanted.
#[derive(Debug)]
pub(crate) enum Wanted {
    Help,
    One(u64),
    Many { plan: Plan, brief: bool },
}

pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Wanted, String> {
    let mut plan = Plan {
        seeds: 0..SEEDS,
        time: None,
        threads: std::thread::available_parallelism().map_or(1, Into::into),
        stops_at_failure: false,
        choice: Choice::default(),
    };
    let mut from = 0;
    let mut brief = false;
    while let Some(word) = words.next() {
        let mut number = || number_after(&word, words.next());
        match word.as_str() {
            "--seed" => return Ok(Wanted::One(number()?)),
            "--seeds" => plan.seeds.end = number()?,
            "--from" => from = number()?,
            "--threads" => plan.threads = usize::try_from(number()?).unwrap_or(1),
            "--minutes" => {
                plan.time = Some(Duration::from_secs(60 * number()?));
                plan.seeds.end = u64::MAX;
            }
            "--with" => plan.choice.with = words.next(),
            "--without" => plan.choice.without.extend(words.next()),
            "--first" => plan.stops_at_failure = true,
            "--brief" => brief = true,
            "--help" | "-h" => return Ok(Wanted::Help),
            other => {
                return Err(format!(
                    "{other:?} is not known here. `cargo xtask sim --help` lists what is."
                ));
            }
        }
    }
    plan.seeds = from..plan.seeds.end.saturating_add(from);
    Ok(Wanted::Many { plan, brief })
}

fn number_after(option: &str, word: Option<String>) -> Result<u64, String> {
    let number = word.as_deref().and_then(|word| word.replace('_', "").parse().ok());
    number.ok_or_else(|| format!("{option} takes a number, such as {option} 1000."))
}
