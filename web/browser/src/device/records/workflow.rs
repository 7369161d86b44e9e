//! A workflow as a record.

use serde_json::Value;
use switchboard_core::checks::Failure;
use switchboard_core::completion::{Issue, Severity, Verdict, Vote};
use switchboard_core::model::PromptIds;
use switchboard_core::view::Ending;
use switchboard_core::workflow::{
    Broken, Check, CheckResult, CheckWork, End, Goal, Material, NoVerdict, Opinion, Reply, Review, Reviewer, Seat,
    SendEnd, SentFindings, Start, Step, Stop, TellWork, Work, Workflow,
};
use switchboard_core::{Bound, Budget};

use crate::codec::{Record, choice, field, object, record};

record!(Workflow {
    id,
    version,
    session,
    directory,
    begun,
    goal,
    steps,
    stop,
    went_on,
    end
});

record!(Goal {
    start,
    check,
    review,
    rounds,
    budget,
    template
});

choice!(Start {
    "now" => Now,
    "after_run" => AfterRun,
    "after_reply" => AfterReply,
});

record!(Check { command, timeout });

record!(Review {
    reviewers,
    at_once,
    material,
    fix
});

impl Record for Material {
    fn write(&self) -> Value {
        object(vec![("text", self.text.write()), ("changes", self.changes.write())])
    }

    /// An older version wrote the text alone.
    fn read(value: &Value) -> Option<Self> {
        if value.is_string() {
            return Some(Self {
                text: Record::read(value)?,
                changes: false,
            });
        }
        Some(Self {
            text: field(value, "text")?,
            changes: field(value, "changes")?,
        })
    }
}

record!(Reviewer {
    name,
    prompt,
    agent,
    model,
    timeout
});

/// Only core can make one of its fields.
impl Record for Budget {
    fn write(&self) -> Value {
        object(vec![
            ("tokens", self.tokens.write()),
            ("cost", self.cost.write()),
            ("time", self.time.write()),
        ])
    }

    fn read(value: &Value) -> Option<Self> {
        let mut budget = Self::default();
        budget.tokens = field(value, "tokens")?;
        budget.cost = field(value, "cost")?;
        budget.time = field(value, "time")?;
        Some(budget)
    }
}

choice!(Bound {
    "tokens" => Tokens,
    "cost" => Cost,
    "time" => Time,
});

record!(Step { begun, ended, work });

choice!(Work {
    "await_reply" => AwaitReply { running, updated },
    "check" => Check(check),
    "review" => Review { seats, sent, changes },
    "tell" => Tell(told),
});

record!(CheckWork {
    session,
    posted,
    result
});

choice!(CheckResult {
    "passed" => Passed,
    "failed" => Failed(failure),
    "interrupted" => Interrupted,
    "broken" => Broken(broken),
});

record!(Failure {
    exit,
    timed_out,
    output,
    failing,
    failed,
    total,
    digest
});

choice!(Broken {
    "refused" => Refused(words),
    "in_doubt" => InDoubt(words),
});

record!(Seat {
    session,
    begun,
    ids,
    opinion,
    ended,
    tokens,
    cost
});

choice!(Opinion {
    "verdict" => Verdict(verdict),
    "none" => None { reason, text },
});

record!(Verdict { persona, vote, issues });

choice!(Vote {
    "go" => Go,
    "conditional" => Conditional,
    "no_go" => NoGo,
});

record!(Issue { severity, text });

choice!(Severity {
    "critical" => Critical,
    "high" => High,
    "medium" => Medium,
    "low" => Low,
});

choice!(NoVerdict {
    "unreadable" => Unreadable(words),
    "timed_out" => TimedOut,
    "ended" => Ended(ending),
    "not_asked" => NotAsked(words),
});

record!(TellWork { text, ids, reply });

record!(PromptIds { message, part });

record!(SentFindings { ids, end });

choice!(SendEnd {
    "stored" => Stored,
    "refused" => Refused(words),
});

record!(Reply {
    message,
    ending,
    tokens,
    cost
});

choice!(Ending {
    "done" => Done,
    "empty" => Empty,
    "dismissed" => Dismissed,
    "failed" => Failed,
    "aborted" => Aborted,
    "interrupted" => Interrupted,
    "not_started" => NotStarted,
    "timed_out" => TimedOut,
});

