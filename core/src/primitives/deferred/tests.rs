//! What callers of a tracker rely on.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures::FutureExt;
use futures::future::pending;

use super::hand_clock::{HandClock, Watched};
use super::*;
use crate::model::{MessageId, PartId, SessionId};

const GRACE: Duration = Duration::from_millis(250);
const MILLISECOND: Duration = Duration::from_millis(1);

type Tracker = DeferredTracker<&'static str, u32>;

fn failed(reason: &str) -> Option<Settlement<u32>> {
    Some(Settlement::Failed(reason.to_owned()))
}

fn settlement_of(tracker: &Tracker, key: &'static str) -> Option<Settlement<u32>> {
    tracker.wait(&key).unwrap().now_or_never()
}

/// D1
#[test]
fn a_call_is_known_by_its_part_however_often_it_is_seen() {
    let tracker = DeferredTracker::<_, u32>::new();
    let part = |part: &str| (SessionId::from("ses_1"), MessageId::from("msg_1"), PartId::from(part));
    assert!(tracker.observe(part("prt_1")));
    assert!(!tracker.observe(part("prt_1")));
    assert!(tracker.observe(part("prt_2")));
    let refused = tracker.register(part("prt_1")).unwrap_err();
    assert_eq!(refused, AlreadyOpen(part("prt_1")));
    assert_eq!(tracker.open_keys(), [part("prt_1"), part("prt_2")]);
}

/// D1
#[test]
fn a_call_that_is_seen_again_after_its_end_stays_ended() {
    let tracker = Tracker::new();
    tracker.observe("read");
    assert_eq!(tracker.settle(&"read", Ok(1)), Settling::Settled);
    assert!(!tracker.observe("read"));
    assert_eq!(tracker.open(), 0);
}

/// D2
#[test]
fn a_call_settles_once_and_a_second_result_is_told_so() {
    let tracker = Tracker::new();
    let guard = tracker.register("read").unwrap();
    assert_eq!(tracker.settle(&"read", Ok(1)), Settling::Settled);
    assert_eq!(tracker.settle(&"read", Ok(2)), Settling::Already);
    assert_eq!(guard.complete(3), Settling::Already);
    assert_eq!(settlement_of(&tracker, "read"), Some(Settlement::Completed(1)));
}

/// D2
#[test]
fn a_result_for_an_unknown_call_changes_nothing() {
    let tracker = Tracker::new();
    assert_eq!(tracker.settle(&"read", Ok(1)), Settling::Unknown);
    assert!(tracker.wait(&"read").is_none());
    assert!(tracker.take_late().is_empty());
}

/// D3
#[test]
fn a_guard_that_is_dropped_settles_its_call() {
    let tracker = Tracker::new();
    drop(tracker.register("read"));
    assert_eq!(settlement_of(&tracker, "read"), failed("dropped without a result"));
    assert_eq!(tracker.open(), 0);
}

/// D3
#[test]
fn work_that_fails_panics_or_is_given_up_settles_its_call() {
    let tracker = Tracker::new();
    let failing = tracker.register("failing").unwrap();
    failing.run(async { Err("no such file") }).now_or_never();
    let given_up = tracker.register("given up").unwrap();
    drop(Watched::pending(given_up.run(pending::<Result<_, String>>())));
    let panicking = tracker.register("panicking").unwrap().run(async {
        assert_eq!(1, 2, "a defect of the tool");
        Ok::<_, String>(0)
    });
    catch_unwind(AssertUnwindSafe(|| panicking.now_or_never())).unwrap_err();

    assert_eq!(settlement_of(&tracker, "failing"), failed("no such file"));
    assert_eq!(settlement_of(&tracker, "given up"), failed("dropped without a result"));
    assert_eq!(settlement_of(&tracker, "panicking"), failed("panicked"));
}

