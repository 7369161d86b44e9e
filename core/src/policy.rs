//! What happens to a request that nobody answers (requirements R5, R6).

use std::time::Duration;

use crate::collections::SortedMap;
use crate::model::{Ask, Question, Reply, Request, SessionId};
use crate::primitives::rendezvous::{TIME_OUT, deadlines};
use crate::time::Time;

/// How long a countdown to a default answer lasts at least. Source: requirements R5.
pub const COUNTDOWN: Duration = Duration::from_secs(60);
/// The policies of a board. The most exact one holds: of the session, else of the kind of request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unattended {
    /// For questions.
    pub questions: Policy,
    /// For permissions.
    pub permissions: Policy,
    /// For all requests of some sessions.
    pub sessions: SortedMap<SessionId, Policy>,
}

/// What happens to one request that nobody answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// After how long, counted from when this engine first saw it; none is never. Defaults to 30 minutes.
    pub after: Option<Duration>,
    /// What happens then.
    pub then: Then,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            after: Some(TIME_OUT),
            then: Then::Leave,
        }
    }
}

impl Policy {
    /// This happens when nobody has answered for so long.
    #[must_use]
    pub fn new(after: Duration, then: Then) -> Self {
        Self {
            after: Some(after),
            then,
        }
    }

    /// Nothing happens, ever.
    #[must_use]
    pub fn never() -> Self {
        Self {
            after: None,
            then: Then::Leave,
        }
    }
}

/// What a time-out does, beyond freeing who waits for the answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Then {
    /// Nothing: the request stays answerable.
    #[default]
    Leave,
    /// A question is dismissed, a permission rejected, once a fresh list still names it.
    Reject,
    /// Questions that have an option with this label get it, after a countdown of [`COUNTDOWN`] that a person can undo.
    /// Where one question of the request has no such option, and for permissions, this is [`Then::Leave`].
    Answer(String),
}

impl Unattended {
    /// Nothing happens to any request, ever: what the dashboard begins with.
    #[must_use]
    pub fn never() -> Self {
        Self {
            questions: Policy::never(),
            permissions: Policy::never(),
            sessions: SortedMap::new(),
        }
    }

    /// The policy that holds for a request.
    #[must_use]
    pub fn policy(&self, request: &Request) -> &Policy {
        let of_kind = match request.ask {
            Ask::Questions(_) => &self.questions,
            Ask::Permission(_) => &self.permissions,
        };
        self.sessions.get(&request.session).unwrap_or(of_kind)
    }
}

impl Policy {
    /// When the warning comes, and when the time is up.
    pub(crate) fn deadlines(&self, seen: Time) -> Option<(Time, Time)> {
        deadlines(self.after, seen)
    }

    /// What it says to this request by itself; none where it says nothing.
    #[must_use]
    pub fn reply(&self, request: &Request) -> Option<Reply> {
        match (&self.then, &request.ask) {
            (Then::Leave, _) | (Then::Answer(_), Ask::Permission(_)) => None,
            (Then::Reject, Ask::Questions(_)) => Some(Reply::Dismiss),
            (Then::Reject, Ask::Permission(_)) => Some(Reply::Reject { message: None }),
            (Then::Answer(label), Ask::Questions(questions)) => {
                let offers = |question: &Question| question.options.iter().any(|option| option.label == *label);
                let answers = || questions.iter().map(|_| vec![label.clone()]).collect();
                questions.iter().all(offers).then(|| Reply::Answers(answers()))
            }
        }
    }

    /// How long its reply can be seen coming, and be stopped.
    pub(crate) fn countdown(&self) -> Duration {
        match self.then {
            Then::Answer(_) => COUNTDOWN,
            Then::Leave | Then::Reject => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn minutes(minutes: u64) -> Duration {
        Duration::from_secs(minutes * 60)
    }

    /// R6
    #[test]
    fn the_warning_comes_five_minutes_before_or_after_half_the_time() {
        for (after, warning) in [(30, 25), (10, 5), (8, 4), (2, 1)] {
            let policy = Policy {
                after: Some(minutes(after)),
                then: Then::Leave,
            };
            let found = policy.deadlines(Time(0));
            assert_eq!(found, Some((Time(0) + minutes(warning), Time(0) + minutes(after))));
        }
        assert_eq!(Policy::never().deadlines(Time(0)), None);
    }
}
