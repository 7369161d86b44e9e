//! Sessions that go on until a check passes and reviewers agree, also after a crash at any step.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use switchboard_core::Bound;
use switchboard_core::model::{Role, SessionId};
use switchboard_core::view::Ending;
use switchboard_core::workflow::{
    Broken, Check, CheckResult, End, Goal, Material, NoVerdict, Opinion, Review, Reviewer, Start, Stop, Work, Workflow,
    Workflows,
};
use switchboard_tests::scripts::{asks, script};
use switchboard_tests::store::StoreHealth;
use switchboard_tests::tab::Tab;
use switchboard_tests::world::World;

use crate::desk::{Desk, LATER, SOON, blue};

/// Goes on until the command has exited with 0.
pub(crate) fn until_passes(command: &str) -> Goal {
    let mut goal = Goal::new(Start::Now);
    goal.check = Some(Check {
        command: command.to_owned(),
        timeout: Duration::from_secs(60),
    });
    goal
}

/// Goes on until the command has exited with 0, from the next reply of the agent on.
pub(crate) fn after_the_next_reply(command: &str) -> Goal {
    Goal {
        start: Start::AfterReply,
        ..until_passes(command)
    }
}

/// A reviewer that replies with its prompt's script.
pub(crate) fn reviewer(name: &str, says: &str, delay: u64) -> Reviewer {
    Reviewer {
        name: name.to_owned(),
        prompt: format!("\n{}", script(json!([{ "text": says, "delay": delay }])).to_prompt()),
        agent: None,
        model: None,
        timeout: Duration::from_secs(30),
    }
}

pub(crate) fn review(reviewers: Vec<Reviewer>, fix: bool) -> Goal {
    let mut goal = Goal::new(Start::Now);
    goal.review = Some(Review {
        reviewers,
        at_once: 8,
        material: Material {
            text: "src/window.rs".to_owned(),
            changes: false,
        },
        fix,
    });
    goal
}

/// A page with a session whose agent has done nothing yet, and the workflows of that page.
pub(crate) fn desk() -> (Desk, SessionId, Workflows) {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let workflows = desk.tab.workflows();
    (desk, session, workflows)
}

pub(crate) fn end_of(workflows: &[Arc<Workflow>]) -> Option<End> {
    let (end, _) = workflows.first()?.end.clone()?;
    Some(end)
}

pub(crate) fn until_ended(desk: &mut Desk, workflows: &Workflows) -> (End, Arc<Workflow>) {
    desk.world
        .run_until("the workflow has ended", LATER, |_| end_of(&workflows.list()).is_some());
    let list = workflows.list();
    (end_of(&list).expect("it has just ended"), list[0].clone())
}

/// Plays a goal on a quiet session.
pub(crate) fn play(goal: Goal) -> (Desk, SessionId, End, Arc<Workflow>) {
    let (mut desk, session, workflows) = desk();
    workflows.start(&session, goal).expect("the session is known");
    let (end, workflow) = until_ended(&mut desk, &workflows);
    (desk, session, end, workflow)
}

/// What the agent of a session was told by workflows, in order.
pub(crate) fn told(desk: &Desk, session: &SessionId) -> Vec<String> {
    let messages = desk.world.server.messages(session);
    let users = messages.iter().filter(|message| message.role == Role::User);
    let texts = users.map(switchboard_core::model::Message::text);
    texts
        .filter(|text| text.starts_with("The check failed.") || text.starts_with("Reviewers found"))
        .collect()
}

/// How many commands have run on the server.
pub(crate) fn commands(world: &World) -> usize {
    let sessions = world.server.sessions().into_iter();
    let messages = sessions.flat_map(|session| world.server.messages(&session));
    messages
        .filter(|message| message.tools().any(|(_, tool)| tool.tool == "bash"))
        .count()
}

pub(crate) fn results(workflow: &Workflow) -> Vec<bool> {
    let checks = workflow.steps.iter().filter_map(|step| match &step.work {
        Work::Check(check) => Some(check.result == Some(CheckResult::Passed)),
        Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
    });
    checks.collect()
}

/// F7
#[test]
fn it_goes_on_until_the_check_passes() {
    let (desk, session, end, workflow) = play(until_passes("each 1:red 2:pink 0:green"));
    assert_eq!((end, results(&workflow)), (End::Passed, vec![false, false, true]));
    let expected = [("red", 1), ("pink", 2)]
        .map(|(word, code)| format!("The check failed. Its output:\n\n{word}\n(exit code {code})"));
    assert_eq!(told(&desk, &session), expected);
    assert_eq!(workflow.by_round().len(), 3);
}

