//! What reviewers found, as a person has the agent sent it: once, and called sent when the server has it.

use std::time::Duration;

use switchboard_core::model::SessionId;
use switchboard_core::workflow::{End, Goal, SendEnd, Stop, Work, Workflows};
use switchboard_tests::store::StoreHealth;
use switchboard_tests::tab::Tab;

use crate::desk::{Desk, LATER, SOON};
use crate::workflows::{desk, end_of, review, reviewer, told, until_ended};

const FOUND: &str = "v: NO-GO\n- H: a clock that steps back frees the window";

/// What has become of sending what reviewers found.
fn send_end(workflows: &Workflows) -> Option<SendEnd> {
    let list = workflows.list();
    list[0].steps.iter().rev().find_map(|step| match &step.work {
        Work::Review { sent, .. } => sent.as_ref()?.end.clone(),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
    })
}

fn until_sent(desk: &mut Desk, workflows: &Workflows) {
    desk.world
        .run_until("it is sent", LATER, |_| send_end(workflows) == Some(SendEnd::Stored));
}

/// A session whose reviewer has found something.
fn reviewed() -> (Desk, SessionId, Workflows) {
    let (mut desk, session, workflows) = desk();
    workflows
        .start(&session, review(vec![reviewer("one", FOUND, 0)], false))
        .expect("the session is known");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Reviewed);
    (desk, session, workflows)
}

/// A loop that sends what the reviewer finds, for so many rounds.
fn fixing(rounds: u32) -> Goal {
    let mut goal = review(vec![reviewer("one", FOUND, 0)], true);
    goal.rounds = rounds;
    goal
}

/// A second tab that follows.
fn second_tab(desk: &mut Desk) -> (Tab, Workflows) {
    let second = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    desk.world.run_for(SOON);
    (second, followed)
}

/// R13, F5: the page is loaded again at any time, and the store is slow then
#[test]
fn it_is_sent_once_also_after_a_reload() {
    for after in (0..1_500).step_by(37) {
        let (mut desk, session, workflows) = reviewed();
        let id = workflows.list()[0].id.clone();
        workflows.send_findings(&id);
        workflows.send_findings(&id);
        desk.world.run_for(Duration::from_millis(after));
        drop(workflows);
        desk.reload();
        desk.device.set_health(StoreHealth::Slow(Duration::from_secs(5)));
        let workflows = desk.tab.workflows();
        desk.world
            .run_until("it is read", SOON, |_| !workflows.list().is_empty());
        // What was not kept before the reload was not sent, and is pressed again.
        workflows.send_findings(&id);
        until_sent(&mut desk, &workflows);
        workflows.send_findings(&id);
        desk.world.run_for(SOON);
        let told = told(&desk, &session);
        assert_eq!(told.len(), 1, "after {after} ms: {told:?}\n{}", desk.world.story());
        assert_eq!(end_of(&workflows.list()), Some(End::Reviewed));
    }
}

/// R13
#[test]
fn it_is_called_sent_once_the_server_has_it() {
    let (mut desk, session, workflows) = reviewed();
    let (_second, followed) = second_tab(&mut desk);
    desk.world.server.kill();
    desk.world.run_for(SOON);
    followed.send_findings(&workflows.list()[0].id);
    desk.world.run_for(SOON);
    assert_eq!((send_end(&workflows), send_end(&followed)), (None, None));
    desk.world.server.start();
    for tab in [&workflows, &followed] {
        until_sent(&mut desk, tab);
    }
    assert_eq!(told(&desk, &session).len(), 1);
}

/// R13: its author is told why not, and may try again
#[test]
fn it_is_not_sent_to_a_session_that_was_deleted() {
    let (mut desk, session, workflows) = reviewed();
    desk.world.server.delete(&session);
    desk.world.run_for(SOON);
    let id = workflows.list()[0].id.clone();
    for _ in 0..2 {
        workflows.send_findings(&id);
        desk.world.run_until("it is refused", SOON, |_| {
            matches!(send_end(&workflows), Some(SendEnd::Refused(_)))
        });
    }
}

