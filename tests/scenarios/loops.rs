//! Requests without a call: the server asks whether a run may go on that has called the same three times.

use std::time::Duration;

use serde_json::{Value, json};
use switchboard_core::model::{ElsewhereAnswer, GoneReason, Outcome, Reply, Request, RequestId, SessionId};
use switchboard_core::policy::{Policy, Then};
use switchboard_core::ports::Read;
use switchboard_core::view::{EndReason, Ending, RequestState, TurnState};
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{read, runs, script};

use crate::desk::{Desk, LATER, SOON};

/// How long the run goes on after it was allowed.
const AFTERWARDS: Duration = Duration::from_secs(600);

fn loops(then: Value) -> Script {
    script(json!([{ "tools": [read(), read(), read()] }, then]))
}

/// A run that works for ten minutes once it was allowed.
fn works_on() -> Script {
    loops(json!({ "text": "At work.", "delay": AFTERWARDS.as_millis() }))
}

fn desk(script: &Script) -> (Desk, SessionId, Request) {
    let (desk, session, request) = Desk::with(script);
    assert_eq!(request.tool, None);
    (desk, session, request)
}

fn turn(desk: &Desk, session: &SessionId) -> Option<TurnState> {
    desk.tab.session(session)
}

/// R23
#[test]
fn what_is_allowed_is_confirmed_while_the_run_goes_on() {
    for reply in [Reply::Once, Reply::Always] {
        let (mut desk, session, request) = desk(&works_on());
        desk.answer(&request.id, reply);
        assert_eq!(desk.until_outcome(&request.id), Outcome::Confirmed { note: None });
        assert_eq!(turn(&desk, &session), Some(TurnState::Working));
    }
}

/// R23
#[test]
fn what_is_allowed_in_doubt_is_confirmed() {
    let (mut desk, _, request) = desk(&works_on());
    desk.tab.faults.borrow_mut().response_lost = 100;
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().response_lost = 0;
    let outcome = desk.until_outcome(&request.id);
    assert!(matches!(outcome, Outcome::Confirmed { .. }), "{outcome:?}");
    assert_eq!(desk.replies(&request.id).len(), 1);
}

/// Whether it reads messages.
fn messages(read: &Read) -> bool {
    matches!(read, Read::Message { .. } | Read::Messages { .. })
}

/// A request that is shown although no message can be read; its run makes a hundred more when it is allowed.
fn unseen() -> (Desk, SessionId, Request) {
    let mut steps = vec![json!({ "tools": [read(), read(), read()] })];
    steps.extend((0..100).map(|_| json!({ "tools": [read()] })));
    steps.push(json!({ "text": "At work.", "delay": AFTERWARDS.as_millis() }));
    let (mut desk, session, request) = desk(&script(Value::Array(steps)));
    desk.reload();
    desk.tab.faults.borrow_mut().unreadable = Some(messages);
    desk.until_waiting(&session);
    (desk, session, request)
}

/// R23: meanwhile the run has made more messages than a page holds
#[test]
fn what_is_allowed_is_confirmed_behind_many_messages() {
    let (mut desk, session, request) = unseen();
    desk.answer(&request.id, Reply::Once);
    let server = desk.world.server.clone();
    let is_listed = || !server.listed_of(&session).is_empty();
    desk.world.run_until("the server has it", SOON, |_| !is_listed());
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.tab.faults.borrow_mut().unreadable = None;
    desk.world.run_for(LATER);
    desk.tab.faults.borrow_mut().is_cut = false;
    assert_eq!(desk.until_outcome(&request.id), Outcome::Confirmed { note: None });
}

/// R23
#[test]
fn where_no_message_can_be_read_the_list_decides() {
    let (mut desk, session, request) = unseen();
    desk.answer(&request.id, Reply::Once);
    let outcome = desk.until_outcome(&request.id);
    assert!(matches!(outcome, Outcome::Confirmed { note: Some(_) }), "{outcome:?}");
    assert!(desk.world.server.status(&session).is_some(), "its run goes on");

    let (mut desk, session, request) = unseen();
    desk.world.other.reply(&request, Reply::Once);
    desk.until_state(&request.id, "answered elsewhere", |state| {
        matches!(
            state,
            RequestState::AnsweredElsewhere {
                answer: ElsewhereAnswer::Unknown,
                ..
            }
        )
    });
    assert!(desk.world.server.status(&session).is_some(), "its run goes on");
}