choice!(Stop {
    "after_round" => AfterRound,
    "now" => Now,
});

choice!(End {
    "passed" => Passed,
    "reviewed" => Reviewed,
    "rounds_used_up" => RoundsUsedUp,
    "over_budget" => OverBudget(bound),
    "stalled" => Stalled,
    "stopped" => Stopped,
    "agent_ended" => AgentEnded(ending),
    "check_broken" => CheckBroken(broken),
    "not_reviewed" => NotReviewed(words),
    "not_told" => NotTold(words),
    "session_gone" => SessionGone,
});

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use switchboard_core::Time;
    use switchboard_core::model::ModelRef;

    use super::super::{NotUnderstood, read_workflow, write_workflow};
    use super::*;

    fn workflow() -> Workflow {
        Workflow {
            id: "w1".into(),
            version: 7,
            session: "ses_1".into(),
            directory: "/d".into(),
            begun: Time(5),
            goal: goal(),
            steps: works().into_iter().map(step).collect(),
            stop: Some(Stop::AfterRound),
            went_on: 2,
            end: None,
        }
    }

    fn goal() -> Goal {
        let mut goal = Goal::new(Start::AfterReply);
        goal.check = Some(Check {
            command: "cargo test".to_owned(),
            timeout: Duration::from_millis(1_500),
        });
        goal.review = Some(Review {
            reviewers: vec![reviewer("security", true), reviewer("tests", false)],
            at_once: 3,
            material: Material {
                text: "@@ -1 +1 @@\n-grüße\n+\u{1f4de}\n".to_owned(),
                changes: true,
            },
            fix: true,
        });
        goal.budget.tokens = Some(100_000);
        goal.budget.cost = Some(0.1 + 0.2);
        goal.budget.time = Some(Duration::from_secs(600));
        goal
    }

    fn reviewer(name: &str, is_chosen: bool) -> Reviewer {
        Reviewer {
            name: name.to_owned(),
            prompt: "Look.".to_owned(),
            agent: is_chosen.then(|| "plan".to_owned()),
            model: is_chosen.then(|| ModelRef {
                provider: "stub".to_owned(),
                model: "scripted".to_owned(),
            }),
            timeout: Duration::from_secs(180),
        }
    }

    fn step(work: Work) -> Step {
        Step {
            begun: Time(6),
            ended: Some(Time(7)),
            work,
        }
    }

    fn works() -> Vec<Work> {
        let mut works = vec![
            Work::AwaitReply {
                running: true,
                updated: 1_795_300_000_000,
            },
            Work::Check(CheckWork::default()),
        ];
        works.extend(results().into_iter().map(|result| {
            Work::Check(CheckWork {
                session: Some("ses_2".into()),
                posted: true,
                result: Some(result),
            })
        }));
        let seats = opinions().into_iter().map(|opinion| Seat {
            session: Some("ses_3".into()),
            begun: Some(Time(6)),
            ids: Some(ids()),
            opinion: Some(opinion),
            ended: Some(Time(7)),
            tokens: 9,
            cost: 0.01,
        });
        let seats: Vec<Seat> = seats.chain([Seat::default()]).collect();
        let ends = [SendEnd::Stored, SendEnd::Refused("no such session".to_owned())];
        let ends = ends.into_iter().map(Some).chain([None]);
        let sent = ends.map(|end| Some(SentFindings { ids: ids(), end })).chain([None]);
        works.extend(sent.map(|sent| Work::Review {
            seats: seats.clone(),
            changes: sent.is_none().then(|| "+grüße\n".to_owned()),
            sent,
        }));
        let replies = endings().into_iter().map(|ending| Reply {
            message: "msg_1".into(),
            ending,
            tokens: 1 << 40,
            cost: 1e-9,
        });
        works.extend(replies.map(Some).chain([None]).map(|reply| {
            Work::Tell(TellWork {
                text: "The check failed.".to_owned(),
                ids: reply.is_some().then(ids),
                reply,
            })
        }));
        works
    }

    fn ids() -> PromptIds {
        PromptIds {
            message: "msg_1".into(),
            part: "prt_1".into(),
        }
    }

    fn results() -> Vec<CheckResult> {
        let failure = Failure {
            exit: Some(-1),
            timed_out: true,
            output: "FAILED a\n".to_owned(),
            failing: vec!["FAILED a".to_owned()],
            failed: Some(1),
            total: Some(20),
            digest: Some(u64::MAX),
        };
        let broken = brokens().into_iter().map(CheckResult::Broken);
        broken
            .chain([
                CheckResult::Passed,
                CheckResult::Failed(Failure::default()),
                CheckResult::Failed(failure),
                CheckResult::Interrupted,
            ])
            .collect()
    }

    fn brokens() -> [Broken; 2] {
        [
            Broken::Refused("no such agent".to_owned()),
            Broken::InDoubt("no connection".to_owned()),
        ]
    }

    fn opinions() -> Vec<Opinion> {
        let severities = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
        let issues: Vec<Issue> = severities
            .into_iter()
            .map(|severity| Issue {
                severity,
                text: "it".to_owned(),
            })
            .collect();
        let verdict = |vote| Verdict {
            persona: "security".to_owned(),
            vote,
            issues: issues.clone(),
        };
        let reasons = [
            NoVerdict::Unreadable("line 1, column 2: no".to_owned()),
            NoVerdict::TimedOut,
            NoVerdict::Ended(Ending::Aborted),
            NoVerdict::NotAsked("not reached".to_owned()),
        ];
        let none = reasons.into_iter().map(|reason| Opinion::None {
            reason,
            text: "I would".to_owned(),
        });
        [Vote::Go, Vote::Conditional, Vote::NoGo]
            .into_iter()
            .map(|vote| Opinion::Verdict(verdict(vote)))
            .chain(none)
            .collect()
    }

    fn endings() -> [Ending; 8] {
        [
            Ending::Done,
            Ending::Empty,
            Ending::Dismissed,
            Ending::Failed,
            Ending::Aborted,
            Ending::Interrupted,
            Ending::NotStarted,
            Ending::TimedOut,
        ]
    }

    fn ends() -> Vec<End> {
        let bounds = [Bound::Tokens, Bound::Cost, Bound::Time].map(End::OverBudget);
        let mut ends = vec![
            End::Passed,
            End::Reviewed,
            End::RoundsUsedUp,
            End::Stalled,
            End::Stopped,
            End::NotReviewed("nothing to look at".to_owned()),
            End::NotTold("refused".to_owned()),
            End::SessionGone,
        ];
        ends.extend(bounds);
        ends.extend(endings().map(End::AgentEnded));
        ends.extend(brokens().map(End::CheckBroken));
        ends
    }

    #[test]
    fn a_workflow_is_read_back_as_it_was_written() {
        let mut cases = vec![workflow()];
        cases.extend(ends().into_iter().map(|end| Workflow {
            end: Some((end, Time(9))),
            stop: Some(Stop::Now),
            ..workflow()
        }));
        cases.push(Workflow {
            goal: Goal::new(Start::Now),
            steps: Vec::new(),
            stop: None,
            ..workflow()
        });
        for workflow in cases {
            assert_eq!(read_workflow(&write_workflow(&workflow)), Ok(workflow));
        }
    }

    #[test]
    fn the_material_of_an_older_version_is_a_text_alone() {
        let material = goal().review.expect("it has one").material;
        let text = write_workflow(&workflow());
        let old = text.replace(&material.write().to_string(), &material.text.write().to_string());
        assert_ne!(old, text);
        let review = read_workflow(&old).expect("it is understood").goal.review;
        let expected = Material {
            changes: false,
            ..material
        };
        assert_eq!(review.map(|review| review.material), Some(expected));
    }

    #[test]
    fn a_workflow_of_another_form_is_not_read() {
        let text = write_workflow(&workflow());
        for (known, unknown) in [
            ("\"format\":1", "\"format\":2"),
            ("\"after_reply\"", "\"at_night\""),
            ("\"await_reply\"", "\"await_rain\""),
            ("\"steps\"", "\"paces\""),
        ] {
            let other = text.replace(known, unknown);
            assert_ne!(other, text, "{known}");
            assert_eq!(read_workflow(&other), Err(NotUnderstood), "{unknown}");
        }
    }
}
