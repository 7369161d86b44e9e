//! A session is stopped while it waits.

use std::time::Duration;

use switchboard_core::model::{Outcome, Reply};
use switchboard_core::view::{Ending, TurnState};
use switchboard_tests::scripts::{asks, delegates, runs};

use crate::desk::{Desk, LATER, SOON, blue};

/// R12
#[test]
fn a_stop_ends_the_wait_as_cancelled_by_us() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.tab.abort(&session);
    assert_eq!(desk.until_outcome(&request.id), Outcome::Cancelled { by_us: true });
    desk.until_ended(&session);
    let state = desk.tab.session(&session);
    assert!(
        matches!(
            state,
            Some(TurnState::Ended {
                ending: Ending::Aborted,
                ..
            })
        ),
        "{state:?}"
    );
}

/// R12
#[test]
fn a_stop_from_elsewhere_ends_the_wait_and_the_ghost_is_left_alone() {
    for reply in [blue(), Reply::Dismiss] {
        let (mut desk, session, request) = Desk::with(&asks("Which?"));
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.answer(&request.id, reply);
        desk.world.other.abort(&session);
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().is_cut = false;
        assert_eq!(desk.until_outcome(&request.id), Outcome::Cancelled { by_us: false });
        desk.world.run_for(LATER);
        assert_eq!(desk.replies(&request.id), [], "nothing is sent to a ghost by itself");
        assert_eq!(
            desk.world.server.listed_of(&session).len(),
            1,
            "the server keeps listing it"
        );
    }
}

/// R12
#[test]
fn a_permission_ghost_is_never_replied_to() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Reject { message: None });
    desk.world.other.abort(&session);
    desk.world.run_for(SOON);
    desk.world.other.prompt(&session, &runs("ls").to_prompt());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    let live = desk.until_waiting(&session);
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
    desk.answer(&live.id, Reply::Once);
    desk.until_answered(&live.id);
}

/// R12
#[test]
fn a_stop_of_the_parent_ends_the_wait_of_its_sub_agent() {
    let mut desk = Desk::new(1);
    let parent = desk.begin(&delegates(&asks("Which?")));
    let tab = desk.tab.clone();
    desk.world
        .run_until("the sub-agent asks", LATER, |_| !tab.waiting().is_empty());
    let request = desk.tab.waiting().remove(0).request.clone();
    desk.tab.abort(&parent);
    desk.world
        .run_until("nothing waits", LATER, |_| tab.waiting().is_empty());
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
}

/// R12
#[test]
fn what_was_typed_survives_a_stop() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.draft(crate::desk::typed(&request, "Turquoise"));
    desk.world.other.abort(&session);
    desk.world.run_for(LATER);
    let shown = desk.tab.request(&request.id).expect("its text is kept");
    assert!(
        shown
            .rescue
            .as_ref()
            .is_some_and(|rescue| rescue.text.contains("Turquoise"))
    );
}

/// R2, R12
#[test]
fn a_ghost_is_hidden_also_where_its_session_works_on_at_once() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.world.other.abort(&session);
    desk.world.other.prompt(&session, &runs("ls").to_prompt());
    desk.world.run_for(Duration::from_millis(50));
    desk.reload();
    desk.world.run_for(SOON);
    let tab = desk.tab.clone();
    desk.world.run_until("the ghost is hidden", LATER, |_| {
        !tab.waiting().iter().any(|shown| shown.request.id == request.id)
    });
    desk.until_waiting(&session);
}
