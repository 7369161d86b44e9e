//! What random histories have found, each as one short story.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{ElsewhereAnswer, GoneReason, Message, NotSentReason, Outcome, Reply, Status};
use switchboard_core::policy::{Policy, Then, Unattended};
use switchboard_core::view::{Ending, RequestState, TurnState};
use switchboard_core::{FollowUpOptions, RescueError};
use switchboard_tests::scripts::{asks, bash_outside, delegates, runs, script};
use switchboard_tests::store::StoreHealth;
use switchboard_tests::tab::Tab;

use crate::desk::{Desk, LATER, SOON, red, typed};

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
    desk.until_state(&request.id, "not sent", |state| {
        matches!(
            state,
            RequestState::NotSent {
                reason: NotSentReason::TooOld
            }
        )
    });
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
        desk.change_command(&request.id);
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
    // The first tab stands still, and does not see that the question is gone.
    desk.world.freeze_tab(&desk.tab);
    desk.world.restart_server();
    desk.world.run_until("the other tab knows", LATER, |_| {
        second.state(&request.id).is_some_and(|state| state.is_ended())
    });
    second.handle.discard(&request.id);
    assert_eq!(desk.tab.answer(&request.id, red()), Ok(()));
    desk.world.thaw_tab(&desk.tab);
    desk.world.run_for(LATER);
    assert!(
        second
            .request(&request.id)
            .is_some_and(|shown| shown.reply == Some(red()))
    );
}

/// R19: what is asked changes between deciding and sending
#[test]
fn a_permission_whose_saving_takes_its_time_is_not_given_to_something_else() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.device.set_health(StoreHealth::Slow(Duration::from_millis(1_500)));
    desk.answer(&request.id, Reply::Once);
    desk.change_command(&request.id);
    desk.until_state(&request.id, "not sent", |state| {
        matches!(
            state,
            RequestState::NotSent {
                reason: NotSentReason::Changed
            }
        )
    });
    assert_eq!(desk.replies(&request.id), []);
}

/// C6: what waits is said in every tab, whoever was told that it still does
#[test]
fn a_session_waits_again_in_all_tabs_when_a_reply_is_not_sent() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(SOON);
    desk.change_command(&request.id);
    desk.tab.faults.borrow_mut().is_cut = false;
    let is_refused = |tab: &Tab| matches!(tab.state(&request.id), Some(RequestState::NotSent { .. }));
    desk.world
        .run_until("the other tab knows", LATER, |_| is_refused(&second));
    let waits = TurnState::WaitingForHuman { descendant: None };
    assert_eq!(second.session(&session), Some(waits));
}

/// R7: two tabs send the same answer as a message
#[test]
fn who_sends_a_late_answer_in_a_second_tab_is_told_the_message_that_is_stored() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    desk.tab.draft(typed(&request, "neither"));
    desk.world.run_for(SOON);
    desk.world.other.abort(&session);
    desk.world.run_until("both tabs know", LATER, |_| {
        [&desk.tab, &second]
            .iter()
            .all(|tab| tab.state(&request.id).is_some_and(|state| is_stopped(&state)))
    });
    for tab in [&desk.tab, &second] {
        tab.rescue(&request.id).expect("the answer can go as a message");
    }
    desk.world.run_until("both are told", LATER, |_| {
        [&desk.tab, &second].iter().all(|tab| !tab.stored.borrow().is_empty())
    });
    let carries = |message: &&Message| message.text().contains("neither");
    let messages = desk.world.server.messages(&session);
    let carriers: Vec<_> = messages
        .iter()
        .filter(carries)
        .map(|message| message.id.clone())
        .collect();
    assert_eq!(carriers.len(), 1);
    for tab in [&desk.tab, &second] {
        assert_eq!(*tab.stored.borrow(), [Ok(carriers[0].clone())]);
    }
}

/// R7: no answer is applied twice
#[test]
fn an_answer_that_the_agent_has_does_not_go_as_a_message_too() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.answer(&request.id, red());
    desk.until_answered(&request.id);
    assert_eq!(
        desk.tab.rescue(&request.id),
        Err(RescueError::Answered(request.id.clone()))
    );
}

/// C7: a run that is gone awaits nobody
#[test]
fn a_run_that_a_restart_has_ended_is_interrupted_although_its_sub_agent_works_again() {
    let below = asks("From below?");
    let mut desk = Desk::new(1);
    let session = desk.begin(&delegates(&below));
    desk.world
        .run_until("the sub-agent asks", LATER, |_| desk.tab.waiting().len() == 1);
    let child = desk.tab.waiting()[0].request.session.clone();
    desk.world.restart_server();
    desk.world.other.prompt(&child, &asks("Again?").to_prompt());
    desk.world.run_until("the run is interrupted", LATER, |_| {
        matches!(
            desk.tab.session(&session),
            Some(TurnState::Ended {
                ending: Ending::Interrupted,
                ..
            })
        )
    });
    assert_eq!(desk.world.server.status(&child), Some(Status::Busy));
}

