//! The decision table for answers to questions (docs/opencode.md §13).

use crate::engine::outbox::evidence::{Attempts, Decision, Evidence, PartState};
use crate::engine::outbox::{ABORTED, DISMISSED};
use crate::model::{Attempt, ElsewhereAnswer, GoneReason, Outcome, Reply};

/// Says what to do about an answer or a dismissal, after `attempts`, in the light of `evidence`.
///
/// Without a reply of ours it says how the question ended, if it has.
#[must_use]
pub(crate) fn decide_answer<'a>(
    reply: Option<&Reply>,
    attempts: impl Into<Attempts<'a>>,
    evidence: &Evidence,
) -> Decision {
    let attempts = attempts.into();
    match &evidence.part {
        PartState::Completed(Some(taken)) => match reply {
            Some(Reply::Answers(sent)) if sent == taken => Decision::End(Outcome::Confirmed { note: None }),
            Some(_) | None => elsewhere(ElsewhereAnswer::Answers(taken.clone())),
        },
        PartState::Completed(None) if attempts.had_no_effect() => elsewhere(ElsewhereAnswer::Unknown),
        PartState::Completed(None) if attempts.last == Some(&Attempt::Accepted) => {
            Decision::End(Outcome::Confirmed { note: None })
        }
        PartState::Completed(None) => Decision::End(Outcome::Confirmed {
            note: Some("Answered; by whom is not known.".to_owned()),
        }),
        PartState::Error(text) if text.contains(DISMISSED) => match reply {
            Some(Reply::Dismiss) if !attempts.had_no_effect() => Decision::End(Outcome::Confirmed { note: None }),
            Some(_) | None => Decision::End(Outcome::Dismissed),
        },
        PartState::Error(text) => Decision::End(ending_of(text)),
        PartState::Vanished => gone(GoneReason::MessageRemoved),
        PartState::SessionGone => gone(GoneReason::SessionDeleted),
        PartState::Unread if is_untraced(evidence, attempts.last) => untraced(attempts.last),
        PartState::Running | PartState::Unread if evidence.forgotten => gone(GoneReason::Restarted),
        PartState::Running | PartState::Unread => on_its_way(attempts.last, evidence.listed),
    }
}

/// What an attempt that a tool part does not settle asks for. The first reply wins, so a second one cannot be taken.
pub(crate) fn on_its_way(attempt: Option<&Attempt>, listed: Option<bool>) -> Decision {
    match (attempt, listed) {
        (None, _) => Decision::Send,
        (Some(Attempt::Refused(reason)), _) => Decision::Refused(reason.clone()),
        (Some(Attempt::Unauthorized), _) => Decision::Hold,
        (Some(Attempt::Accepted | Attempt::NotFound | Attempt::InDoubt(_)), Some(true)) => Decision::Send,
        (Some(Attempt::Accepted | Attempt::NotFound | Attempt::InDoubt(_)), Some(false) | None) => Decision::Wait,
    }
}

/// Whether the list alone decides. A request that was not accepted from us, and whose run is over, may have gone with a restart.
pub(crate) fn is_untraced(evidence: &Evidence, attempt: Option<&Attempt>) -> bool {
    let may_be_answered = evidence.running != Some(false) || attempt == Some(&Attempt::Accepted);
    evidence.untraced && evidence.listed == Some(false) && may_be_answered
}

/// How a request ended that has left the list, and whose message is in no page (requirements R23).
pub(crate) fn untraced(attempt: Option<&Attempt>) -> Decision {
    match attempt {
        Some(Attempt::Accepted) => Decision::End(Outcome::Confirmed {
            note: Some("The server took it; what the agent made of it could not be read.".to_owned()),
        }),
        Some(_) | None => elsewhere(ElsewhereAnswer::Unknown),
    }
}

/// How a request ended whose tool part has this error, and was neither dismissed nor rejected.
pub(crate) fn ending_of(error: &str) -> Outcome {
    let lower = error.to_ascii_lowercase();
    if ABORTED.iter().any(|word| lower.contains(word)) {
        Outcome::Cancelled { by_us: false }
    } else {
        Outcome::Gone(GoneReason::Failed(error.to_owned()))
    }
}

pub(crate) fn elsewhere(answer: ElsewhereAnswer) -> Decision {
    Decision::End(Outcome::AnsweredElsewhere(answer))
}

