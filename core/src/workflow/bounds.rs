//! Bounds on a record: each change writes it whole, and every tab reads it.

use super::{CheckResult, Opinion, Seat, Work, Workflow};
use crate::primitives::checks::{Failure, ends_of};
use crate::primitives::completion::{Issue, Verdict};

/// So many of the newest rounds are kept whole.
const WHOLE_ROUNDS: usize = 10;
/// Bytes that are kept of a text of an older round.
const OLD_TEXT_MAX: usize = 1_000;
/// Failing lines that are kept of a check of an older round.
const OLD_FAILING_MAX: usize = 5;

/// Bytes that are kept of what a reviewer without a verdict has said. Its session has all of it.
const SAID_MAX: usize = 64 * 1024;
/// Issues that are kept of a verdict, and bytes of each.
const ISSUES_MAX: usize = 200;
const ISSUE_MAX: usize = 2_000;

impl Workflow {
    /// Shortens the texts of all but the newest rounds. What a later round is compared with stays as it is.
    pub(super) fn shorten_old_rounds(&mut self) {
        let told = self.steps.iter().enumerate();
        let told = told.filter(|(_, step)| matches!(step.work, Work::Tell(_)));
        // A round begins with what the agent was told.
        let begins: Vec<usize> = told.map(|(place, _)| place).collect();
        let newest = begins.len().checked_sub(WHOLE_ROUNDS).map_or(0, |old| begins[old]);
        self.steps[..newest].iter_mut().for_each(|step| step.work.shorten());
    }
}

impl Work {
    fn shorten(&mut self) {
        match self {
            Work::Tell(told) => shorten(&mut told.text),
            Work::Check(check) => {
                if let Some(CheckResult::Failed(Failure { output, failing, .. })) = &mut check.result {
                    shorten(output);
                    failing.truncate(OLD_FAILING_MAX);
                }
            }
            Work::Review { seats, .. } => seats.iter_mut().for_each(Seat::shorten),
            Work::AwaitReply { .. } => {}
        }
    }
}

impl Seat {
    fn shorten(&mut self) {
        if let Some(Opinion::None { text, .. }) = &mut self.opinion {
            shorten(text);
        }
    }
}

impl Opinion {
    /// What is kept of it.
    pub(super) fn bounded(self) -> Self {
        match self {
            Opinion::Verdict(verdict) => Opinion::Verdict(bounded(verdict)),
            Opinion::None { reason, text } => Opinion::None {
                reason,
                text: ends_of(&text, SAID_MAX),
            },
        }
    }
}

fn bounded(mut verdict: Verdict) -> Verdict {
    let left_out = verdict.issues.len().saturating_sub(ISSUES_MAX);
    verdict.issues.truncate(ISSUES_MAX);
    for Issue { text, .. } in &mut verdict.issues {
        *text = ends_of(text, ISSUE_MAX);
    }
    if let Some(last) = verdict.issues.last_mut().filter(|_| left_out > 0) {
        last.text.push_str(&format!(
            " (and {left_out} more issues, in the session of the reviewer)"
        ));
    }
    verdict
}

fn shorten(text: &mut String) {
    *text = ends_of(text, OLD_TEXT_MAX);
}
