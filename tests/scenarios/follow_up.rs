//! Follow-ups: a message into a living session, and the reply to it.

use std::time::Duration;

use serde_json::json;
use switchboard_core::log::Level;
use switchboard_core::model::{Role, SessionId};
use switchboard_core::ports::{Preview, Read};
use switchboard_core::view::Ending;
use switchboard_core::{FollowUpError, FollowUpOptions, TurnReply, WasSent};
use switchboard_tests::opencode::Event;
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{asks, question, script};
use switchboard_tests::store::StoreHealth;
use switchboard_tests::tab::Replied;

use crate::desk::{Desk, LATER, SOON, blue};

/// Follows up with a script that the agent then plays.
fn follow_up(desk: &Desk, session: &SessionId, script: &Script, options: &FollowUpOptions) -> Replied {
    desk.tab.follow_up(session, &script.to_prompt(), options)
}

/// Waits for so long.
fn within(seconds: u64) -> FollowUpOptions {
    FollowUpOptions {
        timeout: Some(Duration::from_secs(seconds)),
        ..FollowUpOptions::default()
    }
}

/// Waits for so long, and stops the agent then.
fn or_stop_within(seconds: u64) -> FollowUpOptions {
    FollowUpOptions {
        stop: true,
        ..within(seconds)
    }
}

fn until_over(desk: &mut Desk, ended: &Replied) -> Result<TurnReply, FollowUpError> {
    let over = ended.clone();
    desk.world
        .run_until("the follow-up is over", LATER, |_| over.borrow().is_some());
    ended.borrow_mut().take().expect("it was just there")
}

fn prompts(desk: &Desk) -> usize {
    let history = desk.world.server.history();
    let prompted = |event: &Event| matches!(event, Event::Prompted { .. });
    history.iter().filter(|happening| prompted(&happening.event)).count()
}

/// F1
#[test]
fn a_follow_up_resolves_with_the_new_reply_and_nothing_older() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let steps = json!([{ "text": "First.", "tools": [question("Which?")] }, { "text": "Then." }]);
    let ended = follow_up(&desk, &session, &script(steps), &FollowUpOptions::default());
    let request = desk.until_waiting(&session);
    assert!(ended.borrow().is_none(), "the agent asks, and the wait goes on");
    desk.answer(&request.id, blue());
    let reply = until_over(&mut desk, &ended).expect("the agent replies");
    let texts: Vec<String> = reply.messages.iter().map(|message| message.text()).collect();
    assert_eq!(texts, ["First.", "Then."]);
    assert_eq!((reply.ending, reply.text.as_str()), (Ending::Done, "Then."));
}

/// F1
#[test]
fn a_follow_up_behind_a_running_turn_gets_the_reply_to_itself() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    let next = script(json!([{ "text": "And now this." }]));
    let ended = follow_up(&desk, &session, &next, &FollowUpOptions::default());
    desk.world.run_for(SOON);
    assert!(ended.borrow().is_none());
    desk.answer(&request.id, blue());
    let reply = until_over(&mut desk, &ended).expect("the run goes on with it");
    assert_eq!(reply.text, "And now this.");
}

/// F1
#[test]
fn a_run_that_ends_without_the_follow_up_has_not_started_it() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    let ended = follow_up(&desk, &session, &asks("Never"), &FollowUpOptions::default());
    desk.world.run_for(SOON);
    desk.world.other.abort(&session);
    let reply = until_over(&mut desk, &ended).expect("the run has ended");
    assert_eq!((reply.ending, reply.messages.len()), (Ending::NotStarted, 0));
}

/// F1, R15
#[test]
fn a_reply_of_more_messages_than_are_held_is_whole() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let mut steps: Vec<_> = (0..70)
        .map(|step| json!({ "text": format!("Step {step}."), "finish": null }))
        .collect();
    steps.push(json!({ "text": "Done." }));
    let ended = follow_up(&desk, &session, &script(steps.into()), &FollowUpOptions::default());
    let reply = until_over(&mut desk, &ended).expect("the agent replies");
    assert_eq!(reply.messages.len(), 71);
}

