//! How fast the machines are, as ratios and growth measured in one run: `cargo bench -p switchboard-tests`.
//!
//! Absolute times depend on the machine, so nothing here is asserted. Each line names its target. A word after `--`
//! chooses the lines that contain it.
#![expect(clippy::print_stdout, reason = "the figures are what this program is for")]

mod deferred;
mod effects;
mod histories;
mod measure;
mod memory;
mod output;
mod refresh;
mod server;

use std::env;

/// A group of lines, and what measures it.
type Group = (&'static str, fn());

const GROUPS: [Group; 7] = [
    ("deferred: register, settle, wake one waiter", deferred::one_by_one),
    ("deferred: settle_all over stuck ones", deferred::all_stuck),
    ("effects: submit, hold, end", effects::queue),
    ("output detector: a long output in pieces", output::in_pieces),
    ("refresh: nothing has changed", refresh::nothing_changed),
    ("refresh: ten sessions have changed", refresh::ten_changed),
    ("simulation: random histories", histories::play),
];

fn main() {
    let wanted = env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let is_wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| name.contains(wanted.as_str()));
    for (name, measure) in GROUPS.into_iter().filter(|(name, _)| is_wanted(name)) {
        println!("\n{name}");
        measure();
    }
}
