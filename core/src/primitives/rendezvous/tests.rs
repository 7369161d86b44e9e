//! What the two sides of a rendezvous rely on. Time passes only when a test says so.

use std::rc::Rc;
use std::time::Duration;

use futures::{FutureExt, StreamExt};

use super::*;
use crate::primitives::deferred::hand_clock::{HandClock, Watched};
use crate::time::Time;

type Desk = Rendezvous<&'static str, &'static str, u32>;

const MINUTE: Duration = Duration::from_secs(60);

fn desk() -> (HandClock, Desk) {
    let clock = HandClock::default();
    let desk = Rendezvous::new(Rc::new(clock.clone()));
    (clock, desk)
}

fn within(minutes: u32) -> AskOptions<u32> {
    AskOptions {
        timeout: Some(minutes * MINUTE),
        then: OnTimeOut::Leave,
    }
}

fn answered(answer: u32) -> Option<Outcome<u32>> {
    Some(Outcome::Answered { answer, by: By::Person })
}

fn shown(desk: &Desk) -> Vec<&'static str> {
    desk.waiting().iter().map(|asked| asked.key).collect()
}

/// R2
#[test]
fn a_question_is_published_once_under_its_key() {
    let (_, desk) = desk();
    let first = desk.ask("colour", "Which?", AskOptions::default()).unwrap();
    let again = desk.ask("colour", "Which one?", AskOptions::default());
    assert_eq!(again.unwrap_err(), NotAsked::AlreadyAsked("colour"));
    assert_eq!(
        desk.waiting().iter().map(|asked| *asked.question).collect::<Vec<_>>(),
        ["Which?"]
    );
    assert_eq!(desk.answer(&"colour", 1), Answered::Taken);
    assert_eq!(first.now_or_never(), answered(1));
    let after_its_end = desk.ask("colour", "Which?", AskOptions::default());
    assert_eq!(after_its_end.unwrap_err(), NotAsked::AlreadyAsked("colour"));
}

/// R2: it is published also when nobody waits for its end
#[test]
fn a_question_is_shown_whether_or_not_anybody_waits() {
    let (_, desk) = desk();
    drop(desk.ask("colour", "Which?", AskOptions::default()));
    assert_eq!(shown(&desk), ["colour"]);
    assert_eq!(desk.answer(&"colour", 1), Answered::Taken);
    assert_eq!(shown(&desk), [""; 0]);
    assert_eq!(desk.wait(&"colour").unwrap().now_or_never(), answered(1));
}

/// R4
#[test]
fn a_question_ends_once_and_a_second_answer_is_told_so() {
    let (_, desk) = desk();
    let waiting = desk.ask("colour", "Which?", AskOptions::default()).unwrap();
    assert_eq!(desk.answer(&"colour", 1), Answered::Taken);
    assert_eq!(desk.answer(&"colour", 2), Answered::Already);
    assert!(!desk.cancel(&"colour", "too late"));
    assert_eq!(waiting.now_or_never(), answered(1));
    assert_eq!(desk.answer(&"size", 3), Answered::Unknown);
    assert!(!desk.cancel(&"size", "unknown"));
    assert_eq!(desk.take_late(), []);
}

/// D8, R4
#[test]
fn every_waiter_hears_the_end_and_one_that_leaves_disturbs_nobody() {
    let (_, desk) = desk();
    let mut first = Watched::pending(desk.ask("colour", "Which?", AskOptions::default()).unwrap());
    let leaving = Watched::pending(desk.wait(&"colour").unwrap());
    let mut last = Watched::pending(desk.wait(&"colour").unwrap());
    drop(leaving);
    assert_eq!(desk.answer(&"colour", 1), Answered::Taken);
    assert_eq!((first.woken(), last.woken()), (1, 1));
    assert_eq!((first.poll(), last.poll()), (answered(1), answered(1)));
}

/// R9
#[test]
fn a_question_after_an_answer_waits_anew() {
    let (_, desk) = desk();
    for (key, answer) in [("first", 1), ("second", 2), ("third", 3)] {
        let mut waiting = Watched::pending(desk.ask(key, "And now?", AskOptions::default()).unwrap());
        assert_eq!(desk.answer(&key, answer), Answered::Taken);
        assert_eq!(waiting.poll(), answered(answer));
    }
}

/// R10, R11
#[test]
fn questions_are_answered_in_any_order_and_each_gets_its_own() {
    let (_, desk) = desk();
    let keys = ["a", "b", "c"];
    let mut waiting = keys.map(|key| Watched::pending(desk.ask(key, "?", AskOptions::default()).unwrap()));
    assert_eq!(shown(&desk), keys);
    assert_eq!(desk.answer(&"c", 3), Answered::Taken);
    assert_eq!(desk.answer(&"a", 1), Answered::Taken);
    assert_eq!(waiting[0].poll(), answered(1));
    assert_eq!(waiting[1].poll(), None);
    assert_eq!(waiting[2].poll(), answered(3));
    assert_eq!(shown(&desk), ["b"]);
}

