//! Review, fix, check as one loop, and reviewers side by side: over crashes and two tabs, and every end that there is.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{ModelRef, Reply};
use switchboard_core::view::Ending;
use switchboard_core::workflow::{Broken, CheckResult, End, Goal, NoVerdict, Opinion, Reviewer, Seat, Work, Workflow};
use switchboard_core::{Bound, PromptOptions};
use switchboard_tests::scripts::{asks, script};
use switchboard_tests::world::World;

use crate::desk::{LATER, SOON};
use crate::workflows::{
    commands, desk, end_of, play, results, review, reviewer, told, until_ended, until_ended_or_asked, until_passes,
};
use crate::workflows_leased::{asked, taken_over};

/// A reviewer that finds something the first time, and says GO the second time.
fn strict() -> Reviewer {
    let found = json!({ "text": "v: NO-GO\n- H: it leaks", "again": { "text": "v: GO" } });
    Reviewer {
        prompt: format!("\n{}", script(json!([found])).to_prompt()),
        ..reviewer("strict", "", 0)
    }
}

/// A check that fails once, a reviewer that finds something once, and one that never does: two messages to the agent, three
/// checks, and two reviews.
fn together() -> Goal {
    let mut goal = review(vec![strict(), reviewer("mild", "v: GO", 300)], true);
    goal.check = until_passes("each 1:red 0:green 0:green").check;
    goal
}

/// Nothing was sent twice, and nothing was left out.
fn assert_played_once(world: &World, told: &[String], what: &str) {
    let heads: Vec<&str> = told.iter().map(|text| &text[..9]).collect();
    assert_eq!(heads, ["The check", "Reviewers"], "{what}: {}", world.story());
    assert_eq!(commands(world), 3, "{what}: each check runs once: {}", world.story());
    let asked: Vec<_> = asked(world).into_values().collect();
    assert_eq!(asked, [2, 2], "{what}: each reviewer is asked twice: {}", world.story());
}

/// F7, C8, C9
#[test]
fn it_goes_on_until_the_check_passes_and_all_say_go() {
    let (desk, session, end, workflow) = play(together());
    assert_eq!((end, results(&workflow)), (End::Passed, vec![false, true, true]));
    assert_played_once(&desk.world, &told(&desk, &session), "undisturbed");
    assert_eq!(workflow.by_round().len(), 3);
}

/// R13, F5, F7, C8
#[test]
fn after_a_crash_at_any_write_another_page_goes_on_and_nothing_is_sent_twice() {
    let mut crashes = 0;
    for commits in 1.. {
        let (mut desk, session, workflows) = desk();
        desk.tab.commits_to_live.set(Some(commits));
        workflows.start(&session, together()).expect("the session is known");
        let is_dead = desk.tab.is_dead.clone();
        desk.world.run_until("it has died, or ended", LATER, |_| {
            is_dead.get() || end_of(&workflows.list()).is_some()
        });
        if !desk.tab.is_dead.get() {
            break;
        }
        crashes += 1;
        desk.tab = desk.world.open_tab(&desk.device);
        let workflows = desk.tab.workflows();
        let (end, _) = until_ended_or_asked(&mut desk, &workflows);
        let what = format!("write {commits}");
        assert_eq!(end, End::Passed, "{what}");
        assert_played_once(&desk.world, &told(&desk, &session), &what);
    }
    assert!(crashes > 20, "{crashes}");
}

/// R13, F5, F7, C8
#[test]
fn a_tab_that_stood_still_and_has_lost_its_lease_sends_nothing_twice() {
    let mut most = 0;
    for (commits, alone) in (1..).flat_map(|commits| [0, 1_500, 60_000].map(|alone| (commits, alone))) {
        let Some((desk, session, end)) = taken_over(together(), commits, Duration::from_millis(alone)) else {
            break;
        };
        let what = format!("write {commits}, {alone} ms");
        assert_eq!(end, End::Passed, "{what}");
        assert_played_once(&desk.world, &told(&desk, &session), &what);
        most = commits;
    }
    assert!(most > 20, "{most}");
}

/// R13, F5, F7, C8
#[test]
fn a_lead_that_moves_at_any_time_makes_nothing_happen_twice() {
    for after in (0..15_000).step_by(173) {
        let (mut desk, session, workflows) = desk();
        let second = desk.world.open_tab(&desk.device);
        let followed = second.workflows();
        workflows.start(&session, together()).expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        desk.world.move_lead(&second);
        let (end, _) = until_ended_or_asked(&mut desk, &followed);
        let what = format!("after {after} ms");
        assert_eq!(end, End::Passed, "{what}");
        assert_played_once(&desk.world, &told(&desk, &session), &what);
    }
}

fn seats(workflow: &Workflow) -> &[Seat] {
    let seats = workflow.steps.iter().rev().find_map(|step| match &step.work {
        Work::Review { seats, .. } => Some(seats.as_slice()),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
    });
    seats.unwrap_or_default()
}

