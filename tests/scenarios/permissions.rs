//! Permissions: once, always, reject, and what a rejection takes along.

use std::time::Duration;

use serde_json::json;
use switchboard_core::AnswerError;
use switchboard_core::model::{ElsewhereAnswer, NotSentReason, Outcome, Reply, Request};
use switchboard_core::view::{RequestState, RunsIn, TurnState};
use switchboard_tests::opencode::Reached;
use switchboard_tests::scripts::{bash, bash_in, runs, script};
use switchboard_tests::tab::Tab;

use crate::desk::{Desk, LATER, SOON};

/// R19
#[test]
fn a_permission_is_given_once_and_asked_again() {
    let again = script(json!([{ "tools": [bash("echo hi")] }, { "tools": [bash("echo hi")] }, { "text": "Done." }]));
    let (mut desk, session, first) = Desk::with(&again);
    desk.answer(&first.id, Reply::Once);
    desk.until_answered(&first.id);
    let second = desk.until_waiting(&session);
    assert_ne!(first.id, second.id);
}

/// R19
#[test]
fn a_permission_says_where_its_command_runs() {
    let mut desk = Desk::new(1);
    let mut ask = |call| {
        let session = desk.begin(&script(json!([{ "tools": [call] }, { "text": "Done." }])));
        let request = desk.until_waiting(&session);
        let shown = || desk.tab.request(&request.id).map(|view| view.runs_in.clone());
        desk.world
            .run_until("its call is read", SOON, |_| shown() != Some(RunsIn::Unread));
        (request.clone(), shown())
    };
    let (here, runs_in) = ask(bash("rm -rf data"));
    assert_eq!(runs_in, Some(RunsIn::Session));
    let production = format!("{}/production", here.directory);
    for (workdir, runs_in) in [
        (production.as_str(), RunsIn::Named(production.clone())),
        ("production", RunsIn::Named("production".to_owned())),
        (here.directory.as_str(), RunsIn::Session),
        (".", RunsIn::Session),
    ] {
        let (there, shown) = ask(bash_in("rm -rf data", workdir));
        assert_eq!(there.permission(), here.permission());
        assert_eq!(shown, Some(runs_in), "{workdir}");
    }
}

/// R19
#[test]
fn a_permission_that_another_call_asks_for_by_now_says_where_that_runs() {
    let both = json!([{ "tools": [bash("echo one"), bash_in("echo two", "production")] }, { "text": "Done." }]);
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(both));
    let requests = desk.until_waiting_for(&session, 2);
    let runs_in = |tab: &Tab, id| tab.request(id).map(|view| view.runs_in.clone());
    let (one, two) = (requests[0].clone(), requests[1].clone());
    desk.world.run_until("its call is read", SOON, |_| {
        runs_in(&desk.tab, &one.id) == Some(RunsIn::Session)
    });
    desk.world.server.change_request(&one.id, |request| {
        request.tool = two.tool;
        request.ask = two.ask;
    });
    desk.world.run_until("the other call is read", SOON, |_| {
        runs_in(&desk.tab, &one.id) == Some(RunsIn::Named("production".to_owned()))
    });
}

/// R19
#[test]
fn always_shows_what_it_allows_and_is_not_asked_again() {
    let again = script(json!([{ "tools": [bash("echo hi")] }, { "tools": [bash("echo ho")] }, { "text": "Done." }]));
    let (mut desk, session, request) = Desk::with(&again);
    assert_eq!(
        request.permission().map(|permission| permission.always.clone()),
        Some(vec!["echo *".to_owned()])
    );
    desk.answer(&request.id, Reply::Always);
    desk.until_answered(&request.id);
    desk.until_ended(&session);
    assert_eq!(desk.tab.waiting().len(), 0);
}

/// R19
#[test]
fn a_parallel_permission_that_always_covers_is_told_as_allowed() {
    let parallel = script(json!([{ "tools": [bash("echo one"), bash("echo two")] }, { "text": "Done." }]));
    let mut desk = Desk::new(1);
    let session = desk.begin(&parallel);
    let requests = desk.until_waiting_for(&session, 2);
    desk.answer(&requests[0].id, Reply::Always);
    desk.until_answered(&requests[0].id);
    desk.until_state(&requests[1].id, "allowed elsewhere", |state| {
        matches!(
            state,
            RequestState::AnsweredElsewhere {
                answer: ElsewhereAnswer::Allowed,
                ..
            }
        )
    });
}

