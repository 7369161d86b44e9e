//! The material of reviewers: the changes of the session by the time at which a review begins.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{Directory, Role, SessionId};
use switchboard_core::ports::Read;
use switchboard_core::view::Link;
use switchboard_core::workflow::{
    End, Goal, Material, Review, Reviewer, Seat, Start, StartError, Stop, Work, Workflows,
};
use switchboard_tests::network::CHANGED_MESSAGES;
use switchboard_tests::scripts::script;
use switchboard_tests::store::StoreHealth;
use switchboard_tests::world::World;

use crate::desk::{DIRECTORY, Desk, LATER, SOON};
use crate::workflows::{desk, end_of, play, results, review, reviewer, until_ended, until_passes};

const FOUND: &str = "v: NO-GO\n- H: it leaks";

/// Reviewers who look at what the session has changed.
fn of_changes(reviewers: Vec<Reviewer>, material: &str, fix: bool) -> Goal {
    let mut goal = review(reviewers, fix);
    goal.review = goal.review.map(|review| Review {
        material: Material {
            text: material.to_owned(),
            changes: true,
        },
        ..review
    });
    goal
}

/// A page with a session in which nothing has happened, and the workflows of that page.
fn unchanged() -> (Desk, SessionId, Workflows) {
    let mut desk = Desk::new(1);
    let session = desk.world.server.create(&Directory::from(DIRECTORY), "Empty");
    let workflows = desk.tab.workflows();
    desk.world
        .run_until("its session is shown", SOON, |_| desk.tab.session(&session).is_some());
    (desk, session, workflows)
}

fn begun(goal: Goal) -> (Desk, Workflows) {
    let (desk, session, workflows) = desk();
    workflows.start(&session, goal).expect("the session is known");
    (desk, workflows)
}

/// The materials of all reviewers, those who were asked first at the beginning.
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

/// Asks a reviewer after the next reply, which a person brings about, and returns what it is shown.
fn shown_after_the_next_reply(desk: &mut Desk, session: &SessionId, workflows: &Workflows) -> Vec<String> {
    let mut goal = of_changes(vec![reviewer("one", "v: GO", 0)], "", false);
    goal.start = Start::AfterReply;
    workflows.start(session, goal).expect("the session is known");
    desk.world.run_for(SOON);
    desk.world.other.prompt(session, "Go on.");
    assert_eq!(until_ended(desk, workflows).0, End::Passed);
    shown(&desk.world)
}

fn has_seat(workflows: &Workflows, is_it: impl Fn(&Seat) -> bool) -> bool {
    let list = workflows.list();
    let mut steps = list.iter().flat_map(|workflow| &workflow.steps);
    steps.any(|step| match &step.work {
        Work::Review { seats, .. } => seats.iter().any(&is_it),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => false,
    })
}

fn until_it_has_a_session(desk: &mut Desk, workflows: &Workflows) {
    desk.world.run_until("it has a session", LATER, |_| {
        has_seat(workflows, |seat| seat.session.is_some())
    });
}

fn until_it_is_asked(desk: &mut Desk, workflows: &Workflows) {
    desk.world.run_until("it is asked", LATER, |_| {
        has_seat(workflows, |seat| seat.begun.is_some())
    });
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
        let shown = shown_after_the_next_reply(&mut desk, &session, &workflows);
        assert_eq!(shown, ["change 1\nchange 2"], "{wait} ms");
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
    let shown = shown_after_the_next_reply(&mut desk, &session, &workflows);
    assert_eq!(shown, ["change 1\nchange 2"]);
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
            Some("src/window.rs\n\n(No change of a file was found in the session.)"),
        ),
    ] {
        let (mut desk, session, workflows) = unchanged();
        workflows
            .start(&session, of_changes(vec![reviewer("one", "v: GO", 0)], material, false))
            .expect("the session is known");
        let (end, _) = until_ended(&mut desk, &workflows);
        assert_eq!(shown(&desk.world), Vec::from_iter(expected.map(str::to_owned)));
        match expected {
            Some(_) => assert_eq!(end, End::Passed),
            None => assert!(
                matches!(&end, End::NotReviewed(reason) if reason.starts_with("no change of a file was found")),
                "{end:?}"
            ),
        }
    }
}

