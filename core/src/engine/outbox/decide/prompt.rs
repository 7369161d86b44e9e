//! The decision table for prompts (docs/opencode.md, trap 1 and §5). Ids of our own make repeating one harmless.

use std::time::Duration;

use super::question::{gone, on_its_way};
use crate::engine::outbox::evidence::Decision;
use crate::model::{Attempt, GoneReason, NotSentReason, Outcome};

/// How long an accepted prompt may take to show, as a read says that begins so long after it. Source: docs/opencode.md, trap 9: 3.9 s on a cold server.
const STORE_PATIENCE: Duration = Duration::from_secs(10);

/// How long one in doubt may take. It is longer than a cold start: a copy that comes after a stop is answered once more.
const DOUBT_PATIENCE: Duration = Duration::from_secs(5);

/// How often in a row the server may take a prompt and not store it, before that is told as a refusal: it does so for an
/// agent that it does not know. More than one, for it may die before it has stored what it took. Source: docs/opencode.md, trap 1.
const TAKEN_IN_VAIN_MAX: u32 = 3;

/// How long after the end of an attempt its prompt may still come to be stored; none when it cannot have arrived.
pub(crate) fn patience_of(attempt: &Attempt) -> Option<Duration> {
    match attempt {
        Attempt::Accepted => Some(STORE_PATIENCE),
        Attempt::InDoubt(_) | Attempt::Refused(_) => Some(DOUBT_PATIENCE),
        Attempt::NotFound | Attempt::Unauthorized => None,
    }
}

/// Says what to do about a prompt, after `attempt`.
///
/// `taken` is how often in a row the server has said that it takes the prompt. `stored` is what a read begun after the attempt said about its message, and `waited` how long after its end that read
/// began.
#[must_use]
pub(crate) fn decide_prompt(
    attempt: Option<&Attempt>,
    taken: u32,
    stored: Option<bool>,
    session_gone: bool,
    waited: Duration,
) -> Decision {
    match (attempt, stored) {
        (_, Some(true)) => Decision::End(Outcome::Confirmed { note: None }),
        _ if session_gone => gone(GoneReason::SessionDeleted),
        (Some(attempt), Some(false)) if patience_of(attempt).is_some_and(|patience| waited < patience) => {
            Decision::Wait
        }
        (Some(Attempt::Accepted), Some(false)) if taken >= TAKEN_IN_VAIN_MAX => {
            Decision::Refused(NotSentReason::NotStored)
        }
        (Some(Attempt::Refused(_)), None) => Decision::Wait,
        (attempt, stored) => on_its_way(attempt, stored.map(|stored| !stored)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Refusal;

    const SOON: Duration = Duration::from_secs(1);
    const LATE: Duration = Duration::from_secs(11);

    fn refusal() -> NotSentReason {
        NotSentReason::Refused(Refusal {
            status: 400,
            message: None,
        })
    }

    /// F5: the message is there → done
    #[test]
    fn a_stored_prompt_is_confirmed() {
        for attempt in [None, Some(Attempt::Accepted), Some(Attempt::InDoubt(String::new()))] {
            let decision = decide_prompt(attempt.as_ref(), 1, Some(true), false, SOON);
            assert_eq!(decision, Decision::End(Outcome::Confirmed { note: None }));
        }
    }

    /// F5: 204, and not there for 10 s → the same body again
    #[test]
    fn an_accepted_prompt_that_does_not_show_is_sent_again_after_a_while() {
        assert_eq!(
            decide_prompt(Some(&Attempt::Accepted), 1, Some(false), false, SOON),
            Decision::Wait
        );
        assert_eq!(
            decide_prompt(Some(&Attempt::Accepted), 1, Some(false), false, LATE),
            Decision::Send
        );
    }

    /// F5: a network error, and not there → the same body again
    #[test]
    fn a_doubtful_prompt_that_does_not_show_is_sent_again_after_a_cold_start() {
        let doubt = Attempt::InDoubt(String::new());
        assert_eq!(decide_prompt(Some(&doubt), 1, Some(false), false, SOON), Decision::Wait);
        assert_eq!(decide_prompt(Some(&doubt), 1, Some(false), false, LATE), Decision::Send);
    }

    /// F5: nothing was read → nothing is decided
    #[test]
    fn a_prompt_in_doubt_waits_for_a_read() {
        for attempt in [Attempt::Accepted, Attempt::InDoubt(String::new())] {
            assert_eq!(decide_prompt(Some(&attempt), 1, None, false, LATE), Decision::Wait);
        }
    }

    /// F5: the session is gone → the text stays with the person
    #[test]
    fn a_prompt_to_a_deleted_session_is_gone() {
        assert_eq!(
            decide_prompt(Some(&Attempt::NotFound), 1, Some(false), true, SOON),
            gone(GoneReason::SessionDeleted)
        );
    }

    /// F5: 400, 415 after an attempt that may have arrived → told when the message does not show
    #[test]
    fn a_prompt_that_is_refused_when_it_is_sent_again_is_looked_for_first() {
        let refused = Attempt::Refused(refusal());
        for (stored, waited) in [(None, LATE), (Some(false), SOON)] {
            assert_eq!(decide_prompt(Some(&refused), 0, stored, false, waited), Decision::Wait);
        }
        assert_eq!(
            decide_prompt(Some(&refused), 0, Some(true), false, SOON),
            Decision::End(Outcome::Confirmed { note: None })
        );
    }

    /// F5: 400, 401, 415 → not sent, or held
    #[test]
    fn a_refused_prompt_is_not_repeated() {
        let refused = Attempt::Refused(refusal());
        assert_eq!(
            decide_prompt(Some(&refused), 1, Some(false), false, LATE),
            Decision::Refused(refusal())
        );
        assert_eq!(
            decide_prompt(Some(&Attempt::Unauthorized), 1, Some(false), false, LATE),
            Decision::Hold
        );
    }
}
