//! The decision table for replies to permissions (docs/opencode.md §13). A tool part never shows the reply itself.

use super::question::{elsewhere, ending_of, gone, is_untraced, on_its_way, untraced};
use crate::engine::outbox::evidence::{Attempts, Decision, Evidence, PartState};
use crate::engine::outbox::{ABORTED, REJECTED};
use crate::model::{Attempt, ElsewhereAnswer, GoneReason, Outcome, Reply};

/// Says what to do about a reply to a permission, after `attempts`, in the light of `evidence`.
///
/// A request that is still listed although its part has ended is a ghost: it is never replied to, for a rejection
/// would take the live permissions of the session along.
#[must_use]
pub(crate) fn decide_permission<'a>(
    reply: Option<&Reply>,
    attempts: impl Into<Attempts<'a>>,
    evidence: &Evidence,
) -> Decision {
    let attempts = attempts.into();
    let attempt = attempts.last;
    match &evidence.part {
        PartState::SessionGone => gone(GoneReason::SessionDeleted),
        PartState::Vanished => gone(GoneReason::MessageRemoved),
        _ if evidence.asked_again && evidence.listed != Some(true) => went_on(reply, attempts),
        PartState::Error(text) if text.contains(REJECTED) => match (reply, attempt) {
            // One call may ask twice: the rejection is that of the other request.
            (Some(Reply::Once | Reply::Always), Some(Attempt::Accepted)) => went_on(reply, attempts),
            (Some(Reply::Reject { .. }), Some(Attempt::NotFound)) => elsewhere(ElsewhereAnswer::Rejected),
            (Some(Reply::Reject { .. }), _) if attempts.had_no_effect() => elsewhere(ElsewhereAnswer::Rejected),
            // What the agent was told is in the part.
            (Some(Reply::Reject { message: Some(told) }), Some(Attempt::InDoubt(_))) if !text.contains(told) => {
                elsewhere(ElsewhereAnswer::Rejected)
            }
            (Some(Reply::Reject { .. }), Some(_)) => Decision::End(Outcome::Confirmed { note: None }),
            (Some(_) | None, _) => elsewhere(ElsewhereAnswer::Rejected),
        },
        PartState::Error(text) if is_stopped(text) => Decision::End(ending_of(text)),
        PartState::Completed(_) | PartState::Error(_) => went_on(reply, attempts),
        PartState::Running if evidence.listed == Some(false) && evidence.running == Some(true) => {
            match (reply, attempt) {
                // A rejection ends the part within a moment: one that goes on was allowed before ours came, or without it.
                (Some(Reply::Reject { .. }), None | Some(Attempt::NotFound | Attempt::InDoubt(_)))
                    if evidence.absent =>
                {
                    elsewhere(ElsewhereAnswer::Allowed)
                }
                (Some(Reply::Reject { .. }), _) => on_its_way(attempt, evidence.listed),
                // A run that was stopped a moment before leaves a part that seems to go on, too.
                (Some(_) | None, _) if evidence.outlasts => went_on(reply, attempts),
                (Some(_) | None, _) => on_its_way(attempt, evidence.listed),
            }
        }
        PartState::Running | PartState::Unread if evidence.orphaned => {
            Decision::End(Outcome::Cancelled { by_us: false })
        }
        PartState::Unread if is_untraced(evidence, attempt) => untraced(attempt),
        PartState::Running | PartState::Unread if evidence.forgotten => gone(GoneReason::Restarted),
        PartState::Running | PartState::Unread => on_its_way(attempt, evidence.listed),
    }
}

fn is_stopped(error: &str) -> bool {
    let lower = error.to_ascii_lowercase();
    ABORTED.iter().any(|word| lower.contains(word))
}