/// F7
#[test]
fn a_check_that_passes_at_once_tells_the_agent_nothing() {
    let (desk, session, end, _) = play(until_passes("echo fine"));
    assert_eq!((end, told(&desk, &session).len()), (End::Passed, 0));
}

/// F7
#[test]
fn it_ends_with_its_rounds_and_goes_on_where_a_person_wants_it() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("each 1:a 1:b 1:c 0:d");
    goal.rounds = 2;
    let id = workflows.start(&session, goal).expect("the session is known");
    let (end, _) = until_ended(&mut desk, &workflows);
    assert_eq!((end, told(&desk, &session).len()), (End::RoundsUsedUp, 1));
    workflows.go_on(&id, 2);
    desk.world
        .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, results(&workflow).len()), (End::Passed, 4));
}

/// F7
#[test]
fn the_same_failure_twice_stalls_it_until_a_person_wants_it_to_go_on() {
    let (mut desk, session, workflows) = desk();
    let id = workflows
        .start(&session, until_passes("each 1:same 1:same 1:same 1:same 0:done"))
        .expect("the session is known");
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, results(&workflow).len()), (End::Stalled, 2));
    workflows.go_on(&id, 1);
    desk.world
        .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!(
        (end, results(&workflow).len()),
        (End::Stalled, 3),
        "once more, and no further"
    );
    assert_eq!(told(&desk, &session).len(), 2);
}

/// F7
#[test]
fn it_ends_with_its_budget() {
    let mut goal = until_passes("each 1:a 1:b 0:c");
    goal.budget.time = Some(Duration::ZERO);
    let (desk, session, end, _) = play(goal);
    assert_eq!((end, told(&desk, &session).len()), (End::OverBudget(Bound::Time), 0));
}

/// F7
#[test]
fn after_the_reply_means_the_end_of_the_run_that_goes_on_or_of_the_next_one() {
    let (mut desk, session, workflows) = desk();
    let goal = after_the_next_reply("echo fine");
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(LATER);
    assert_eq!(
        (end_of(&workflows.list()), commands(&desk.world)),
        (None, 0),
        "the agent rests"
    );
    let prompt = script(json!([{ "text": "Done.", "delay": 3_000 }])).to_prompt();
    desk.tab.prompt(&session, &prompt).expect("the session is known");
    desk.world.run_for(Duration::from_secs(2));
    assert_eq!(commands(&desk.world), 0, "the agent works");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// F7
#[test]
fn a_question_of_the_agent_is_waited_for() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("each 1:bad 0:good");
    goal.template = asks("Which?").to_prompt();
    workflows.start(&session, goal).expect("the session is known");
    let question = desk.until_waiting(&session);
    desk.world.run_for(LATER);
    assert_eq!(end_of(&workflows.list()), None);
    desk.answer(&question.id, blue());
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// F7
#[test]
fn a_person_who_stops_the_agent_ends_it() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("exit 1");
    goal.template = asks("Which?").to_prompt();
    workflows.start(&session, goal).expect("the session is known");
    desk.until_waiting(&session);
    desk.tab.abort(&session);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::AgentEnded(Ending::Aborted));
}

/// F7
#[test]
fn a_stop_after_the_round_lets_the_agent_and_its_check_come_to_an_end() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("each 1:a 1:b 0:c");
    goal.template = script(json!([{ "text": "Mended.", "delay": 5_000 }])).to_prompt();
    let id = workflows.start(&session, goal).expect("the session is known");
    desk.world.run_until("the agent works", LATER, |world| {
        world.server.status(&session).is_some()
    });
    workflows.stop(&id, Stop::AfterRound);
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, results(&workflow)), (End::Stopped, vec![false, false]));
}

