//! The words for policies.

use std::time::Duration;

use switchboard_browser::device::activity::Kind;
use switchboard_core::policy::{Policy, Then};

use crate::kit::age::{age, count};
use crate::words::activity::request_asked;
use crate::words::request_title::shortened;

/// What a policy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Questions of all sessions.
    Questions,
    /// Permissions of all sessions.
    Permissions,
    /// Whatever one session asks.
    Session,
}

/// How much of an option is quoted.
const QUOTED: usize = 40;

/// What can happen: its name, and how it is made.
pub type Offer = (&'static str, fn() -> Then);

/// The times that are offered.
pub const AFTER: [Option<Duration>; 5] = [None, minutes(15), minutes(30), minutes(60), minutes(240)];

const fn minutes(minutes: u64) -> Option<Duration> {
    Some(Duration::from_secs(minutes * 60))
}

/// When something happens.
#[must_use]
pub fn after(after: Option<Duration>) -> String {
    after.map_or_else(|| "Never".to_owned(), |after| format!("After {}", age(after)))
}

/// The title of the choices.
pub const TITLE: &str = "When nobody answers";

/// What the policies need.
pub const ABOUT: &str =
    "Counted from when this device first saw the request. Something happens only while a page of Switchboard is open.";

/// Over the sessions for which something else is chosen.
pub const SESSIONS: &str = "Single sessions";

/// Ends what is chosen for one session.
pub const AS_FOR_ALL: &str = "As for all";

/// A session that is not listed any more.
pub const UNKNOWN_SESSION: &str = "A session that the server does not list";

/// Over what is going to happen.
pub const NEXT: &str = "What happens next";

/// Over what has happened.
pub const DONE: &str = "What time-outs did";

/// After what a policy has just said.
pub const ON_ITS_WAY: &str = "It is on its way and cannot be taken back.";

/// Leads to the message that corrects an answer of a policy.
pub const CORRECT: &str = "Write a correction";

/// In its place.
pub const NOT_CORRECTABLE: &str = "The server does not list its session any more, so a correction has nowhere to go.";

/// Leads to all of it.
pub const ALL_DONE: &str = "All that time-outs did";

/// How many requests are not listed.
#[must_use]
pub fn more(requests: usize) -> String {
    format!("And {} more.", count(requests, "request"))
}

/// What is chosen for a session, in a few words.
#[must_use]
pub fn summary(policy: &Policy) -> String {
    let then = match &policy.then {
        _ if policy.after.is_none() => return after(None),
        Then::Leave => "keep waiting".to_owned(),
        Then::Reject => "dismiss or reject".to_owned(),
        Then::Answer(label) => format!("answer with “{}”", shortened(label, QUOTED)),
    };
    format!("{}: {then}", after(policy.after))
}

/// Whether what a policy has said can be undone.
#[must_use]
pub fn undoing(kind: Kind) -> &'static str {
    match kind {
        Kind::Rejected | Kind::Dismissed => "Its run ended. That cannot be taken back; you can correct it.",
        Kind::Asked | Kind::Answered | Kind::Gone | Kind::TimedOut | Kind::Outage | Kind::RunEnded => {
            "The agent has it. It cannot be taken back; you can correct it."
        }
    }
}

/// The beginning of a message that corrects what a policy has said. Both are as they were recorded.
#[must_use]
pub fn correction(asked: &str, said: &str) -> String {
    let question = request_asked(asked).map(|question| format!("You asked: “{question}” "));
    format!("{}{said}, not I. My answer: ", question.unwrap_or_default())
}

impl Scope {
    /// What is waited for.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Questions => "Questions",
            Scope::Permissions => "Permissions",
            Scope::Session => "This session",
        }
    }

    /// What can happen.
    #[must_use]
    pub fn offers(self) -> &'static [Offer] {
        const LEAVE: Offer = ("Keep waiting", || Then::Leave);
        const ANSWER: Offer = ("Answer with an option", || Then::Answer(String::new()));
        match self {
            Scope::Questions => &[LEAVE, ("Dismiss the question", || Then::Reject), ANSWER],
            Scope::Permissions => &[LEAVE, ("Reject it", || Then::Reject)],
            Scope::Session => &[LEAVE, ("Dismiss or reject", || Then::Reject), ANSWER],
        }
    }

    /// What follows from a policy; none where nothing happens.
    #[must_use]
    pub fn consequence(self, policy: &Policy) -> Option<&'static str> {
        policy.after?;
        Some(match (&policy.then, self) {
            (Then::Leave, _) => "You are warned before. Then it is marked as timed out, and can still be answered.",
            (Then::Reject, Scope::Questions) => {
                "Dismissing a question ends the run. This holds for those that wait now, too."
            }
            (Then::Reject, Scope::Permissions) => {
                "Rejecting stops the run, and rejects what else its session asks for. This holds for those that wait now, too."
            }
            (Then::Reject, Scope::Session) => {
                "Dismissing and rejecting end the run. This holds for what waits now, too."
            }
            (Then::Answer(label), _) if label.is_empty() => "Nothing is answered until you name an option.",
            (Then::Answer(_), Scope::Questions) => {
                "Sent after a countdown of a minute that you can stop. A question without exactly this option keeps waiting."
            }
            (Then::Answer(_), Scope::Permissions | Scope::Session) => {
                "Sent after a countdown of a minute that you can stop. A permission, or a question without exactly this \
                 option, keeps waiting."
            }
        })
    }
}

/// True when both do the same, whatever the option is called.
#[must_use]
pub fn is_same(one: &Then, other: &Then) -> bool {
    std::mem::discriminant(one) == std::mem::discriminant(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(after: Option<Duration>, then: Then) -> Policy {
        Policy { after, then }
    }

    /// R5
    #[test]
    fn times_are_offered_in_words() {
        assert_eq!(
            AFTER.map(after),
            ["Never", "After 15 min", "After 30 min", "After 1 h", "After 4 h"]
        );
    }

    /// R5
    #[test]
    fn what_is_chosen_for_a_session_is_told_in_a_few_words() {
        let said = |after, then| summary(&policy(after, then));
        assert_eq!(said(None, Then::Reject), "Never");
        assert_eq!(said(AFTER[2], Then::Reject), "After 30 min: dismiss or reject");
        assert_eq!(
            said(AFTER[1], Then::Answer("Blue".to_owned())),
            "After 15 min: answer with “Blue”"
        );
    }

    /// R5
    #[test]
    fn a_permission_is_never_answered_by_itself() {
        let answers = |scope: Scope| scope.offers().iter().any(|(_, then)| matches!(then(), Then::Answer(_)));
        assert!(answers(Scope::Questions) && !answers(Scope::Permissions));
    }

    /// R5
    #[test]
    fn each_choice_says_what_follows_from_it() {
        let said = |after, then| Scope::Questions.consequence(&policy(after, then)).unwrap_or_default();
        assert_eq!(said(None, Then::Reject), "");
        assert!(said(AFTER[1], Then::Leave).contains("can still be answered"));
        assert!(said(AFTER[1], Then::Reject).contains("ends the run"));
        assert!(said(AFTER[1], Then::Answer(String::new())).starts_with("Nothing is answered"));
        assert!(said(AFTER[1], Then::Answer("Blue".to_owned())).contains("that you can stop"));
    }
}
