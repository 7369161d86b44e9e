//! The sentences that tell how far an answer is.

use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::model::{Ask, ElsewhereAnswer, GoneReason, NotSentReason, Reply};
use switchboard_core::view::{Durability, RequestState, RequestView};

use crate::kit::age::{age, ordinal, short_span};
use crate::words::refusal;
use crate::words::reject::stops_in_any_case;
use crate::words::said::is_of_another_tab;

/// A sentence whose beginning is stressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The beginning.
    pub strong: String,
    /// The rest.
    pub rest: String,
}

fn sentence(strong: &str, rest: String) -> Sentence {
    Sentence {
        strong: strong.to_owned(),
        rest,
    }
}

/// How far an answer is; none while the request waits. `server` is the server's name, `clock` writes a time of day.
#[must_use]
pub fn sentence_of(view: &RequestView, server: &str, now: Time, clock: &dyn Fn(Time) -> String) -> Option<Sentence> {
    let said = match &view.state {
        RequestState::Waiting => return None,
        RequestState::Sending {
            attempt,
            problem,
            next_try,
            ..
        } => {
            let kept = match view.durability {
                Durability::Pending => "It is being saved on this device.",
                Durability::Saved => "It is saved on this device.",
                Durability::Failed => "It is not saved on this device: keep this tab open.",
            };
            let next = next_try
                .map(|next| next.since(now))
                .filter(|rest| *rest >= Duration::from_secs(1))
                .map(|rest| format!(" Next try in {}.", age(rest)));
            match problem {
                None => sentence("Sending", format!("to {server}. {kept}")),
                Some(_) => {
                    let kept = match view.durability {
                        Durability::Saved => "Your answer is saved here and goes out when it can.",
                        Durability::Pending | Durability::Failed => kept,
                    };
                    let strong = match attempt {
                        0 | 1 => "Sending.".to_owned(),
                        more => format!("Sending, {} try.", ordinal(*more)),
                    };
                    let next = next.unwrap_or_default();
                    sentence(
                        &strong,
                        format!("It did not reach {server}, or no answer came back. {kept}{next}"),
                    )
                }
            }
        }
        RequestState::Sent { at } => sentence(
            "Sent, not confirmed.",
            format!(
                "The server took it {} ago. The agent has not shown it yet; still checking.",
                age(now.since(*at))
            ),
        ),
        RequestState::Answered { at, sent, note } => {
            let note = note.as_ref().map(|note| format!(" {note}")).unwrap_or_default();
            let strong = match view.reply {
                Some(Reply::Reject { .. }) => "Rejected.",
                Some(Reply::Answers(_) | Reply::Dismiss | Reply::Once | Reply::Always) | None => "Answered.",
            };
            sentence(
                strong,
                format!(
                    "Confirmed {} after {} sent it. {}{note}",
                    short_span(at.since(*sent)),
                    if view.by_policy { "its time-out" } else { "you" },
                    what_follows(view)
                ),
            )
        }
        RequestState::AnsweredElsewhere { answer, .. } => elsewhere(view, answer),
        RequestState::Dismissed { by_us, .. } => dismissed(view, *by_us),
        RequestState::NotSent { reason } => not_sent(reason),
        RequestState::Gone { reason, at } => gone(view, reason, &clock(*at)),
    };
    Some(said)
}

/// How long an answer took until it was proven.
#[must_use]
pub fn confirmed_after(span: Duration) -> String {
    format!("confirmed after {}", short_span(span))
}

/// An answer that was not taken: by the server, or by this page before it was sent.
#[must_use]
pub fn not_sent(reason: &NotSentReason) -> Sentence {
    let reason = refusal::sentence(reason);
    sentence("Not sent.", format!("{reason}. Your answer is kept."))
}

fn what_follows(view: &RequestView) -> &'static str {
    match &view.reply {
        Some(Reply::Dismiss | Reply::Reject { message: None }) => "The run ended.",
        Some(Reply::Reject { .. }) if stops_in_any_case(&view.request) => "The run ended.",
        Some(Reply::Answers(_) | Reply::Once | Reply::Always | Reply::Reject { message: Some(_) }) | None => {
            "The agent goes on."
        }
    }
}

fn elsewhere(view: &RequestView, answer: &ElsewhereAnswer) -> Sentence {
    let is_ours = is_of_another_tab(view);
    let place = if is_ours { "in another tab" } else { "elsewhere" };
    let strong = match answer {
        ElsewhereAnswer::Answers(answers) => {
            format!("Answered {place}: {}.", Reply::Answers(answers.clone()).summary())
        }
        ElsewhereAnswer::Allowed => format!("Allowed {place}."),
        ElsewhereAnswer::Rejected => format!("Rejected {place}."),
        ElsewhereAnswer::Unknown => "Answered elsewhere.".to_owned(),
    };
    let who = if is_ours {
        ""
    } else {
        "By another client; the server does not say which."
    };
    let own = match (&view.reply, &view.draft) {
        (Some(_), _) if !is_ours => "Yours came later and did not reach the agent. It is kept.",
        (_, Some(_)) => "Your draft was not sent. It is kept.",
        (_, None) => "",
    };
    let rest = [who, own].into_iter().filter(|said| !said.is_empty());
    sentence(&strong, rest.collect::<Vec<_>>().join(" "))
}

fn dismissed(view: &RequestView, by_us: bool) -> Sentence {
    let who = match (by_us, view.by_policy) {
        (true, true) => "by its time-out",
        (true, false) => "by you",
        (false, _) => "elsewhere",
    };
    let what = match view.request.ask {
        Ask::Questions(_) => "Dismissed",
        Ask::Permission(_) => "Rejected",
    };
    let parent = if view.origin.len() > 1 {
        "The sub-agent ended; its parent goes on."
    } else {
        "The run ended."
    };
    sentence(what, format!("{who}. {parent}"))
}

