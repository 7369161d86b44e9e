//! What is said of a request that nobody answers (requirements R5, R6).

use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::model::{Ask, Reply};
use switchboard_core::policy::{COUNTDOWN, Policy, Then};
use switchboard_core::view::RequestView;

use crate::kit::visible::visible;
use crate::words::request_title::shortened;

/// How much of a default answer is quoted.
const QUOTED: usize = 40;

/// The warning comes so long before the end, or after half of the time. Source: requirements R6.
const WARNING: Duration = Duration::from_secs(300);

/// How long a reviewer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReviewerTime {
    /// When its time is up: it is stopped then, and what it asks goes with it.
    pub until: Time,
    /// How long it has in all.
    pub all: Duration,
}

/// How far the time of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It runs.
    Running,
    /// It is up.
    TimedOut,
    /// It is up, and the reply of the policy is about to be given.
    Counting,
}

/// A request whose time runs out or is up, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeOut {
    /// How far it is.
    pub stage: Stage,
    /// How much time is left, as the beginning of the sentence.
    pub strong: String,
    /// What happens then.
    pub rest: String,
    /// How much of the time since the warning is left, in percent; none when it is up.
    pub left: Option<u8>,
    /// Whether a reply is given then, unless a person stops that.
    pub replies: bool,
}

impl TimeOut {
    /// The whole sentence.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} {}", self.strong, self.rest)
    }

    /// What happens, in a sentence that does not change while the time runs.
    #[must_use]
    pub fn sentence(&self) -> String {
        if self.left.is_some() {
            self.rest.clone()
        } else {
            self.words()
        }
    }
}

/// What is said of the time of a request; none while there is nothing to say. `is_stopped` is whether a person has
/// stopped the reply of the policy, `reviewer` how long the reviewer has that asks, and `clock` writes a time of day.
#[must_use]
pub fn time_out(
    view: &RequestView,
    policy: &Policy,
    is_stopped: bool,
    reviewer: Option<ReviewerTime>,
    now: Time,
    clock: &dyn Fn(Time) -> String,
) -> Option<TimeOut> {
    let replies = replies_at(view, policy, is_stopped);
    let is_first = |time: &ReviewerTime| replies.is_none_or(|replies| time.until < replies);
    let of_reviewer = reviewer.filter(|_| view.state.is_waiting()).filter(is_first);
    if let Some(said) = of_reviewer.and_then(|time| of_reviewer_time(time, now, clock)) {
        return Some(said);
    }
    let unanswered = view.unanswered.as_ref()?;
    let has_begun = unanswered.warned || unanswered.timed_out.is_some() || unanswered.answering_in.is_some();
    has_begun.then(|| planned(view, policy, is_stopped, now, clock))?
}

/// When the reply of its policy is given to a request; none where it gives none.
#[must_use]
pub fn replies_at(view: &RequestView, policy: &Policy, is_stopped: bool) -> Option<Time> {
    let unanswered = view.unanswered.as_ref()?;
    let reply = policy.reply(&view.request).filter(|_| !is_stopped)?;
    let is_over = unanswered.timed_out.is_some() && unanswered.answering_in.is_none();
    (!is_over).then(|| unanswered.until + countdown_of(&reply))
}

/// How long a person is shown a reply of a policy before it is given.
fn countdown_of(reply: &Reply) -> Duration {
    match reply {
        Reply::Answers(_) => COUNTDOWN,
        Reply::Dismiss | Reply::Once | Reply::Always | Reply::Reject { .. } => Duration::ZERO,
    }
}

/// The time of the reviewer that asks, once it is short.
fn of_reviewer_time(time: ReviewerTime, now: Time, clock: &dyn Fn(Time) -> String) -> Option<TimeOut> {
    let (at, left) = (clock(time.until), time.until.since(now));
    if left.is_zero() {
        let rest = format!("since {at}. This reviewer is stopped once the server has been read again.");
        return Some(is_up(Stage::TimedOut, "Time is up", rest));
    }
    let warning = WARNING.min(time.all / 2);
    (left <= warning).then(|| TimeOut {
        stage: Stage::Running,
        strong: waiting(left),
        rest: format!("At {at} this reviewer is stopped, and the request with it."),
        left: Some(percent(left, warning)),
        replies: false,
    })
}