/// R13, F5: the tab that sends it leads no longer, at any time
#[test]
fn it_is_sent_once_and_called_so_when_another_tab_leads_meanwhile() {
    for latency in [20, 200, 1_000] {
        for after in (0..1_500).step_by(47) {
            for back in [None, Some(70), Some(2_000)] {
                let (mut desk, session, workflows) = reviewed();
                let (second, followed) = second_tab(&mut desk);
                let id = workflows.list()[0].id.clone();
                for tab in [&desk.tab, &second] {
                    let latency = Duration::from_millis(latency);
                    tab.faults.borrow_mut().latency = latency / 2..latency;
                }
                workflows.send_findings(&id);
                desk.world.run_for(Duration::from_millis(after));
                desk.world.move_lead(&second);
                if let Some(back) = back {
                    desk.world.run_for(Duration::from_millis(back));
                    desk.world.move_lead(&desk.tab);
                }
                for tab in [&workflows, &followed] {
                    until_sent(&mut desk, tab);
                }
                desk.world.run_for(SOON);
                let what = format!("{latency} ms, after {after} ms, back after {back:?}");
                assert_eq!(told(&desk, &session).len(), 1, "{what}");
            }
        }
    }
}

/// R13: both tabs lead, as without Web Locks, and the one that was told so is closed
#[test]
fn a_refusal_is_told_in_each_tab_that_leads_and_it_may_be_tried_again_there() {
    let (mut desk, session, workflows) = reviewed();
    let (second, followed) = second_tab(&mut desk);
    second.handle.set_leading(true);
    desk.world.run_for(SOON);
    let id = workflows.list()[0].id.clone();
    let refuse = |tabs: [&Tab; 2], refusal, refused| {
        for tab in tabs {
            let mut faults = tab.faults.borrow_mut();
            (faults.refusal, faults.refused) = (refusal, refused);
        }
    };
    refuse([&desk.tab, &second], Some(400), 1_000);
    workflows.send_findings(&id);
    desk.world.run_for(SOON);
    assert!(matches!(send_end(&workflows), Some(SendEnd::Refused(_))));
    refuse([&desk.tab, &second], None, 0);
    let first = std::mem::replace(&mut desk.tab, second);
    desk.world.close_tab(first);
    desk.world.run_for(SOON);
    followed.send_findings(&id);
    until_sent(&mut desk, &followed);
    assert_eq!(told(&desk, &session).len(), 1);
}

/// The kinds of steps of the newest workflow, in order.
fn steps(workflows: &Workflows) -> Vec<&'static str> {
    let list = workflows.list();
    let kinds = list[0].steps.iter().map(|step| match step.work {
        Work::AwaitReply { .. } => "await",
        Work::Check(_) => "check",
        Work::Review { .. } => "review",
        Work::Tell(_) => "tell",
    });
    kinds.filter(|kind| *kind != "await").collect()
}

/// F5, F7: a person has it sent, and then lets the loop go on, also while the server cannot be reached
#[test]
fn what_was_sent_is_not_told_again_by_a_loop_that_goes_on_but_reviewed() {
    for is_reached in [true, false] {
        let (mut desk, session, workflows) = desk();
        let id = workflows.start(&session, fixing(1)).expect("the session is known");
        assert_eq!(until_ended(&mut desk, &workflows).0, End::RoundsUsedUp);
        if is_reached {
            workflows.send_findings(&id);
            until_sent(&mut desk, &workflows);
            workflows.go_on(&id, 1);
        } else {
            desk.world.server.kill();
            desk.world.run_for(SOON);
            workflows.send_findings(&id);
            desk.world.run_for(SOON);
            workflows.go_on(&id, 1);
            desk.world.run_for(SOON);
            desk.world.server.start();
        }
        desk.world
            .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
        let (end, workflow) = until_ended(&mut desk, &workflows);
        assert_eq!(
            (end, workflow.round()),
            (End::Stalled, 1),
            "the reviewer says the same again"
        );
        assert_eq!(steps(&workflows), ["review", "review"]);
        assert_eq!(told(&desk, &session).len(), 1, "reached: {is_reached}");
    }
}