/// R23: the run before was stopped a moment ago, and its message still seems to go on
#[test]
fn one_that_is_asked_right_after_a_stop_waits() {
    for pause in (0..300).step_by(10) {
        let mut desk = Desk::new(1);
        let session = desk.begin(&works_on());
        desk.world.run_for(Duration::from_millis(pause));
        desk.world.other.abort(&session);
        desk.world.other.prompt(&session, &works_on().to_prompt());
        let request = desk.until_waiting(&session);
        desk.world.run_for(LATER);
        let waiting: Vec<RequestId> = desk
            .tab
            .waiting()
            .iter()
            .map(|waiting| waiting.request.id.clone())
            .collect();
        assert_eq!(waiting, [request.id], "{pause} ms");
    }
}

/// R23
#[test]
fn what_another_client_allows_waits_no_more_while_the_run_goes_on() {
    let (mut desk, session, request) = desk(&works_on());
    desk.world.other.reply(&request, Reply::Once);
    desk.until_state(&request.id, "allowed elsewhere", |state| {
        matches!(
            state,
            RequestState::AnsweredElsewhere {
                answer: ElsewhereAnswer::Allowed,
                ..
            }
        )
    });
    assert_eq!(turn(&desk, &session), Some(TurnState::Working));
}

/// R23, R19
#[test]
fn a_rejection_is_confirmed_and_ends_the_run_as_one() {
    for message in [None, Some("Read something else.".to_owned())] {
        let (mut desk, session, request) = desk(&works_on());
        desk.answer(&request.id, Reply::Reject { message });
        assert_eq!(desk.until_outcome(&request.id), Outcome::Confirmed { note: None });
        desk.until_ended(&session);
        let expected = TurnState::Ended {
            ending: Ending::Dismissed,
            reason: EndReason::PermissionRejected,
        };
        assert_eq!(turn(&desk, &session), Some(expected));
    }
}

/// R23
#[test]
fn a_stop_ends_the_wait_and_the_session() {
    let (mut desk, session, _) = desk(&works_on());
    desk.world.other.abort(&session);
    desk.until_ended(&session);
}

/// R23, R14
#[test]
fn a_restart_forgets_it() {
    let (mut desk, session, request) = desk(&works_on());
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(SOON);
    desk.world.restart_server();
    desk.tab.faults.borrow_mut().is_cut = false;
    assert_eq!(desk.until_outcome(&request.id), Outcome::Gone(GoneReason::Restarted));
    desk.until_ended(&session);
}

/// R23: what is listed although its session does not run is never replied to
#[test]
fn one_that_outlives_its_run_is_hidden_and_takes_nothing_along() {
    let none: fn(&Read) -> bool = |_| false;
    for unreadable in [none, messages] {
        let mut desk = Desk::new(1);
        let policy = Policy {
            after: Some(Duration::from_secs(60)),
            then: Then::Reject,
        };
        desk.world.config.unattended.permissions = policy;
        desk.reload();
        desk.tab.faults.borrow_mut().is_cut = true;
        let session = desk.begin(&runs("echo hi"));
        desk.world.run_for(SOON);
        let ghost = desk.world.server.listed_of(&session).remove(0);
        desk.world.other.abort(&session);
        desk.world.run_for(SOON);
        let server = &desk.world.server;
        server.change_request(&ghost.id, |request| request.tool = None);
        desk.tab.faults.borrow_mut().unreadable = Some(unreadable);
        desk.tab.faults.borrow_mut().is_cut = false;
        desk.world.run_for(LATER);
        assert_eq!(desk.tab.waiting().len(), 0, "it is hidden");
        assert_eq!(desk.world.server.listed_of(&session).len(), 1, "the server lists it");
        desk.tab.faults.borrow_mut().unreadable = None;
        desk.world.other.prompt(&session, &runs("ls").to_prompt());
        let live = desk.until_waiting(&session);
        desk.answer(&live.id, Reply::Once);
        desk.until_answered(&live.id);
        desk.world.run_for(LATER);
        assert_eq!(desk.replies(&ghost.id), []);
    }
}
