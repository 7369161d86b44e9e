//! What happens to a workflow meanwhile: in other tabs, on the device, on the server, and by the hand of a person.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use switchboard_core::Bound;
use switchboard_core::model::SessionId;
use switchboard_core::ports::{Read, StoreError};
use switchboard_core::workflow::{End, Goal, Start, Stop, Workflow, Workflows};
use switchboard_tests::scripts::{asks, script};
use switchboard_tests::store::{StoreHealth, broken};
use switchboard_tests::tab::Tab;

use crate::desk::{Desk, LATER, SOON};
use crate::workflows::{
    after_the_next_reply, assert_played_once, commands, desk, end_of, results, review, reviewer, told, until_ended,
    until_ended_or_asked, until_passes,
};

/// How many of the server's sessions work.
fn at_work(desk: &Desk) -> usize {
    let server = &desk.world.server;
    let sessions = server.sessions();
    sessions
        .iter()
        .filter(|session| server.status(session).is_some())
        .count()
}

/// The session in which the newest check runs.
fn check_session(workflows: &Workflows) -> SessionId {
    let list = workflows.list();
    let sessions = list.iter().flat_map(|workflow| workflow.sessions()).cloned();
    sessions.last().expect("a check runs")
}

/// R13, F7
#[test]
fn two_tabs_that_start_one_in_the_same_session_at_once_take_turns() {
    let (mut desk, session, workflows) = desk();
    let second: Tab = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    desk.world.run_for(SOON);
    for tab in [&workflows, &followed] {
        tab.start(&session, until_passes("sleep 5"))
            .expect("none goes on that this tab knows of");
    }
    let mut most = 0;
    while workflows.list().len() < 2 || workflows.list().iter().any(|workflow| workflow.end.is_none()) {
        desk.world.run_for(Duration::from_millis(200));
        most = most.max(at_work(&desk));
        assert!(
            desk.world.now().since(workflows.list()[0].begun) < LATER,
            "{workflows:?}"
        );
    }
    assert_eq!(most, 1, "their checks run one after the other");
}

/// F7
#[test]
fn one_that_has_ended_does_not_go_on_beside_another_in_its_session() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("exit 1");
    goal.rounds = 1;
    let first = workflows.start(&session, goal).expect("the session is known");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::RoundsUsedUp);
    workflows
        .start(&session, until_passes("sleep 20"))
        .expect("none goes on");
    workflows.go_on(&first, 2);
    desk.world.run_for(SOON);
    assert_eq!(end_of(&workflows.list()), Some(End::RoundsUsedUp), "it stays as it was");
    assert_eq!(at_work(&desk), 1);
}

/// F7
#[test]
fn a_person_who_goes_on_over_the_budget_gets_a_round_more() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("each 1:a 1:b 1:c 0:d");
    goal.budget.time = Some(Duration::ZERO);
    let id = workflows.start(&session, goal).expect("the session is known");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::OverBudget(Bound::Time));
    workflows.go_on(&id, 1);
    desk.world
        .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, results(&workflow).len()), (End::OverBudget(Bound::Time), 2));
}

/// F7, C8: nothing more is sent once a bound is reached, also not to reviewers
#[test]
fn reviewers_are_not_asked_over_the_budget_unless_a_person_goes_on() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("sleep 3\neach 1:red 0:green");
    goal.budget.time = Some(Duration::from_secs(5));
    goal.review = review(vec![reviewer("one", "v: GO", 0)], false).review;
    let id = workflows.start(&session, goal).expect("the session is known");
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!(
        (end, results(&workflow)),
        (End::OverBudget(Bound::Time), vec![false, true])
    );
    assert_eq!(workflow.sessions().count(), 2, "those of the checks");
    workflows.go_on(&id, 1);
    desk.world
        .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// F7, C8: that the agent was waited for takes nothing from the budget of the reviewers
