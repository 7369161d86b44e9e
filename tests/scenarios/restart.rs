//! The server restarts while a question is open.

use std::time::Duration;

use switchboard_core::model::{GoneReason, Reply};
use switchboard_core::ports::Read;
use switchboard_core::view::RequestState;
use switchboard_tests::scripts::{asks, runs};

use crate::desk::{Desk, LATER, SOON, blue, is_gone};

/// R14
#[test]
fn an_orphan_is_recognised() {
    for script in [asks("Which?"), runs("echo hi")] {
        let (mut desk, _, request) = Desk::with(&script);
        desk.tab.draft(crate::desk::typed(&request, "Turquoise"));
        desk.world.restart_server();
        desk.until_state(&request.id, "gone", |state| {
            matches!(
                state,
                RequestState::Gone {
                    reason: GoneReason::Restarted,
                    ..
                }
            )
        });
    }
}

/// R14
#[test]
fn one_look_after_a_pause_is_not_enough_to_call_it_an_orphan() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.world.freeze_tab(&desk.tab);
    desk.world.restart_server();
    desk.world.run_for(Duration::from_secs(600));
    desk.world.thaw_tab(&desk.tab);
    let thawed = desk.world.now();
    desk.until_state(&request.id, "gone", is_gone);
    assert!(desk.world.now().since(thawed) >= Duration::from_secs(2));
}

/// R14
#[test]
fn what_cannot_be_read_is_no_orphan() {
    let unreadable: [fn(&Read) -> bool; 3] = [
        |read| matches!(read, Read::Status(_)),
        |read| matches!(read, Read::Questions(_)),
        |read| matches!(read, Read::Message { .. } | Read::Messages { .. }),
    ];
    for unreadable in unreadable {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        desk.tab.faults.borrow_mut().unreadable = Some(unreadable);
        desk.world.restart_server();
        desk.world.run_for(LATER);
        assert_eq!(desk.tab.state(&request.id), Some(RequestState::Waiting));
        desk.tab.faults.borrow_mut().unreadable = None;
        desk.until_state(&request.id, "gone", is_gone);
    }
}

/// R8, R14: the part of a call goes on for ever when its server has died
#[test]
fn an_answer_is_sent_again_only_to_what_is_listed_beside_its_part() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    // The pauses between attempts have grown: the next one comes when the server is back.
    desk.world.run_for(Duration::from_secs(17));
    desk.tab.faults.borrow_mut().unreadable =
        Some(|read| matches!(read, Read::Questions(_) | Read::Permissions(_) | Read::Status(_)));
    desk.world.restart_server();
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
    desk.tab.faults.borrow_mut().unreadable = None;
    desk.until_state(&request.id, "gone", is_gone);
}

/// R14
#[test]
fn an_answer_that_the_server_took_and_forgot_is_not_called_answered() {
    let mut forgotten = 0;
    for milliseconds in 0..40 {
        let mut desk = Desk::new(milliseconds);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.world.restart_server();
        desk.world.run_for(LATER);
        let state = desk.tab.state(&request.id);
        if desk.world.server.deliveries(&request.id) == 1 {
            continue;
        }
        forgotten += 1;
        assert!(state.as_ref().is_some_and(is_gone), "{state:?}\n{}", desk.world.story());
        let rescue = desk.tab.request(&request.id).and_then(|shown| shown.rescue.clone());
        assert!(rescue.is_some_and(|rescue| rescue.complete));
    }
    assert!(
        forgotten > 3,
        "the crash hit the moment between taken and told {forgotten} times"
    );
}

/// R14
#[test]
fn a_disposed_instance_ends_its_questions() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.draft(crate::desk::typed(&request, "Turquoise"));
    desk.world.server.dispose(&crate::desk::DIRECTORY.into());
    desk.until_state(&request.id, "gone", is_gone);
}

/// R14
#[test]
fn after_a_restart_the_session_asks_again_and_is_answered() {
    let (mut desk, session, _) = Desk::with(&runs("echo hi"));
    desk.world.restart_server();
    desk.world.run_for(LATER);
    desk.world.other.prompt(&session, &runs("echo again").to_prompt());
    let request = desk.until_waiting(&session);
    desk.answer(&request.id, Reply::Once);
    desk.until_answered(&request.id);
}

/// R14
#[test]
fn an_orphan_is_recognised_although_its_session_works_again() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, blue());
    desk.world.restart_server();
    desk.world.other.prompt(&session, &asks("And now?").to_prompt());
    desk.world.run_for(LATER);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_waiting(&session);
    desk.until_state(&request.id, "gone", is_gone);
    let rescue = desk.tab.request(&request.id).and_then(|shown| shown.rescue.clone());
    assert!(rescue.is_some_and(|rescue| rescue.complete));
}

/// R14
#[test]
fn an_orphan_is_recognised_although_prompts_wait_behind_what_its_session_asks_by_now() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.restart_server();
    let server = desk.world.server.clone();
    desk.world.other.prompt(&session, &asks("And now?").to_prompt());
    desk.world
        .run_until("it asks again", LATER, |_| !server.listed_of(&session).is_empty());
    desk.world.other.prompt(&session, "and another thing");
    desk.world.other.prompt(&session, "and one more");
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world
        .run_until("the orphan is gone", Duration::from_secs(32), |_| {
            desk.tab.waiting().iter().all(|shown| shown.request.id != request.id)
        });
    assert_eq!(desk.tab.waiting().len(), 1);
}