/// The call was allowed, by us or by somebody else.
fn went_on(reply: Option<&Reply>, attempts: Attempts<'_>) -> Decision {
    let note = match (reply, attempts.last) {
        (Some(Reply::Once | Reply::Always), _) if attempts.had_no_effect() => {
            return elsewhere(ElsewhereAnswer::Allowed);
        }
        (Some(Reply::Once | Reply::Always), Some(Attempt::Accepted)) => None,
        (Some(Reply::Once), Some(_)) => Some("Allowed; by whom is not known.".to_owned()),
        (Some(Reply::Always), Some(_)) => {
            Some("Allowed; by whom is not known, nor whether the server noted “always”.".to_owned())
        }
        (_, _) => return elsewhere(ElsewhereAnswer::Allowed),
    };
    Decision::End(Outcome::Confirmed { note })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NotSentReason, Refusal};

    const REJECTION: &str = "The user rejected permission to use this specific tool call.";

    fn evidence(part: PartState, listed: bool, running: bool) -> Evidence {
        Evidence {
            part,
            listed: Some(listed),
            running: Some(running),
            outlasts: true,
            absent: false,
            asked_again: false,
            forgotten: false,
            orphaned: false,
            untraced: false,
        }
    }

    fn refusal() -> NotSentReason {
        NotSentReason::Refused(Refusal {
            status: 400,
            message: None,
        })
    }

    fn reject() -> Reply {
        Reply::Reject { message: None }
    }

    /// R19: once, always | 200 true, not listed, part went on → answered
    #[test]
    fn an_accepted_permission_is_proven_by_the_call_going_on() {
        for reply in [Reply::Once, Reply::Always] {
            for part in [PartState::Running, PartState::Completed(None)] {
                let decision = decide_permission(Some(&reply), Some(&Attempt::Accepted), &evidence(part, false, true));
                assert_eq!(decision, Decision::End(Outcome::Confirmed { note: None }));
            }
        }
    }

    /// R23: listed although its session does not run → never replied to
    #[test]
    fn a_permission_that_outlives_its_run_is_over() {
        for part in [PartState::Unread, PartState::Running] {
            let orphaned = Evidence {
                orphaned: true,
                ..evidence(part, true, false)
            };
            for attempt in [None, Some(&Attempt::Accepted)] {
                let decision = decide_permission(Some(&reject()), attempt, &orphaned);
                assert_eq!(decision, Decision::End(Outcome::Cancelled { by_us: false }));
            }
        }
    }

    /// R23: no message shows it, not listed twice | accepted → confirmed, with a note | else → answered elsewhere, or unknown
    #[test]
    fn a_permission_without_a_message_is_proven_by_the_list() {
        let untraced = |listed| Evidence {
            untraced: true,
            ..evidence(PartState::Unread, listed, true)
        };
        let doubt = Attempt::InDoubt("no answer".to_owned());
        let decide = |attempt, listed| decide_permission(Some(&Reply::Once), attempt, &untraced(listed));
        let accepted = decide(Some(&Attempt::Accepted), false);
        assert!(
            matches!(accepted, Decision::End(Outcome::Confirmed { note: Some(_) })),
            "{accepted:?}"
        );
        for attempt in [None, Some(&doubt), Some(&Attempt::NotFound)] {
            assert_eq!(decide(attempt, false), elsewhere(ElsewhereAnswer::Unknown));
        }
        assert_eq!(decide(Some(&doubt), true), Decision::Send);
        let restarted = Evidence {
            running: Some(false),
            forgotten: true,
            ..untraced(false)
        };
        let decision = decide_permission(Some(&Reply::Once), Some(&doubt), &restarted);
        assert_eq!(decision, gone(GoneReason::Restarted));
    }

    /// R19: once, always | no reply or 404, not listed, the part went on → allowed, by whom is not known
    #[test]
    fn a_doubtful_permission_that_went_on_says_that_it_is_not_known_by_whom() {
        for attempt in [Attempt::NotFound, Attempt::InDoubt("no answer".to_owned())] {
            for (reply, words) in [
                (Reply::Once, "by whom is not known"),
                (Reply::Always, "whether the server noted"),
            ] {
                let decision =
                    decide_permission(Some(&reply), Some(&attempt), &evidence(PartState::Running, false, true));
                let Decision::End(Outcome::Confirmed { note: Some(note) }) = decision else {
                    panic!("{decision:?}")
                };
                assert!(note.contains(words), "{note}");
            }
        }
    }

    /// R19: once, always | in doubt or 404, part error with the rejection text → answered elsewhere: rejected
    #[test]
    fn a_rejection_by_somebody_else_is_told() {
        for reply in [Reply::Once, Reply::Always] {
            for attempt in [Attempt::NotFound, Attempt::InDoubt(String::new())] {
                let rejected = evidence(PartState::Error(REJECTION.to_owned()), false, false);
                let decision = decide_permission(Some(&reply), Some(&attempt), &rejected);
                assert_eq!(decision, elsewhere(ElsewhereAnswer::Rejected));
            }
        }
    }

    /// R19: one call asks twice, and only the second request was rejected
    #[test]
    fn a_permission_that_the_server_took_is_not_called_rejected_for_what_was_asked_next() {
        for reply in [Reply::Once, Reply::Always] {
            let rejected = evidence(PartState::Error(REJECTION.to_owned()), false, false);
            let decision = decide_permission(Some(&reply), Some(&Attempt::Accepted), &rejected);
            assert_eq!(decision, Decision::End(Outcome::Confirmed { note: None }));
        }
    }

    /// R19: what the server has turned down has rejected nothing
    #[test]
    fn a_rejection_that_was_certainly_not_taken_is_not_called_ours() {
        let rejected = evidence(PartState::Error(REJECTION.to_owned()), false, false);
        for attempt in [Attempt::Refused(refusal()), Attempt::Unauthorized] {
            let decision = decide_permission(Some(&reject()), Some(&attempt), &rejected);
            assert_eq!(decision, elsewhere(ElsewhereAnswer::Rejected));
        }
    }

    /// R19: reject with a message, in doubt | the part tells another story → somebody else rejected it
    #[test]
    fn a_rejection_in_doubt_is_ours_when_the_agent_was_told_our_words() {
        let ours = Reply::Reject {
            message: Some("use printf".to_owned()),
        };
        let doubt = Attempt::InDoubt("no answer".to_owned());
        let decide = |error: String| {
            decide_permission(
                Some(&ours),
                Some(&doubt),
                &evidence(PartState::Error(error), false, true),
            )
        };
        let told = format!("{REJECTION} with the following feedback: use printf");
        assert_eq!(decide(told), Decision::End(Outcome::Confirmed { note: None }));
        assert_eq!(decide(REJECTION.to_owned()), elsewhere(ElsewhereAnswer::Rejected));
    }

    /// R19: reject, in doubt | the call has asked for the next thing, and that was rejected → the first was allowed
    #[test]
    fn a_rejection_of_what_was_asked_next_is_not_that_of_what_was_asked_first() {
        for listed in [Some(false), None] {
            let next_was_rejected = Evidence {
                asked_again: true,
                listed,
                ..evidence(PartState::Error(REJECTION.to_owned()), false, false)
            };
            let doubt = Attempt::InDoubt("no answer".to_owned());
            let decision = decide_permission(Some(&reject()), Some(&doubt), &next_was_rejected);
            assert_eq!(decision, elsewhere(ElsewhereAnswer::Allowed));
        }
    }

    /// R19: reject, with or without message | part error → answered
    #[test]
    fn a_rejection_is_proven_by_the_rejected_part() {
        for reply in [
            reject(),
            Reply::Reject {
                message: Some("use printf".to_owned()),
            },
        ] {
            let decision = decide_permission(
                Some(&reply),
                Some(&Attempt::Accepted),
                &evidence(PartState::Error(REJECTION.to_owned()), false, false),
            );
            assert_eq!(decision, Decision::End(Outcome::Confirmed { note: None }));
        }
    }

    /// R19: any | still listed, content unchanged → send again
    #[test]
    fn a_permission_that_is_still_listed_is_sent_again() {
        for reply in [Reply::Once, Reply::Always, reject()] {
            for attempt in [Attempt::Accepted, Attempt::NotFound, Attempt::InDoubt(String::new())] {
                assert_eq!(
                    decide_permission(Some(&reply), Some(&attempt), &evidence(PartState::Running, true, true)),
                    Decision::Send
                );
            }
        }
    }

    /// R19: any | not listed, part running, session not in the status map, twice → gone
    #[test]
    fn a_permission_that_a_restart_forgot_is_gone() {
        for reply in [Reply::Once, Reply::Always, reject()] {
            let seen = Evidence {
                outlasts: true,
                absent: false,
                asked_again: false,
                forgotten: true,
                ..evidence(PartState::Running, false, false)
            };
            assert_eq!(
                decide_permission(Some(&reply), Some(&Attempt::Accepted), &seen),
                gone(GoneReason::Restarted)
            );
        }
    }

    /// R12: a permission ghost is never replied to
    #[test]
    fn nothing_is_sent_to_a_ghost() {
        for reply in [Reply::Once, Reply::Always, reject()] {
            let ghost = evidence(PartState::Error("Tool execution aborted".to_owned()), true, false);
            assert_eq!(
                decide_permission(Some(&reply), None, &ghost),
                Decision::End(Outcome::Cancelled { by_us: false })
            );
        }
    }

    /// R19: once | the allowed call itself failed: the reply arrived all the same
    #[test]
    fn a_call_that_fails_by_itself_was_allowed() {
        let seen = evidence(PartState::Error("No such file".to_owned()), false, true);
        assert_eq!(
            decide_permission(Some(&Reply::Once), Some(&Attempt::Accepted), &seen),
            Decision::End(Outcome::Confirmed { note: None })
        );
    }

    /// R19: reject | the call went on: somebody allowed it
    #[test]
    fn a_rejection_that_came_too_late_is_told() {
        let seen = evidence(PartState::Completed(None), false, true);
        assert_eq!(
            decide_permission(Some(&reject()), Some(&Attempt::NotFound), &seen),
            elsewhere(ElsewhereAnswer::Allowed)
        );
    }
}