#[test]
fn reviewers_who_are_asked_after_a_reply_are_asked_however_late_that_comes() {
    let (mut desk, session, workflows) = desk();
    let mut goal = review(vec![reviewer("one", "v: GO", 0)], false);
    goal.start = Start::AfterReply;
    goal.budget.time = Some(Duration::from_secs(5));
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(SOON + SOON);
    desk.tab
        .prompt(&session, &script(json!([{ "text": "Done." }])).to_prompt())
        .expect("the session is known");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// F7
#[test]
fn one_that_was_stopped_before_its_first_step_or_while_it_waited_goes_on_as_it_began() {
    let (mut desk, session, workflows) = desk();
    let goal = after_the_next_reply("echo fine");
    let id = workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(SOON);
    workflows.stop(&id, Stop::AfterRound);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Stopped);
    workflows.go_on(&id, 1);
    desk.world.run_for(SOON);
    assert_eq!(
        (end_of(&workflows.list()), commands(&desk.world)),
        (None, 0),
        "it waits for a reply again"
    );
    desk.tab
        .prompt(&session, &script(json!([{ "text": "Done." }])).to_prompt())
        .expect("the session is known");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);

    let id = workflows
        .start(&session, until_passes("echo fine"))
        .expect("none goes on");
    workflows.stop(&id, Stop::Now);
    let newest = |workflows: &Workflows| workflows.list().last().cloned().expect("there are two");
    desk.world
        .run_until("it has ended", SOON, |_| newest(&workflows).end.is_some());
    if newest(&workflows).steps.is_empty() {
        workflows.go_on(&id, 1);
        desk.world.run_until("it has passed", LATER, |_| {
            newest(&workflows)
                .end
                .as_ref()
                .is_some_and(|(end, _)| *end == End::Passed)
        });
    }
}

/// F7, R14: a check that takes the server with it would go on for ever
#[test]
fn a_check_during_which_the_server_goes_away_again_and_again_is_left_to_a_person() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("sleep 20"))
        .expect("the session is known");
    for checks in 1..=3 {
        desk.world
            .run_until("the check runs", LATER, |world| commands(world) == checks);
        desk.world.restart_server();
    }
    assert!(matches!(until_ended(&mut desk, &workflows).0, End::CheckBroken(_)));
    let id = workflows.list()[0].id.clone();
    workflows.go_on(&id, 1);
    desk.world
        .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// F7: a person, or another client, stops the check in its own session
#[test]
fn a_check_that_somebody_stops_is_no_failure_of_the_agent() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("sleep 50"))
        .expect("the session is known");
    desk.world.run_for(SOON);
    desk.world.other.abort(&check_session(&workflows));
    let (end, _) = until_ended(&mut desk, &workflows);
    assert!(matches!(end, End::CheckBroken(_)), "{end:?}");
    assert_eq!(told(&desk, &session).len(), 0);
}

/// R13: the device has room again
#[test]
fn how_it_ended_without_room_on_the_device_is_kept_once_there_is_room() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("sleep 5"))
        .expect("the session is known");
    desk.world.run_for(SOON / 2);
    desk.device.set_health(StoreHealth::Full);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert!(workflows.unsaved().is_some());
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_until("it is kept", SOON + SOON, |_| {
        end_of(&desk.device.workflows()) == Some(End::Passed)
    });
    assert!(workflows.unsaved().is_none());
}

/// R13: how the first one ended is kept later
#[test]
fn without_room_on_the_device_a_second_one_goes_on_where_a_first_one_has_ended() {
    let (mut desk, session, workflows) = desk();
    desk.device.set_health(StoreHealth::Full);
    let have_ended = |list: &[Arc<Workflow>]| list.iter().filter(|workflow| workflow.end.is_some()).count();
    for count in 1..=2 {
        workflows
            .start(&session, until_passes("sleep 5"))
            .expect("nothing goes on in the session");
        desk.world
            .run_until("it has ended", LATER, |_| have_ended(&workflows.list()) == count);
    }
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_until("both are kept", SOON + SOON, |_| {
        have_ended(&desk.device.workflows()) == 2
    });
}