/// The same for a request of which nobody is warned yet, too: what is going to happen to it by itself.
#[must_use]
pub fn planned(
    view: &RequestView,
    policy: &Policy,
    is_stopped: bool,
    now: Time,
    clock: &dyn Fn(Time) -> String,
) -> Option<TimeOut> {
    let unanswered = view.unanswered.as_ref()?;
    let (thing, ending) = match view.request.ask {
        Ask::Questions(_) => ("question", "dismisses it"),
        Ask::Permission(_) => ("request", "rejects it"),
    };
    let reply = policy.reply(&view.request).filter(|_| !is_stopped);
    let countdown = reply.as_ref().map_or(Duration::ZERO, countdown_of);
    let does = match (&policy.then, &reply) {
        (_, None) => None,
        (Then::Answer(label), Some(Reply::Answers(_))) => {
            let label = shortened(&visible(label), QUOTED);
            Some(format!("sends your default, “{label}”"))
        }
        (_, Some(_)) => Some(ending.to_owned()),
    };
    let warning = policy.after.map_or(WARNING, |after| WARNING.min(after / 2)) + countdown;
    let running = |stage, left: Duration| {
        let at = clock(now + left);
        let rest = match &does {
            Some(does) => format!("At {at} Switchboard {does}."),
            None => format!("At {at} its time is up; it is left waiting."),
        };
        TimeOut {
            stage,
            strong: waiting(left),
            rest,
            left: Some(percent(left, warning)),
            replies: does.is_some(),
        }
    };
    match (unanswered.answering_in, &does, unanswered.timed_out) {
        (Some(Duration::ZERO), Some(does), _) => {
            let rest = format!("Switchboard {does}, once the server has been read again.");
            Some(is_up(Stage::Counting, "Time is up.", rest))
        }
        (Some(left), Some(_), _) => Some(running(Stage::Counting, left)),
        (_, _, Some(at)) => {
            let rest = format!(
                "since {}. The {thing} is left waiting; you can still answer.",
                clock(at)
            );
            Some(is_up(Stage::TimedOut, "Time is up", rest))
        }
        (_, _, None) => {
            let left = unanswered.until.since(now) + countdown;
            Some(running(Stage::Running, left))
        }
    }
}

fn is_up(stage: Stage, strong: &str, rest: String) -> TimeOut {
    TimeOut {
        stage,
        strong: strong.to_owned(),
        rest,
        left: None,
        replies: stage == Stage::Counting,
    }
}

fn waiting(left: Duration) -> String {
    format!("Waiting, {} left.", countdown_words(left))
}

fn percent(left: Duration, of: Duration) -> u8 {
    let share = 100.0 * left.as_secs_f64() / of.as_secs_f64();
    share.clamp(0.0, 100.0) as u8
}

