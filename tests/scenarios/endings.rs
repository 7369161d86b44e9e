//! How turns stand and end.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::StreamExt;
use serde_json::{Value, json};
use switchboard_core::FollowUpOptions;
use switchboard_core::model::{Reply, SessionId};
use switchboard_core::ports::{Preview, Read};
use switchboard_core::view::{EndReason, Ending, StuckCause, TurnState};
use switchboard_tests::scripts::{asks, bash, delegates, question, runs, script};
use switchboard_tests::tab::{Replied, Tab};

use crate::desk::{Desk, LATER, SOON, blue};

/// Runs a script, dismisses and rejects what it asks, and says how the turn ended.
fn ending_of(steps: Value) -> Ending {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(steps));
    let server = desk.world.server.clone();
    desk.world
        .run_until("it has begun", SOON, |_| server.status(&session).is_some());
    while desk.world.server.status(&session).is_some() {
        for shown in desk.tab.waiting() {
            let is_permission = shown.request.permission().is_some();
            let reply = if is_permission {
                Reply::Reject { message: None }
            } else {
                Reply::Dismiss
            };
            desk.answer(&shown.request.id, reply);
        }
        desk.world.run_for(Duration::from_millis(500));
    }
    desk.until_ended(&session);
    ending(&desk, &session)
}

fn ending(desk: &Desk, session: &SessionId) -> Ending {
    match desk.tab.session(session) {
        Some(TurnState::Ended { ending, .. }) => ending,
        other => panic!("{other:?}\n{}", desk.world.story()),
    }
}

fn reason(desk: &Desk, session: &SessionId) -> EndReason {
    match desk.tab.session(session) {
        Some(TurnState::Ended { reason, .. }) => reason,
        other => panic!("{other:?}\n{}", desk.world.story()),
    }
}

/// C6
#[test]
fn each_way_to_end_is_told_apart() {
    let cases = [
        (json!([{ "text": "Done." }]), Ending::Done),
        (json!([{ "text": "" }]), Ending::Empty),
        (json!([{ "reasoning": "Hm." }]), Ending::Empty),
        (json!([{ "text": "Cut off", "finish": "length" }]), Ending::Done),
        (
            json!([{ "text": "I ask.", "tools": [question("Which?")] }]),
            Ending::Dismissed,
        ),
        (json!([{ "tools": [bash("rm x")] }]), Ending::Dismissed),
        (json!([{ "status": 400 }]), Ending::Failed),
        (
            json!([{ "text": "Half", "finish": null }, { "text": "Done." }]),
            Ending::Done,
        ),
    ];
    for (steps, expected) in cases {
        assert_eq!(ending_of(steps.clone()), expected, "{steps}");
    }
}

/// C6
#[test]
fn a_stopped_turn_is_aborted() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "text": "long text ".repeat(50), "chunkDelay": 500 }])));
    desk.world.run_for(SOON);
    desk.world.other.abort(&session);
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Ending::Aborted);
}

/// C6
#[test]
fn a_turn_whose_server_died_is_interrupted() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "text": "long text ".repeat(50), "chunkDelay": 500 }])));
    desk.world.run_for(SOON);
    desk.world.restart_server();
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Ending::Interrupted);
    assert_eq!(reason(&desk, &session), EndReason::ServerLeft);
}

/// Every ending of these sessions that a tab shows until `done`.
fn endings_shown(desk: &mut Desk, sessions: &[SessionId], done: impl Fn(&Desk) -> bool) -> Vec<(Ending, EndReason)> {
    let mut shown = Vec::new();
    for _ in 0..LATER.as_millis() / 100 {
        desk.world.run_for(Duration::from_millis(100));
        for session in sessions {
            if let Some(TurnState::Ended { ending, reason }) = desk.tab.session(session)
                && !shown.contains(&(ending, reason.clone()))
            {
                shown.push((ending, reason));
            }
        }
        if done(desk) {
            return shown;
        }
    }
    panic!("{shown:?}\n{}", desk.world.story());
}

/// Follows up with a prompt that the provider refuses.
fn refuse(desk: &Desk, session: &SessionId) -> Replied {
    let refuses = script(json!([{ "status": 400 }])).to_prompt();
    desk.tab.follow_up(session, &refuses, &FollowUpOptions::default())
}

