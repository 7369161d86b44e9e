//! Bounds on a record: each change writes it whole, and every tab reads it.

use super::{CheckResult, Opinion, Seat, Work, Workflow};
use crate::collections::sort_by_key;
use crate::primitives::checks::{Failure, LEFT_OUT, ends_of};
use crate::primitives::completion::{Issue, Verdict};

/// So many of the newest rounds are kept whole.
const WHOLE_ROUNDS: usize = 10;
/// Bytes that are kept of a text of an older round.
const OLD_TEXT_MAX: usize = 1_000;
/// Failing lines that are kept of a check of an older round.
const OLD_FAILING_MAX: usize = 5;

/// Issues that are kept of a verdict of an older round, and bytes of each.
const OLD_ISSUES_MAX: usize = 20;
const OLD_ISSUE_MAX: usize = 200;

/// Bytes that are kept of what a reviewer without a verdict has said. Its session has all of it.
const SAID_MAX: usize = 64 * 1024;
/// Issues that are kept of a verdict, and bytes of each.
const ISSUES_MAX: usize = 200;
const ISSUE_MAX: usize = 2_000;

impl Workflow {
    /// Shortens the texts of all but the newest rounds. What a later round is compared with stays as it is, and so does the newest
    /// review: a person may have the agent sent what it found.
    pub(super) fn shorten_old_rounds(&mut self) {
        let told = self.steps.iter().enumerate();
        let told = told.filter(|(_, step)| matches!(step.work, Work::Tell(_)));
        // A round begins with what the agent was told.
        let begins: Vec<usize> = told.map(|(place, _)| place).collect();
        let newest = begins.len().checked_sub(WHOLE_ROUNDS).map_or(0, |old| begins[old]);
        let reviewed = self.newest_review().map(|(place, ..)| place);
        let old = self.steps[..newest].iter_mut().enumerate();
        let old = old.filter(|(place, _)| Some(*place) != reviewed);
        old.for_each(|(_, step)| step.work.shorten());
    }
}

impl Work {
    fn shorten(&mut self) {
        match self {
            Work::Tell(told) => shorten(&mut told.text),
            Work::Check(check) => {
                if let Some(CheckResult::Failed(Failure { output, failing, .. })) = &mut check.result {
                    shorten(output);
                    if failing.len() > OLD_FAILING_MAX + 1 {
                        failing.truncate(OLD_FAILING_MAX);
                        failing.push(LEFT_OUT.to_owned());
                    }
                }
            }
            Work::Review { seats, .. } => seats.iter_mut().for_each(Seat::shorten),
            Work::AwaitReply { .. } => {}
        }
    }
}

impl Seat {
    fn shorten(&mut self) {
        match &mut self.opinion {
            Some(Opinion::None { text, .. }) => shorten(text),
            Some(Opinion::Verdict(verdict)) => bound(verdict, OLD_ISSUES_MAX, OLD_ISSUE_MAX),
            None => {}
        }
    }
}

impl Opinion {
    /// What is kept of it.
    pub(super) fn bounded(self) -> Self {
        match self {
            Opinion::Verdict(mut verdict) => {
                bound(&mut verdict, ISSUES_MAX, ISSUE_MAX);
                Opinion::Verdict(verdict)
            }
            Opinion::None { reason, text } => Opinion::None {
                reason,
                text: ends_of(&text, SAID_MAX),
            },
        }
    }
}

/// Keeps so many issues of a verdict, the worst ones, and so many bytes of each.
fn bound(verdict: &mut Verdict, issues: usize, bytes: usize) {
    let left_out = verdict.issues.len().saturating_sub(issues);
    if left_out > 0 {
        sort_by_key(&mut verdict.issues, |issue| issue.severity);
        verdict.issues.truncate(issues);
    }
    for Issue { text, .. } in &mut verdict.issues {
        *text = ends_of(text, bytes);
    }
    if let Some(last) = verdict.issues.last_mut().filter(|_| left_out > 0) {
        last.text.push_str(&format!(
            " (and {left_out} more issues, in the session of the reviewer)"
        ));
    }
}

fn shorten(text: &mut String) {
    *text = ends_of(text, OLD_TEXT_MAX);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WorkflowId;
    use crate::primitives::completion::{Severity, Vote};
    use crate::time::Time;
    use crate::workflow::{Goal, Start, Step, TellWork};

    fn step(work: Work) -> Step {
        Step {
            begun: Time(0),
            ended: Some(Time(0)),
            work,
        }
    }

    fn reviewed() -> Work {
        let issue = Issue {
            severity: Severity::High,
            text: "x".repeat(ISSUE_MAX),
        };
        let verdict = Verdict {
            persona: String::new(),
            vote: Vote::NoGo,
            issues: vec![issue; ISSUES_MAX],
        };
        let seat = Seat {
            opinion: Some(Opinion::Verdict(verdict)),
            ..Seat::default()
        };
        Work::Review {
            seats: vec![seat],
            sent: None,
            changes: None,
        }
    }

    /// Bytes of the issues of the review at a place.
    fn kept(workflow: &Workflow, place: usize) -> usize {
        let Work::Review { seats, .. } = &workflow.steps[place].work else {
            return 0;
        };
        let Some(Opinion::Verdict(verdict)) = &seats[0].opinion else {
            return 0;
        };
        verdict.issues.iter().map(|issue| issue.text.len()).sum()
    }

    /// C9
    #[test]
    fn of_verdicts_of_old_rounds_less_is_kept_but_of_the_newest_review_all() {
        let mut workflow = Workflow {
            id: WorkflowId::from("w".to_owned()),
            version: 1,
            session: "ses_1".into(),
            directory: "/d".into(),
            begun: Time(0),
            goal: Goal::new(Start::Now),
            steps: vec![step(reviewed())],
            stop: None,
            went_on: 0,
            end: None,
        };
        let told = || {
            step(Work::Tell(TellWork {
                text: "Mend it.".to_owned(),
                ids: None,
                reply: None,
            }))
        };
        workflow.steps.extend((0..WHOLE_ROUNDS).map(|_| told()));
        workflow.shorten_old_rounds();
        assert_eq!(kept(&workflow, 0), ISSUES_MAX * ISSUE_MAX, "the newest review");
        workflow.steps.push(step(reviewed()));
        workflow.steps.push(told());
        workflow.shorten_old_rounds();
        assert!(kept(&workflow, 0) < 6_000, "{}", kept(&workflow, 0));
        assert_eq!(kept(&workflow, WHOLE_ROUNDS + 1), ISSUES_MAX * ISSUE_MAX);
    }
}