/// F7, F4
#[test]
fn a_stop_ends_what_goes_on_at_once() {
    for command in ["sleep 50", "exit 1"] {
        let (mut desk, session, workflows) = desk();
        let mut goal = until_passes(command);
        goal.template = asks("Which?").to_prompt();
        let id = workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(SOON);
        let runs = |desk: &Desk| {
            let server = &desk.world.server;
            server
                .sessions()
                .iter()
                .filter(|session| server.status(session).is_some())
                .count()
        };
        assert_eq!(runs(&desk), 1, "the command, or the agent");
        workflows.stop(&id, Stop::Now);
        let (end, _) = until_ended(&mut desk, &workflows);
        desk.world.run_for(SOON);
        assert_eq!((end, runs(&desk)), (End::Stopped, 0), "{command}");
    }
}

/// F7, F4
#[test]
fn a_stop_ends_it_also_while_the_server_is_away() {
    let (mut desk, session, workflows) = desk();
    let id = workflows
        .start(&session, until_passes("echo bad\nexit 1"))
        .expect("the session is known");
    desk.world
        .run_until("the check runs", LATER, |_| workflows.list()[0].current().is_some());
    desk.world.server.kill();
    desk.world.run_for(SOON);
    workflows.stop(&id, Stop::Now);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Stopped);
}

/// F7
#[test]
fn a_check_that_takes_too_long_is_stopped_and_told() {
    let mut goal = until_passes("sleep 3600");
    goal.rounds = 1;
    let (mut desk, _, end, workflow) = play(goal);
    desk.world.run_for(SOON);
    let timed_out = workflow.steps.iter().any(|step| {
        matches!(&step.work, Work::Check(check) if matches!(&check.result, Some(CheckResult::Failed(failure)) if failure.timed_out))
    });
    assert!(timed_out && end == End::RoundsUsedUp, "{workflow:?}");
    let server = &desk.world.server;
    assert!(server.sessions().iter().all(|session| server.status(session).is_none()));
}

/// R14, F7
#[test]
fn a_check_that_a_restart_has_ended_is_run_again() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("sleep 20"))
        .expect("the session is known");
    desk.world.run_for(SOON);
    desk.world.restart_server();
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, results(&workflow)), (End::Passed, vec![false, true]));
}

/// R14, F7
#[test]
fn a_run_that_a_restart_has_ended_is_checked_all_the_same() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("each 1:a 0:b");
    goal.template = script(json!([{ "text": "Mended.", "delay": 20_000 }])).to_prompt();
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_until("the agent works", LATER, |world| {
        world.server.status(&session).is_some()
    });
    desk.world.run_for(SOON);
    desk.world.restart_server();
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// R14, F7: it had no chance to mend anything
#[test]
fn the_same_failure_after_a_run_that_a_restart_has_ended_is_no_stall() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("each 1:same 1:same 0:good");
    goal.template = script(json!([{ "text": "Mended.", "delay": 10_000 }])).to_prompt();
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_until("the agent works", LATER, |world| {
        world.server.status(&session).is_some()
    });
    desk.world.run_for(SOON);
    desk.world.restart_server();
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, results(&workflow)), (End::Passed, vec![false, false, true]));
}

/// F7
#[test]
fn two_workflows_do_not_go_on_in_one_session() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("sleep 5"))
        .expect("it is the first");
    assert!(workflows.start(&session, until_passes("sleep 5")).is_err());
    until_ended(&mut desk, &workflows);
    assert!(workflows.start(&session, until_passes("sleep 5")).is_ok());
}

/// Whoever reads the record after a crash goes on with it; none of it is done twice.
pub(crate) fn assert_played_once(desk: &Desk, session: &SessionId, what: &str) {
    let told = told(desk, session);
    assert_eq!(
        told.len(),
        2,
        "{what}: each failure is told once: {told:#?}\n{}",
        desk.world.story()
    );
    assert_eq!(
        commands(&desk.world),
        3,
        "{what}: each check is run once\n{}",
        desk.world.story()
    );
    let titles = check_titles(&desk.world);
    let distinct: BTreeSet<&String> = titles.iter().collect();
    assert_eq!(
        distinct.len(),
        titles.len(),
        "{what}: each check has one session: {titles:#?}"
    );
}

/// The titles of the sessions that were made for checks.
pub(crate) fn check_titles(world: &World) -> Vec<String> {
    let server = &world.server;
    let sessions = server
        .sessions()
        .into_iter()
        .filter_map(|session| server.session(&session));
    let titles = sessions.map(|session| session.title);
    titles.filter(|title| title.starts_with("Check: ")).collect()
}