/// R5
#[test]
fn the_time_counts_from_the_asking_and_is_thirty_minutes_unless_told_otherwise() {
    let (clock, desk) = desk();
    let mut usual = Watched::pending(desk.ask("usual", "?", AskOptions::default()).unwrap());
    clock.advance(10 * MINUTE);
    let mut short = Watched::pending(desk.ask("short", "?", within(5)).unwrap());
    let never = AskOptions {
        timeout: None,
        ..AskOptions::default()
    };
    let mut patient = Watched::pending(desk.ask("patient", "?", never).unwrap());
    clock.advance(5 * MINUTE);
    assert_eq!((usual.poll(), short.poll()), (None, Some(Outcome::TimedOut)));
    clock.advance(15 * MINUTE);
    assert_eq!(usual.poll(), Some(Outcome::TimedOut));
    clock.advance(1_000_000 * MINUTE);
    assert_eq!(patient.poll(), None);
    assert_eq!(desk.waiting()[2].until, None);
}

/// R5
#[test]
fn a_question_whose_time_is_up_stays_answerable() {
    let (clock, desk) = desk();
    let mut waiting = Watched::pending(desk.ask("colour", "Which?", within(2)).unwrap());
    clock.advance(2 * MINUTE);
    assert_eq!(waiting.poll(), Some(Outcome::TimedOut));
    assert_eq!(desk.waiting()[0].timed_out, Some(Time(120_000)));
    assert!(desk.cancel(&"colour", "of no use any more"));
    assert_eq!(shown(&desk), [""; 0]);
}

/// R5
#[test]
fn a_default_answer_is_given_when_the_time_is_up_and_says_whose_it_is() {
    let (clock, desk) = desk();
    let options = AskOptions {
        then: OnTimeOut::Answer(7),
        ..within(2)
    };
    let mut waiting = Watched::pending(desk.ask("colour", "Which?", options).unwrap());
    clock.advance(2 * MINUTE);
    let by_policy = Outcome::Answered {
        answer: 7,
        by: By::Policy,
    };
    assert_eq!(waiting.poll(), Some(by_policy));
    assert_eq!(shown(&desk), [""; 0]);
    assert_eq!(desk.answer(&"colour", 1), Answered::Late(Duration::ZERO));
}

/// R5: nobody has to wait for it
#[test]
fn the_time_is_looked_at_before_an_answer_is_taken() {
    let (clock, desk) = desk();
    drop(desk.ask("colour", "Which?", within(2)));
    clock.advance(3 * MINUTE);
    assert_eq!(desk.answer(&"colour", 1), Answered::Late(MINUTE));
    assert_eq!(desk.wait(&"colour").unwrap().now_or_never(), Some(Outcome::TimedOut));
}

/// R6
#[test]
fn a_warning_comes_before_the_time_is_up_and_is_a_new_state() {
    for (minutes, warning) in [(30, 25), (10, 5), (8, 4), (2, 1)] {
        let (clock, desk) = desk();
        drop(desk.ask("colour", "Which?", within(minutes)));
        let mut views = desk.views();
        assert!(!views.next().now_or_never().flatten().unwrap()[0].warned);
        let mut next = Watched::pending(async move { views.next().await });
        clock.advance(warning * MINUTE - Duration::from_millis(1));
        assert!(next.poll().is_none());
        clock.advance(Duration::from_millis(1));
        let asked = &next.poll().flatten().unwrap()[0];
        assert_eq!((asked.warned, asked.timed_out), (true, None));
    }
}

/// R7
#[test]
fn a_late_answer_is_kept_with_its_lateness_and_resumes_nobody() {
    let (clock, desk) = desk();
    let mut waiting = Watched::pending(desk.ask("colour", "Which?", within(2)).unwrap());
    let mut other = Watched::pending(desk.ask("other", "Which?", AskOptions::default()).unwrap());
    clock.advance(5 * MINUTE);
    assert_eq!(waiting.poll(), Some(Outcome::TimedOut));
    assert_eq!(desk.answer(&"colour", 1), Answered::Late(3 * MINUTE));
    assert_eq!(desk.answer(&"colour", 2), Answered::Already);
    assert_eq!(other.poll(), None);
    assert_eq!(desk.wait(&"colour").unwrap().now_or_never(), Some(Outcome::TimedOut));
    let late = Late {
        key: "colour",
        question: Rc::new("Which?"),
        answer: 1,
        late_by: 3 * MINUTE,
    };
    assert_eq!(desk.take_late(), [late]);
    assert_eq!(desk.take_late(), []);
    assert_eq!(shown(&desk), ["other"]);
}