/// F7, R13: what a person asks for is done once, however often it is tried to keep it
#[test]
fn without_room_on_the_device_one_goes_on_once_for_each_time_that_it_is_told_to_and_stays_stopped() {
    let (mut desk, session, workflows) = desk();
    desk.device.set_health(StoreHealth::Full);
    let goal = Goal {
        rounds: 1,
        ..until_passes("sleep 10\nexit 1")
    };
    let id = workflows.start(&session, goal).expect("nothing goes on in the session");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::RoundsUsedUp);
    let before = commands(&desk.world);
    workflows.go_on(&id, 1);
    desk.world.run_for(LATER);
    assert_eq!(end_of(&workflows.list()), Some(End::Stalled));
    assert_eq!(commands(&desk.world) - before, 1);

    workflows.go_on(&id, 100);
    desk.world.run_for(SOON);
    workflows.stop(&id, Stop::Now);
    desk.world.run_until("it is stopped", LATER, |_| {
        end_of(&workflows.list()) == Some(End::Stopped)
    });
    let before = commands(&desk.world);
    desk.world.run_for(LATER);
    assert_eq!(end_of(&workflows.list()), Some(End::Stopped));
    assert_eq!(commands(&desk.world), before);

    desk.device.set_health(StoreHealth::Well);
    desk.world.run_until("it is kept", LATER, |_| {
        end_of(&desk.device.workflows()) == Some(End::Stopped)
    });
}

/// R13
#[test]
fn one_that_was_started_in_a_tab_that_follows_is_taken_up_once_the_device_has_room() {
    let (mut desk, session, workflows) = desk();
    let second: Tab = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    desk.world.run_for(SOON);
    desk.device.set_health(StoreHealth::Full);
    followed
        .start(&session, until_passes("sleep 50"))
        .expect("the session is known");
    desk.world.run_for(SOON + SOON);
    assert!(followed.unsaved().is_some(), "it says so");
    desk.device.set_health(StoreHealth::Well);
    desk.world
        .run_until("it is taken up", SOON + SOON, |world| commands(world) == 1);
    assert!(followed.unsaved().is_none());

    desk.device.set_health(StoreHealth::Full);
    let id = followed.list()[0].id.clone();
    followed.stop(&id, Stop::Now);
    desk.world.run_for(SOON);
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_until("it is stopped", SOON + SOON, |_| {
        end_of(&workflows.list()) == Some(End::Stopped)
    });
}

/// F7, R6: its time has passed, and it had ended before
#[test]
fn a_check_that_ended_while_the_page_stood_still_has_its_result() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("sleep 20"))
        .expect("the session is known");
    desk.world.run_for(SOON);
    desk.world.freeze_tab(&desk.tab);
    desk.world.run_for(Duration::from_secs(300));
    desk.world.thaw_tab(&desk.tab);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// F7, R6: its time is up in a long outage, and it had ended before
#[test]
fn a_check_that_ended_in_an_outage_has_its_result() {
    let (mut desk, session, workflows) = desk();
    let mut goal = until_passes("sleep 20");
    goal.check.as_mut().expect("it checks").timeout = Duration::from_secs(30);
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(Duration::from_secs(400));
    assert_eq!(end_of(&workflows.list()), None);
    desk.tab.faults.borrow_mut().is_cut = false;
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, results(&workflow)), (End::Passed, vec![true]));
    assert_eq!(told(&desk, &session).len(), 0);
}

/// F7: it runs, and the page that looks for it after a reload cannot read its session for a while
#[test]
fn a_check_whose_session_cannot_be_read_after_a_reload_is_waited_for() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("sleep 50"))
        .expect("the session is known");
    desk.world.run_for(SOON);
    desk.reload();
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
    let workflows = desk.tab.workflows();
    desk.world.run_for(Duration::from_secs(40));
    assert_eq!(end_of(&workflows.list()), None);
    desk.tab.faults.borrow_mut().unreadable = None;
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert_eq!(commands(&desk.world), 1, "it ran once");
}

/// C5, C8
#[test]
fn a_reviewer_who_spoke_while_the_page_stood_still_has_spoken() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, review(vec![reviewer("one", "v: GO", 10_000)], false))
        .expect("the session is known");
    desk.world.run_for(SOON);
    desk.world.freeze_tab(&desk.tab);
    desk.world.run_for(Duration::from_secs(300));
    desk.world.thaw_tab(&desk.tab);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
}

