//! The page is reloaded, crashes, or stands still.

use std::time::Duration;

use switchboard_core::model::DraftText;
use switchboard_core::view::RequestState;
use switchboard_tests::scripts::asks;

use crate::desk::{Desk, LATER, SOON, blue, is_answered, is_gone, typed};

/// R13
#[test]
fn a_reload_shows_what_waits_with_what_was_typed() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.draft(typed(&request, "Turquoise"));
    desk.world.run_for(Duration::from_millis(50));
    desk.reload();
    desk.until_waiting(&session);
    let shown = desk.tab.request(&request.id).expect("it waits");
    let Some(DraftText::Form { fields, .. }) = shown.draft.as_ref().map(|draft| &draft.text) else {
        panic!("{shown:?}")
    };
    assert_eq!(fields[0].own, "Turquoise");
}

/// R13
#[test]
fn an_answer_is_delivered_once_whenever_the_tab_crashes() {
    for (milliseconds, responses_lost) in (3..60).flat_map(|at| [(at, 0), (at, 100)]) {
        let mut desk = Desk::new(milliseconds);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.tab.faults.borrow_mut().response_lost = responses_lost;
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.reload();
        let server = desk.world.server.clone();
        desk.world
            .run_until("the agent has it", LATER, |_| server.deliveries(&request.id) > 0);
        let tab = desk.tab.clone();
        desk.world.run_until("the page knows", LATER, |_| {
            tab.state(&request.id).as_ref().is_none_or(is_answered)
        });
        desk.world.run_for(LATER);
        assert_eq!(desk.world.server.deliveries(&request.id), 1);
    }
}

/// R13
#[test]
fn a_crash_before_an_answer_is_saved_leaves_what_was_typed() {
    for milliseconds in 0..5 {
        let (mut desk, session, request) = Desk::with(&asks("Which?"));
        desk.tab.draft(typed(&request, "Turquoise"));
        desk.world.run_for(Duration::from_millis(50));
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.reload();
        desk.world.run_for(LATER);
        let is_kept = desk.tab.request(&request.id).is_some_and(|shown| shown.draft.is_some());
        assert!(
            is_kept || desk.world.server.deliveries(&request.id) == 1,
            "{}",
            desk.world.story()
        );
        if is_kept {
            let request = desk.until_waiting(&session);
            desk.answer(&request.id, blue());
            desk.until_answered(&request.id);
        }
    }
}

/// R13
#[test]
fn an_answer_given_offline_is_delivered_after_a_restart_of_the_browser() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    desk.world.close_tab(desk.tab.clone());
    desk.world.run_for(Duration::from_secs(3_600));
    desk.tab = desk.world.open_tab(&desk.device);
    desk.until_answered(&request.id);
}

/// R13
#[test]
fn a_frozen_tab_goes_on_where_it_stood() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.answer(&request.id, blue());
    desk.world.run_for(Duration::from_millis(4));
    desk.world.freeze_tab(&desk.tab);
    desk.world.run_for(Duration::from_secs(600));
    desk.world.thaw_tab(&desk.tab);
    desk.until_answered(&request.id);
}

/// R13
#[test]
fn a_page_that_was_offline_says_so_and_recovers() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(Duration::from_secs(60));
    let shown = desk.tab.request(&request.id).expect("old data stays");
    assert!(shown.stale.is_some(), "and is marked");
    assert_eq!(shown.state, RequestState::Waiting);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world.run_for(Duration::from_secs(12));
    assert!(desk.tab.request(&request.id).is_some_and(|shown| shown.stale.is_none()));
    desk.until_waiting(&session);
}

/// R13
#[test]
fn a_dead_request_with_an_answer_stays_dead_after_a_reload() {
    for works_again in [false, true] {
        let (mut desk, session, request) = Desk::with(&asks("Which?"));
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.answer(&request.id, blue());
        desk.world.restart_server();
        desk.tab.faults.borrow_mut().is_cut = false;
        desk.until_state(&request.id, "gone", is_gone);
        if works_again {
            desk.world.other.prompt(&session, &asks("And now?").to_prompt());
            desk.until_waiting(&session);
        }
        desk.reload();
        let (tab, end) = (desk.tab.clone(), desk.world.now() + SOON);
        desk.world.run_until("time has passed", LATER, |world| {
            let waits = tab.state(&request.id).is_some_and(|state| state.is_waiting());
            assert!(!waits, "works again: {works_again}\n{}", world.story());
            world.now() >= end
        });
        let shown = desk.tab.request(&request.id).expect("its answer is kept");
        assert!(is_gone(&shown.state), "{:?}", shown.state);
        assert!(shown.rescue.as_ref().is_some_and(|rescue| rescue.complete));
    }
}

/// R13
#[test]
fn what_a_closed_board_has_not_sent_is_sent_by_the_next_also_while_somebody_still_holds_the_first() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    let held = desk.tab.handle.clone();
    held.close();
    desk.world.run_for(SOON);
    desk.reload();
    desk.until_answered(&request.id);
    drop(held);
}
