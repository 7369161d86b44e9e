//! When a workflow begins, and when the time of its reviewers begins and ends.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::SessionId;
use switchboard_core::ports::Read;
use switchboard_core::view::TurnState;
use switchboard_core::workflow::{Opinion, Work, Workflow, Workflows};
use switchboard_tests::other_client::OtherClient;
use switchboard_tests::scripts::script;

use crate::desk::{Desk, LATER, SOON};
use crate::workflows::{after_the_next_reply, commands, desk, end_of, review, reviewer, until_ended};

/// Longer than the 30 s that a reviewer has.
const OVERTIME: Duration = Duration::from_secs(90);

/// One reviewer, who says GO after so many milliseconds.
fn asked(delay: u64) -> (Desk, Workflows) {
    let (desk, session, workflows) = desk();
    workflows
        .start(&session, review(vec![reviewer("one", "v: GO", delay)], false))
        .expect("the session is known");
    (desk, workflows)
}

fn until_it_is_about_to_be_asked(desk: &mut Desk, workflows: &Workflows) {
    desk.world.run_until("its session is made", SOON, |_| {
        workflows.list().iter().any(|workflow| workflow.sessions().count() > 0)
    });
}

fn opinion_of(workflow: &Workflow) -> Option<Opinion> {
    workflow.steps.iter().find_map(|step| match &step.work {
        Work::Review { seats, .. } => seats.first()?.opinion.clone(),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
    })
}

/// What the reviewer has said, in words.
fn until_said(desk: &mut Desk, workflows: &Workflows) -> String {
    let (_, workflow) = until_ended(desk, workflows);
    match opinion_of(&workflow) {
        Some(Opinion::Verdict(verdict)) => format!("{:?}", verdict.vote),
        Some(Opinion::None { reason, .. }) => format!("{reason:?}"),
        None => "nothing".to_owned(),
    }
}

/// C5, C8, R14: its time is up in an outage, and it had spoken before
#[test]
fn a_reviewer_who_spoke_in_an_outage_has_spoken() {
    for outage in [60, 400] {
        let (mut desk, workflows) = asked(10_000);
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.world.run_for(Duration::from_secs(outage));
        assert_eq!(end_of(&workflows.list()), None);
        desk.tab.faults.borrow_mut().is_cut = false;
        assert_eq!(until_said(&mut desk, &workflows), "Go", "after {outage} s");
    }
}

/// C5, C8: its messages cannot be read when its time is up
#[test]
fn a_reviewer_whose_session_cannot_be_read_at_the_end_of_its_time_has_spoken() {
    for patience in (20..44).step_by(3) {
        let (mut desk, workflows) = asked(22_000);
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
        desk.world.run_for(Duration::from_secs(patience));
        assert_eq!(end_of(&workflows.list()), None, "after {patience} s");
        desk.tab.faults.borrow_mut().unreadable = None;
        assert_eq!(until_said(&mut desk, &workflows), "Go", "after {patience} s");
    }
}

/// C5, C8: it has its time from when the server has what it is asked
#[test]
fn a_reviewer_who_cannot_be_asked_for_a_while_has_its_whole_time() {
    for (reloads, ahead) in [(false, 0), (true, 0), (true, 600_000), (true, -600_000)] {
        let (mut desk, session, mut workflows) = desk();
        desk.world.server.set_clock_ahead(ahead);
        workflows
            .start(&session, review(vec![reviewer("one", "v: GO", 20_000)], false))
            .expect("the session is known");
        until_it_is_about_to_be_asked(&mut desk, &workflows);
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.world.run_for(OVERTIME);
        if reloads {
            desk.reload();
            workflows = desk.tab.workflows();
            desk.tab.faults.borrow_mut().is_cut = true;
            desk.world.run_for(OVERTIME);
        }
        desk.tab.faults.borrow_mut().is_cut = false;
        let said = until_said(&mut desk, &workflows);
        assert_eq!(said, "Go", "reloads: {reloads}, ahead: {ahead} ms");
    }
}

/// C5, C8, R13: the page was closed meanwhile, and cannot read all at once when it is opened again
#[test]
fn a_reviewer_who_spoke_while_no_page_was_open_has_spoken() {
    for unread in [0, 3, 8, 40] {
        let (mut desk, _) = asked(10_000);
        desk.world.run_for(SOON);
        let before = desk.world.open_tab(&desk.device);
        let closed = std::mem::replace(&mut desk.tab, before);
        desk.world.close_tab(closed);
        desk.world.freeze_tab(&desk.tab);
        desk.world.run_for(OVERTIME);
        desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
        desk.world.thaw_tab(&desk.tab);
        let workflows = desk.tab.workflows();
        desk.world.run_for(Duration::from_secs(unread));
        desk.tab.faults.borrow_mut().unreadable = None;
        assert_eq!(until_said(&mut desk, &workflows), "Go", "unread for {unread} s");
    }
}