/// F7, R14
#[test]
fn a_reply_is_waited_for_also_when_the_clock_of_the_server_is_wrong() {
    for ahead in [-600_000, 600_000] {
        let mut desk = Desk::new(1);
        desk.world.server.set_clock_ahead(ahead);
        let session = desk.quiet_session();
        let workflows = desk.tab.workflows();
        let goal = after_the_next_reply("echo fine");
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(SOON + SOON);
        assert_eq!(commands(&desk.world), 0, "{ahead}");
        desk.tab
            .prompt(&session, &script(json!([{ "text": "Done." }])).to_prompt())
            .expect("the session is known");
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed, "{ahead}");
    }
}

/// F7: the prompt has been taken, and its run has not begun
#[test]
fn a_prompt_that_was_just_given_is_the_one_whose_reply_is_waited_for() {
    for wait in (0..2_000).step_by(83) {
        let (mut desk, session, workflows) = desk();
        let prompt = script(json!([{ "text": "Done.", "delay": 6_000 }])).to_prompt();
        desk.tab.prompt(&session, &prompt).expect("the session is known");
        desk.world.run_for(Duration::from_millis(wait));
        let goal = after_the_next_reply("echo fine");
        workflows.start(&session, goal).expect("the session is known");
        desk.world
            .run_until("the check runs", LATER, |world| commands(world) > 0);
        assert_eq!(
            desk.world.server.status(&session),
            None,
            "after {wait} ms the agent still works"
        );
    }
}

/// R13
#[test]
fn a_lead_that_moves_at_any_time_makes_nothing_happen_twice() {
    for after in (0..7_000).step_by(331) {
        let (mut desk, session, workflows) = desk();
        let second: Tab = desk.world.open_tab(&desk.device);
        let followed = second.workflows();
        desk.world.run_for(SOON);
        workflows
            .start(&session, until_passes("each 1:red 2:pink 0:green"))
            .expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        desk.world.move_lead(&second);
        desk.world.run_for(Duration::from_millis(700));
        desk.world.move_lead(&desk.tab);
        let (end, _) = until_ended_or_asked(&mut desk, &workflows);
        assert_eq!(end, End::Passed, "after {after} ms");
        assert_played_once(&desk, &session, &format!("after {after} ms"));
        desk.world
            .run_until("both show it", SOON, |_| end_of(&followed.list()) == Some(End::Passed));
    }
}

/// R13
#[test]
fn a_tab_that_stood_still_while_it_led_does_nothing_twice() {
    for after in (0..7_000).step_by(701) {
        let (mut desk, session, workflows) = desk();
        let second: Tab = desk.world.open_tab(&desk.device);
        let followed = second.workflows();
        desk.world.run_for(SOON);
        workflows
            .start(&session, until_passes("each 1:red 2:pink 0:green"))
            .expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        desk.world.freeze_tab(&desk.tab);
        desk.world.move_lead(&second);
        desk.world.run_for(Duration::from_secs(60));
        desk.world.thaw_tab(&desk.tab);
        let (end, _) = until_ended_or_asked(&mut desk, &followed);
        assert_eq!(end, End::Passed, "after {after} ms");
        assert_played_once(&desk, &session, &format!("after {after} ms"));
    }
}

/// R13: what a tab has begun is left to the one that leads
#[test]
fn a_tab_that_stands_still_once_it_leads_no_more_holds_nothing_up() {
    let (mut desk, session, workflows) = desk();
    let second: Tab = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    desk.world.run_for(SOON);
    workflows
        .start(&session, until_passes("sleep 5\neach 1:red 2:pink 0:green"))
        .expect("the session is known");
    desk.world
        .run_until("the check runs", LATER, |world| commands(world) == 1);
    desk.world.move_lead(&second);
    desk.world.run_for(Duration::from_millis(100));
    desk.world.freeze_tab(&desk.tab);
    let (end, _) = until_ended(&mut desk, &followed);
    assert_eq!(end, End::Passed);
    assert_played_once(&desk, &session, "the lead has moved");
}