pub(crate) fn gone(reason: GoneReason) -> Decision {
    Decision::End(Outcome::Gone(reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NotSentReason, Refusal};

    fn blue() -> Reply {
        Reply::Answers(vec![vec!["Blue".to_owned()]])
    }

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

    fn doubt() -> Attempt {
        Attempt::InDoubt("no answer".to_owned())
    }

    fn every_attempt() -> [Option<Attempt>; 6] {
        [
            None,
            Some(Attempt::Accepted),
            Some(Attempt::NotFound),
            Some(Attempt::Refused(refusal())),
            Some(Attempt::Unauthorized),
            Some(doubt()),
        ]
    }

    /// R4: any | completed, our answers → done
    #[test]
    fn our_answers_in_the_part_confirm_whatever_the_server_said() {
        for attempt in every_attempt() {
            let seen = evidence(PartState::Completed(Some(vec![vec!["Blue".to_owned()]])), false, true);
            assert_eq!(
                decide_answer(Some(&blue()), attempt.as_ref(), &seen),
                Decision::End(Outcome::Confirmed { note: None })
            );
        }
    }

    /// R4: any | completed, other answers → answered elsewhere
    #[test]
    fn other_answers_in_the_part_mean_that_somebody_else_was_first() {
        let red = vec![vec!["Red".to_owned()]];
        for attempt in every_attempt() {
            let seen = evidence(PartState::Completed(Some(red.clone())), false, true);
            let expected = Outcome::AnsweredElsewhere(ElsewhereAnswer::Answers(red.clone()));
            assert_eq!(
                decide_answer(Some(&blue()), attempt.as_ref(), &seen),
                Decision::End(expected)
            );
        }
    }

    /// R4: any | error → say why
    #[test]
    fn an_error_in_the_part_says_how_it_ended() {
        let cases = [
            ("The user dismissed this question", Outcome::Dismissed),
            ("Tool execution aborted", Outcome::Cancelled { by_us: false }),
            ("disk full", Outcome::Gone(GoneReason::Failed("disk full".to_owned()))),
        ];
        for (error, expected) in cases {
            for attempt in every_attempt() {
                let seen = evidence(PartState::Error(error.to_owned()), false, false);
                assert_eq!(
                    decide_answer(Some(&blue()), attempt.as_ref(), &seen),
                    Decision::End(expected.clone())
                );
            }
        }
    }

    /// R4: a dismissal is proven by the dismissed part
    #[test]
    fn a_dismissed_part_confirms_a_dismissal() {
        let seen = evidence(
            PartState::Error("The user dismissed this question".to_owned()),
            false,
            false,
        );
        let confirmed = Decision::End(Outcome::Confirmed { note: None });
        assert_eq!(
            decide_answer(Some(&Reply::Dismiss), Some(&Attempt::Accepted), &seen),
            confirmed
        );
    }

    /// R4: network error, 5xx, time-out, HTML | running, still pending → send again
    #[test]
    fn a_doubtful_answer_that_is_still_listed_is_sent_again() {
        let seen = evidence(PartState::Running, true, true);
        assert_eq!(decide_answer(Some(&blue()), Some(&doubt()), &seen), Decision::Send);
    }

    /// R4: 200 true | running, still listed → send again
    #[test]
    fn an_accepted_answer_that_is_still_listed_is_sent_again() {
        let seen = evidence(PartState::Running, true, true);
        assert_eq!(
            decide_answer(Some(&blue()), Some(&Attempt::Accepted), &seen),
            Decision::Send
        );
    }

    /// R4: 200 true | running, not listed, session in the map → sent, not confirmed
    #[test]
    fn an_accepted_answer_that_is_not_listed_waits_for_its_part() {
        let seen = evidence(PartState::Running, false, true);
        assert_eq!(
            decide_answer(Some(&blue()), Some(&Attempt::Accepted), &seen),
            Decision::Wait
        );
    }

    /// R4: network error or time-out | running, not listed, session in the map → wait
    #[test]
    fn a_doubtful_answer_that_is_not_listed_is_not_sent_again() {
        let seen = evidence(PartState::Running, false, true);
        assert_eq!(decide_answer(Some(&blue()), Some(&doubt()), &seen), Decision::Wait);
    }

    /// R4: 404 | running, listed → the directory whose list named it
    #[test]
    fn a_404_for_a_listed_question_goes_to_the_directory_that_lists_it() {
        let seen = evidence(PartState::Running, true, true);
        assert_eq!(
            decide_answer(Some(&blue()), Some(&Attempt::NotFound), &seen),
            Decision::Send
        );
    }

    /// R4: 401 | any → hold
    #[test]
    fn a_401_holds_the_answer() {
        for listed in [true, false] {
            let seen = evidence(PartState::Running, listed, true);
            assert_eq!(
                decide_answer(Some(&blue()), Some(&Attempt::Unauthorized), &seen),
                Decision::Hold
            );
        }
    }

    /// R4: 400, 415 | running → not sent, no retry
    #[test]
    fn a_refused_answer_is_not_repeated() {
        for listed in [true, false] {
            let seen = evidence(PartState::Running, listed, true);
            let refused = Attempt::Refused(refusal());
            assert_eq!(
                decide_answer(Some(&blue()), Some(&refused), &seen),
                Decision::Refused(refusal())
            );
        }
    }

    /// R4: 200 true / other | completed without answers → answered / by whom is not known
    #[test]
    fn a_part_that_does_not_tell_its_answers_proves_what_was_accepted() {
        let seen = evidence(PartState::Completed(None), false, true);
        assert_eq!(
            decide_answer(Some(&blue()), Some(&Attempt::Accepted), &seen),
            Decision::End(Outcome::Confirmed { note: None })
        );
        let note = Some("Answered; by whom is not known.".to_owned());
        assert_eq!(
            decide_answer(Some(&blue()), Some(&doubt()), &seen),
            Decision::End(Outcome::Confirmed { note })
        );
    }

    /// R4: what the server has turned down did not answer anything
    #[test]
    fn an_answer_that_was_certainly_not_taken_is_not_called_answered() {
        let seen = evidence(PartState::Completed(None), false, true);
        let turned_down = [Attempt::Refused(refusal()), Attempt::Unauthorized];
        for attempt in &turned_down {
            assert_eq!(
                decide_answer(Some(&blue()), Some(attempt), &seen),
                elsewhere(ElsewhereAnswer::Unknown)
            );
            let after_a_doubt = Attempts {
                last: Some(attempt),
                earlier: true,
            };
            let decision = decide_answer(Some(&blue()), after_a_doubt, &seen);
            assert!(
                matches!(decision, Decision::End(Outcome::Confirmed { note: Some(_) })),
                "{decision:?}"
            );
        }
    }

    /// R4: any | part or message vanished → gone
    #[test]
    fn a_removed_message_leaves_the_text_with_the_person() {
        for attempt in every_attempt() {
            let seen = evidence(PartState::Vanished, false, true);
            assert_eq!(
                decide_answer(Some(&blue()), attempt.as_ref(), &seen),
                gone(GoneReason::MessageRemoved)
            );
        }
    }

    /// R14: any, also 200 | running, not pending, not in the map, twice → orphan
    #[test]
    fn a_question_that_a_restart_forgot_is_gone_even_after_a_yes() {
        for attempt in every_attempt() {
            let seen = Evidence {
                outlasts: true,
                absent: false,
                forgotten: true,
                ..evidence(PartState::Running, false, false)
            };
            assert_eq!(
                decide_answer(Some(&blue()), attempt.as_ref(), &seen),
                gone(GoneReason::Restarted)
            );
        }
    }

    /// R4: any | message or session 404 → session deleted
    #[test]
    fn a_deleted_session_leaves_the_text_with_the_person() {
        for attempt in every_attempt() {
            let seen = evidence(PartState::SessionGone, true, false);
            assert_eq!(
                decide_answer(Some(&blue()), attempt.as_ref(), &seen),
                gone(GoneReason::SessionDeleted)
            );
        }
    }

    /// R8: what was not read decides nothing
    #[test]
    fn a_failed_read_decides_nothing() {
        let blind = Evidence {
            part: PartState::Unread,
            listed: None,
            running: None,
            outlasts: true,
            absent: false,
            asked_again: false,
            forgotten: false,
            orphaned: false,
            untraced: false,
        };
        for attempt in [Attempt::Accepted, Attempt::NotFound, doubt()] {
            assert_eq!(decide_answer(Some(&blue()), Some(&attempt), &blind), Decision::Wait);
        }
    }
}