/// C5
#[test]
fn reviewers_without_anything_to_look_at_are_not_started() {
    let (_, session, workflows) = desk();
    let mut goal = review(vec![reviewer("one", "v: GO", 0)], false);
    goal.review = goal.review.map(|review| Review {
        material: Material {
            text: " \n".to_owned(),
            changes: false,
        },
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

/// C8, F7: a person is told why, and goes on when it can be read
#[test]
fn where_changes_can_never_be_read_none_is_asked_until_a_person_goes_on() {
    let reviewers = vec![reviewer("one", "v: GO", 0), reviewer("two", "v: GO", 0)];
    let (mut desk, workflows) = begun(of_changes(reviewers, "", true));
    desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
    let (end, workflow) = until_ended(&mut desk, &workflows);
    let End::NotReviewed(reason) = end else {
        panic!("{end:?}")
    };
    assert!(reason.starts_with("what the session has changed was not read, since the server answered 500"));
    assert!(workflow.can_go_on() && shown(&desk.world).is_empty());
    desk.tab.faults.borrow_mut().unreadable = None;
    workflows.go_on(&workflow.id, 1);
    desk.world.run_for(SOON);
    assert_eq!(end_of(&workflows.list()), Some(End::Passed));
    assert_eq!(shown(&desk.world), ["change 1", "change 1"]);
}

/// F7: a loop that has come far does not end for good by a minute in which nothing can be read
#[test]
fn in_a_later_round_a_person_goes_on_as_well() {
    let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", FOUND, 0)], "", true));
    desk.world.run_until("the agent is told", LATER, |_| {
        let list = workflows.list();
        let mut steps = list.iter().flat_map(|workflow| &workflow.steps);
        steps.any(|step| matches!(step.work, Work::Tell(_)))
    });
    desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert!(matches!(end, End::NotReviewed(_)), "{end:?}");
    desk.tab.faults.borrow_mut().unreadable = None;
    workflows.go_on(&workflow.id, 3);
    desk.world.run_until("they say the same again", LATER, |_| {
        end_of(&workflows.list()) == Some(End::Stalled)
    });
    assert_eq!(shown(&desk.world), ["change 1", "change 1\nchange 2"]);
}

/// F7: a person has the agent change something, and goes on before it has finished
#[test]
fn gone_on_with_while_the_agent_works_they_see_what_it_has_done() {
    let (mut desk, session, workflows) = unchanged();
    let mut goal = of_changes(vec![reviewer("one", "v: GO", 0)], "", false);
    goal.check = until_passes("each 0:green 0:green").check;
    workflows.start(&session, goal).expect("the session is known");
    let (end, workflow) = until_ended(&mut desk, &workflows);
    assert!(matches!(end, End::NotReviewed(_)), "{end:?}");
    let text = script(json!([{ "text": "Done.", "delay": 20_000 }])).to_prompt();
    desk.world.other.prompt(&session, &text);
    desk.world.run_for(SOON);
    workflows.go_on(&workflow.id, 5);
    desk.world.run_for(LATER);
    assert_eq!(end_of(&workflows.list()), Some(End::Passed));
    assert_eq!(shown(&desk.world), ["change 1"]);
    assert_eq!(
        results(&workflows.list()[0]),
        [true, true],
        "what it has done is checked, too"
    );
}

/// C8, R13: the record that holds the changes could not be kept, and another tab has written its own
#[test]
fn one_who_is_asked_later_sees_the_changes_although_they_could_not_be_kept() {
    let reviewers = vec![reviewer("one", "v: GO", 10_000), reviewer("two", "v: GO", 0)];
    let mut goal = of_changes(reviewers, "", false);
    goal.review.iter_mut().for_each(|review| review.at_once = 1);
    let (mut desk, session, workflows) = desk();
    let second = desk.world.open_tab(&desk.device);
    let followed = second.workflows();
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(Duration::from_millis(500));
    assert_eq!(followed.list()[0].steps.len(), 1);
    desk.device.set_health(StoreHealth::Full);
    until_it_is_asked(&mut desk, &workflows);
    desk.world.run_for(Duration::from_secs(1));
    desk.device.set_health(StoreHealth::Well);
    followed.stop(&workflows.list()[0].id, Stop::AfterRound);
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert_eq!(shown(&desk.world), ["change 1", "change 1"]);
}

/// R13: a record is kept for 30 days
#[test]
fn the_changes_are_kept_no_longer_than_the_review() {
    for is_deleted in [false, true] {
        let (mut desk, session, workflows) = desk();
        let goal = of_changes(vec![reviewer("one", "v: GO", 20_000)], "", false);
        workflows.start(&session, goal).expect("the session is known");
        until_it_is_asked(&mut desk, &workflows);
        let held = |desk: &Desk| format!("{:?}", desk.device.workflows()).contains("change 1");
        assert!(held(&desk), "a reload finds them");
        if is_deleted {
            desk.world.server.delete(&session);
        }
        until_ended(&mut desk, &workflows);
        desk.world.run_for(SOON);
        assert!(!held(&desk), "deleted: {is_deleted}");
    }
}

/// C5: a line on which the messages take 50 s
#[test]
fn a_slow_line_delays_them() {
    let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", "v: GO", 0)], "", false));
    desk.tab.faults.borrow_mut().slow_pages = true;
    desk.world.run_for(LATER + LATER);
    assert_eq!(end_of(&workflows.list()), Some(End::Passed));
    assert_eq!(shown(&desk.world), ["change 1"]);
}

/// C9: their votes are about the same, also of those who are asked later
#[test]
fn all_reviewers_of_a_review_are_shown_the_same() {
    let reviewers = vec![reviewer("one", "v: GO", 20_000), reviewer("two", "v: GO", 0)];
    let mut goal = of_changes(reviewers, "", false);
    goal.review.iter_mut().for_each(|review| review.at_once = 1);
    let (mut desk, session, workflows) = desk();
    workflows.start(&session, goal).expect("the session is known");
    until_it_is_asked(&mut desk, &workflows);
    desk.world.other.prompt(&session, "Go on.");
    desk.world.run_for(SOON);
    desk.reload();
    let workflows = desk.tab.workflows();
    assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed);
    assert_eq!(shown(&desk.world), ["change 1", "change 1"]);
}

/// F2: the newest change is what a later review is about
#[test]
fn a_long_text_leaves_room_for_the_changes() {
    let text = "a line of a log\n".repeat(7_000);
    let (desk, _, end, _) = play(of_changes(vec![reviewer("one", "v: GO", 0)], &text, false));
    assert_eq!(end, End::Passed);
    let shown = &shown(&desk.world)[0];
    assert!(shown.ends_with(
        "there is no room for them. Read the files themselves.)\n\nWhat the session has changed:\n\nchange 1"
    ));
    assert!(shown.len() > 100_000);
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
            assert_eq!(after, 0, "it was kept");
            continue;
        }
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed, "after {after} ms");
        assert_eq!(shown(&desk.world), ["change 1", "change 1"], "after {after} ms");
    }
}