/// R19
#[test]
fn a_rejection_ends_the_run_and_takes_the_others_along() {
    let parallel = script(json!([{ "tools": [bash("echo one"), bash("ls")] }, { "text": "Never said." }]));
    let mut desk = Desk::new(1);
    let session = desk.begin(&parallel);
    let requests = desk.until_waiting_for(&session, 2);
    assert_eq!(
        desk.tab.request(&requests[0].id).map(|shown| shown.others),
        Some(1),
        "it says so before"
    );
    desk.answer(&requests[0].id, Reply::Reject { message: None });
    assert_eq!(desk.until_outcome(&requests[0].id), Outcome::Confirmed { note: None });
    desk.until_state(&requests[1].id, "rejected", |state| {
        matches!(
            state,
            RequestState::AnsweredElsewhere {
                answer: ElsewhereAnswer::Rejected,
                ..
            }
        )
    });
    desk.until_ended(&session);
}

/// R19
#[test]
fn a_rejection_with_a_message_lets_the_run_go_on() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    desk.answer(
        &request.id,
        Reply::Reject {
            message: Some("use printf".to_owned()),
        },
    );
    assert_eq!(desk.until_outcome(&request.id), Outcome::Confirmed { note: None });
    desk.until_ended(&session);
    let last = desk.world.server.messages(&session).pop().expect("the run went on");
    assert_eq!(last.text(), "Ran it.");
}

/// R19
#[test]
fn a_doubtful_permission_is_confirmed_by_the_call_going_on() {
    for seed in 0..30 {
        let mut desk = Desk::new(seed);
        let session = desk.begin(&runs("echo hi"));
        let request = desk.until_waiting(&session);
        desk.tab.faults.borrow_mut().response_lost = 50;
        desk.answer(&request.id, Reply::Once);
        let outcome = desk.until_outcome(&request.id);
        assert!(matches!(outcome, Outcome::Confirmed { .. }), "{outcome:?}");
        let reached = desk.replies(&request.id);
        assert_eq!(
            reached.iter().filter(|reached| **reached == Reached::Agent).count(),
            1,
            "{reached:?}"
        );
    }
}

/// R19
#[test]
fn a_permission_given_offline_is_sent_within_ten_minutes() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(Duration::from_secs(540));
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_answered(&request.id);
}

/// R19
#[test]
fn a_permission_given_offline_is_not_sent_after_ten_minutes() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(Duration::from_secs(610));
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_state(&request.id, "not sent", |state| {
        let reason = NotSentReason::TooOld;
        *state == RequestState::NotSent { reason }
    });
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
    let request = desk.until_waiting(&session);
    desk.answer(&request.id, Reply::Once);
    desk.until_answered(&request.id);
}

/// R19, C2: and its session waits again at once
#[test]
fn always_is_never_sent_from_an_offline_queue() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Always);
    desk.world.run_for(LATER);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_state(&request.id, "not sent", |state| {
        let reason = NotSentReason::AlwaysDelayed;
        *state == RequestState::NotSent { reason }
    });
    assert_eq!(
        desk.tab.session(&session),
        Some(TurnState::WaitingForHuman { descendant: None })
    );
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
}

/// R19
#[test]
fn a_permission_that_asks_something_else_by_now_is_not_given() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(SOON);
    desk.change_command(&request.id);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_state(&request.id, "not sent", |state| {
        let reason = NotSentReason::Changed;
        *state == RequestState::NotSent { reason }
    });
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
    let shown = desk.tab.request(&request.id).expect("it waits");
    assert_eq!(
        shown
            .request
            .permission()
            .and_then(|permission| permission.command.clone()),
        Some("rm -rf /".to_owned())
    );
}

/// R19
#[test]
fn a_permission_after_a_reload_is_sent_only_if_it_asks_the_same() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(SOON);
    desk.change_command(&request.id);
    desk.reload();
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
    assert!(desk.tab.state(&request.id).is_some_and(|state| state.is_waiting()));
}

/// R19: a decision is about what was shown
#[test]
fn a_reply_to_a_command_that_has_changed_since_it_was_shown_is_refused() {
    let (mut desk, _, shown) = Desk::with(&runs("ls"));
    desk.change_command(&shown.id);
    let tab = desk.tab.clone();
    let is_changed =
        |request: &Request| request.permission().and_then(|asked| asked.command.as_deref()) == Some("rm -rf /");
    desk.world.run_until("the change is shown", LATER, |_| {
        tab.request(&shown.id).is_some_and(|now| is_changed(&now.request))
    });
    let Err(AnswerError::Changed(now)) = tab.answer_shown(&shown, Reply::Once) else {
        panic!("the reply was taken for another command");
    };
    assert!(is_changed(&now));
    assert_eq!(desk.tab.state(&shown.id), Some(RequestState::Waiting));
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&shown.id), [], "nothing was sent");
    desk.tab
        .answer_shown(&now, Reply::Once)
        .expect("it was looked at again");
    desk.until_answered(&shown.id);
}
