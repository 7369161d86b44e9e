//! What is said of a request that nobody answers (requirements R5, R6).

use switchboard_core::model::{Ask, Reply};
use switchboard_core::time::Time;
use switchboard_core::unattended::{Policy, Then};
use switchboard_core::view::RequestView;

use super::super::age::age;
use super::title::shortened;

/// How much of a default answer is quoted.
const QUOTED: usize = 40;

/// How far the time of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It runs out.
    Warned,
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
    /// The words.
    pub words: String,
}

/// What is said of the time of a request; none while there is nothing to say. `clock` writes a time of day.
#[must_use]
pub fn time_out(view: &RequestView, policy: &Policy, now: Time, clock: &dyn Fn(Time) -> String) -> Option<TimeOut> {
    let unanswered = view.unanswered.as_ref()?;
    let reply = policy.reply(&view.request);
    let label = match (&policy.then, &reply) {
        (Then::Answer(label), Some(_)) => shortened(label, QUOTED),
        (Then::Leave | Then::Reject | Then::Answer(_), _) => String::new(),
    };
    let rejected = match view.request.ask {
        Ask::Questions(_) => "dismissed",
        Ask::Permission(_) => "rejected",
    };
    if let (Some(left), Some(reply)) = (unanswered.answering_in, &reply) {
        let when = if left.is_zero() {
            "once the server has been read again".to_owned()
        } else {
            format!("in {}", age(left))
        };
        let words = match reply {
            Reply::Answers(_) => format!("Answers “{label}” {when}"),
            Reply::Dismiss | Reply::Once | Reply::Always | Reply::Reject { .. } => format!("Is {rejected} {when}"),
        };
        let stage = Stage::Counting;
        return Some(TimeOut { stage, words });
    }
    if let Some(at) = unanswered.timed_out {
        let words = format!("Timed out at {}. It can still be answered.", clock(at));
        let stage = Stage::TimedOut;
        return Some(TimeOut { stage, words });
    }
    let left = age(unanswered.until.since(now));
    let follows = match reply {
        None => format!("times out in {left}."),
        Some(Reply::Answers(_)) => format!("the countdown to “{label}” begins in {left}."),
        Some(Reply::Dismiss | Reply::Once | Reply::Always | Reply::Reject { .. }) => {
            format!("it is {rejected} in {left}.")
        }
    };
    unanswered.warned.then(|| TimeOut {
        stage: Stage::Warned,
        words: format!("Nobody has answered: {follows}"),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use switchboard_core::model::{Choice, Question};
    use switchboard_core::view::{RequestState, Unanswered};

    use super::*;
    use crate::ui::fixtures::asking;

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

    fn said(ask: Ask, unanswered: Unanswered, then: &Then) -> Option<String> {
        let policy = Policy {
            after: Some(Duration::from_secs(900)),
            then: then.clone(),
        };
        let now = UNTIL - Duration::from_secs(250);
        time_out(&view(ask, unanswered), &policy, now, &|_| "14:05".to_owned()).map(|found| found.words)
    }

    /// R6
    #[test]
    fn nothing_is_said_before_the_warning() {
        let early = Unanswered {
            warned: false,
            ..warned()
        };
        assert_eq!(said(question(), early, &Then::Reject), None);
    }

    /// R6
    #[test]
    fn the_warning_says_what_happens_and_when() {
        let blue = Then::Answer("Blue".to_owned());
        let red = Then::Answer("Red".to_owned());
        let permission = || Ask::Permission(Box::default());
        for (ask, then, words) in [
            (question(), &Then::Leave, "times out in 4 min."),
            (question(), &Then::Reject, "it is dismissed in 4 min."),
            (permission(), &Then::Reject, "it is rejected in 4 min."),
            (question(), &blue, "the countdown to “Blue” begins in 4 min."),
            (question(), &red, "times out in 4 min."),
            (permission(), &blue, "times out in 4 min."),
        ] {
            assert_eq!(said(ask, warned(), then), Some(format!("Nobody has answered: {words}")));
        }
    }

    /// R5
    #[test]
    fn a_time_out_says_when_and_a_countdown_how_long() {
        let blue = Then::Answer("Blue".to_owned());
        let cases = [
            (timed_out(None), "Timed out at 14:05. It can still be answered."),
            (timed_out(Some(42)), "Answers “Blue” in 42 s"),
            (timed_out(Some(0)), "Answers “Blue” once the server has been read again"),
        ];
        for (unanswered, words) in cases {
            assert_eq!(said(question(), unanswered, &blue).as_deref(), Some(words));
        }
        assert_eq!(
            said(question(), timed_out(Some(0)), &Then::Reject).as_deref(),
            Some("Is dismissed once the server has been read again")
        );
        assert_eq!(
            said(question(), timed_out(Some(42)), &Then::Leave).as_deref(),
            Some("Timed out at 14:05. It can still be answered.")
        );
    }
}