/// F1, F5
#[test]
fn a_follow_up_arrives_once_and_is_replied_to_once_whatever_the_network_does() {
    for seed in 0..60 {
        let mut desk = Desk::new(seed);
        let session = desk.quiet_session();
        let before = desk.world.server.messages(&session).len();
        {
            let mut faults = desk.tab.faults.borrow_mut();
            (faults.request_lost, faults.response_lost, faults.server_error) = (20, 30, 10);
        }
        let next = script(json!([{ "text": "Again." }]));
        let ended = follow_up(&desk, &session, &next, &FollowUpOptions::default());
        let reply = until_over(&mut desk, &ended).expect("the agent replies");
        assert_eq!(reply.text, "Again.", "{}", desk.world.story());
        assert_eq!(desk.world.server.messages(&session).len(), before + 2);
    }
}

/// F1
#[test]
fn a_cold_server_that_seems_idle_ends_nothing_early() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.world.restart_server();
    desk.world.run_for(Duration::from_secs(12));
    let next = script(json!([{ "text": "Warm again." }]));
    let ended = follow_up(&desk, &session, &next, &FollowUpOptions::default());
    let reply = until_over(&mut desk, &ended).expect("the agent replies");
    assert_eq!(reply.text, "Warm again.");
}

/// C2, R17
#[test]
fn a_reply_is_told_within_a_second_whether_it_was_quick_or_slow_hidden_or_of_a_server_whose_clock_is_off() {
    for (is_visible, ahead, delay) in [
        (false, 0, 20_000),
        (true, 0, 300),
        (true, -600_000, 300),
        (false, 600_000, 300),
    ] {
        let mut desk = Desk::new(1);
        desk.world.server.set_clock_ahead(ahead);
        let session = desk.quiet_session();
        desk.tab.handle.set_visible(is_visible);
        let next = script(json!([{ "text": "Said.", "delay": delay }]));
        let ended = follow_up(&desk, &session, &next, &FollowUpOptions::default());
        let server = desk.world.server.clone();
        desk.world
            .run_until("it works", LATER, |_| server.status(&session).is_some());
        desk.world
            .run_until("it is idle", LATER, |_| server.status(&session).is_none());
        desk.world.run_for(Duration::from_millis(1_100));
        assert!(
            ended.borrow().is_some(),
            "visible: {is_visible}, ahead: {ahead} ms, after {delay} ms"
        );
    }
}

/// F4
#[test]
fn a_follow_up_cancelled_before_it_is_sent_is_not_sent() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.device.set_health(StoreHealth::Slow(Duration::from_secs(1)));
    let before = prompts(&desk);
    let ended = follow_up(&desk, &session, &asks("Never"), &FollowUpOptions::default());
    desk.tab.cancel_follow_ups();
    let error = until_over(&mut desk, &ended).expect_err("it was cancelled");
    assert_eq!(error, FollowUpError::Cancelled { sent: WasSent::No });
    desk.world.run_for(LATER);
    assert_eq!(prompts(&desk), before);
}

/// F4
#[test]
fn a_follow_up_cancelled_after_it_was_sent_is_left_to_the_agent() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let ended = follow_up(&desk, &session, &asks("Which?"), &FollowUpOptions::default());
    desk.until_waiting(&session);
    desk.tab.cancel_follow_ups();
    let error = until_over(&mut desk, &ended).expect_err("it was cancelled");
    assert_eq!(error, FollowUpError::Cancelled { sent: WasSent::Yes });
    desk.world.run_for(SOON);
    assert!(desk.world.server.status(&session).is_some(), "the agent works on");
}

/// F4, C3
#[test]
fn a_time_out_stops_the_agent_only_where_that_was_asked_for() {
    for stop in [false, true] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let options = FollowUpOptions {
            timeout: Some(Duration::from_secs(20)),
            stop,
            ..FollowUpOptions::default()
        };
        let ended = follow_up(&desk, &session, &asks("Which?"), &options);
        let begun = desk.world.now();
        let error = until_over(&mut desk, &ended).expect_err("nobody answers");
        assert_eq!(
            error,
            FollowUpError::TimedOut {
                sent: WasSent::Yes,
                text: "I ask.".to_owned()
            }
        );
        let took = desk.world.now().since(begun);
        assert!((20..22).contains(&took.as_secs()), "{took:?}");
        desk.world.run_for(SOON);
        assert_eq!(desk.world.server.status(&session).is_none(), stop);
    }
}

/// F4, C3: its session cannot be read when the time is up
#[test]
fn a_reply_that_came_in_time_is_told_although_it_is_read_later() {
    for unread in 1..=8 {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let said = script(json!([{ "text": "Said.", "delay": 15_000 }]));
        let ended = follow_up(&desk, &session, &said, &within(20));
        desk.world.run_for(Duration::from_secs(14));
        desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
        desk.world.run_for(Duration::from_secs(6 + unread));
        assert!(ended.borrow().is_none(), "it is not known after {unread} s");
        desk.tab.faults.borrow_mut().unreadable = None;
        let reply = until_over(&mut desk, &ended).expect("it has come in time");
        assert_eq!(reply.text, "Said.");
    }
}