/// C5, C8: a page that is loaded again and again gives nobody more time
#[test]
fn a_reviewer_who_hangs_is_late_however_often_the_page_is_loaded_again() {
    let (mut desk, mut workflows) = asked(600_000);
    let begun = desk.world.now();
    while end_of(&workflows.list()).is_none() {
        desk.world.run_for(Duration::from_secs(10));
        desk.reload();
        workflows = desk.tab.workflows();
        desk.world.run_for(SOON);
        assert!(desk.world.now().since(begun) < OVERTIME, "{workflows:?}");
    }
    assert_eq!(until_said(&mut desk, &workflows), "TimedOut");
}

/// C5, C8: it hangs, and the server is out of reach when its time is up
#[test]
fn a_reviewer_who_hangs_over_an_outage_is_late_and_stopped() {
    let (mut desk, workflows) = asked(600_000);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(OVERTIME);
    assert_eq!(end_of(&workflows.list()), None);
    desk.tab.faults.borrow_mut().is_cut = false;
    assert_eq!(until_said(&mut desk, &workflows), "TimedOut");
    desk.world.run_for(SOON);
    for session in desk.world.server.sessions() {
        assert_eq!(desk.world.server.status(&session), None, "{session} is stopped");
    }
}

/// C5, C8: nothing of its session can be read for good
#[test]
fn a_reviewer_whose_session_can_never_be_read_holds_nobody_up() {
    let (mut desk, workflows) = asked(10_000);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
    assert_eq!(until_said(&mut desk, &workflows), "TimedOut");
}

/// C5, C8: the server says yes to reads, and takes no message
#[test]
fn a_reviewer_who_can_never_be_asked_holds_nobody_up() {
    let (mut desk, workflows) = asked(10_000);
    until_it_is_about_to_be_asked(&mut desk, &workflows);
    desk.tab.faults.borrow_mut().posts_lost = true;
    assert_eq!(until_said(&mut desk, &workflows), "TimedOut");
}

/// A loop that begins after the next reply, on a session whose agent has said something already.
fn waiting_for_a_reply(wait: Duration) -> (Desk, SessionId, Workflows) {
    let (mut desk, session, workflows) = desk();
    let said = script(json!([{ "text": "Said." }])).to_prompt();
    desk.tab.prompt(&session, &said).expect("the session is known");
    let server = desk.world.server.clone();
    desk.world
        .run_until("it works", SOON, |_| server.status(&session).is_some());
    desk.world
        .run_until("it is idle", SOON, |_| server.status(&session).is_none());
    let (tab, of) = (desk.tab.handle.clone(), session.clone());
    desk.world.run_until("it is seen to be idle", SOON, move |_| {
        let view = tab.view();
        let shown = view.session(&of);
        shown.is_some_and(|shown| matches!(shown.state, TurnState::Ended { .. }))
    });
    desk.world.run_for(wait);
    let goal = after_the_next_reply("echo fine");
    workflows.start(&session, goal).expect("the session is known");
    (desk, session, workflows)
}

/// F7: the end of a reply moves its session once more, and may be read after the wait has begun
#[test]
fn a_reply_whose_end_is_read_late_is_not_the_next_one() {
    for wait in (0..2_000).step_by(83) {
        let (mut desk, session, _workflows) = waiting_for_a_reply(Duration::from_millis(wait));
        desk.world.run_for(SOON + SOON);
        assert_eq!(commands(&desk.world), 0, "begun {wait} ms after the reply");
        let again = script(json!([{ "text": "Again." }])).to_prompt();
        desk.tab.prompt(&session, &again).expect("the session is known");
        desk.world
            .run_until("the check runs", LATER, |world| commands(world) == 1);
    }
}

/// F7: the wait lasts over a reload, and a reply that comes meanwhile counts
#[test]
fn a_reply_that_comes_in_an_outage_is_the_next_one() {
    for reloads in [false, true] {
        let (mut desk, session, _workflows) = waiting_for_a_reply(SOON);
        desk.world.run_for(SOON);
        if reloads {
            desk.reload();
            let _workflows = desk.tab.workflows();
            desk.world.run_for(SOON);
            assert_eq!(commands(&desk.world), 0, "the page was loaded again");
        }
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.world
            .other
            .prompt(&session, &script(json!([{ "text": "Again." }])).to_prompt());
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().is_cut = false;
        desk.world
            .run_until("the check runs", LATER, |world| commands(world) == 1);
    }
}