/// R12, R7
#[test]
fn a_question_that_is_cancelled_ends_and_an_answer_to_it_is_late() {
    let (clock, desk) = desk();
    let mut waiting = Watched::pending(desk.ask("colour", "Which?", AskOptions::default()).unwrap());
    assert!(desk.cancel(&"colour", "stopped"));
    assert!(!desk.cancel(&"colour", "stopped again"));
    assert_eq!(waiting.poll(), Some(Outcome::Cancelled("stopped".to_owned())));
    clock.advance(MINUTE);
    assert_eq!(desk.answer(&"colour", 1), Answered::Late(MINUTE));
    assert_eq!(desk.take_late().len(), 1);
}

/// R4
#[test]
fn closing_frees_everybody_and_nothing_is_asked_after_it() {
    let (_, desk) = desk();
    let mut waiting = Watched::pending(desk.ask("colour", "Which?", AskOptions::default()).unwrap());
    let mut views = desk.views();
    views.next().now_or_never().flatten().unwrap();
    desk.close();
    desk.close();
    assert_eq!(waiting.poll(), Some(Outcome::Closed));
    assert_eq!(desk.answer(&"colour", 1), Answered::Closed);
    assert!(!desk.cancel(&"colour", "closed"));
    let refused = desk.ask("size", "Which?", AskOptions::default());
    assert_eq!(refused.unwrap_err(), NotAsked::Closed);
    assert_eq!(views.next().now_or_never(), Some(Some(Vec::new())));
    assert_eq!(views.next().now_or_never(), Some(None));
}

/// R4
#[test]
fn nobody_waits_for_a_rendezvous_that_is_gone() {
    let (_, desk) = desk();
    let mut waiting = Watched::pending(desk.ask("colour", "Which?", AskOptions::default()).unwrap());
    drop(desk);
    assert_eq!((waiting.woken(), waiting.poll()), (1, Some(Outcome::Closed)));
}

#[test]
fn a_slow_reader_sees_the_newest_state_and_skips_the_others() {
    let (_, desk) = desk();
    let mut views = desk.views();
    assert_eq!(views.next().now_or_never(), Some(Some(Vec::new())));
    for key in ["a", "b", "c"] {
        drop(desk.ask(key, "?", AskOptions::default()));
    }
    assert_eq!(desk.answer(&"a", 1), Answered::Taken);
    let seen: Vec<_> = views.next().now_or_never().flatten().unwrap();
    assert_eq!(seen.iter().map(|asked| asked.key).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(views.next().now_or_never(), None);
    assert_eq!(desk.answer(&"a", 2), Answered::Already);
    assert_eq!(views.next().now_or_never(), None);
}

/// R4: what has ended costs no more memory than its limit says
#[test]
fn the_newest_that_have_ended_are_remembered() {
    let clock = HandClock::default();
    let desk = Rendezvous::<usize, (), usize>::new(Rc::new(clock));
    for key in 0..=ENDED_MAX {
        drop(desk.ask(key, (), AskOptions::default()));
        assert_eq!(desk.answer(&key, key), Answered::Taken);
    }
    assert_eq!(desk.answer(&0, 1), Answered::Unknown);
    assert_eq!(desk.answer(&1, 1), Answered::Already);
    for key in (0..=LATE_MAX).map(|number| number + 5_000) {
        drop(desk.ask(key, (), AskOptions::default()));
        assert!(desk.cancel(&key, "of no use"));
        assert_eq!(desk.answer(&key, key), Answered::Late(Duration::ZERO));
    }
    let late = desk.take_late();
    assert_eq!((late.len(), late[0].key), (LATE_MAX, 5_001));
}

/// R5, R7: a question that is left is shown until there are too many; its answer is late in either case
#[test]
fn the_newest_that_are_left_answerable_are_shown() {
    let clock = HandClock::default();
    let desk = Rendezvous::<usize, (), usize>::new(Rc::new(clock.clone()));
    let options = || AskOptions {
        timeout: Some(Duration::from_secs(10)),
        then: OnTimeOut::Leave,
    };
    for key in 0..=LEFT_MAX {
        drop(desk.ask(key, (), options()));
    }
    clock.advance(Duration::from_secs(10));
    let shown: Vec<usize> = desk.waiting().iter().map(|asked| asked.key).collect();
    assert_eq!((shown.len(), shown[0]), (LEFT_MAX, 1));
    assert!(matches!(desk.answer(&0, 7), Answered::Late(_)));
    assert!(matches!(desk.answer(&1, 7), Answered::Late(_)));
    assert_eq!(desk.take_late().len(), 2);
}