/// F1, F4: its session cannot be read when the time is up, and then another client has prompted it
#[test]
fn a_reply_that_came_in_time_is_told_although_another_run_goes_on_when_it_is_read() {
    for pause in [0, 200, 2_000] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let said = script(json!([{ "text": "Said.", "delay": 15_000 }]));
        let ended = follow_up(&desk, &session, &said, &or_stop_within(20));
        desk.world.run_for(Duration::from_secs(14));
        desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
        desk.world.run_for(Duration::from_secs(8));
        let other = script(json!([{ "text": "Other.", "delay": 60_000 }])).to_prompt();
        desk.world.other.prompt(&session, &other);
        desk.world.run_for(Duration::from_millis(pause));
        desk.tab.faults.borrow_mut().unreadable = None;
        let reply = until_over(&mut desk, &ended).expect("it has come in time");
        assert_eq!(reply.text, "Said.", "{pause} ms after the other prompt");
        desk.world.run_for(SOON);
        assert!(desk.world.server.status(&session).is_some(), "the other run goes on");
    }
}

/// F4: the reply is not over, and the run of another client, which has taken the session, is not stopped for it
#[test]
fn a_later_run_is_not_stopped_for_a_reply_that_is_late() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let ended = follow_up(&desk, &session, &asks("Which?"), &or_stop_within(20));
    desk.until_waiting(&session);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(SOON);
    desk.world.restart_server();
    desk.world.run_for(SOON);
    let other = script(json!([{ "text": "Other." , "delay": 60_000 }])).to_prompt();
    desk.world.other.prompt(&session, &other);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    let error = until_over(&mut desk, &ended).expect_err("its run was cut off");
    let (sent, text) = (WasSent::Yes, "I ask.".to_owned());
    assert_eq!(
        error,
        FollowUpError::TimedOut { sent, text },
        "the text is the agent's, and no prompt"
    );
    desk.world.run_for(SOON);
    assert!(desk.world.server.status(&session).is_some(), "the other run goes on");
}

/// F4, C2: a wait has an end, also in an outage
#[test]
fn a_reply_that_cannot_be_looked_for_is_late_ten_seconds_after_its_time() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let begun = desk.world.now();
    let ended = follow_up(&desk, &session, &asks("Which?"), &within(20));
    desk.until_waiting(&session);
    desk.tab.faults.borrow_mut().is_cut = true;
    let error = until_over(&mut desk, &ended).expect_err("nothing is read");
    let (sent, text) = (WasSent::Yes, "I ask.".to_owned());
    assert_eq!(error, FollowUpError::TimedOut { sent, text });
    let took = desk.world.now().since(begun);
    assert!((30..32).contains(&took.as_secs()), "{took:?}");
}

/// F4
#[test]
fn a_follow_up_whose_fate_is_unknown_says_so_and_is_brought_to_an_end() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.tab.faults.borrow_mut().is_cut = true;
    let ended = follow_up(&desk, &session, &asks("Which?"), &FollowUpOptions::default());
    desk.world.run_for(SOON);
    desk.tab.cancel_follow_ups();
    let error = until_over(&mut desk, &ended).expect_err("it was cancelled");
    assert_eq!(error, FollowUpError::Cancelled { sent: WasSent::Unknown });
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_waiting(&session);
}

/// F4
#[test]
fn a_follow_up_that_was_not_sent_in_time_is_never_sent() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let before = desk.world.server.messages(&session).len();
    desk.tab.faults.borrow_mut().posts_lost = true;
    let first = follow_up(&desk, &session, &asks("First?"), &within(600));
    let second = follow_up(&desk, &session, &asks("Second?"), &within(20));
    let error = until_over(&mut desk, &second).expect_err("the first is not through");
    let (sent, text) = (WasSent::No, String::new());
    assert_eq!(error, FollowUpError::TimedOut { sent, text });
    desk.tab.faults.borrow_mut().posts_lost = false;
    let request = desk.until_waiting(&session);
    desk.answer(&request.id, blue());
    assert_eq!(until_over(&mut desk, &first).expect("it was sent").text, "Thank you.");
    desk.world.run_for(SOON);
    let messages = desk.world.server.messages(&session);
    let prompts = messages[before..].iter().filter(|message| message.role == Role::User);
    assert_eq!(prompts.count(), 1);
}

