//! An entry of the ledger as a record.

use switchboard_core::model::{Entry, ModelRef, Prompt, Sent};

use crate::codec::{choice, record};

record!(Entry {
    id,
    version,
    created,
    session,
    directory,
    sent,
    stage,
    attempts,
    settled
});

choice!(Sent {
    "reply" => Reply { request, reply, by_policy },
    "prompt" => Prompt { prompt, rescues },
});

record!(Prompt {
    message,
    part,
    text,
    agent,
    model
});

record!(ModelRef { provider, model });

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use switchboard_core::Time;
    use switchboard_core::model::{
        Ask, Attempt, ElsewhereAnswer, GoneReason, NotSentReason, Outcome, Permission, Refusal, Reply, Request, Stage,
    };

    use super::super::{read_entry, write_entry};
    use super::*;

    fn permission() -> Arc<Request> {
        Arc::new(Request {
            id: "per_1".into(),
            session: "ses_1".into(),
            directory: "/d".into(),
            tool: None,
            ask: Ask::Permission(Box::new(Permission {
                kind: "bash".to_owned(),
                patterns: vec!["echo hi".to_owned()],
                always: vec!["echo *".to_owned()],
                command: Some("echo hi".to_owned()),
                file: Some("a.txt".to_owned()),
                diff: Some("@@ -1 +1 @@".to_owned()),
                detail: "{\"a\":1}".to_owned(),
            })),
        })
    }

    fn reply(reply: Reply) -> Sent {
        Sent::Reply {
            request: permission(),
            reply,
            by_policy: true,
        }
    }

    fn prompt() -> Sent {
        Sent::Prompt {
            prompt: Arc::new(Prompt {
                message: "msg_1".into(),
                part: "prt_1".into(),
                text: "grüße \u{1f4de}".to_owned(),
                agent: Some("build".to_owned()),
                model: Some(ModelRef {
                    provider: "stub".to_owned(),
                    model: "scripted".to_owned(),
                }),
            }),
            rescues: Some("que_1".into()),
        }
    }

    fn kinds_of_send() -> Vec<Sent> {
        vec![
            reply(Reply::Answers(vec![vec!["Red".to_owned()], vec![]])),
            reply(Reply::Dismiss),
            reply(Reply::Once),
            reply(Reply::Always),
            reply(Reply::Reject { message: None }),
            reply(Reply::Reject {
                message: Some("not there".to_owned()),
            }),
            prompt(),
        ]
    }

    fn attempted(attempt: Attempt) -> Stage {
        Stage::Attempted { attempt, at: Time(7) }
    }

    fn ended(outcome: Outcome) -> Stage {
        Stage::Ended { outcome, at: Time(8) }
    }

    fn reasons() -> Vec<NotSentReason> {
        vec![
            NotSentReason::Refused(Refusal {
                status: 400,
                message: Some("Missing key".to_owned()),
            }),
            NotSentReason::Refused(Refusal {
                status: 413,
                message: None,
            }),
            NotSentReason::Changed,
            NotSentReason::TooOld,
            NotSentReason::AgeUnknown,
            NotSentReason::AlwaysDelayed,
            NotSentReason::NotStored,
            NotSentReason::SessionDeleted,
        ]
    }

    fn stages() -> Vec<Stage> {
        let refused = reasons().into_iter().map(|reason| attempted(Attempt::Refused(reason)));
        let others = vec![
            Stage::Saved,
            Stage::Attempting { begun: Time(6) },
            attempted(Attempt::Accepted),
            attempted(Attempt::NotFound),
            attempted(Attempt::Refused(NotSentReason::Other("no".to_owned()))),
            attempted(Attempt::Unauthorized),
            attempted(Attempt::InDoubt("lost".to_owned())),
            ended(Outcome::Confirmed {
                note: Some("whose is unknown".to_owned()),
            }),
            ended(Outcome::AnsweredElsewhere(ElsewhereAnswer::Answers(vec![vec![
                "Blue".to_owned(),
            ]]))),
            ended(Outcome::AnsweredElsewhere(ElsewhereAnswer::Allowed)),
            ended(Outcome::AnsweredElsewhere(ElsewhereAnswer::Rejected)),
            ended(Outcome::AnsweredElsewhere(ElsewhereAnswer::Unknown)),
            ended(Outcome::Dismissed),
            ended(Outcome::Gone(GoneReason::Restarted)),
            ended(Outcome::Gone(GoneReason::Stopped { by_us: true })),
            ended(Outcome::Gone(GoneReason::SessionDeleted)),
            ended(Outcome::Gone(GoneReason::MessageRemoved)),
            ended(Outcome::Gone(GoneReason::Failed("tool broke".to_owned()))),
            ended(Outcome::Cancelled { by_us: false }),
        ];
        refused.chain(others).collect()
    }

    /// R13
    #[test]
    fn a_refusal_that_an_earlier_version_stored_as_a_text_is_read_as_that_text() {
        let text = r#"{"format":1,"content":{"id":"rescue:que_1","version":3,"created":5,"session":"ses_1","directory":"/d",
            "sent":{"prompt":{"prompt":{"message":"msg_1","part":"prt_1","text":"go on","agent":null,"model":null},
                "rescues":null}},
            "stage":{"attempted":{"attempt":{"refused":"Missing key (400)"},"at":7}},"attempts":1,"settled":false}}"#;
        let stage = read_entry(text).map(|entry| entry.stage);
        let reason = NotSentReason::Other("Missing key (400)".to_owned());
        assert_eq!(stage, Ok(attempted(Attempt::Refused(reason))));
    }

    /// R13
    #[test]
    fn an_entry_is_read_back_as_it_was_written() {
        for sent in kinds_of_send() {
            for stage in stages() {
                let entry = Entry {
                    id: "per_1".into(),
                    version: 3,
                    created: Time(5),
                    session: "ses_1".into(),
                    directory: "/d".into(),
                    sent: sent.clone(),
                    stage,
                    attempts: 2,
                    settled: true,
                };
                assert_eq!(read_entry(&write_entry(&entry)), Ok(entry));
            }
        }
    }
}
