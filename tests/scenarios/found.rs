//! What random histories have found, each as one short story.

use std::time::Duration;

use switchboard_core::ledger::Outcome;
use switchboard_core::model::{Ask, Reply};
use switchboard_core::view::{ElsewhereAnswer, GoneReason, RequestState};
use switchboard_tests::scripts::{asks, bash_outside, runs, script};
use switchboard_tests::store::StoreHealth;

use crate::desk::{Desk, LATER, SOON, red};

fn is_stopped(state: &RequestState) -> bool {
    let stopped = |reason: &GoneReason| matches!(reason, GoneReason::Stopped { .. });
    matches!(state, RequestState::Gone { reason, .. } if stopped(reason))
}

/// R19: the part of a stopped run shows the stop a moment late
#[test]
fn a_permission_for_a_run_that_was_stopped_a_moment_before_is_not_called_given() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    desk.world.other.abort(&session);
    desk.world.other.prompt(&session, "and another thing");
    desk.world.run_for(Duration::from_millis(34));
    desk.answer(&request.id, Reply::Once);
    assert_eq!(desk.until_outcome(&request.id), Outcome::Cancelled { by_us: false });
}

/// R12, R19: a ghost is never replied to
#[test]
fn a_permission_in_doubt_is_not_sent_again_to_a_run_that_was_stopped_meanwhile() {
    for milliseconds in (0..300).step_by(10) {
        let (mut desk, session, request) = Desk::with(&runs("echo hi"));
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.answer(&request.id, Reply::Once);
        desk.world.run_for(Duration::from_secs(65));
        desk.tab.faults.borrow_mut().is_cut = false;
        desk.world.other.abort(&session);
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.tab.handle.try_now();
        desk.until_state(&request.id, "stopped", is_stopped);
        assert_eq!(desk.replies(&request.id), []);
    }
}

/// R19: a laptop sleeps between saving and sending
#[test]
fn a_permission_whose_saving_took_an_hour_is_not_sent() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.device.set_health(StoreHealth::Slow(Duration::from_millis(900)));
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(Duration::from_millis(1_000));
    let ahead = desk.device.clock_ahead();
    ahead.set(ahead.get() + 3_600_000);
    desk.until_state(
        &request.id,
        "not sent",
        |state| matches!(state, RequestState::NotSent { reason } if reason.contains("10 minutes")),
    );
    assert_eq!(desk.replies(&request.id), []);
}

/// R4, R19: one call asks twice
#[test]
fn a_rejection_that_came_too_late_is_told_so_while_the_call_asks_again() {
    let call = script(serde_json::json!([{ "tools": [bash_outside("ls")] }, { "text": "Done." }]));
    let (mut desk, session, first) = Desk::with(&call);
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&first.id, Reply::Reject { message: None });
    desk.world.other.reply(&first, Reply::Once);
    desk.until_state(&first.id, "allowed elsewhere", |state| {
        let allowed = ElsewhereAnswer::Allowed;
        matches!(state, RequestState::AnsweredElsewhere { answer, .. } if *answer == allowed)
    });
    let second = desk.until_waiting(&session);
    assert_ne!(second.id, first.id);
}

/// R19: the copy that is kept with a reply does not take the place of what is listed
#[test]
fn a_permission_that_asks_something_else_by_now_is_not_given_whenever_the_store_answers() {
    for seed in 0..100 {
        let mut desk = Desk::new(seed);
        let session = desk.begin(&runs("echo hi"));
        let request = desk.until_waiting(&session);
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, Reply::Once);
        desk.world.run_for(SOON);
        desk.world.server.change_request(&request.id, |request| {
            if let Ask::Permission(permission) = &mut request.ask {
                permission.command = Some("rm -rf /".to_owned());
            }
        });
        desk.reload();
        desk.tab.faults.borrow_mut().latency = Duration::ZERO..Duration::from_millis(4);
        desk.world.run_for(LATER);
        assert_eq!(desk.replies(&request.id), []);
    }
}

/// R4, R13
#[test]
fn what_was_said_in_one_tab_is_not_hidden_by_what_was_given_up_in_another() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    desk.world.restart_server();
    desk.world.run_until("the other tab knows", LATER, |_| {
        second.state(&request.id).is_some_and(|state| state.is_ended())
    });
    second.handle.discard(&request.id);
    // Whether the first tab still takes an answer depends on what it has seen.
    if desk.tab.answer(&request.id, red()).is_ok() {
        desk.world.run_for(LATER);
        assert!(
            second
                .request(&request.id)
                .is_some_and(|shown| shown.reply == Some(red()))
        );
    }
}

/// R19: what is asked changes between deciding and sending
#[test]
fn a_permission_whose_saving_takes_its_time_is_not_given_to_something_else() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.device.set_health(StoreHealth::Slow(Duration::from_millis(1_500)));
    desk.answer(&request.id, Reply::Once);
    desk.world.server.change_request(&request.id, |request| {
        if let Ask::Permission(permission) = &mut request.ask {
            permission.command = Some("rm -rf /".to_owned());
        }
    });
    desk.until_state(
        &request.id,
        "not sent",
        |state| matches!(state, RequestState::NotSent { reason } if reason.contains("changed")),
    );
    assert_eq!(desk.replies(&request.id), []);
}