/// R13, F5, F7: it dies in the moment between a write and its result, whichever that is
#[test]
fn after_a_crash_at_any_write_another_page_goes_on_and_nothing_is_sent_twice() {
    let mut crashes = 0;
    for commits in 1.. {
        let (mut desk, session, workflows) = desk();
        desk.tab.commits_to_live.set(Some(commits));
        workflows
            .start(&session, until_passes("each 1:red 2:pink 0:green"))
            .expect("the session is known");
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
        assert_eq!(end, End::Passed, "write {commits}");
        assert_played_once(&desk, &session, &format!("write {commits}"));
    }
    assert!(crashes > 10, "{crashes}");
}

/// R13, F7: the page has not heard of the session that it has just made
#[test]
fn after_a_crash_a_check_runs_in_the_session_that_was_made_for_it() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("each 1:red 2:pink 0:green"))
        .expect("the session is known");
    desk.world
        .run_until("its session is made", SOON, |world| !check_titles(world).is_empty());
    desk.reload();
    let workflows = desk.tab.workflows();
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert_played_once(&desk, &session, "its session was made");
}

/// A check of which nothing is known is run again where a person wants it.
pub(crate) fn until_ended_or_asked(desk: &mut Desk, workflows: &Workflows) -> (End, Arc<Workflow>) {
    loop {
        let (end, workflow) = until_ended(desk, workflows);
        if !matches!(end, End::CheckBroken(Broken::InDoubt(_))) {
            return (end, workflow);
        }
        workflows.go_on(&workflow.id, 1);
        desk.world
            .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    }
}

/// R13, F7
#[test]
fn after_a_crash_at_any_time_another_page_goes_on_and_nothing_is_sent_twice() {
    for after in (0..12_000).step_by(97) {
        let (mut desk, session, workflows) = desk();
        workflows
            .start(&session, until_passes("each 1:red 2:pink 0:green"))
            .expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        if end_of(&workflows.list()).is_some() {
            assert!(after > 3_000, "there was time for it: {after}");
            break;
        }
        drop(workflows);
        desk.reload();
        let workflows = desk.tab.workflows();
        if desk.device.workflows().is_empty() {
            // It died before it was kept.
            continue;
        }
        let (end, _) = until_ended_or_asked(&mut desk, &workflows);
        assert_eq!(end, End::Passed, "after {after} ms");
        assert_played_once(&desk, &session, &format!("after {after} ms"));
    }
}

/// R14, F5, F7: whatever the server was doing when it was killed
#[test]
fn after_a_restart_of_the_server_at_any_time_it_goes_on_and_tells_nothing_twice() {
    for after in (0..9_000).step_by(131) {
        let (mut desk, session, workflows) = desk();
        let mut goal = until_passes("sleep 1\neach 1:red 2:pink 0:green");
        goal.rounds = 8;
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        desk.world.restart_server();
        let (end, _) = until_ended_or_asked(&mut desk, &workflows);
        assert_eq!(end, End::Passed, "after {after} ms");
        let told = told(&desk, &session);
        let distinct: BTreeSet<&String> = told.iter().collect();
        assert!(told.len() <= distinct.len() + 1, "after {after} ms: {told:#?}");
    }
}

/// F5, E7: answers that are lost leave doubts, and none of them is resolved by doing it again
#[test]
fn a_network_that_loses_answers_makes_nothing_happen_twice() {
    for seed in 1..40 {
        let (mut desk, session, workflows) = desk();
        desk.tab.faults.borrow_mut().response_lost = 10 + seed;
        workflows
            .start(&session, until_passes("each 1:red 2:pink 0:green"))
            .expect("the session is known");
        let (end, workflow) = until_ended_or_asked(&mut desk, &workflows);
        let asked_again = workflow.steps.iter().filter(
            |step| matches!(&step.work, Work::Check(check) if matches!(check.result, Some(CheckResult::Broken(_)))),
        );
        let asked_again = asked_again.count();
        if end == End::Passed {
            let told = told(&desk, &session);
            assert_eq!(told.len(), 2, "{told:#?}\n{}", desk.world.story());
            assert!(commands(&desk.world) <= 3 + asked_again, "{}", desk.world.story());
        }
    }
}

