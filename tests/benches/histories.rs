//! Random histories of the simulation, on one core.

use switchboard_tests::sim::run::{Choice, Plan, run};

/// The sizes: how the cost of one grows with their number.
const SEEDS: [u64; 3] = [1_000, 2_000, 4_000];

pub(crate) fn play() {
    for seeds in SEEDS {
        let result = run(&Plan {
            seeds: 0..seeds,
            time: None,
            threads: 1,
            stops_at_failure: true,
            choice: Choice::default(),
        });
        if let Some(rate) = result.rate() {
            println!("  {seeds} histories: {rate:.0} a second and core (target ≥ 3000)");
        }
    }
}
