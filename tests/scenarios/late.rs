//! Answers that come late.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use switchboard_core::RescueError;
use switchboard_core::model::{GoneReason, Outcome, Reply};
use switchboard_core::view::RequestState;
use switchboard_tests::opencode::{Event, Reached};
use switchboard_tests::scripts::{asks, delegates, question, runs, script};

use crate::desk::{Desk, LATER, SOON, blue, is_gone, typed};

/// R7
#[test]
fn an_answer_after_an_hour_is_sent_like_any_other() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.world.run_for(Duration::from_secs(3_600));
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
}

/// R7
#[test]
fn an_answer_to_a_dead_question_goes_as_a_message_that_quotes_it() {
    let (mut desk, session, request) = Desk::with(&asks("Which colour?"));
    desk.tab.draft(typed(&request, "Turquoise"));
    desk.world.restart_server();
    desk.until_state(&request.id, "gone", is_gone);
    let rescue = desk
        .tab
        .request(&request.id)
        .and_then(|shown| shown.rescue.clone())
        .expect("it can be rescued");
    assert!(rescue.complete);
    assert_eq!(rescue.to.id, session);

    desk.tab.rescue(&request.id).expect("there is an answer to send");
    let server = desk.world.server.clone();
    desk.world.run_until("the agent has the message", LATER, |_| {
        server.messages(&session).iter().any(|message| {
            let text = message.text();
            text.contains("Which colour?") && text.contains("Turquoise")
        })
    });
    desk.world.run_for(SOON);
    assert!(
        desk.tab.request(&request.id).is_none(),
        "there is nothing left to do about it"
    );
    assert_eq!(desk.replies(&request.id), []);
}

/// R7
#[test]
fn an_answer_sent_too_late_is_kept_and_offered_as_a_message() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, blue());
    desk.world.restart_server();
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_state(&request.id, "gone", is_gone);
    let shown = desk.tab.request(&request.id).expect("it stays");
    assert_eq!(shown.reply, Some(blue()));
    assert!(
        shown
            .rescue
            .as_ref()
            .is_some_and(|rescue| rescue.complete && rescue.text.contains("Blue"))
    );
    desk.world.run_for(Duration::from_secs(3_600));
    assert!(desk.tab.request(&request.id).is_some(), "it is never thrown away");
}

/// R7
#[test]
fn the_answer_to_a_dead_question_never_goes_to_a_like_one() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, blue());
    desk.world.restart_server();
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_state(&request.id, "gone", is_gone);
    desk.world.other.prompt(&session, &asks("Which?").to_prompt());
    let like = desk.until_waiting(&session);
    assert_ne!(like.id, request.id);
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&like.id), []);
    assert_eq!(desk.tab.state(&like.id), Some(RequestState::Waiting));
}

/// R7
#[test]
fn the_answer_to_a_dead_sub_agent_goes_to_the_living_parent() {
    let mut desk = Desk::new(1);
    let parent = desk.begin(&delegates(&asks("Which?")));
    let tab = desk.tab.clone();
    desk.world
        .run_until("the sub-agent asks", LATER, |_| !tab.waiting().is_empty());
    let shown = desk.tab.waiting().remove(0);
    let child = shown.request.session.clone();
    assert_ne!(child, parent);
    desk.tab.draft(typed(&shown.request, "Turquoise"));
    desk.world.restart_server();
    desk.until_state(&shown.request.id, "gone", is_gone);
    let rescue = desk
        .tab
        .request(&shown.request.id)
        .and_then(|shown| shown.rescue.clone());
    assert_eq!(rescue.expect("it can be rescued").to.id, parent);
}

/// R7
#[test]
fn a_dead_permission_is_not_rescued() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Once);
    desk.world.restart_server();
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_state(&request.id, "gone", is_gone);
    let shown = desk.tab.request(&request.id).expect("it is told");
    assert_eq!(shown.rescue, None);
    assert_eq!(desk.tab.rescue(&request.id), Err(RescueError::Permission));
}

/// R7
#[test]
fn a_rescue_is_delivered_once_although_its_response_is_lost() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.draft(typed(&request, "Turquoise"));
    desk.world.restart_server();
    desk.until_state(&request.id, "gone", is_gone);
    desk.tab.faults.borrow_mut().response_lost = 60;
    desk.tab.rescue(&request.id).expect("there is an answer to send");
    desk.world.run_for(LATER);
    desk.tab.faults.borrow_mut().response_lost = 0;
    desk.world.run_for(LATER);
    let messages = desk.world.server.messages(&session);
    let carrying = messages
        .iter()
        .filter(|message| message.text().contains("Turquoise") && message.text().contains("My answer"));
    assert_eq!(carrying.count(), 1);
}

/// R7
#[test]
fn a_released_waiter_is_not_resumed_by_a_late_answer() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "tools": [question("Which?")] }, { "text": "Done." }])));
    let request = desk.until_waiting(&session);
    let waiting = desk.tab.handle.wait(&request.id).expect("it is shown");
    let (released, times) = (Rc::new(Cell::new(None)), Rc::new(Cell::new(0)));
    let (release, count) = (released.clone(), times.clone());
    desk.tab.run(async move {
        release.set(Some(waiting.await));
        count.set(count.get() + 1);
    });
    desk.world.other.abort(&session);
    desk.until_ended(&session);
    desk.world
        .run_until("the waiter is released", LATER, |_| times.get() == 1);
    assert_eq!(released.take(), Some(Ok(Outcome::Cancelled { by_us: false })));
    let late = desk.tab.answer(&request.id, blue());
    assert!(late.is_err(), "{late:?}");
    desk.world.run_for(LATER);
    assert_eq!(times.get(), 1);
    assert!(!desk.replies(&request.id).contains(&Reached::Ghost));
    let history = desk.world.server.history();
    assert!(
        !history
            .iter()
            .any(|happening| matches!(happening.event, Event::Delivered { .. }))
    );
    assert!(!matches!(
        desk.tab.state(&request.id),
        Some(RequestState::Gone {
            reason: GoneReason::Restarted,
            ..
        })
    ));
}