/// C5, C8, R13: those who are at work when the page is loaded again are heard and timed, whether the changes can be read or not
#[test]
fn those_who_are_at_work_are_heard_although_the_changes_cannot_be_read_again() {
    for (delay, expected) in [(2_000, End::Passed), (600_000, End::Reviewed)] {
        let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", "v: GO", delay)], "", false));
        until_it_is_asked(&mut desk, &workflows);
        desk.reload();
        desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
        let workflows = desk.tab.workflows();
        desk.world.run_for(Duration::from_secs(40));
        assert_eq!(end_of(&workflows.list()), Some(expected));
        assert_eq!(shown(&desk.world), ["change 1"]);
    }
}

/// C8, R13: the page is loaded again while what it is asked is on its way
#[test]
fn one_whose_prompt_is_on_its_way_is_heard_although_the_changes_cannot_be_read_again() {
    for (after, are_lost) in (0..400).step_by(19).map(|after| (after, false)).chain([(6_000, true)]) {
        let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", "v: GO", 20_000)], "", false));
        until_it_has_a_session(&mut desk, &workflows);
        desk.tab.faults.borrow_mut().posts_lost = are_lost;
        desk.world.run_for(Duration::from_millis(after));
        desk.reload();
        desk.tab.faults.borrow_mut().unreadable = Some(is_of_changes);
        let workflows = desk.tab.workflows();
        assert_eq!(until_ended(&mut desk, &workflows).0, End::Passed, "after {after} ms");
        assert_eq!(shown(&desk.world), ["change 1"], "after {after} ms");
    }
}

/// F7, R13: a tab that dies over a stop
#[test]
fn a_tab_that_dies_after_a_stop_leaves_no_question_about_nothing() {
    for after in 0..12 {
        for writes in 0..6 {
            let (mut desk, workflows) = begun(of_changes(vec![reviewer("one", "v: GO", 20_000)], "", false));
            until_it_has_a_session(&mut desk, &workflows);
            desk.world.run_for(Duration::from_millis(after));
            let id = workflows.list()[0].id.clone();
            desk.reload();
            let workflows = desk.tab.workflows();
            desk.world.run_for(Duration::from_millis(700));
            workflows.stop(&id, Stop::Now);
            desk.tab.commits_to_live.set(Some(writes));
            desk.world.run_for(SOON);
            desk.reload();
            let workflows = desk.tab.workflows();
            let what = format!("after {after} ms and {writes} writes");
            desk.world.run_for(LATER);
            assert!(shown(&desk.world).iter().all(|shown| shown == "change 1"), "{what}");
            let end = end_of(&workflows.list());
            assert!(matches!(end, Some(End::Stopped | End::Passed)), "{what}: {end:?}");
        }
    }
}

/// F7: none is asked any more
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
    let (end, _) = until_ended(&mut desk, &workflows);
    let is_told =
        end == End::SessionGone || matches!(&end, End::NotReviewed(reason) if reason.ends_with("Session not found"));
    assert!(is_told, "{end:?}");
    assert_eq!(shown(&desk.world).len(), 0);
}
