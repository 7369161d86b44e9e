//! The deferred tracker, beside a oneshot channel in a `HashMap`, which is what one would write without it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use switchboard_core::deferred::{DeferredTracker, Guard, Settling, Waiting};
use switchboard_core::{Clock, Time};
use switchboard_tests::clock::VirtualClock;

use crate::{measure, memory};

/// Calls of one measured run, in as many turns as that takes.
const CALLS: usize = 100_000;
const GRACE: Duration = Duration::from_millis(250);

/// Counts how often it was called, as a waker that belongs to an executor would.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A way to wait for as many calls, once each.
type Turn = fn(usize, &mut Context<'_>);

pub(crate) fn one_by_one() {
    for n in [100, 10_000] {
        for (how, ours) in [("guard", by_guard as Turn), ("key", by_key)] {
            let (ours, theirs, ratio) = measure::compare(|| time_of(ours, n), || time_of(oneshots, n));
            let (ours, theirs) = (measure::each(ours, CALLS), measure::each(theirs, CALLS));
            println!(
                "  n = {n:>6}, settled by {how:<5} {ours:>4.0} ns each, oneshot in a HashMap {theirs:>4.0} ns: \
                 {ratio:.2} × its time (target ≤ 1.2)"
            );
        }
    }
    let sizes = [1, 2, 4].map(|factor| factor * 10_000);
    let costs = sizes.map(|n| measure::each(measure::fastest(|| time_of(by_guard, n)), CALLS));
    println!("  n = 10000: {}", measure::growth(&costs));
}

fn time_of(turn: Turn, n: usize) -> Duration {
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(bell.clone());
    let mut context = Context::from_waker(&waker);
    let time = measure::time(|| (0..CALLS / n).for_each(|_| turn(n, &mut context)));
    assert_eq!(bell.0.load(Relaxed), CALLS / n * n, "every waiter is woken once");
    time
}

fn by_guard(n: usize, context: &mut Context<'_>) {
    let tracker = DeferredTracker::new();
    let mut running = Vec::with_capacity(n);
    for key in 0..n {
        let guard = tracker.register(key).expect("a new key");
        let mut waiting = tracker.wait(&key).expect("just registered");
        assert!(waiting.poll_unpin(context).is_pending());
        running.push((guard, waiting));
    }
    for (key, (guard, mut waiting)) in running.into_iter().enumerate() {
        assert_eq!(guard.complete(key), Settling::Settled);
        assert!(waiting.poll_unpin(context).is_ready());
    }
    tracker.abandon_all();
}

fn by_key(n: usize, context: &mut Context<'_>) {
    let tracker = DeferredTracker::new();
    let mut running = Vec::with_capacity(n);
    for key in 0..n {
        assert!(tracker.observe(key));
        let mut waiting = tracker.wait(&key).expect("just registered");
        assert!(waiting.poll_unpin(context).is_pending());
        running.push(waiting);
    }
    for (key, mut waiting) in running.into_iter().enumerate() {
        assert_eq!(tracker.settle(&key, Ok(key)), Settling::Settled);
        assert!(waiting.poll_unpin(context).is_ready());
    }
    tracker.abandon_all();
}

fn oneshots(n: usize, context: &mut Context<'_>) {
    let mut senders = HashMap::new();
    let mut running = Vec::with_capacity(n);
    for key in 0..n {
        let (sender, mut waiting) = oneshot::channel();
        senders.insert(key, sender);
        assert!(waiting.poll_unpin(context).is_pending());
        running.push(waiting);
    }
    for (key, mut waiting) in running.into_iter().enumerate() {
        let sender: oneshot::Sender<usize> = senders.remove(&key).expect("inserted above");
        assert_eq!(sender.send(key), Ok(()));
        assert!(waiting.poll_unpin(context).is_ready());
    }
}

pub(crate) fn all_stuck() {
    let sizes = [1, 2, 4].map(|factor| factor * 100_000);
    let costs = sizes.map(|n| {
        let mut kept = 0;
        let mut grace = Duration::ZERO;
        let work = measure::fastest(|| {
            let stuck = Stuck::new(n);
            let (work, waited) = stuck.settle();
            (kept, grace) = (stuck.bytes, waited);
            work
        });
        println!(
            "  n = {n:>6}: one grace of {} ms and {:.1} ms of work (target ≤ 20 at 100000), {} bytes each (target ≤ 200)",
            grace.as_millis(),
            work.as_secs_f64() * 1e3,
            kept / n
        );
        measure::each(work, n)
    });
    println!("  {}", measure::growth(&costs));
}

/// Calls that never end, each with a guard and one waiter.
struct Stuck {
    tracker: DeferredTracker<usize, usize>,
    calls: Vec<(Guard<usize, usize>, Waiting<usize, usize>)>,
    /// The most that registering and waiting had at once.
    bytes: usize,
}

impl Stuck {
    fn new(n: usize) -> Self {
        let waker = Waker::from(Arc::new(Bell::default()));
        let mut context = Context::from_waker(&waker);
        let mut calls = Vec::with_capacity(n);
        let (tracker, usage) = memory::count(|| {
            let tracker = DeferredTracker::new();
            for key in 0..n {
                let guard = tracker.register(key).expect("a new key");
                let mut waiting = tracker.wait(&key).expect("just registered");
                assert!(waiting.poll_unpin(&mut context).is_pending());
                calls.push((guard, waiting));
            }
            tracker
        });
        Self {
            tracker,
            calls,
            bytes: usage.peak.unsigned_abs(),
        }
    }

    /// The work of ending the turn, and how long that took on the clock.
    fn settle(&self) -> (Duration, Duration) {
        let clock = VirtualClock::new(Time(0));
        let mut context = Context::from_waker(Waker::noop());
        let mut ending = self.tracker.settle_all(&clock, GRACE);
        let mut work = measure::time(|| assert!(ending.poll_unpin(&mut context).is_pending()));
        let mut report = None;
        while let Some(next) = clock.next_timer() {
            clock.advance_to(next);
            work += measure::time(|| {
                if let Poll::Ready(ended) = ending.poll_unpin(&mut context) {
                    report = Some(ended);
                }
            });
        }
        assert_eq!(report.map(|report| report.abandoned.len()), Some(self.calls.len()));
        (work, clock.now().since(Time(0)))
    }
}