/// R13: the tab that takes it over has not heard of what was kept
#[test]
fn a_tab_that_begins_to_lead_goes_on_from_what_is_kept() {
    let (mut desk, session, workflows) = desk();
    let second: Tab = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    desk.world.run_for(SOON);
    workflows
        .start(&session, until_passes("each 1:red 2:pink 0:green"))
        .expect("the session is known");
    desk.world
        .run_until("both show the check, which has not been sent", SOON, |_| {
            followed.list().iter().any(|workflow| workflow.current().is_some())
        });
    desk.world.freeze_tab(&second);
    desk.device.silence_workflows();
    assert_eq!(commands(&desk.world), 0);
    desk.world
        .run_until("the check runs again", LATER, |world| commands(world) == 2);
    desk.world.move_lead(&second);
    desk.world.thaw_tab(&second);
    let (end, _) = until_ended(&mut desk, &followed);
    assert_eq!(end, End::Passed);
    assert_played_once(&desk, &session, "the second tab has missed it");
}

/// F7, F4: also when its request is still on its way
#[test]
fn a_stop_at_any_time_leaves_nothing_at_work() {
    let reviews = || {
        review(
            vec![reviewer("one", "v: GO", 40_000), reviewer("two", "v: GO", 40_000)],
            false,
        )
    };
    for (cold, step) in [(false, 211), (true, 701)] {
        for after in (0..3_000).step_by(step) {
            for kind in ["check", "agent", "review"] {
                let (mut desk, session, workflows) = desk();
                desk.tab.faults.borrow_mut().latency = Duration::from_millis(40)..Duration::from_millis(200);
                if cold {
                    desk.world.server.start_cold();
                }
                let goal = match kind {
                    "check" => until_passes("sleep 50"),
                    "agent" => {
                        let mut goal = until_passes("exit 1");
                        goal.template = asks("Which?").to_prompt();
                        goal
                    }
                    _ => reviews(),
                };
                let id = workflows.start(&session, goal).expect("the session is known");
                desk.world.run_for(Duration::from_millis(after));
                workflows.stop(&id, Stop::Now);
                let (end, _) = until_ended(&mut desk, &workflows);
                desk.world.run_for(SOON + SOON);
                assert_eq!(
                    (end, at_work(&desk)),
                    (End::Stopped, 0),
                    "{kind}, cold {cold}, after {after} ms {}",
                    desk.world.story()
                );
            }
        }
    }
}

/// F7
#[test]
fn a_check_whose_session_is_deleted_says_so() {
    for reloads in [false, true] {
        let (mut desk, session, mut workflows) = desk();
        workflows
            .start(&session, until_passes("sleep 50"))
            .expect("the session is known");
        desk.world.run_for(SOON);
        desk.world.server.delete(&check_session(&workflows));
        if reloads {
            desk.reload();
            workflows = desk.tab.workflows();
        }
        let (end, workflow) = until_ended(&mut desk, &workflows);
        assert!(matches!(end, End::CheckBroken(_)), "{end:?}");
        let taken = workflow.end.as_ref().map(|(_, at)| at.since(workflow.begun));
        assert!(taken < Some(Duration::from_secs(30)), "{taken:?}");
    }
}

/// F7
#[test]
fn it_ends_when_its_session_is_deleted_whatever_it_does() {
    for after in (0..6_000).step_by(701) {
        let (mut desk, session, workflows) = desk();
        let mut goal = until_passes("sleep 1\nexit 1");
        goal.template = script(json!([{ "text": "Mended.", "delay": 3_000 }])).to_prompt();
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        if end_of(&workflows.list()).is_some() {
            break;
        }
        desk.world.server.delete(&session);
        let (end, _) = until_ended(&mut desk, &workflows);
        // What the last check has said counts, too.
        assert!(
            matches!(end, End::SessionGone | End::Stalled),
            "after {after} ms: {end:?}"
        );
    }
}

/// F7: no list names an archived session, and it works on
#[test]
fn it_goes_on_when_its_session_is_archived_also_in_a_page_that_has_never_seen_it() {
    for reloads in [false, true] {
        let (mut desk, session, mut workflows) = desk();
        let mut goal = until_passes("sleep 60\neach 1:red 2:pink 0:green");
        goal.check.as_mut().expect("it was just made").timeout = LATER;
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(SOON);
        desk.world.server.archive(&session);
        desk.world.server.archive(&check_session(&workflows));
        if reloads {
            desk.reload();
            workflows = desk.tab.workflows();
        }
        desk.world.run_until("its agent is told", LATER + LATER, |_| {
            workflows.list().first().is_some_and(|workflow| workflow.round() == 2)
        });
        desk.world.run_for(SOON);
        assert_eq!(told(&desk, &session).len(), 1, "reloads: {reloads}");
        desk.world.server.delete(&session);
        assert_eq!(
            until_ended(&mut desk, &workflows).0,
            End::SessionGone,
            "reloads: {reloads}"
        );
    }
}