/// F3
#[test]
fn a_closed_board_and_one_without_a_server_fail_at_once() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.tab.handle.close();
    let ended = follow_up(&desk, &session, &asks("Never"), &FollowUpOptions::default());
    assert_eq!(until_over(&mut desk, &ended), Err(FollowUpError::Disposed));

    let mut desk = Desk::new(1);
    desk.tab.faults.borrow_mut().is_cut = true;
    let ended = follow_up(&desk, &session, &asks("Never"), &FollowUpOptions::default());
    assert_eq!(until_over(&mut desk, &ended), Err(FollowUpError::NotConnected));
}

/// F3
#[test]
fn closing_the_board_frees_who_awaits_a_reply() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let ended = follow_up(&desk, &session, &asks("Which?"), &FollowUpOptions::default());
    desk.until_waiting(&session);
    desk.tab.handle.close();
    assert_eq!(until_over(&mut desk, &ended), Err(FollowUpError::Disposed));
}

/// F2, F6
#[test]
fn a_long_follow_up_is_cut_and_logged_in_short() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let long = format!("begin{}", "x".repeat(200_000));
    let _ended = desk.tab.follow_up(&session, &long, &FollowUpOptions::default());
    let server = desk.world.server.clone();
    desk.world.run_until("it is stored", LATER, |_| {
        let messages = server.messages(&session);
        messages
            .iter()
            .any(|message| message.text().starts_with("begin") && message.text().ends_with("...[truncated]"))
    });
    let log = desk.tab.log.borrow();
    let logged: Vec<_> = log.iter().filter(|record| record.text.contains("beginxx")).collect();
    let short = format!("begin{}", "x".repeat(95));
    let shows_it = |text: &str| text.contains(&short) && !text.contains(&format!("{short}x"));
    assert!(
        logged
            .iter()
            .any(|record| record.level == Level::Debug && shows_it(&record.text))
    );
}

/// F4, C3: what was said so far is told, also while it is still being said
#[test]
fn a_time_out_tells_the_text_that_streams() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let long = script(json!([{ "text": "Half a sentence and more", "chunkDelay": 60_000 }]));
    let ended = follow_up(&desk, &session, &long, &within(8));
    desk.world.run_for(SOON);
    desk.tab.handle.preview(Preview {
        session,
        message: "msg_streams".into(),
        part: "prt_streams".into(),
        delta: "Half a sentence".to_owned(),
    });
    let Err(FollowUpError::TimedOut { text, .. }) = until_over(&mut desk, &ended) else {
        panic!("it takes too long");
    };
    assert_eq!(text, "Half a sentence");
}

/// C2: also right after the messages of its session could not be read
#[test]
fn a_reply_is_told_soon_after_its_session_can_be_read_again() {
    for seconds in [3, 12, 20, 30, 60] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let ended = follow_up(
            &desk,
            &session,
            &script(json!([{ "text": "Then." }])),
            &FollowUpOptions::default(),
        );
        desk.world.run_for(Duration::from_millis(60));
        desk.tab.faults.borrow_mut().unreadable =
            Some(|read| matches!(read, Read::Messages { .. } | Read::Message { .. }));
        desk.world.run_for(Duration::from_secs(seconds));
        desk.tab.faults.borrow_mut().unreadable = None;
        let over = ended.clone();
        desk.world
            .run_until("the reply is told", Duration::from_secs(4), |_| over.borrow().is_some());
    }
}

/// F4: a wait that is dropped ends nothing but itself
#[test]
fn a_message_whose_wait_is_dropped_before_it_is_sent_goes_on_its_way() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.tab.prompt(&session, "first").expect("it is taken");
    desk.world.run_for(SOON);
    let following = desk.tab.handle.follow_up(&session, "second", &within(30));
    desk.world.run_for(SOON);
    drop(following);
    desk.world.run_for(Duration::from_secs(60));
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world.run_for(LATER);
    assert_eq!(prompts(&desk), 3, "{}", desk.world.story());
}

/// F4
#[test]
fn an_agent_whose_reply_nobody_awaits_any_more_is_not_stopped() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let following = desk
        .tab
        .handle
        .follow_up(&session, &asks("Which?").to_prompt(), &or_stop_within(30));
    desk.until_waiting(&session);
    drop(following);
    desk.world.run_for(LATER);
    assert!(desk.world.server.status(&session).is_some(), "it was stopped");
}