/// C2, C8
#[test]
fn eight_reviewers_at_once_speak_in_the_order_in_which_they_end_and_take_no_longer_than_the_slowest() {
    let delays = [7, 3, 5, 1, 8, 2, 6, 4];
    let reviewers = delays.map(|delay| reviewer(&format!("reviewer {delay}"), "v: GO", delay * 1_000));
    let (desk, _, end, workflow) = play(review(reviewers.to_vec(), false));
    assert_eq!(end, End::Passed);
    let seats = seats(&workflow);
    let mut spoken: Vec<_> = seats
        .iter()
        .zip(delays)
        .map(|(seat, delay)| (seat.ended, delay))
        .collect();
    spoken.sort_unstable();
    let order: Vec<u64> = spoken.into_iter().map(|(_, delay)| delay).collect();
    assert_eq!(order, [1, 2, 3, 4, 5, 6, 7, 8]);
    let replies = seats.iter().map(|seat| {
        let messages = desk.world.server.messages(seat.session.as_ref().expect("it was asked"));
        let reply = messages
            .last()
            .and_then(|message| message.completed)
            .expect("it has spoken");
        (reply, seat.ended.expect("it has spoken"))
    });
    for (reply, ended) in replies.clone() {
        let late = ended.0.saturating_sub(reply);
        assert!(ended.0 >= reply && late <= 1_000, "told {late} ms after the reply");
    }
    let slowest = replies.map(|(reply, _)| reply).max().expect("there are eight");
    let (_, at) = workflow.end.as_ref().expect("it has ended");
    let late = at.0.saturating_sub(slowest);
    assert!(late <= 1_000, "over {late} ms after the slowest");
}

/// F7
#[test]
fn it_ends_with_its_budget_of_tokens_or_of_dollars() {
    for (tokens, dollars, bound) in [(Some(250), None, Bound::Tokens), (None, Some(0.25), Bound::Cost)] {
        let (mut desk, session, workflows) = desk();
        desk.world.server.price_steps(100, 0.1);
        let mut goal = until_passes("each 1:a 1:b 1:c 1:d 1:e 0:f");
        goal.rounds = 10;
        (goal.budget.tokens, goal.budget.cost) = (tokens, dollars);
        workflows.start(&session, goal).expect("the session is known");
        let (end, workflow) = until_ended(&mut desk, &workflows);
        assert_eq!((end, told(&desk, &session).len()), (End::OverBudget(bound), 3));
        assert_eq!(workflow.spent().0, 300);
    }
}

/// F7, C9: what reviewers take counts as well
#[test]
fn a_budget_holds_for_the_replies_of_reviewers_too() {
    let (mut desk, session, workflows) = desk();
    desk.world.server.price_steps(100, 0.1);
    let mut goal = together();
    goal.budget.tokens = Some(250);
    workflows.start(&session, goal).expect("the session is known");
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, workflow.spent().0), (End::OverBudget(Bound::Tokens), 300));
    assert_eq!(told(&desk, &session).len(), 1, "what the reviewers found is not sent");
}

/// F7, C6
#[test]
fn an_agent_that_fails_or_whose_request_is_dismissed_ends_it() {
    let refused = script(json!([{ "status": 400 }]));
    let (_, _, end, _) = play(Goal {
        template: format!("{}\n{{output}}", refused.to_prompt()),
        ..until_passes("exit 1")
    });
    assert_eq!(end, End::AgentEnded(Ending::Failed));

    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("exit 1");
    goal.template = asks("Which?").to_prompt();
    workflows.start(&session, goal).expect("the session is known");
    let question = desk.until_waiting(&session);
    desk.answer(&question.id, Reply::Dismiss);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::AgentEnded(Ending::Dismissed));
}

/// F7, C6: as where its model is not configured
#[test]
fn an_agent_that_never_picks_up_what_it_is_told_ends_it_before_the_rounds_are_used_up() {
    let (mut desk, session, workflows) = desk();
    let model = ModelRef {
        provider: "nobody".to_owned(),
        model: "none".to_owned(),
    };
    let options = PromptOptions {
        model: Some(model),
        ..PromptOptions::default()
    };
    drop(
        desk.tab
            .handle
            .prompt(&session, "hello", options)
            .expect("the session is known"),
    );
    desk.until_ended(&session);
    let mut goal = until_passes("each 1:a 1:b 1:c 1:d 1:e 0:f");
    goal.rounds = 6;
    workflows.start(&session, goal).expect("the session is known");
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!(end, End::AgentEnded(Ending::NotStarted));
    assert_eq!((told(&desk, &session).len(), workflow.by_round().len()), (2, 3));
    // What was sent before a person goes on does not count.
    workflows.go_on(&workflow.id, 1);
    desk.world
        .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    let (end, _) = until_ended(&mut desk, &workflows);
    assert_eq!(
        (end, told(&desk, &session).len()),
        (End::AgentEnded(Ending::NotStarted), 4)
    );
}

/// F7
#[test]
fn a_check_whose_shell_does_not_start_is_no_failure_of_the_agent_and_runs_again_where_a_person_wants_it() {
    let (mut desk, session, workflows) = desk();
    let id = workflows
        .start(&session, until_passes("vanish 1\necho fine"))
        .expect("the session is known");
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert!(matches!(end, End::CheckBroken(Broken::Refused(_))), "{end:?}");
    assert!(
        matches!(&workflow.steps[0].work, Work::Check(check) if matches!(check.result, Some(CheckResult::Broken(_))))
    );
    workflows.go_on(&id, 1);
    desk.world
        .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    assert_eq!(
        (until_ended(&mut desk, &workflows).0, told(&desk, &session).len()),
        (End::Passed, 0)
    );
}

/// C3, C9
#[test]
fn a_reviewer_that_ends_without_text_has_said_nothing() {
    let silent = Reviewer {
        prompt: format!("\n{}", script(json!([{ "text": "" }])).to_prompt()),
        ..reviewer("silent", "", 0)
    };
    let (_, _, end, workflow) = play(review(vec![silent], false));
    assert_eq!(end, End::Reviewed);
    let ended = NoVerdict::Ended(Ending::Empty);
    let expected = Some(Opinion::None {
        reason: ended,
        text: String::new(),
    });
    assert_eq!(seats(&workflow)[0].opinion, expected);
}