/// F7: what was said before the wait began is not the next reply, however late it is read
#[test]
fn a_reply_that_is_read_after_the_wait_was_asked_for_is_not_the_next_one() {
    for is_unreadable in [false, true] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.world.run_for(SOON);
        desk.reload();
        let workflows = desk.tab.workflows();
        desk.world.run_until("the session is known", SOON, {
            let (tab, of) = (desk.tab.handle.clone(), session.clone());
            move |_| tab.view().session(&of).is_some()
        });
        if is_unreadable {
            desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
        }
        let goal = after_the_next_reply("echo fine");
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().unreadable = None;
        desk.world.run_for(SOON + SOON + SOON);
        assert_eq!(commands(&desk.world), 0, "unreadable: {is_unreadable}");
        let said = script(json!([{ "text": "Said." }])).to_prompt();
        desk.tab.prompt(&session, &said).expect("the session is known");
        desk.world
            .run_until("the check runs", LATER, |world| commands(world) == 1);
    }
}

/// F7: only the newest messages of a session are held until it is opened
#[test]
fn a_reply_from_before_two_prompts_that_were_never_picked_up_is_not_the_next_one() {
    for reloads in [false, true] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let prompt = |text: &str, delay: u64| script(json!([{ "text": text, "delay": delay }])).to_prompt();
        desk.world.other.prompt(&session, &prompt("Long.", 20_000));
        desk.world.run_for(SOON);
        desk.world.other.prompt(&session, &prompt("Never.", 0));
        desk.world.other.prompt(&session, &prompt("Never, either.", 0));
        desk.world.run_for(SOON);
        desk.world.other.abort(&session);
        desk.world.run_for(SOON + SOON + SOON);
        if reloads {
            desk.reload();
            desk.world.run_for(SOON);
        }
        let workflows = desk.tab.workflows();
        let goal = after_the_next_reply("echo fine");
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(SOON);
        assert_eq!(commands(&desk.world), 0, "at once, reloads: {reloads}");
        desk.tab.handle.open(Some(&session));
        desk.world.run_for(SOON + SOON);
        assert_eq!(commands(&desk.world), 0, "once it is open, reloads: {reloads}");
    }
}

/// F7, R27: the wait begins in the middle of a run that another process was seen to have, or not yet
#[test]
fn the_end_of_a_run_elsewhere_that_was_under_way_is_the_next_reply() {
    for wait in (1..50).step_by(7) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let again = script(json!([{ "text": "Again.", "delay": 90_000 }])).to_prompt();
        OtherClient::new(desk.world.server.beside(), desk.world.random()).prompt(&session, &again);
        let begun = desk.world.now();
        desk.world.run_for(SOON);
        desk.reload();
        let workflows = desk.tab.workflows();
        desk.world.run_for(Duration::from_secs(wait));
        let goal = after_the_next_reply("echo fine");
        workflows.start(&session, goal).expect("the session is known");
        desk.world
            .run_until("the check runs", LATER + LATER, |world| commands(world) == 1);
        assert!(desk.world.now().since(begun) >= Duration::from_secs(90), "it went on");
    }
}

/// C8: a person talks with the reviewer, in an outage of this page
#[test]
fn a_person_who_talks_with_a_reviewer_that_has_spoken_is_not_stopped() {
    let (mut desk, workflows) = asked(10_000);
    desk.world.run_for(SOON);
    let list = workflows.list();
    let session = list[0].sessions().next().expect("it was made").clone();
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(OVERTIME);
    let other = script(json!([{ "text": "Other.", "delay": 60_000 }])).to_prompt();
    desk.world.other.prompt(&session, &other);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    assert_eq!(until_said(&mut desk, &workflows), "Go");
    desk.world.run_for(SOON);
    assert!(
        desk.world.server.status(&session).is_some(),
        "what a person has asked goes on"
    );
}

/// C5, R14: the clock of the device was an hour ahead when the reviewer was asked
#[test]
fn a_reviewer_who_hangs_is_late_also_when_the_clock_was_set_back() {
    let (mut desk, session, mut workflows) = desk();
    desk.tab.set_clock_ahead(Duration::from_secs(3_600));
    workflows
        .start(&session, review(vec![reviewer("one", "v: GO", 600_000)], false))
        .expect("the session is known");
    desk.world.run_for(SOON);
    desk.reload();
    workflows = desk.tab.workflows();
    assert_eq!(until_said(&mut desk, &workflows), "TimedOut");
}