/// How the run ended by the reply that was told.
fn ending_told(replied: &Replied) -> (Ending, EndReason) {
    let told = replied.borrow_mut().take().expect("a reply was told");
    let reply = told.expect("the agent replies");
    (reply.ending, reply.reason)
}

fn refused() -> (Ending, EndReason) {
    let (name, message) = ("APIError".to_owned(), "scripted 400".to_owned());
    (Ending::Failed, EndReason::Failed { name, message })
}

/// C6, F1
#[test]
fn a_run_that_was_refused_fails_with_its_error_however_late_its_message_is_closed() {
    for (events, closed_after) in [
        (true, 250),
        (false, 1_900),
        (true, 5_000),
        (false, 5_000),
        (true, 13_000),
        (false, 13_000),
    ] {
        let mut desk = Desk::new(1);
        desk.world.events_flow = events;
        desk.world.server.close_after(Duration::from_millis(closed_after));
        let sessions: Vec<SessionId> = (0..3).map(|_| desk.quiet_session()).collect();
        let replies: Vec<Replied> = sessions.iter().map(|session| refuse(&desk, session)).collect();
        desk.world.run_for(Duration::from_secs(1));
        let are_told = |_: &Desk| replies.iter().all(|reply| reply.borrow().is_some());
        let mut shown = endings_shown(&mut desk, &sessions, are_told);
        // Without a stream it may have been restarted: that it ended without completing its message is said, and taken back.
        shown.retain(|shown| {
            shown.0 != Ending::Done && (events || *shown != (Ending::Interrupted, EndReason::NotCompleted))
        });
        assert_eq!(shown, [refused()], "closed after {closed_after} ms, events: {events}");
        for reply in replies {
            assert_eq!(
                ending_told(&reply),
                refused(),
                "closed after {closed_after} ms, events: {events}"
            );
        }
    }
}

/// C6, F1
#[test]
fn a_run_that_is_closed_after_half_a_minute_is_never_said_to_have_lost_its_server() {
    let mut desk = Desk::new(1);
    desk.world.events_flow = true;
    desk.world.server.close_after(Duration::from_secs(28));
    let session = desk.quiet_session();
    let replied = refuse(&desk, &session);
    desk.world.run_for(Duration::from_secs(1));
    let shown = endings_shown(&mut desk, &[session], |_| replied.borrow().is_some());
    let open = (Ending::Interrupted, EndReason::NotCompleted);
    assert_eq!(shown, [open, refused()]);
    assert_eq!(ending_told(&replied), refused());
}

/// C6, F1
#[test]
fn a_run_whose_message_is_never_completed_ends_and_its_server_is_not_blamed() {
    for events in [true, false] {
        let mut desk = Desk::new(1);
        desk.world.events_flow = events;
        desk.world.server.close_after(LATER * 2);
        let session = desk.quiet_session();
        let replied = refuse(&desk, &session);
        let told = replied.clone();
        desk.world
            .run_until("the follow-up is over", LATER, |_| told.borrow().is_some());
        assert_eq!(ending_told(&replied), (Ending::Interrupted, EndReason::NotCompleted));
        assert_eq!(reason(&desk, &session), EndReason::NotCompleted);
    }
}

/// C6, F1
#[test]
fn reads_that_fail_beside_an_unbroken_stream_do_not_make_a_refusal_an_interruption() {
    let mut desk = Desk::new(1);
    desk.world.events_flow = true;
    desk.world.server.close_after(Duration::from_secs(9));
    let session = desk.quiet_session();
    let replied = refuse(&desk, &session);
    let server = desk.world.server.clone();
    let runs = || server.status(&session).is_some();
    desk.world.run_until("it runs", SOON, |_| runs());
    desk.tab.faults.borrow_mut().server_error = 100;
    desk.world.run_for(Duration::from_secs(1));
    desk.tab.faults.borrow_mut().server_error = 0;
    let mut shown = endings_shown(&mut desk, std::slice::from_ref(&session), |_| {
        replied.borrow().is_some()
    });
    shown.retain(|shown| shown.0 != Ending::Done);
    assert_eq!(shown, [refused()]);
}

