//! What reviewers look at: what the session has changed by the time at which they are asked.

use std::time::Duration;

use switchboard_core::model::{Directory, Role};
use switchboard_core::ports::Read;
use switchboard_core::view::Link;
use switchboard_core::workflow::{
    End, Goal, NoVerdict, Opinion, Review, Reviewer, Start, StartError, Stop, Work, Workflow, Workflows,
};
use switchboard_tests::network::CHANGED_MESSAGES;
use switchboard_tests::world::World;

use crate::desk::{DIRECTORY, Desk, LATER, SOON};
use crate::workflows::{desk, end_of, play, review, reviewer, until_ended, until_passes};

const FOUND: &str = "v: NO-GO\n- H: it leaks";

/// Reviewers who look at what the session has changed.
fn of_changes(reviewers: Vec<Reviewer>, material: &str, fix: bool) -> Goal {
    let mut goal = review(reviewers, fix);
    goal.review = goal.review.map(|review| Review {
        material: material.to_owned(),
        changes: true,
        ..review
    });
    goal
}

fn begun(goal: Goal) -> (Desk, Workflows) {
    let (desk, session, workflows) = desk();
    workflows.start(&session, goal).expect("the session is known");
    (desk, workflows)
}

/// What reviewers were told to look at, those who were asked first at the beginning.
fn shown(world: &World) -> Vec<String> {
    let sessions = world.server.sessions().into_iter();
    let mut prompts: Vec<_> = sessions
        .flat_map(|session| world.server.messages(&session))
        .filter(|message| message.role == Role::User && message.text().starts_with("You are the reviewer"))
        .collect();
    prompts.sort_by_key(|prompt| prompt.created);
    let material = |text: String| {
        let (_, from) = text.split_once("What to review:\n\n")?;
        Some(from.split_once("\n\nChange no file.")?.0.to_owned())
    };
    let materials = prompts.into_iter().filter_map(|prompt| material(prompt.text()));
    materials.collect()
}

fn reasons(workflow: &Workflow) -> Vec<String> {
    let seats = workflow.steps.iter().flat_map(|step| match &step.work {
        Work::Review { seats, .. } => seats.as_slice(),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => &[],
    });
    let reasons = seats.filter_map(|seat| match &seat.opinion {
        Some(Opinion::None {
            reason: NoVerdict::NotAsked(reason),
            ..
        }) => Some(reason.clone()),
        Some(Opinion::None { .. } | Opinion::Verdict(_)) | None => None,
    });
    reasons.collect()
}

fn is_of_changes(read: &Read) -> bool {
    matches!(read, Read::Messages { limit, .. } if *limit == CHANGED_MESSAGES)
}

/// F7, C5: the agent has mended something since they were asked
#[test]
fn those_who_are_asked_again_see_what_was_changed_meanwhile() {
    let (desk, _, end, _) = play(of_changes(vec![reviewer("one", FOUND, 0)], "", true));
    assert_eq!(end, End::Stalled, "they say the same again");
    assert_eq!(shown(&desk.world), ["change 1", "change 1\nchange 2"]);
}

/// F7: the server notes a change a moment after the run has ended, and events tell the page of its end at once
#[test]
fn a_change_that_is_noted_late_is_seen() {
    for wait in (0..1_000).step_by(53) {
        let (mut desk, session, workflows) = desk();
        desk.world.events_flow = true;
        desk.world.server.note_changes_after(Duration::from_millis(800));
        desk.reload();
        drop(workflows);
        let workflows = desk.tab.workflows();
        desk.world.run_for(SOON + Duration::from_millis(wait));
        let mut goal = of_changes(vec![reviewer("one", "v: GO", 0)], "", false);
        goal.start = Start::AfterReply;
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(SOON);
        desk.world.other.prompt(&session, "Go on.");
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
        assert_eq!(shown(&desk.world), ["change 1\nchange 2"], "{wait} ms");
    }
}

/// F7: a check comes between the agent and the reviewers
#[test]
fn a_change_that_a_check_has_asked_for_is_seen() {
    let mut goal = of_changes(vec![reviewer("one", "v: GO", 0)], "Look at src/window.rs first.", false);
    goal.check = until_passes("each 1:red 0:green").check;
    let (desk, _, end, _) = play(goal);
    assert_eq!(end, End::Passed);
    let expected = "Look at src/window.rs first.\n\nWhat the session has changed:\n\nchange 1\nchange 2";
    assert_eq!(shown(&desk.world), [expected]);
}

/// C5: asked for while the agent works, they see what it has done by its end
#[test]
fn a_change_that_is_still_to_come_is_seen() {
    let (mut desk, session, workflows) = desk();
    let mut goal = of_changes(vec![reviewer("one", "v: GO", 0)], "", false);
    goal.start = Start::AfterReply;
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(SOON);
    desk.world.other.prompt(&session, "Go on.");
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert_eq!(shown(&desk.world), ["change 1\nchange 2"]);
}

/// C5
#[test]
fn names_of_files_are_told_as_they_are() {
    let (desk, _, end, _) = play(review(vec![reviewer("one", "v: GO", 0)], false));
    assert_eq!(
        (end, shown(&desk.world)),
        (End::Passed, vec!["src/window.rs".to_owned()])
    );
}