/// R13: it is taken up by the tab that leads, and followed by the others
#[test]
fn of_two_tabs_the_one_that_leads_takes_the_steps_and_the_other_one_can_stop_them() {
    let (mut desk, session, workflows) = desk();
    let second: Tab = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    let id = workflows
        .start(&session, until_passes("each 1:red 2:pink 0:green"))
        .expect("the session is known");
    desk.world.run_until("the agent was told", LATER, |world| {
        let messages = world.server.messages(&session);
        messages
            .iter()
            .any(|message| message.text().starts_with("The check failed."))
    });
    assert_eq!(followed.list().len(), 1, "the second tab shows it");
    desk.world.move_lead(&second);
    desk.world.run_until("it has ended in both tabs", LATER, |_| {
        [&workflows, &followed]
            .iter()
            .all(|tab| end_of(&tab.list()) == Some(End::Passed))
    });
    assert_played_once(&desk, &session, "the lead has moved");
    followed.stop(&id, Stop::Now);
    desk.world.run_for(SOON);
    assert_eq!(end_of(&workflows.list()), Some(End::Passed), "it had ended");

    workflows
        .start(&session, until_passes("sleep 50"))
        .expect("none goes on");
    desk.world.run_for(SOON);
    let running = |workflows: &Workflows| {
        workflows
            .list()
            .iter()
            .filter(|workflow| workflow.end.is_none())
            .count()
    };
    assert_eq!((running(&workflows), running(&followed)), (1, 1));
    let newest = workflows.list().last().expect("there are two").id.clone();
    workflows.stop(&newest, Stop::Now);
    desk.world.run_until("the other tab has stopped it", SOON, |_| {
        running(&workflows) + running(&followed) == 0
    });
}

/// R13: a page that stood still has missed what was told meanwhile
#[test]
fn a_page_that_stood_still_shows_how_a_workflow_has_ended() {
    let (mut desk, session, workflows) = desk();
    let second: Tab = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    workflows
        .start(&session, until_passes("sleep 5"))
        .expect("the session is known");
    desk.world
        .run_until("both show it", SOON, |_| followed.list().len() == 1);
    // It has heard of all that was kept so far.
    desk.world.run_for(Duration::from_secs(1));
    desk.world.freeze_tab(&second);
    desk.device.silence_workflows();
    until_ended(&mut desk, &workflows);
    desk.world.thaw_tab(&second);
    desk.world.run_until("the second tab shows the end", SOON, |_| {
        end_of(&followed.list()) == Some(End::Passed)
    });
}

/// R13: where nothing can be kept it goes on, and says so
#[test]
fn without_room_on_the_device_it_goes_on_until_the_page_is_closed() {
    let (mut desk, session, workflows) = desk();
    desk.device.set_health(StoreHealth::Full);
    workflows
        .start(&session, until_passes("each 1:red 0:green"))
        .expect("the session is known");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert!(workflows.unsaved().is_some());
}

fn opinions(workflow: &Workflow) -> Vec<Opinion> {
    let mut seats = workflow.steps.iter().filter_map(|step| match &step.work {
        Work::Review { seats, .. } => Some(seats),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
    });
    let seats = seats.next_back().into_iter().flatten();
    seats.filter_map(|seat| seat.opinion.clone()).collect()
}

/// C8, C9
#[test]
fn reviewers_work_side_by_side_and_one_that_hangs_holds_nobody_up() {
    let (mut desk, session, workflows) = desk();
    let hangs = Reviewer {
        prompt: format!("\n{}", asks("Which?").to_prompt()),
        ..reviewer("hangs", "", 0)
    };
    let reviewers = vec![
        reviewer("slow", "v: GO", 9_000),
        hangs,
        reviewer("fast", "v: NO-GO\n- C: the window is not shared", 100),
        reviewer("prose", "It looks good to me.", 100),
    ];
    workflows
        .start(&session, review(reviewers, false))
        .expect("the session is known");
    let spoken = |workflows: &Workflows| -> Vec<bool> {
        let list = workflows.list();
        let Some(Work::Review { seats, .. }) = list[0].steps.first().map(|step| &step.work) else {
            return Vec::new();
        };
        seats.iter().map(|seat| seat.opinion.is_some()).collect()
    };
    desk.world.run_until("two have spoken", SOON, |_| {
        spoken(&workflows) == [false, false, true, true]
    });
    desk.world.run_until("three have", SOON + SOON, |_| {
        spoken(&workflows) == [true, false, true, true]
    });
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!(end, End::Reviewed);
    let opinions = opinions(&workflow);
    assert!(matches!(&opinions[1], Opinion::None { reason: NoVerdict::TimedOut, text } if text == "I ask."));
    assert!(
        matches!(&opinions[3], Opinion::None { reason: NoVerdict::Unreadable(_), text } if text.starts_with("It looks"))
    );
    let taken = workflow.end.as_ref().map(|(_, at)| at.since(workflow.begun));
    assert!(
        taken < Some(Duration::from_secs(34)),
        "no longer than the slowest: {taken:?}"
    );
    desk.world.run_for(SOON);
    assert_eq!(
        desk.tab.waiting().len(),
        0,
        "what the one that hangs has asked is withdrawn"
    );
}