/// F1: that nothing runs is heard from another tab, and what was said is not
#[test]
fn a_reply_that_could_not_be_read_yet_is_not_called_not_started() {
    for milliseconds in (0..1_000).step_by(50) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let second = desk.world.open_tab(&desk.device);
        desk.world.run_for(SOON);
        let step = |text: &str| json!({ "text": text, "finish": null });
        let steps = [
            step("One."),
            step("Two."),
            step("Three."),
            json!({ "text": "Here it is." }),
        ];
        let text = script(json!(steps)).to_prompt();
        let ended = second.follow_up(&session, &text, &FollowUpOptions::default());
        desk.world.run_for(Duration::from_millis(milliseconds));
        second.faults.borrow_mut().is_cut = true;
        desk.world.run_for(Duration::from_secs(30));
        second.faults.borrow_mut().is_cut = false;
        desk.world
            .run_until("the follow-up is over", LATER, |_| ended.borrow().is_some());
        let reply = ended.borrow_mut().take().expect("it was just there");
        let told = reply.map(|reply| (reply.messages.len(), reply.text));
        assert_eq!(told, Ok((4, "Here it is.".to_owned())), "cut after {milliseconds} ms");
    }
}

/// F1, R15: a message that slid out of the newest ones before it was final
#[test]
fn a_reply_holds_what_was_said_in_messages_that_are_no_longer_the_newest() {
    for milliseconds in (0..1_500).step_by(50) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let text = script(json!([{ "text": "Hm.", "delay": 900, "finish": null }, { "status": 400 }])).to_prompt();
        let ended = desk.tab.follow_up(&session, &text, &FollowUpOptions::default());
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.world.other.prompt(&session, "and another thing");
        desk.world
            .run_until("the follow-up is over", LATER, |_| ended.borrow().is_some());
        let reply = ended.borrow_mut().take().expect("it was just there");
        let texts = reply.map(|reply| reply.messages.iter().map(|message| message.text()).collect::<Vec<_>>());
        assert_eq!(
            texts.map(|texts| texts[0].clone()),
            Ok("Hm.".to_owned()),
            "after {milliseconds} ms"
        );
    }
}

/// R19: what runs after a restart is a run of its own
#[test]
fn a_permission_that_a_restart_has_forgotten_is_not_called_given_for_a_later_run() {
    for milliseconds in (0..2_000).step_by(100) {
        let (mut desk, session, request) = Desk::with(&runs("echo hi"));
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, Reply::Once);
        desk.world.restart_server();
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.world.other.prompt(&session, &runs("make").to_prompt());
        let outcome = desk.until_outcome(&request.id);
        assert!(
            matches!(outcome, Outcome::Gone(_)),
            "after {milliseconds} ms: {outcome:?}"
        );
    }
}

/// R4, E3: the reply that was refused gives its place to the one after it
#[test]
fn a_permission_that_is_given_again_while_the_refusal_is_still_being_saved_is_sent() {
    let (mut desk, _, request) = Desk::with(&runs("echo hi"));
    desk.device.set_health(StoreHealth::Slow(Duration::from_millis(1_176)));
    desk.answer(&request.id, Reply::Once);
    desk.world.run_for(SOON / 4);
    desk.change_command(&request.id);
    desk.until_state(&request.id, "not sent", |state| {
        matches!(state, RequestState::NotSent { .. })
    });
    desk.answer(&request.id, Reply::Once);
    desk.until_answered(&request.id);
}

/// R5, R20: the policy of one tab, and the person at another one
#[test]
fn what_is_half_typed_outlives_the_reply_of_a_policy_in_another_tab() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    second.draft(typed(&request, "half a thou"));
    desk.tab.entrust(&request, &Reply::Dismiss);
    desk.tab.handle.set_unattended(Unattended {
        questions: Policy {
            after: Some(Duration::from_secs(20)),
            then: Then::Reject,
        },
        ..Unattended::never()
    });
    desk.world.run_until("the policy has rejected", LATER, |_| {
        second.state(&request.id).is_some_and(|state| state.is_ended())
    });
    desk.world.run_for(SOON);
    assert_eq!(desk.device.drafts().len(), 1);
    let shown = second.request(&request.id).expect("it has just ended");
    assert!(shown.by_policy && shown.draft.is_some(), "{shown:?}");
}

/// C6: what has ended takes its turn among what runs
#[test]
fn a_session_that_ends_among_many_that_run_is_seen_to_have_ended() {
    let mut desk = Desk::new(1);
    let others: Vec<_> = (0..12).map(|_| desk.begin(&asks("Which?"))).collect();
    let session = desk.begin(&script(json!([{ "text": "Ready.", "delay": 4000 }])));
    desk.until_ended(&session);
    for other in others {
        assert_eq!(
            desk.tab.session(&other),
            Some(TurnState::WaitingForHuman { descendant: None })
        );
    }
}