/// C8: a reviewer who sees nothing would say GO to it
#[test]
fn where_nothing_has_changed_only_those_are_asked_who_have_something_to_look_at() {
    for (material, expected) in [
        ("", None),
        (
            "src/window.rs",
            Some("src/window.rs\n\n(The session has changed no file, as far as the server has noted.)"),
        ),
    ] {
        let mut desk = Desk::new(1);
        let session = desk.world.server.create(&Directory::from(DIRECTORY), "Empty");
        let workflows = desk.tab.workflows();
        desk.world
            .run_until("its session is shown", SOON, |_| desk.tab.session(&session).is_some());
        workflows
            .start(&session, of_changes(vec![reviewer("one", "v: GO", 0)], material, false))
            .expect("the session is known");
        let (end, workflow) = until_ended(&mut desk, &workflows);
        assert_eq!(shown(&desk.world), Vec::from_iter(expected.map(str::to_owned)));
        let reasons = reasons(&workflow);
        match expected {
            Some(_) => assert_eq!((end, reasons.len()), (End::Passed, 0)),
            None => {
                assert_eq!((end, reasons.len()), (End::Reviewed, 1));
                assert!(reasons[0].contains("has changed no file"), "{reasons:?}");
            }
        }
    }
}

/// C5
#[test]
fn reviewers_without_anything_to_look_at_are_not_started() {
    let (_, session, workflows) = desk();
    let mut goal = review(vec![reviewer("one", "v: GO", 0)], false);
    goal.review = goal.review.map(|review| Review {
        material: " \n".to_owned(),
        ..review
    });
    assert_eq!(workflows.start(&session, goal), Err(StartError::NothingToReview));
    assert!(workflows.list().is_empty());
}

/// C8, R14: an outage, or a server that fails for a while, delays them and nothing else
#[test]
fn changes_that_cannot_be_read_for_a_while_are_read_later() {
    for (is_cut, span) in [(true, 400), (false, 40)] {
        let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", "v: GO", 0)], "", false));
        {
            let mut faults = desk.tab.faults.borrow_mut();
            faults.is_cut = is_cut;
            faults.unreadable = Some(is_of_changes);
        }
        desk.world.run_for(Duration::from_secs(span));
        assert_eq!((end_of(&workflows.list()), shown(&desk.world).len()), (None, 0));
        {
            let mut faults = desk.tab.faults.borrow_mut();
            faults.is_cut = false;
            faults.unreadable = None;
        }
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
        assert_eq!(shown(&desk.world), ["change 1"]);
    }
}

/// C8: a person is told why, and nothing stands still
#[test]
fn where_changes_can_never_be_read_nobody_is_asked_and_a_person_decides() {
    let (mut desk, workflows) = begun(of_changes(
        vec![reviewer("one", "v: GO", 0), reviewer("two", "v: GO", 0)],
        "",
        true,
    ));
    desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert_eq!((end, shown(&desk.world).len()), (End::Reviewed, 0));
    let reasons = reasons(&workflow);
    assert_eq!(reasons.len(), 2);
    assert!(
        reasons[0].starts_with("what its session has changed was not read, since the server answered 500"),
        "{reasons:?}"
    );
}

/// C8: a page that is loaded again meanwhile asks each of them once
#[test]
fn after_a_crash_at_any_time_each_is_asked_once_with_what_was_changed() {
    for after in (0..6_000).step_by(97) {
        let goal = of_changes(
            vec![reviewer("one", "v: GO", 500), reviewer("two", "v: GO", 2_000)],
            "",
            false,
        );
        let (mut desk, _) = begun(goal);
        desk.world.run_for(Duration::from_millis(after));
        desk.reload();
        let workflows = desk.tab.workflows();
        desk.world.run_for(SOON);
        if workflows.list().is_empty() {
            continue;
        }
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed, "after {after} ms");
        assert_eq!(shown(&desk.world), ["change 1", "change 1"], "after {after} ms");
    }
}

/// C8, R13: those who are at work when the page is loaded again have their material, whether it can be read again or not
#[test]
fn those_who_are_at_work_are_heard_although_the_changes_cannot_be_read_again() {
    let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", "v: GO", 20_000)], "", false));
    desk.world.run_until("it is asked", LATER, |_| {
        let list = workflows.list();
        let seats = list.iter().flat_map(|workflow| &workflow.steps);
        seats.into_iter().any(|step| match &step.work {
            Work::Review { seats, .. } => seats.iter().any(|seat| seat.begun.is_some()),
            Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => false,
        })
    });
    desk.reload();
    desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
    let workflows = desk.tab.workflows();
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert_eq!(shown(&desk.world), ["change 1"]);
}

/// F7: nobody is asked any more
#[test]
fn a_stop_while_the_changes_are_read_ends_it_at_once() {
    for is_cut in [false, true] {
        let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", "v: GO", 0)], "", true));
        desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().is_cut = is_cut;
        desk.world.run_for(SOON + SOON);
        assert_eq!(desk.tab.view().server.link == Link::Live, !is_cut);
        let id = workflows.list()[0].id.clone();
        workflows.stop(&id, Stop::Now);
        desk.world.run_for(Duration::from_secs(1));
        assert_eq!(end_of(&workflows.list()), Some(End::Stopped));
        assert_eq!(shown(&desk.world).len(), 0);
    }
}

/// C5: the session that is reviewed is deleted meanwhile
#[test]
fn a_session_that_is_deleted_while_its_changes_are_read_ends_it() {
    let (mut desk, session, workflows) = desk();
    let goal = of_changes(vec![reviewer("one", "v: GO", 0)], "", true);
    workflows.start(&session, goal).expect("the session is known");
    desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
    desk.world.run_for(SOON);
    desk.world.server.delete(&session);
    desk.tab.faults.borrow_mut().unreadable = None;
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert!(
        end == End::SessionGone || reasons(&workflow)[0].contains("Session not found"),
        "{end:?}"
    );
    assert_eq!(shown(&desk.world).len(), 0);
}