/// Why nobody waits for a request any more, as a sentence without an end. `at` is the time of day.
#[must_use]
pub fn why_gone(reason: &GoneReason, at: &str) -> String {
    match reason {
        GoneReason::Restarted => format!("The server restarted at {at} and forgot it"),
        // By a person, or by a loop whose reviewer has used up its time.
        GoneReason::Stopped { by_us: true } => format!("The run was stopped from here at {at}"),
        GoneReason::Stopped { by_us: false } => format!("The run was stopped at {at}"),
        GoneReason::SessionDeleted => "Its session was deleted".to_owned(),
        GoneReason::MessageRemoved => "Its message was removed from the session".to_owned(),
        GoneReason::Failed(error) => format!("Its tool call failed: {error}"),
    }
}

fn gone(view: &RequestView, reason: &GoneReason, at: &str) -> Sentence {
    let why = why_gone(reason, at);
    if view.request.permission().is_some() {
        return sentence("The request is gone.", format!("{why}."));
    }
    let rest = match &view.rescue {
        Some(rescue) if rescue.complete => {
            format!("{why}, so your answer did not reach the agent. It is kept, and can go as a message:")
        }
        Some(_) => format!("{why}. You can still answer; it goes as a message."),
        None => format!("{why}."),
    };
    sentence("The question is gone.", rest)
}

#[cfg(test)]
mod tests {

    use switchboard_core::model::{Draft, DraftKey, DraftText};
    use switchboard_core::view::{Rescue, SessionRef};

    use super::*;
    use crate::fixtures::asking;

    fn view(state: RequestState) -> RequestView {
        RequestView {
            reply: Some(Reply::Answers(vec![vec!["sqlx".to_owned()]])),
            ..asking("que_1", Ask::Questions(Vec::new()), state)
        }
    }

    fn said(view: &RequestView) -> String {
        let sentence = sentence_of(view, "laptop", Time(20_000), &|_| "14:15".to_owned()).expect("it has a word");
        format!("{} {}", sentence.strong, sentence.rest)
    }

    /// R4
    #[test]
    fn each_step_of_an_answer_has_its_own_words() {
        let mut sending = view(RequestState::Sending {
            attempt: 1,
            since: Time(0),
            problem: None,
            next_try: None,
        });
        assert_eq!(said(&sending), "Sending to laptop. It is saved on this device.");
        sending.durability = Durability::Pending;
        assert_eq!(said(&sending), "Sending to laptop. It is being saved on this device.");
        sending.durability = Durability::Failed;
        assert!(said(&sending).ends_with("It is not saved on this device: keep this tab open."));
        assert!(said(&view(RequestState::Sent { at: Time(14_000) })).contains("The server took it 6 s ago."));
        let answered = RequestState::Answered {
            at: Time(2_200),
            sent: Time(1_000),
            note: None,
        };
        assert_eq!(
            said(&view(answered)),
            "Answered. Confirmed 1.2 s after you sent it. The agent goes on."
        );
    }

    /// R5
    #[test]
    fn what_a_time_out_did_is_not_put_down_to_a_person() {
        let by_policy = |state| RequestView {
            by_policy: true,
            ..view(state)
        };
        let answered = RequestState::Answered {
            at: Time(2_200),
            sent: Time(1_000),
            note: None,
        };
        let dismissed = RequestState::Dismissed {
            by_us: true,
            at: Time(0),
        };
        assert_eq!(
            said(&by_policy(answered)),
            "Answered. Confirmed 1.2 s after its time-out sent it. The agent goes on."
        );
        assert_eq!(said(&by_policy(dismissed)), "Dismissed by its time-out. The run ended.");
    }

    /// R4
    #[test]
    fn who_was_first_is_told_as_far_as_it_is_known() {
        let answers = |label: &str| vec![vec![label.to_owned()]];
        let taken = |label| {
            view(RequestState::AnsweredElsewhere {
                answer: ElsewhereAnswer::Answers(answers(label)),
                at: Time(0),
            })
        };
        assert_eq!(
            said(&taken("tokio-postgres")),
            "Answered elsewhere: tokio-postgres. By another client; the server does not say which. Yours came later and \
             did not reach the agent. It is kept."
        );
        let mut in_tab = taken("sqlx");
        in_tab.draft = Some(Draft {
            key: DraftKey::Request("que_1".into()),
            text: DraftText::Prompt("diesel".to_owned()),
        });
        assert_eq!(
            said(&in_tab),
            "Answered in another tab: sqlx. Your draft was not sent. It is kept."
        );
        let unsaid = RequestView {
            reply: None,
            ..taken("sqlx")
        };
        assert_eq!(
            said(&unsaid),
            "Answered elsewhere: sqlx. By another client; the server does not say which."
        );
    }

    /// R7, R14
    #[test]
    fn a_dead_question_offers_its_answer_as_a_message_only_when_there_is_one() {
        let mut gone = view(RequestState::Gone {
            reason: GoneReason::Restarted,
            at: Time(0),
        });
        let mut rescue = Rescue {
            text: String::new(),
            to: SessionRef {
                id: "ses_1".into(),
                title: String::new(),
            },
            complete: true,
        };
        gone.rescue = Some(rescue.clone());
        let restarted = "The question is gone. The server restarted at 14:15 and forgot it";
        assert_eq!(
            said(&gone),
            format!("{restarted}, so your answer did not reach the agent. It is kept, and can go as a message:")
        );
        rescue.complete = false;
        gone.rescue = Some(rescue);
        assert_eq!(
            said(&gone),
            format!("{restarted}. You can still answer; it goes as a message.")
        );
    }
}
