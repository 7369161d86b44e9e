//! A workflow that is started just as the agent begins, works or ends.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::SessionId;
use switchboard_core::ports::Read;
use switchboard_core::view::TurnState;
use switchboard_core::workflow::{Goal, Start, Stop, Workflows};
use switchboard_tests::scripts::script;
use switchboard_tests::world::World;

use crate::desk::{Desk, LATER, SOON};
use crate::workflows::{after_the_next_reply, commands, desk, end_of, until_passes};

/// How long the agent works.
const RUN: Duration = Duration::from_secs(5);

/// Goes on until the command has exited with 0, as soon as the agent does not work.
fn after_the_run(command: &str) -> Goal {
    Goal {
        start: Start::AfterRun,
        ..until_passes(command)
    }
}

fn prompt(world: &World, session: &SessionId) {
    let works = json!([{ "text": "Done.", "delay": u64::try_from(RUN.as_millis()).expect("it is short") }]);
    world.other.prompt(session, &script(works).to_prompt());
}

/// Returns how long after the start the check has begun, and whether the agent worked then.
fn begun(desk: &mut Desk, session: &SessionId, workflows: &Workflows, goal: Goal) -> (Duration, bool) {
    let started = desk.world.now();
    workflows.start(session, goal).expect("the session is known");
    desk.world
        .run_until("the check runs", LATER, |world| commands(world) == 1);
    let works = desk.world.server.status(session).is_some();
    (desk.world.now().since(started), works)
}

/// F7: what the page shows of the agent is older than what the engine reads next
#[test]
fn one_that_is_to_begin_after_the_run_begins_once_the_agent_is_idle_whenever_it_is_started() {
    let mut shown = 0;
    for milliseconds in (0..12_000).step_by(171) {
        for is_elsewhere in [false, true] {
            let (mut desk, session, first) = desk();
            // The first tab takes the steps, also where it is started in another one.
            let second = is_elsewhere.then(|| desk.world.open_tab(&desk.device));
            let (tab, workflows) = match second {
                Some(second) => (second.clone(), second.workflows()),
                None => (desk.tab.clone(), first.clone()),
            };
            desk.world.run_for(SOON);
            let wait = Duration::from_millis(milliseconds);
            prompt(&desk.world, &session);
            desk.world.run_for(wait);
            let is_shown = matches!(tab.session(&session), Some(TurnState::Working));
            let (after, works) = begun(&mut desk, &session, &workflows, after_the_run("echo fine"));
            let left = RUN.saturating_sub(wait);
            let told = format!("started {milliseconds} ms after the prompt, elsewhere: {is_elsewhere}");
            assert!(!works || !is_shown, "beside the agent, {told}");
            shown += u32::from(is_shown);
            assert!(after < left + SOON, "after {after:?}, {told}");
        }
    }
    assert!(shown > 20, "the page has shown it at work {shown} times");
}

/// F7: the tab that takes the steps does so late, and the reply that is waited for has come before
#[test]
fn a_reply_that_comes_before_the_first_step_is_taken_is_the_next_one() {
    let goals = [after_the_next_reply, after_the_run].map(|goal| goal("echo fine"));
    let starts = goals.iter().flat_map(|goal| [(goal, false), (goal, true)]);
    for ((goal, in_the_run), reloads) in starts.flat_map(|start| [(start, false), (start, true)]) {
        let (mut desk, session, mut workflows) = desk();
        desk.tab.handle.set_leading(false);
        desk.world.run_for(SOON);
        if in_the_run {
            prompt(&desk.world, &session);
            desk.world.run_for(Duration::from_secs(3));
        }
        workflows.start(&session, goal.clone()).expect("the session is known");
        if !in_the_run {
            desk.world.run_for(SOON);
            prompt(&desk.world, &session);
        }
        desk.world.run_for(RUN + SOON);
        assert_eq!(commands(&desk.world), 0, "no tab takes the steps");
        if reloads {
            desk.reload();
            workflows = desk.tab.workflows();
        }
        desk.tab.handle.set_leading(true);
        desk.world
            .run_until("the check runs", SOON, |world| commands(world) == 1);
        drop(workflows);
    }
}

/// F7: the agent is at work, and the page has not read that
#[test]
fn one_that_is_to_begin_after_the_run_does_not_begin_before_the_session_was_read() {
    let (mut desk, session, _) = desk();
    prompt(&desk.world, &session);
    desk.reload();
    let workflows = desk.tab.workflows();
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
    desk.world.run_until("the session is listed", SOON, {
        let (tab, of) = (desk.tab.handle.clone(), session.clone());
        move |_| tab.view().session(&of).is_some()
    });
    workflows
        .start(&session, after_the_run("echo fine"))
        .expect("the session is known");
    desk.world.run_for(RUN + SOON);
    assert_eq!(commands(&desk.world), 0, "nothing has been read");
    desk.tab.faults.borrow_mut().unreadable = None;
    desk.world
        .run_until("the check runs", LATER, |world| commands(world) == 1);
}

/// F7
#[test]
fn one_that_was_stopped_while_it_waited_for_a_run_goes_on_after_that_run_and_waits_for_no_other() {
    let (mut desk, session, workflows) = desk();
    prompt(&desk.world, &session);
    desk.world.run_for(Duration::from_secs(3));
    let id = workflows
        .start(&session, after_the_run("echo fine"))
        .expect("the session is known");
    desk.world.run_for(Duration::from_millis(500));
    workflows.stop(&id, Stop::AfterRound);
    desk.world
        .run_until("it has ended", SOON, |_| end_of(&workflows.list()).is_some());
    desk.world.run_for(RUN + SOON);
    workflows.go_on(&id, 1);
    desk.world
        .run_until("the check runs", SOON, |world| commands(world) == 1);
}

/// F7: neither the wait nor its end hangs where the session cannot be read
#[test]
fn one_whose_session_cannot_be_read_is_stopped_or_ends_with_it() {
    for is_stopped in [true, false] {
        for goal in [after_the_run("echo fine"), after_the_next_reply("echo fine")] {
            let (mut desk, session, _) = desk();
            desk.reload();
            let workflows = desk.tab.workflows();
            desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
            desk.world.run_until("the session is listed", SOON, {
                let (tab, of) = (desk.tab.handle.clone(), session.clone());
                move |_| tab.view().session(&of).is_some()
            });
            let id = workflows.start(&session, goal).expect("the session is known");
            desk.world.run_for(SOON);
            match is_stopped {
                true => workflows.stop(&id, Stop::AfterRound),
                false => desk.world.server.delete(&session),
            }
            desk.world
                .run_until("it has ended", LATER, |_| end_of(&workflows.list()).is_some());
            assert_eq!(commands(&desk.world), 0);
        }
    }
}