/// A time that runs, as clocks show it: `2:41`, `1:02:41`.
fn countdown_words(left: Duration) -> String {
    let seconds = left.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Choice, Question};
    use switchboard_core::view::{RequestState, Unanswered};

    use super::*;
    use crate::fixtures::asking;

    const UNTIL: Time = Time(900_000);

    fn view(ask: Ask, unanswered: Unanswered) -> RequestView {
        RequestView {
            unanswered: Some(unanswered),
            ..asking("que_1", ask, RequestState::Waiting)
        }
    }

    fn question() -> Ask {
        let option = Choice {
            label: "Blue".to_owned(),
            description: String::new(),
        };
        Ask::Questions(vec![Question {
            text: "Which?".to_owned(),
            header: String::new(),
            options: vec![option],
            multiple: false,
            custom: true,
        }])
    }

    fn warned() -> Unanswered {
        Unanswered {
            until: UNTIL,
            warned: true,
            timed_out: None,
            answering_in: None,
        }
    }

    fn timed_out(answering_in: Option<u64>) -> Unanswered {
        Unanswered {
            timed_out: Some(UNTIL),
            answering_in: answering_in.map(Duration::from_secs),
            ..warned()
        }
    }

    fn said(ask: Ask, unanswered: Unanswered, then: &Then, is_stopped: bool) -> Option<TimeOut> {
        let policy = Policy {
            after: Some(Duration::from_secs(900)),
            then: then.clone(),
        };
        let now = UNTIL - Duration::from_secs(250);
        let clock = |time: Time| format!("{}:{:02}", time.0 / 60_000, time.0 / 1000 % 60);
        time_out(&view(ask, unanswered), &policy, is_stopped, None, now, &clock)
    }

    fn words(ask: Ask, unanswered: Unanswered, then: &Then) -> Option<String> {
        said(ask, unanswered, then, false).map(|found| found.words())
    }

    /// R6
    #[test]
    fn nothing_is_said_before_the_warning() {
        let early = Unanswered {
            warned: false,
            ..warned()
        };
        assert_eq!(words(question(), early, &Then::Reject), None);
    }

    /// R5
    #[test]
    fn what_is_going_to_happen_is_told_before_the_warning_too() {
        let early = Unanswered {
            warned: false,
            ..warned()
        };
        let policy = Policy::new(Duration::from_secs(900), Then::Reject);
        let view = view(question(), early);
        let planned = planned(&view, &policy, false, Time(0), &|time| format!("{} s", time.0 / 1000));
        let planned = planned.expect("its time runs");
        assert_eq!(planned.sentence(), "At 900 s Switchboard dismisses it.");
        assert!(planned.replies);
    }

    /// R6
    #[test]
    fn the_warning_says_how_long_it_is_and_what_happens_then() {
        let blue = Then::Answer("Blue".to_owned());
        let red = Then::Answer("Red".to_owned());
        let permission = || Ask::Permission(Box::default());
        let waits = "4:10 left. At 15:00 its time is up; it is left waiting.";
        for (ask, then, expected) in [
            (question(), &Then::Leave, waits),
            (
                question(),
                &Then::Reject,
                "4:10 left. At 15:00 Switchboard dismisses it.",
            ),
            (
                permission(),
                &Then::Reject,
                "4:10 left. At 15:00 Switchboard rejects it.",
            ),
            (
                question(),
                &blue,
                "5:10 left. At 16:00 Switchboard sends your default, “Blue”.",
            ),
            (question(), &red, waits),
            (permission(), &blue, waits),
        ] {
            assert_eq!(words(ask, warned(), then), Some(format!("Waiting, {expected}")));
        }
        let stopped = said(question(), warned(), &blue, true).expect("it is warned");
        assert_eq!((stopped.words(), stopped.replies), (format!("Waiting, {waits}"), false));
    }

    /// C5, R6
    #[test]
    fn a_request_of_a_reviewer_says_when_that_is_stopped_unless_it_is_replied_to_before() {
        let clock = |time: Time| format!("{}:{:02}", time.0 / 60_000, time.0 / 1000 % 60);
        let said = |view: &RequestView, then: &Then, until: u64, now: u64| {
            let policy = Policy::new(Duration::from_secs(900), then.clone());
            let time = ReviewerTime {
                until: Time(1000 * until),
                all: Duration::from_secs(960),
            };
            time_out(view, &policy, false, Some(time), Time(1000 * now), &clock).map(|said| said.words())
        };
        let is = |said: Option<String>, expected: &str| assert_eq!(said.as_deref(), Some(expected));
        let (leave, blue) = (Then::Leave, Then::Answer("Blue".to_owned()));
        let mut asking = asking("que_1", question(), RequestState::Waiting);
        let stopped = "Waiting, 4:00 left. At 10:00 this reviewer is stopped, and the request with it.";
        assert_eq!(said(&asking, &leave, 600, 299), None);
        is(said(&asking, &leave, 600, 360), stopped);
        is(
            said(&asking, &leave, 600, 600),
            "Time is up since 10:00. This reviewer is stopped once the server has been read again.",
        );
        asking.unanswered = Some(warned());
        is(said(&asking, &leave, 600, 360), stopped);
        // The default is sent at 16:00.
        is(
            said(&asking, &blue, 955, 900),
            "Waiting, 0:55 left. At 15:55 this reviewer is stopped, and the request with it.",
        );
        let sends = "Waiting, 1:00 left. At 16:00 Switchboard sends your default, “Blue”.";
        is(said(&asking, &blue, 965, 900), sends);
        let left = "At 15:00 its time is up; it is left waiting.";
        is(said(&asking, &leave, 1300, 890), &format!("Waiting, 0:10 left. {left}"));
        asking.unanswered = Some(timed_out(None));
        is(
            said(&asking, &leave, 960, 950),
            "Waiting, 0:10 left. At 16:00 this reviewer is stopped, and the request with it.",
        );
        asking.state = RequestState::Dismissed {
            by_us: false,
            at: Time(0),
        };
        asking.unanswered = None;
        assert_eq!(said(&asking, &leave, 600, 360), None);
    }

    /// R6
    #[test]
    fn the_time_of_a_reviewer_is_told_after_half_of_it_at_the_latest() {
        let said = |now: u64| {
            let time = ReviewerTime {
                until: Time(60_000),
                all: Duration::from_secs(60),
            };
            of_reviewer_time(time, Time(1000 * now), &|_| "14:15".to_owned())?.left
        };
        assert_eq!([29, 30, 45].map(said), [None, Some(100), Some(50)]);
    }

    /// R5
    #[test]
    fn a_time_out_says_when_and_a_countdown_how_long() {
        let blue = Then::Answer("Blue".to_owned());
        let over = "Time is up since 15:00. The question is left waiting; you can still answer.";
        let cases = [
            (timed_out(None), &blue, over),
            (
                timed_out(Some(42)),
                &blue,
                "Waiting, 0:42 left. At 11:32 Switchboard sends your default, “Blue”.",
            ),
            (
                timed_out(Some(0)),
                &blue,
                "Time is up. Switchboard sends your default, “Blue”, once the server has been read again.",
            ),
            (
                timed_out(Some(0)),
                &Then::Reject,
                "Time is up. Switchboard dismisses it, once the server has been read again.",
            ),
            (timed_out(Some(42)), &Then::Leave, over),
        ];
        for (unanswered, then, expected) in cases {
            assert_eq!(words(question(), unanswered, then).as_deref(), Some(expected));
        }
        let left = said(question(), timed_out(Some(36)), &blue, false)
            .expect("it counts")
            .left;
        assert_eq!(left, Some(10));
    }
}