/// F7
#[test]
fn what_works_for_a_session_that_is_deleted_is_stopped() {
    let mut checked = until_passes("sleep 110");
    let mut reviewed = review(vec![reviewer("one", "v: GO", 110_000)], false);
    let patience = Duration::from_secs(600);
    checked.check.as_mut().expect("it was just made").timeout = patience;
    reviewed.review.as_mut().expect("it was just made").reviewers[0].timeout = patience;
    for goal in [checked, reviewed] {
        let (mut desk, session, workflows) = desk();
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(SOON);
        assert_eq!(at_work(&desk), 1);
        desk.world.server.delete(&session);
        let (end, _) = until_ended(&mut desk, &workflows);
        desk.world.run_for(SOON);
        assert_eq!((end, at_work(&desk)), (End::SessionGone, 0));
    }
}

/// C8
#[test]
fn a_reviewer_whose_session_is_deleted_holds_nobody_up() {
    let (mut desk, session, workflows) = desk();
    let goal = review(
        vec![reviewer("one", "v: GO", 20_000), reviewer("two", "v: GO", 4_000)],
        false,
    );
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(SOON / 2);
    let first = workflows.list()[0].sessions().next().cloned().expect("both were asked");
    desk.world.server.delete(&first);
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!(end, End::Reviewed);
    let taken = workflow.end.as_ref().map(|(_, at)| at.since(workflow.begun));
    assert!(taken < Some(Duration::from_secs(15)), "{taken:?}");
}

/// F7
#[test]
fn a_person_who_prompts_in_the_middle_disturbs_nothing() {
    for after in (0..5_000).step_by(701) {
        let (mut desk, session, workflows) = desk();
        let mut goal = until_passes("each 1:red 2:pink 0:green");
        goal.template = script(json!([{ "text": "Mended.", "delay": 1_000 }])).to_prompt();
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        let prompt = script(json!([{ "text": "By the way.", "delay": 2_000 }])).to_prompt();
        desk.tab.prompt(&session, &prompt).expect("the session is known");
        let (end, workflow) = until_ended(&mut desk, &workflows);
        assert_eq!(
            (end, results(&workflow)),
            (End::Passed, vec![false, false, true]),
            "after {after} ms"
        );
        assert_eq!(commands(&desk.world), 3);
    }
}

/// E8, F7
#[test]
fn a_clock_that_is_set_before_a_reload_ends_nothing() {
    for ahead in [-3_600_000, 3_600_000] {
        let (mut desk, session, workflows) = desk();
        workflows
            .start(&session, until_passes("sleep 20\neach 1:red 0:green"))
            .expect("the session is known");
        desk.world.run_for(SOON);
        desk.device.clock_ahead().set(ahead);
        desk.reload();
        let workflows = desk.tab.workflows();
        let (end, workflow) = until_ended(&mut desk, &workflows);
        assert_eq!((end, results(&workflow)), (End::Passed, vec![false, true]), "{ahead}");
    }
}

/// F7: the lead goes to another tab and back while that is not known yet
#[test]
fn an_agent_that_cannot_be_told_ends_it_also_when_the_lead_moves() {
    for after in (0..6_000).step_by(251) {
        let (mut desk, session, workflows) = desk();
        let second: Tab = desk.world.open_tab(&desk.device);
        let followed = second.workflows();
        desk.world.run_for(SOON);
        workflows
            .start(&session, until_passes("exit 1"))
            .expect("the session is known");
        desk.world
            .run_until("the check runs", LATER, |world| commands(world) == 1);
        for tab in [&desk.tab, &second] {
            let mut faults = tab.faults.borrow_mut();
            (faults.refusal, faults.refused) = (Some(400), 1_000);
        }
        desk.world.run_for(Duration::from_millis(after));
        for tab in [&second, &desk.tab] {
            desk.world.move_lead(tab);
            desk.world.run_for(Duration::from_millis(30));
        }
        let (end, _) = until_ended(&mut desk, &followed);
        assert!(matches!(end, End::NotTold(_)), "{end:?}");
    }
}