/// F5
#[test]
fn what_the_loop_has_told_is_not_sent_again() {
    let (mut desk, session, workflows) = desk();
    let id = workflows.start(&session, fixing(2)).expect("the session is known");
    desk.world.run_until("the agent was told", LATER, |world| {
        let messages = world.server.messages(&session);
        messages
            .iter()
            .any(|message| message.text().starts_with("Reviewers found"))
    });
    workflows.stop(&id, Stop::Now);
    let (_, workflow) = until_ended(&mut desk, &workflows);
    assert!(!workflow.can_send_findings());
    workflows.send_findings(&id);
    desk.world.run_for(SOON);
    assert_eq!(told(&desk, &session).len(), 1);
}

/// R13, F7: what is on its way holds up no loop
#[test]
fn a_loop_goes_on_although_another_tab_has_led_while_it_was_sent() {
    for after in (0..140).step_by(7) {
        let (mut desk, session, workflows) = desk();
        let (second, followed) = second_tab(&mut desk);
        let id = workflows.start(&session, fixing(1)).expect("the session is known");
        assert_eq!(until_ended(&mut desk, &workflows).0, End::RoundsUsedUp);
        desk.world.run_for(SOON);
        workflows.send_findings(&id);
        desk.world.run_for(Duration::from_millis(after));
        desk.world.move_lead(&second);
        desk.world.run_for(SOON);
        followed.go_on(&id, 1);
        desk.world.run_until("it has ended again", LATER + LATER, |_| {
            followed.list()[0].end.is_some() && steps(&followed).len() > 1
        });
        assert_eq!(told(&desk, &session).len(), 1, "after {after} ms");
    }
}

/// F5, F7: what a person had sent was undone, or its run was stopped, before the loop goes on
#[test]
fn a_loop_goes_on_whatever_has_become_of_what_was_sent() {
    for is_undone in [true, false] {
        let (mut desk, session, workflows) = desk();
        let id = workflows.start(&session, fixing(1)).expect("the session is known");
        assert_eq!(until_ended(&mut desk, &workflows).0, End::RoundsUsedUp);
        workflows.send_findings(&id);
        until_sent(&mut desk, &workflows);
        if is_undone {
            desk.world.run_for(LATER);
            let messages = desk.world.server.messages(&session);
            let sent = messages
                .iter()
                .skip_while(|message| !message.text().starts_with("Reviewers found"));
            for message in sent {
                desk.world.server.remove_message(&session, &message.id);
            }
        } else {
            desk.tab.abort(&session);
        }
        desk.reload();
        let workflows = desk.tab.workflows();
        desk.world.run_for(SOON);
        workflows.go_on(&id, 1);
        desk.world
            .run_until("it goes on", SOON, |_| end_of(&workflows.list()).is_none());
        assert_eq!(
            until_ended(&mut desk, &workflows).0,
            End::Stalled,
            "undone: {is_undone}"
        );
        assert_eq!(steps(&workflows), ["review", "review"]);
    }
}

/// R13: the loop could not tell it, so a person may
#[test]
fn what_the_loop_could_not_tell_may_be_sent() {
    let (mut desk, session, workflows) = desk();
    let mut goal = fixing(2);
    let review = goal.review.as_mut().expect("it has reviewers");
    review.reviewers = vec![reviewer("one", FOUND, 3_000)];
    let id = workflows.start(&session, goal).expect("the session is known");
    desk.world.run_until("the reviewer works", LATER, |world| {
        let mut sessions = world.server.sessions().into_iter();
        sessions.any(|of| of != session && world.server.status(&of).is_some())
    });
    desk.world.run_for(Duration::from_secs(1));
    desk.tab.faults.borrow_mut().refusal = Some(400);
    desk.tab.faults.borrow_mut().refused = 1_000;
    assert!(matches!(until_ended(&mut desk, &workflows).0, End::NotTold(_)));
    desk.tab.faults.borrow_mut().refusal = None;
    workflows.send_findings(&id);
    until_sent(&mut desk, &workflows);
    assert_eq!(told(&desk, &session).len(), 1);
}
