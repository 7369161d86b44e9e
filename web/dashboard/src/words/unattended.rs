//! The words for policies.

use std::time::Duration;

use switchboard_core::policy::{Policy, Then};

use crate::kit::age::age;

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

/// For which server the policies are, and what they need.
#[must_use]
pub fn about(server: &str) -> String {
    format!(
        "For {server}. Counted from when this device first saw the request. Something happens only while a page of \
         Switchboard is open."
    )
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