/// C6, F1: what is told once rests on the message as it is by then
#[test]
fn a_reply_is_not_told_as_interrupted_before_its_message_was_read_again() {
    for (events, closed_after) in [(false, 5), (true, 25)] {
        let mut desk = Desk::new(1);
        desk.world.events_flow = events;
        desk.world.server.close_after(Duration::from_secs(closed_after));
        let session = desk.quiet_session();
        let replied = refuse(&desk, &session);
        let tab = desk.tab.clone();
        desk.world.run_until("it seems interrupted", LATER, |_| {
            let state = tab.session(&session);
            matches!(
                state,
                Some(TurnState::Ended {
                    ending: Ending::Interrupted,
                    ..
                })
            )
        });
        let messages = |read: &Read| matches!(read, Read::Messages { .. } | Read::Message { .. });
        desk.tab.faults.borrow_mut().unreadable = Some(messages);
        desk.world.run_for(Duration::from_secs(45));
        desk.tab.faults.borrow_mut().unreadable = None;
        let told = replied.clone();
        desk.world
            .run_until("the follow-up is over", LATER, |_| told.borrow().is_some());
        assert_eq!(ending_told(&replied), refused(), "events: {events}");
    }
}

/// C6, F1: without a stream a failed read may be the restart; the reply, which is told once, waits until it is known.
#[test]
fn a_read_that_fails_while_a_refusal_is_closed_leaves_its_reply_right() {
    let mut desk = Desk::new(1);
    desk.world.server.close_after(Duration::from_secs(9));
    let session = desk.quiet_session();
    let replied = refuse(&desk, &session);
    let server = desk.world.server.clone();
    desk.world
        .run_until("it runs", SOON, |_| server.status(&session).is_some());
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(Duration::from_secs(2));
    desk.tab.faults.borrow_mut().is_cut = false;
    let told = replied.clone();
    desk.world
        .run_until("the follow-up is over", LATER, |_| told.borrow().is_some());
    assert_eq!(ending_told(&replied), refused());
}

/// C6: what fails after the newest look at a session says nothing of what that look has shown
#[test]
fn a_run_that_is_being_closed_is_not_given_up_before_it_was_looked_at_again() {
    let mut desk = Desk::new(1);
    desk.world.events_flow = true;
    desk.world.server.close_after(Duration::from_secs(4));
    let parent = desk.begin(&delegates(&asks("Which?")));
    let tab = desk.tab.clone();
    desk.world
        .run_until("its sub-agent asks", SOON, |_| !tab.waiting().is_empty());
    desk.world.other.abort(&parent);
    desk.world.run_for(Duration::from_millis(3_200));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(Duration::from_millis(1_500));
    desk.world.restart_server();
    {
        let mut faults = desk.tab.faults.borrow_mut();
        faults.is_cut = false;
        faults.unreadable = Some(|read| matches!(read, Read::Status(_) | Read::Messages { .. }));
    }
    let are_none = |desk: &Desk| desk.tab.waiting().is_empty();
    let mut shown = endings_shown(&mut desk, std::slice::from_ref(&parent), are_none);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().unreadable = None;
    shown.extend(endings_shown(&mut desk, std::slice::from_ref(&parent), |desk| {
        matches!(desk.tab.session(&parent), Some(TurnState::Ended { .. }))
    }));
    assert_eq!(shown, [(Ending::Aborted, EndReason::Stopped)]);
}

/// C6
#[test]
fn a_prompt_that_an_abort_dropped_is_not_started() {
    let (mut desk, session, _) = Desk::with(&asks("Which?"));
    desk.world.other.prompt(&session, "and another thing");
    desk.world.run_for(SOON);
    desk.world.other.abort(&session);
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Ending::NotStarted);
}

