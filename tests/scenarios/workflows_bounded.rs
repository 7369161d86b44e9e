//! Loops that go on for long, and agents that say a lot: what is kept of them has a bound.

use std::sync::Arc;

use switchboard_core::completion::Severity;
use switchboard_core::workflow::{CheckResult, End, Opinion, Work, Workflow};

use crate::workflows::{play, review, reviewer, told, until_passes};

/// Bytes of what the agent was told, and of what is kept of what the check printed, round by round.
fn kept(workflow: &Arc<Workflow>) -> Vec<(usize, usize)> {
    let rounds = workflow.by_round();
    let lengths = rounds.iter().map(|round| {
        let mut lengths = (0, 0);
        for step in *round {
            match &step.work {
                Work::Tell(told) => lengths.0 = told.text.len(),
                Work::Check(check) => {
                    if let Some(CheckResult::Failed(failure)) = &check.result {
                        lengths.1 = failure.output.len();
                    }
                }
                Work::AwaitReply { .. } | Work::Review { .. } => {}
            }
        }
        lengths
    });
    lengths.collect()
}

/// F7
#[test]
fn of_many_rounds_the_newest_are_kept_whole_and_the_agent_is_told_all_of_each() {
    let results: Vec<String> = (1..=13).map(|round| format!("1:try-{round}")).collect();
    let long = "x".repeat(3_000);
    let mut goal = until_passes(&format!("echo {long}\neach {} 0:good", results.join(" ")));
    goal.rounds = 20;
    let (desk, session, end, workflow) = play(goal);
    assert_eq!((end, workflow.round()), (End::Passed, 14));
    let kept = kept(&workflow);
    assert_eq!(kept.len(), 14);
    let is_short = |(told, printed): &(usize, usize)| *told <= 1_000 && (1..=1_000).contains(printed);
    assert!(kept[..3].iter().all(is_short), "{kept:?}");
    let is_whole = |(told, printed): &(usize, usize)| *told > 3_000 && *printed > 3_000;
    assert!(kept[4..13].iter().all(is_whole), "{kept:?}");
    let told = told(&desk, &session);
    assert_eq!(told.len(), 13);
    assert!(told.iter().all(|text| text.contains(&long)), "a message was cut");
}

/// C4, C9: of a reviewer who goes on and on
#[test]
fn of_what_a_reviewer_says_without_a_verdict_both_ends_are_kept() {
    let said = format!("The first word. {} The last word.", "Hm. ".repeat(100_000));
    let (_, _, _, workflow) = play(review(vec![reviewer("prose", &said, 0)], false));
    let Work::Review { seats, .. } = &workflow.steps[0].work else {
        panic!("{:?}", workflow.steps);
    };
    let Some(Opinion::None { text, .. }) = &seats[0].opinion else {
        panic!("{:?}", seats[0].opinion);
    };
    assert!(text.len() <= 64 * 1024, "{}", text.len());
    assert!(text.starts_with("The first word.") && text.ends_with("The last word."));
}

/// C9: a verdict without end
#[test]
fn of_a_verdict_with_thousands_of_issues_some_are_kept_and_the_others_counted() {
    let issues = "- M: a name that could be better\n".repeat(1_999);
    let says = format!("v: NO-GO\n{issues}- C: {}\n", "long ".repeat(10_000));
    let (_, _, _, workflow) = play(review(vec![reviewer("thorough", &says, 0)], false));
    let Work::Review { seats, .. } = &workflow.steps[0].work else {
        panic!("{:?}", workflow.steps);
    };
    let Some(Opinion::Verdict(verdict)) = &seats[0].opinion else {
        panic!("{:?}", seats[0].opinion);
    };
    assert_eq!(verdict.issues.len(), 200);
    let (first, last) = (&verdict.issues[0], &verdict.issues[199]);
    assert!(first.severity == Severity::Critical && first.text.len() <= 2_000);
    assert!(
        last.text
            .ends_with("(and 1800 more issues, in the session of the reviewer)"),
        "{}",
        last.text
    );
}
