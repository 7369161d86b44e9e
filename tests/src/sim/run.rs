//! Plays many histories on all cores: each world lives in one thread.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::draw::draw;
use super::history::History;
use super::play::play;
use super::tally::Tally;
use crate::watch::Breach;

/// Seeds that one thread takes at a time.
const BATCH: u64 = 64;
/// Failing histories after which nothing more is learned.
const FAILURES_MAX: usize = 50;

/// How long a run takes at the least whose rate is told: processor time comes in hundredths of a second.
const MEASURABLE: Duration = Duration::from_millis(100);

/// What to play.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seeds.
    pub seeds: Range<u64>,
    /// No further history begins after this.
    pub time: Option<Duration>,
    /// Threads.
    pub threads: usize,
    /// The first failure ends it all.
    pub stops_at_failure: bool,
    /// Which of the histories are played.
    pub choice: Choice,
}

/// Chooses histories by the names of their transitions ([`super::history::Transition::name`]).
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Those in which a transition occurs whose name contains this.
    pub with: Option<String>,
    /// Those without any transition whose name contains one of these.
    pub without: Vec<String>,
}

impl Choice {
    fn includes(&self, history: &History) -> bool {
        let occurs = |part: &String| {
            history
                .events
                .iter()
                .any(|event| event.transition.name().contains(part))
        };
        self.with.as_ref().is_none_or(occurs) && !self.without.iter().any(occurs)
    }
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Result {
    /// How many histories were played.
    pub played: u64,
    /// How long it took on all threads: processor time where the system tells it, else time that passed.
    pub busy: Duration,
    /// The failures, by seed.
    pub failures: Vec<(u64, Breach)>,
    /// What happened in all of them.
    pub tally: Tally,
}

/// The history of a seed.
#[must_use]
pub fn history_of(seed: u64) -> History {
    draw(seed)
}

/// Plays the histories of many seeds.
#[must_use]
pub fn run(plan: &Plan) -> Result {
    let usual_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let next = AtomicU64::new(plan.seeds.start);
    let stopped = AtomicBool::new(false);
    let joined = Mutex::new(Result::default());
    let begun = Instant::now();
    let busy = processor_time();
    thread::scope(|scope| {
        for _ in 0..plan.threads {
            scope.spawn(|| {
                while !stopped.load(Ordering::Relaxed) && plan.time.is_none_or(|time| begun.elapsed() < time) {
                    let from = next.fetch_add(BATCH, Ordering::Relaxed);
                    if from >= plan.seeds.end {
                        break;
                    }
                    let batch = play_batch(from..(from + BATCH).min(plan.seeds.end), &plan.choice);
                    let mut joined = joined.lock().unwrap_or_else(PoisonError::into_inner);
                    joined.join(batch);
                    let enough = if plan.stops_at_failure { 1 } else { FAILURES_MAX };
                    if joined.failures.len() >= enough {
                        stopped.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    std::panic::set_hook(usual_hook);
    let mut result = joined.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let (Some(before), Some(after)) = (busy, processor_time()) {
        result.busy = after.saturating_sub(before);
    }
    result.failures.sort_by_key(|(seed, _)| *seed);
    result
}

/// The processor time of this process so far, where Linux tells it in hundredths of a second.
fn processor_time() -> Option<Duration> {
    let line = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, numbers) = line.rsplit_once(") ")?;
    let spent = numbers
        .split(' ')
        .skip(11)
        .take(2)
        .map(|ticks| ticks.parse::<u64>().ok());
    Some(Duration::from_millis(10 * spent.sum::<Option<u64>>()?))
}

fn play_batch(seeds: Range<u64>, choice: &Choice) -> Result {
    let begun = Instant::now();
    let mut result = Result::default();
    for seed in seeds {
        let history = draw(seed);
        if !choice.includes(&history) {
            continue;
        }
        let played = play(&history, false);
        result.played += 1;
        result.tally.join(&played.tally);
        if let Some(breach) = played.breach {
            result.failures.push((seed, breach));
        }
    }
    result.busy = begun.elapsed();
    result
}

impl Result {
    fn join(&mut self, other: Result) {
        self.played += other.played;
        self.busy += other.busy;
        self.failures.extend(other.failures);
        self.tally.join(&other.tally);
    }

    /// Histories per second on one core; none when the run was too short to measure.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let played = u32::try_from(self.played).unwrap_or(u32::MAX);
        (self.busy >= MEASURABLE).then(|| f64::from(played) / self.busy.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_is_too_short_to_measure_has_no_rate() {
        let of = |milliseconds| Result {
            played: 300,
            busy: Duration::from_millis(milliseconds),
            ..Result::default()
        };
        assert_eq!(
            [of(0).rate(), of(10).rate(), of(200).rate()],
            [None, None, Some(1_500.0)]
        );
    }
}