/// C6, F5
#[test]
fn a_prompt_that_was_never_picked_up_is_started_and_not_said_again() {
    let (mut desk, session, _) = Desk::with(&asks("Which?"));
    desk.world.other.prompt(&session, "and another thing");
    desk.world.run_for(SOON);
    desk.world.other.abort(&session);
    desk.until_ended(&session);
    desk.tab.start(&session).expect("the session is known");
    let (tab, server) = (desk.tab.clone(), desk.world.server.clone());
    desk.world.run_until("the agent has answered", LATER, |_| {
        matches!(
            tab.session(&session),
            Some(TurnState::Ended {
                ending: Ending::Done,
                ..
            })
        )
    });
    let texts: Vec<String> = server.messages(&session).iter().map(|message| message.text()).collect();
    let said = texts.iter().filter(|text| *text == "and another thing").count();
    assert_eq!(said, 1, "{texts:?}");
}

/// C6
#[test]
fn a_turn_is_working_then_waiting_then_done() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([
        { "text": "Let me think. ".repeat(20), "chunkDelay": 1_000, "tools": [question("Which?")] },
        { "text": "Done." }
    ])));
    let tab = desk.tab.clone();
    desk.world
        .run_until("it works", SOON, |_| tab.session(&session) == Some(TurnState::Working));
    let request = desk.until_waiting(&session);
    desk.world.run_until("it waits", SOON, |_| {
        tab.session(&session) == Some(TurnState::WaitingForHuman { descendant: None })
    });
    desk.answer(&request.id, blue());
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Ending::Done);
}

/// C6
#[test]
fn a_provider_that_refuses_shows_as_retrying() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "status": 429, "times": 2, "text": "Done." }])));
    let tab = desk.tab.clone();
    desk.world.run_until("it retries", LATER, |_| {
        matches!(tab.session(&session), Some(TurnState::Retrying { .. }))
    });
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Ending::Done);
}

/// C6
#[test]
fn a_turn_that_shows_no_sign_of_life_is_stuck_and_not_ended() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "text": "Done.", "delay": 3_600_000 }])));
    desk.world.run_for(Duration::from_secs(900));
    let state = desk.tab.session(&session);
    assert!(
        matches!(
            state,
            Some(TurnState::Stuck {
                cause: StuckCause::Silent,
                ..
            })
        ),
        "{state:?}"
    );
}

/// C6
#[test]
fn a_turn_is_not_called_ended_because_the_way_to_the_server_is_bad() {
    for seed in 0..20 {
        let (mut desk, session, _) = Desk::with(&asks("Which?"));
        {
            let mut faults = desk.tab.faults.borrow_mut();
            (faults.server_error, faults.garbage, faults.hang) = (30, 10, 10);
            faults.latency = Duration::from_millis(1)..Duration::from_millis(100 * (seed + 1));
        }
        let (tab, end) = (desk.tab.clone(), desk.world.now() + LATER);
        desk.world.run_until("time has passed", LATER, |world| {
            let state = tab.session(&session);
            assert!(
                !matches!(state, Some(TurnState::Ended { .. })),
                "{state:?}\n{}",
                world.story()
            );
            world.now() >= end
        });
    }
}

/// C7
#[test]
fn a_parent_waits_while_its_sub_agent_waits_and_is_done_after_it() {
    let mut desk = Desk::new(1);
    let parent = desk.begin(&delegates(&asks("Which?")));
    let tab = desk.tab.clone();
    let chain = |tab: &Tab| -> Vec<SessionId> {
        let origin = tab.waiting().first().map(|shown| shown.origin.clone());
        origin.iter().flatten().map(|session| session.id.clone()).collect()
    };
    desk.world
        .run_until("it is known for whom the sub-agent asks", SOON, |_| {
            chain(&tab).len() == 2
        });
    let shown = desk.tab.waiting().remove(0);
    let child = shown.request.session.clone();
    assert_eq!(chain(&tab), [parent.clone(), child.clone()]);
    let waits = TurnState::WaitingForHuman {
        descendant: Some(child.clone()),
    };
    desk.world.run_until("the parent waits", SOON, |_| {
        tab.session(&parent) == Some(waits.clone())
    });
    desk.world.run_for(LATER);
    assert_eq!(desk.tab.session(&parent), Some(waits));

    desk.answer(&shown.request.id, blue());
    desk.until_ended(&parent);
    assert_eq!(ending(&desk, &parent), Ending::Done);
    assert_eq!(ending(&desk, &child), Ending::Done);
}