/// C8
#[test]
fn no_more_reviewers_work_at_once_than_were_asked_for() {
    let (mut desk, session, workflows) = desk();
    let reviewers = (0..6)
        .map(|number| reviewer(&number.to_string(), "v: GO", 3_000))
        .collect();
    let mut goal = review(reviewers, false);
    goal.review.as_mut().expect("it was just made").at_once = 2;
    workflows.start(&session, goal).expect("the session is known");
    let mut most = 0;
    while end_of(&workflows.list()).is_none() {
        desk.world.run_for(Duration::from_millis(100));
        let server = &desk.world.server;
        let working = server
            .sessions()
            .iter()
            .filter(|session| server.status(session).is_some())
            .count();
        most = most.max(working);
    }
    assert_eq!((most, end_of(&workflows.list())), (2, Some(End::Passed)));
}

/// C9, F7: review, fix, check, and review again
#[test]
fn what_reviewers_find_is_told_checked_and_reviewed_again() {
    let found = "v: NO-GO\n- H: a clock that steps back frees the window\n- L: a typo";
    let mut goal = review(
        vec![
            reviewer("one", found, 0),
            reviewer(
                "two",
                "v: CONDITIONAL\n- C: A clock that steps back frees the window.",
                0,
            ),
        ],
        true,
    );
    goal.check = until_passes("each 1:red 0:green 0:green").check;
    let (desk, session, end, workflow) = play(goal);
    assert_eq!(end, End::Stalled, "they say the same again");
    let told = told(&desk, &session);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with("The check failed."));
    assert!(
        told[1].contains("- C: a clock that steps back frees the window (one, two)\n- L: a typo (one)\n"),
        "{}",
        told[1]
    );
    assert_eq!(results(&workflow), [false, true, true]);
}

/// C5, R13
#[test]
fn after_a_crash_one_that_took_too_long_is_not_waited_for_again() {
    let (mut desk, session, workflows) = desk();
    let hangs = Reviewer {
        timeout: Duration::from_secs(5),
        ..reviewer("hangs", "v: GO", 50_000)
    };
    workflows
        .start(&session, review(vec![hangs, reviewer("slow", "v: GO", 20_000)], false))
        .expect("the session is known");
    desk.world.run_until("one has taken too long", SOON + SOON, |_| {
        workflows.list().iter().any(|workflow| !opinions(workflow).is_empty())
    });
    desk.reload();
    let workflows = desk.tab.workflows();
    let (end, workflow) = until_ended(&mut desk, &workflows);
    let opinions = opinions(&workflow);
    assert!(
        end == End::Reviewed
            && matches!(
                &opinions[0],
                Opinion::None {
                    reason: NoVerdict::TimedOut,
                    ..
                }
            )
            && matches!(&opinions[1], Opinion::Verdict(_)),
        "{opinions:?}"
    );
}

/// C8, R13
#[test]
fn after_a_crash_those_who_have_spoken_are_not_asked_again() {
    for after in [400, 1_500, 2_500, 4_000] {
        let (mut desk, session, workflows) = desk();
        let reviewers = vec![reviewer("fast", "v: GO", 100), reviewer("slow", "v: GO", 6_000)];
        workflows
            .start(&session, review(reviewers, false))
            .expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        desk.reload();
        let workflows = desk.tab.workflows();
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed, "after {after} ms");
        let asked: usize = desk
            .world
            .server
            .sessions()
            .iter()
            .map(|session| {
                let messages = desk.world.server.messages(session);
                messages
                    .iter()
                    .filter(|message| message.role == Role::User && message.text().contains("You are the reviewer"))
                    .count()
            })
            .sum();
        assert_eq!(asked, 2, "after {after} ms");
    }
}