/// R13: nothing was heard of one that stands because it could not be read
#[test]
fn one_that_cannot_be_read_at_first_says_so_and_goes_on_once_it_can() {
    for (health, problem) in [
        (StoreHealth::Broken, broken()),
        (StoreHealth::Hanging, StoreError::TimedOut),
    ] {
        let (mut desk, session, workflows) = desk();
        workflows
            .start(&session, until_passes("sleep 5\neach 1:red 0:green"))
            .expect("the session is known");
        desk.world.run_for(SOON / 2);
        drop(workflows);
        desk.device.set_health(health);
        desk.reload();
        let workflows = desk.tab.workflows();
        desk.world.run_for(SOON + SOON);
        assert_eq!((workflows.list().len(), workflows.unread()), (0, Some(problem)));
        assert_eq!(workflows.unsaved(), None, "there is nothing to keep");
        desk.device.set_health(StoreHealth::Well);
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
        assert_eq!((workflows.unread(), commands(&desk.world)), (None, 2));
    }
}

/// R13: a store that does not answer holds its steps up, and that is told
#[test]
fn one_whose_store_hangs_says_so_and_goes_on_where_it_was() {
    for after in (0..8_000).step_by(397) {
        let (mut desk, session, workflows) = desk();
        workflows
            .start(&session, until_passes("sleep 5\neach 1:red 0:green"))
            .expect("the session is known");
        desk.world.run_for(Duration::from_millis(after));
        desk.device.set_health(StoreHealth::Hanging);
        desk.world.run_for(Duration::from_secs(20));
        let is_told = workflows.unsaved() == Some(StoreError::TimedOut);
        assert!(is_told, "after {after} ms: {}", desk.world.story());
        desk.device.set_health(StoreHealth::Well);
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed, "after {after} ms");
        assert_eq!(
            (workflows.unsaved(), commands(&desk.world)),
            (None, 2),
            "after {after} ms"
        );
    }
}

/// R13: its tab was closed before another one could read it
#[test]
fn one_that_a_closed_tab_has_begun_unheard_is_taken_up_by_the_next_that_leads() {
    let (mut desk, session, workflows) = desk();
    let second: Tab = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    desk.world.run_for(SOON);
    desk.device.silence_workflows();
    workflows
        .start(&session, until_passes("sleep 5"))
        .expect("the session is known");
    desk.world.run_for(Duration::from_secs(1));
    assert!(followed.list().is_empty(), "nothing was heard of it");
    let first = std::mem::replace(&mut desk.tab, second);
    desk.world.close_tab(first);
    assert_eq!(until_ended(&mut desk, &followed).0, End::Passed);
    assert_eq!(commands(&desk.world), 1);
}

/// R13: a person has cleared the data of the page
#[test]
fn one_whose_record_was_cleared_is_kept_anew() {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, until_passes("each 1:red 2:pink 0:green"))
        .expect("the session is known");
    desk.world.run_for(Duration::from_secs(2));
    desk.device.clear();
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert_played_once(&desk, &session, "it was cleared");
    desk.world.run_until("it is kept", SOON + SOON, |_| {
        end_of(&desk.device.workflows()) == Some(End::Passed)
    });
    assert_eq!(workflows.unsaved(), None);
}

/// R13, F5: the lead moves to another tab and back, at any time
#[test]
fn while_the_lead_moves_to_and_fro_nothing_is_sent_twice_and_nothing_stands_still() {
    for back in [70, 300] {
        for after in (0..2_000).step_by(17) {
            let (mut desk, session, workflows) = desk();
            let second: Tab = desk.world.open_tab(&desk.device);
            let _followed = second.workflows();
            desk.world.run_for(SOON);
            workflows
                .start(&session, until_passes("each 1:red 2:pink 0:green"))
                .expect("the session is known");
            desk.world.run_for(Duration::from_millis(after));
            desk.world.move_lead(&second);
            desk.world.run_for(Duration::from_millis(back));
            desk.world.move_lead(&desk.tab);
            let what = format!("after {after} ms, back after {back} ms");
            assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed, "{what}");
            assert_played_once(&desk, &session, &what);
        }
    }
}
