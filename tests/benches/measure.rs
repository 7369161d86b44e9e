//! Times: the fastest of several runs, as what else runs on the machine only ever adds; and ratios of two subjects that
//! run in turn, so that both meet the same machine.

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs of one subject.
const RUNS: usize = 15;

/// The time of one call, without that of dropping its result.
pub(crate) fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    let result = black_box(run());
    let time = begin.elapsed();
    drop(result);
    time
}

/// The fastest of what several runs report.
pub(crate) fn fastest(mut run: impl FnMut() -> Duration) -> Duration {
    (0..RUNS).map(|_| run()).min().unwrap_or_default()
}

/// The fastest runs of two subjects that run in turn, and the median of the ratios of their runs.
pub(crate) fn compare(
    mut left: impl FnMut() -> Duration,
    mut right: impl FnMut() -> Duration,
) -> (Duration, Duration, f64) {
    let pairs: Vec<_> = (0..RUNS).map(|_| (left(), right())).collect();
    let mut ratios: Vec<_> = pairs
        .iter()
        .map(|(left, right)| left.as_secs_f64() / right.as_secs_f64())
        .collect();
    ratios.sort_unstable_by(f64::total_cmp);
    let (lefts, rights): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
    let fastest = |times: Vec<Duration>| times.into_iter().min().unwrap_or_default();
    (fastest(lefts), fastest(rights), ratios[RUNS / 2])
}

/// Nanoseconds for each of `count`.
pub(crate) fn each(time: Duration, count: usize) -> f64 {
    time.as_secs_f64() * 1e9 / count as f64
}

/// How the cost of one grows from size to size: `×1.00 ×1.05` is linear in all.
pub(crate) fn growth(costs: &[f64]) -> String {
    let mut shown = String::from("growth of each at n, 2n, 4n:");
    for cost in costs {
        let _ = write!(shown, " ×{:.2}", cost / costs[0]);
    }
    shown
}