/// D4
#[test]
fn many_stuck_calls_cost_one_grace() {
    let (tracker, clock) = (DeferredTracker::<usize, u32>::new(), HandClock::default());
    (0..1_000).for_each(|key| assert!(tracker.observe(key)));
    let mut ending = Watched::pending(tracker.settle_all(&clock, GRACE));
    clock.advance(GRACE - MILLISECOND);
    assert_eq!(ending.poll(), None);
    clock.advance(MILLISECOND);
    let report = ending.poll().unwrap();
    assert_eq!(report.settled, 0);
    assert_eq!(report.abandoned, (0..1_000).collect::<Vec<_>>());
}

/// D4
#[test]
fn the_turn_ends_as_soon_as_nothing_is_open() {
    let (tracker, clock) = (Tracker::new(), HandClock::default());
    let (first, second) = (tracker.register("first").unwrap(), tracker.register("second").unwrap());
    let mut ending = Watched::pending(tracker.settle_all(&clock, GRACE));
    first.complete(1);
    assert_eq!(ending.woken(), 0);
    second.complete(2);
    assert_eq!(ending.woken(), 1);
    let abandoned = Vec::new();
    assert_eq!(ending.poll(), Some(Report { settled: 2, abandoned }));
}

/// D4
#[test]
fn the_grace_begins_with_the_call_even_when_nobody_polls() {
    let (tracker, clock) = (Tracker::new(), HandClock::default());
    tracker.observe("stuck");
    let ending = tracker.settle_all(&clock, GRACE);
    clock.advance(GRACE);
    assert_eq!(ending.now_or_never().unwrap().abandoned, ["stuck"]);
}

/// D5
#[test]
fn what_is_stuck_is_reported_by_name_and_stops_nobody() {
    let (tracker, clock) = (Tracker::new(), HandClock::default());
    let (stuck, quick) = (tracker.register("stuck").unwrap(), tracker.register("quick").unwrap());
    tracker.observe("seen");
    let mut waiting = Watched::pending(tracker.wait(&"stuck").unwrap());
    let mut ending = Watched::pending(tracker.settle_all(&clock, GRACE));
    quick.complete(1);
    clock.advance(GRACE);
    let abandoned = vec!["stuck", "seen"];
    assert_eq!(ending.poll(), Some(Report { settled: 1, abandoned }));
    assert_eq!(waiting.woken(), 1);
    assert_eq!(waiting.poll(), Some(Settlement::Aborted));
    assert_eq!(stuck.fail("killed"), Settling::Late);
}

/// D6
#[test]
fn a_turn_that_is_cancelled_abandons_what_is_open() {
    let (tracker, clock) = (Tracker::new(), HandClock::default());
    let running = tracker.register("running").unwrap();
    let mut waiting = Watched::pending(tracker.wait(&"running").unwrap());
    let mut ending = Watched::pending(tracker.settle_all(&clock, GRACE));
    assert_eq!(tracker.abandon_all(), ["running"]);
    assert_eq!(waiting.poll(), Some(Settlement::Aborted));
    let next = tracker.register("running").unwrap();
    assert_eq!(ending.woken(), 1);
    let (settled, abandoned) = (0, Vec::new());
    assert_eq!(ending.poll(), Some(Report { settled, abandoned }));
    assert_eq!(running.complete(1), Settling::Late);
    assert_eq!(next.complete(2), Settling::Settled);
}

/// D6
#[test]
fn giving_up_the_wait_for_the_end_leaves_everything_open() {
    let (tracker, clock) = (Tracker::new(), HandClock::default());
    let running = tracker.register("running").unwrap();
    let ending = Watched::pending(tracker.settle_all(&clock, GRACE));
    drop(ending);
    clock.advance(GRACE);
    assert_eq!(tracker.open_keys(), ["running"]);
    assert_eq!(running.complete(1), Settling::Settled);
}