/// C7
#[test]
fn a_parent_works_while_its_sub_agent_works() {
    let mut desk = Desk::new(1);
    let below = script(json!([{ "text": "Let me think. ".repeat(50), "chunkDelay": 500 }]));
    let parent = desk.begin(&delegates(&below));
    desk.world.run_for(SOON);
    assert_eq!(desk.tab.session(&parent), Some(TurnState::Working));
    desk.until_ended(&parent);
    assert_eq!(ending(&desk, &parent), Ending::Done);
}

/// D1, D4, D5, D6
#[test]
fn a_call_that_the_server_forgot_is_abandoned_with_its_turn_and_named() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.tab.handle.open(Some(&session));
    desk.world.run_for(SOON);
    let abandoned = |desk: &Desk| {
        let view = desk.tab.view();
        view.timeline.as_ref().map(|timeline| timeline.abandoned.len())
    };
    assert_eq!(abandoned(&desk), Some(0));
    desk.world.restart_server();
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Ending::Interrupted);
    assert_eq!(abandoned(&desk), Some(1));
    let log = desk.tab.log.borrow();
    assert!(
        log.iter()
            .any(|record| record.text.contains("abandoned with its turn: question"))
    );
}

/// D5, D10
#[test]
fn the_word_of_the_server_replaces_ours_and_never_reaches_the_next_turn() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.tab.handle.open(Some(&session));
    desk.world.other.abort(&session);
    desk.until_ended(&session);
    desk.world
        .other
        .prompt(&session, &script(json!([{ "text": "Next." }])).to_prompt());
    desk.world.run_for(SOON);
    desk.until_ended(&session);
    let view = desk.tab.view();
    assert!(view.timeline.as_ref().expect("it is open").abandoned.is_empty());
    assert_eq!(ending(&desk, &session), Ending::Done);
}

/// C6, R21: what a call's own message shows is older than what the run has said since
#[test]
fn a_turn_that_went_on_after_a_rejection_has_its_own_ending_alone() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    let endings = Rc::new(RefCell::new(Vec::new()));
    let (mut views, seen, id) = (desk.tab.handle.views(), endings.clone(), session.clone());
    desk.tab.run(async move {
        while let Some(view) = views.next().await {
            if let Some(TurnState::Ended { ending, .. }) = view.session(&id).map(|session| &session.state) {
                seen.borrow_mut().push(*ending);
            }
        }
    });
    desk.world.freeze_tab(&desk.tab);
    let message = Some("not now".to_owned());
    desk.world.other.reply(&request, Reply::Reject { message });
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
    desk.world.thaw_tab(&desk.tab);
    desk.until_state(&request.id, "no more waiting", |state| !state.is_waiting());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().unreadable = None;
    desk.until_ended(&session);
    desk.world.run_for(SOON);
    endings.borrow_mut().dedup();
    assert_eq!(*endings.borrow(), [Ending::Done]);
    let log = desk.tab.log.borrow();
    let told = log
        .iter()
        .filter(|record| record.text.starts_with(&format!("{session}: Ended")));
    assert_eq!(told.count(), 1);
}

/// C6: text that streams is a sign of life, and no proof of an ending
#[test]
fn a_session_whose_text_streams_is_not_called_silent() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "text": "Done.", "delay": 3_600_000 }])));
    desk.world.run_for(SOON);
    for second in 0..400 {
        desk.tab.handle.preview(Preview {
            session: session.clone(),
            message: "msg_streams".into(),
            part: "prt_streams".into(),
            delta: "word ".to_owned(),
        });
        desk.world.run_for(Duration::from_secs(1));
        let view = desk.tab.view();
        let shown = view.session(&session).expect("it is shown");
        assert_eq!(shown.state, TurnState::Working, "after {second} s");
        let moved = shown.moved.expect("it has begun");
        assert!(
            desk.world.now().since(moved) <= Duration::from_secs(2),
            "after {second} s"
        );
    }
    desk.world.run_for(Duration::from_secs(310));
    assert!(matches!(desk.tab.session(&session), Some(TurnState::Stuck { .. })));
}