/// D7
#[test]
fn calls_come_and_go_while_the_end_of_the_turn_is_awaited() {
    let (tracker, clock) = (Tracker::new(), HandClock::default());
    tracker.observe("first");
    let mut ending = Watched::pending(tracker.settle_all(&clock, GRACE));
    assert!(tracker.observe("second"));
    assert_eq!(tracker.settle(&"first", Ok(1)), Settling::Settled);
    assert_eq!(ending.poll(), None);
    assert_eq!(tracker.settle(&"second", Ok(2)), Settling::Settled);
    assert_eq!(ending.poll().unwrap().settled, 2);
}

/// D8
#[test]
fn every_waiter_hears_the_end_and_one_that_leaves_disturbs_nobody() {
    let tracker = Tracker::new();
    let guard = tracker.register("read").unwrap();
    let mut waiting: Vec<_> = (0..5)
        .map(|_| Watched::pending(tracker.wait(&"read").unwrap()))
        .collect();
    drop(waiting.remove(3));
    drop(waiting.remove(0));
    let mut newcomer = Watched::pending(tracker.wait(&"read").unwrap());
    guard.complete(7);
    for waiting in waiting.iter_mut().chain([&mut newcomer]) {
        assert_eq!(waiting.woken(), 1);
        assert_eq!(waiting.poll(), Some(Settlement::Completed(7)));
    }
    assert_eq!(settlement_of(&tracker, "read"), Some(Settlement::Completed(7)));
}

/// D8
#[test]
fn waiters_are_woken_in_the_order_they_came() {
    struct Named(usize, Arc<std::sync::Mutex<Vec<usize>>>);
    impl Wake for Named {
        fn wake(self: Arc<Self>) {
            self.1.lock().unwrap().push(self.0);
        }
    }

    let tracker = Tracker::new();
    let guard = tracker.register("read").unwrap();
    let order = Arc::default();
    let mut waiting: Vec<_> = (0..4).map(|_| tracker.wait(&"read").unwrap()).collect();
    for (number, waiting) in waiting.iter_mut().enumerate() {
        let waker = Waker::from(Arc::new(Named(number, Arc::clone(&order))));
        assert_eq!(waiting.poll_unpin(&mut Context::from_waker(&waker)), Poll::Pending);
    }
    drop(waiting.remove(0));
    let mut last = tracker.wait(&"read").unwrap();
    let waker = Waker::from(Arc::new(Named(4, Arc::clone(&order))));
    assert_eq!(last.poll_unpin(&mut Context::from_waker(&waker)), Poll::Pending);
    guard.complete(1);
    assert_eq!(*order.lock().unwrap(), [1, 2, 3, 4]);
}

/// D9
#[test]
fn nobody_waits_for_a_tracker_that_is_gone() {
    let tracker = Tracker::new();
    let guard = tracker.register("read").unwrap();
    let mut waiting = Watched::pending(tracker.wait(&"read").unwrap());
    drop(tracker);
    assert_eq!(waiting.woken(), 1);
    assert_eq!(waiting.poll(), Some(Settlement::Aborted));
    assert_eq!(guard.complete(1), Settling::Late);
}

/// D10
#[test]
fn a_late_result_stays_with_its_turn_though_the_key_is_in_use_again() {
    let tracker = Tracker::new();
    let old = tracker.register("read").unwrap();
    tracker.abandon_all();
    let new = tracker.register("read").unwrap();
    assert_eq!(old.complete(1), Settling::Late);
    assert_eq!(tracker.open_keys(), ["read"]);
    assert_eq!(new.complete(2), Settling::Settled);
    assert_eq!(settlement_of(&tracker, "read"), Some(Settlement::Completed(2)));
    let (key, turn, result) = ("read", Turn(0), Ok(1));
    assert_eq!(tracker.take_late(), [Late { key, turn, result }]);
    assert!(tracker.take_late().is_empty());
}

/// D10
#[test]
fn a_result_by_key_goes_to_the_call_that_was_abandoned_first() {
    let tracker = Tracker::new();
    tracker.observe("read");
    tracker.abandon_all();
    assert!(!tracker.observe("read"), "it is still the call of the old turn");
    let new = tracker.register("read").unwrap();
    assert_eq!(tracker.settle(&"read", Err("killed".to_owned())), Settling::Late);
    assert_eq!(new.complete(2), Settling::Settled);
    assert_eq!(tracker.settle(&"read", Ok(3)), Settling::Already);
    let late = tracker.take_late();
    assert_eq!(
        (late[0].turn, late[0].result.clone()),
        (Turn(0), Err("killed".to_owned()))
    );
    assert_eq!(late.len(), 1);
}

/// D10
#[test]
fn a_guard_that_is_dropped_too_late_is_reported_too() {
    let tracker = Tracker::new();
    let guard = tracker.register("read").unwrap();
    tracker.abandon_all();
    drop(guard);
    assert_eq!(
        tracker.take_late()[0].result,
        Err("dropped without a result".to_owned())
    );
    assert_eq!(tracker.settle(&"read", Ok(1)), Settling::Unknown);
}

/// D10
#[test]
fn what_was_abandoned_and_heard_of_takes_no_memory() {
    let tracker = DeferredTracker::<Rc<str>, u32>::new();
    let (key, other) = (Rc::<str>::from("read"), Rc::<str>::from("other"));
    let guard = tracker.register(key.clone()).unwrap();
    tracker.observe(other.clone());
    tracker.abandon_all();
    drop(guard);
    drop(tracker.take_late());
    assert_eq!(Rc::strong_count(&key), 1);
    for _ in 0..PAST_TURNS_MAX {
        assert_eq!(Rc::strong_count(&other), 2);
        tracker.abandon_all();
    }
    assert_eq!(Rc::strong_count(&other), 1);
    assert_eq!(tracker.settle(&other, Ok(1)), Settling::Unknown);
}

/// D10
#[test]
fn the_newest_late_results_are_kept_when_nobody_takes_them() {
    let tracker = DeferredTracker::<usize, u32>::new();
    let guards: Vec<_> = (0..=LATE_MAX).map(|key| tracker.register(key).unwrap()).collect();
    tracker.abandon_all();
    drop(guards);
    let late = tracker.take_late();
    assert_eq!((late.len(), late[0].key), (LATE_MAX, 1));
}

#[test]
fn a_waker_may_call_back_into_the_tracker() {
    thread_local! {
        static TRACKER: Tracker = Tracker::new();
        static GUARDS: RefCell<Vec<Guard<&'static str, u32>>> = RefCell::default();
    }
    /// Settles the next call, registers another and ends the turn: everything that needs a borrow.
    struct CallsBack;
    impl Wake for CallsBack {
        fn wake(self: Arc<Self>) {
            let next = GUARDS.with_borrow_mut(Vec::pop);
            TRACKER.with(|tracker| match next {
                Some(next) => drop(next.complete(2)),
                None => drop(tracker.abandon_all()),
            });
        }
    }

    TRACKER.with(|tracker| {
        let waker = Waker::from(Arc::new(CallsBack));
        let mut context = Context::from_waker(&waker);
        let (first, second) = (tracker.register("first").unwrap(), tracker.register("second").unwrap());
        let stuck = tracker.register("stuck").unwrap();
        GUARDS.with_borrow_mut(|guards| guards.push(second));
        let mut waits: Vec<_> = ["first", "second", "stuck"]
            .map(|key| tracker.wait(&key).unwrap())
            .into();
        for wait in &mut waits {
            assert_eq!(wait.poll_unpin(&mut context), Poll::Pending);
        }
        first.complete(1);
        let ends: Vec<_> = waits.into_iter().map(FutureExt::now_or_never).collect();
        let completed = |result| Some(Settlement::Completed(result));
        assert_eq!(ends, [completed(1), completed(2), Some(Settlement::Aborted)]);
        assert_eq!(stuck.complete(3), Settling::Late);
    });
}
