//! Ends that come: a driver that is dropped, a close right after a change, a session that is deleted, a stop that is lost.

use std::time::Duration;

use futures::{FutureExt, StreamExt};
use serde_json::json;
use switchboard_core::model::{Draft, DraftKey, DraftText, SessionId};
use switchboard_core::view::{Ending, TurnState};
use switchboard_core::{AnswerError, FollowUpError, FollowUpOptions, ShellCommand, Unresolved, WasSent};
use switchboard_tests::opencode::Event;
use switchboard_tests::scripts::{asks, script};
use switchboard_tests::store::StoreHealth;

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue, runs_on};

/// How long a slow store takes to write.
const SLOW: Duration = Duration::from_millis(120);

fn prompts(desk: &Desk, session: &SessionId) -> usize {
    let history = desk.world.server.history();
    let to_it = |event: &Event| matches!(event, Event::Prompted { session: to, .. } if to == session);
    history.iter().filter(|happening| to_it(&happening.event)).count()
}

/// R13: whoever drops the driver ends the board
#[test]
fn a_board_whose_driver_is_dropped_ends_every_wait_and_gives_its_entries_to_the_next() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    let (handle, tab) = (desk.tab.handle.clone(), desk.tab.clone());
    desk.tab.entrust(&request, &blue());
    let answering = handle.answer(&request, blue()).expect("it waits");
    let storing = handle
        .prompt(&session, "later", Default::default())
        .expect("it is taken");
    let stopping = handle.abort(&session);
    let mut views = handle.views();
    let _ = views.next().now_or_never();
    desk.world.run_for(SOON);
    desk.world.close_tab(tab);

    assert_eq!(answering.now_or_never(), Some(Err(Unresolved::Closed)));
    assert!(
        matches!(storing.now_or_never(), Some(Err(_))),
        "the prompt is in the ledger"
    );
    assert!(matches!(stopping.now_or_never(), Some(Err(_))), "the stop is given up");
    let rest: Option<Vec<_>> = views.collect::<Vec<_>>().now_or_never();
    assert!(rest.is_some(), "the views end");
    assert!(matches!(handle.answer(&request, blue()), Err(AnswerError::Closed)));

    // The first handle is still held, and keeps nothing from the next connection.
    let device = desk.device.clone();
    desk.tab = desk.world.open_tab(&device);
    desk.until_answered(&request.id);
    drop(handle);
}

/// F4, E7: “not sent, and will not be” holds over a close
#[test]
fn a_follow_up_that_was_cancelled_is_not_sent_by_the_next_connection() {
    for pause in [0, 1, 30, 100].map(Duration::from_millis) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let before = prompts(&desk, &session);
        desk.device.set_health(StoreHealth::Slow(SLOW));
        let ended = desk.tab.follow_up(&session, "never mind", &FollowUpOptions::default());
        desk.world.run_for(Duration::from_millis(1));
        desk.tab.cancel_follow_ups();
        desk.world.run_for(pause);
        desk.tab.handle.close();
        desk.world.run_for(SOON);
        let told = ended.borrow_mut().take();
        assert!(
            matches!(told, Some(Err(FollowUpError::Cancelled { sent: WasSent::No }))),
            "{told:?}"
        );
        let device = desk.device.clone();
        desk.tab = desk.world.open_tab(&device);
        desk.world.run_for(LATER);
        assert_eq!(prompts(&desk, &session), before, "after {pause:?}");
    }
}

/// R13: what was given up stays given up
#[test]
fn what_is_discarded_right_before_a_close_does_not_come_back() {
    let mut desk = Desk::new(1);
    desk.tab.faults.borrow_mut().refusal = Some(400);
    let session = desk.quiet_session();
    desk.tab.prompt(&session, "no good").expect("it is taken");
    desk.world.run_for(SOON);
    let refused = desk.tab.view().prompts[0].entry.clone();
    desk.device.set_health(StoreHealth::Slow(SLOW));
    desk.tab.draft(prompt_draft(&session, "another thought"));
    desk.tab.handle.discard_prompt(&refused);
    desk.tab.handle.close();
    desk.world.run_for(SOON);
    let device = desk.device.clone();
    desk.tab = desk.world.open_tab(&device);
    desk.world.run_for(SOON);
    let view = desk.tab.view();
    assert_eq!(view.prompts.iter().count(), 0);
    assert_eq!(
        view.prompt_drafts.get(&session).map(String::as_str),
        Some("another thought")
    );
}

/// R13: the same words typed again are not what was sent
#[test]
fn a_draft_that_says_what_was_refused_before_is_there_after_a_reload() {
    let mut desk = Desk::new(1);
    desk.tab.faults.borrow_mut().refusal = Some(400);
    let session = desk.quiet_session();
    desk.tab.prompt(&session, "go on").expect("it is taken");
    desk.world.run_for(SOON);
    desk.tab.draft(prompt_draft(&session, "go on"));
    desk.world.run_for(SOON);
    desk.reload();
    desk.world.run_for(SOON);
    assert_eq!(
        desk.tab.view().prompt_drafts.get(&session).map(String::as_str),
        Some("go on")
    );
}

fn prompt_draft(session: &SessionId, text: &str) -> Draft {
    Draft {
        key: DraftKey::Prompt(session.clone()),
        text: DraftText::Prompt(text.to_owned()),
    }
}

/// R13
#[test]
fn a_prompt_whose_tab_dies_as_send_is_pressed_is_still_in_the_prompt_box_or_on_its_way() {
    for lived in (0..200).step_by(10).map(Duration::from_millis) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.tab.draft(prompt_draft(&session, "all my thoughts"));
        desk.world.run_for(SOON);
        desk.device.set_health(StoreHealth::Slow(SLOW));
        desk.tab.prompt(&session, "all my thoughts").expect("it is taken");
        assert_eq!(
            desk.tab.view().prompt_drafts.get(&session),
            Some(&"all my thoughts".to_owned())
        );
        desk.world.run_for(lived);
        assert_eq!(
            desk.tab.view().prompt_drafts.get(&session),
            None,
            "the box is empty at once"
        );
        desk.reload();
        desk.world.run_for(SOON + SOON);
        let is_typed = desk.tab.view().prompt_drafts.get(&session).is_some();
        let is_sent = prompts(&desk, &session) > 1;
        assert!(is_typed || is_sent, "lost after {lived:?}");
        assert!(!(is_typed && is_sent), "there twice after {lived:?}");
    }
}

/// F1, C6: nothing is awaited from a session that is gone
#[test]
fn who_awaits_a_reply_from_a_session_that_is_deleted_hears_so() {
    for works in [true, false] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let long = script(json!([{ "text": "a b c d e f g", "chunkDelay": 20_000 }]));
        let script = if works { long } else { asks("Which?") };
        let options = FollowUpOptions {
            timeout: None,
            ..FollowUpOptions::default()
        };
        let ended = desk.tab.follow_up(&session, &script.to_prompt(), &options);
        desk.world.run_for(SOON);
        assert!(ended.borrow().is_none());
        desk.world.server.delete(&session);
        desk.world.run_for(SOON + SOON);
        let told = ended.borrow_mut().take();
        assert!(matches!(told, Some(Err(FollowUpError::SessionGone))), "{told:?}");
    }
}

/// F7
#[test]
fn who_awaits_a_command_in_a_session_that_is_deleted_hears_so() {
    let mut desk = Desk::new(1);
    let handle = desk.tab.handle.clone();
    let command = ShellCommand::new(DIRECTORY.into(), "A long command", "sleep 300");
    let result = std::rc::Rc::new(std::cell::RefCell::new(None));
    let told = result.clone();
    desk.tab.run(async move {
        let ended = handle.shell(&command).await;
        told.replace(Some(ended));
    });
    desk.world.run_for(SOON);
    let session = desk.world.server.sessions().pop().expect("the command has a session");
    desk.world.server.delete(&session);
    desk.world.run_for(SOON + SOON);
    let told = result.borrow_mut().take();
    assert!(matches!(told, Some(Err(_))), "{told:?}");
}

/// E7: a stop is repeated while the same run works
#[test]
fn a_stop_that_is_lost_is_repeated_until_the_run_has_ended() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.tab.faults.borrow_mut().posts_lost = true;
    let mut stopping = desk.tab.handle.abort(&session).boxed_local();
    desk.world.run_for(Duration::from_secs(30));
    assert!(runs_on(&desk, &session) && stopping.as_mut().now_or_never().is_none());
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(Duration::from_secs(15));
    assert_eq!(stopping.now_or_never(), Some(Ok(())));
    desk.until_ended(&session);
    assert!(!runs_on(&desk, &session));
}

/// E7, F4: the caller that stops its agent as it leaves can rely on it
#[test]
fn a_time_out_that_stops_the_agent_does_so_although_the_first_stop_is_lost() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let options = FollowUpOptions {
        timeout: Some(Duration::from_secs(5)),
        stop: true,
        ..FollowUpOptions::default()
    };
    let ended = desk.tab.follow_up(&session, &asks("Which?").to_prompt(), &options);
    desk.world.run_for(Duration::from_secs(4));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.world.run_for(Duration::from_secs(2));
    assert!(matches!(*ended.borrow(), Some(Err(FollowUpError::TimedOut { .. }))));
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(Duration::from_secs(15));
    assert!(!runs_on(&desk, &session));
}

/// E7: a stop does not overtake its prompt
#[test]
fn a_stop_right_after_a_prompt_ends_the_run_of_that_prompt() {
    for (pause, cold) in [
        (0, false),
        (3, false),
        (10, false),
        (25, false),
        (60, false),
        (3, true),
        (60, true),
    ] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        if cold {
            desk.world.server.start_cold();
        }
        let options = FollowUpOptions {
            stop: true,
            ..FollowUpOptions::default()
        };
        desk.tab.faults.borrow_mut().latency = Duration::from_millis(40)..Duration::from_millis(60);
        let ended = desk.tab.follow_up(&session, &asks("Which?").to_prompt(), &options);
        desk.world.run_for(Duration::from_millis(20 + pause));
        desk.tab.faults.borrow_mut().latency = Duration::from_millis(1)..Duration::from_millis(2);
        desk.tab.cancel_follow_ups();
        desk.world.run_for(LATER);
        assert!(ended.borrow().is_some());
        assert!(
            !runs_on(&desk, &session),
            "the run goes on, stopped {pause} ms after the prompt, cold: {cold}"
        );
    }
}

/// E7: nor one that is not sent yet, and closing right after it changes nothing
#[test]
fn a_stop_while_its_prompt_is_being_saved_ends_the_run_of_that_prompt() {
    for (pause, is_closed) in (0..500).step_by(20).flat_map(|pause| [(pause, false), (pause, true)]) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.device.set_health(StoreHealth::Slow(SLOW));
        desk.tab
            .prompt(&session, &asks("Which?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(Duration::from_millis(pause));
        desk.tab.abort(&session);
        if is_closed {
            desk.world.run_for(Duration::from_millis(1));
            desk.tab.handle.close();
            desk.world.run_for(SOON);
            let device = desk.device.clone();
            desk.tab = desk.world.open_tab(&device);
        }
        desk.world.run_for(LATER);
        let story = desk.world.story();
        assert!(
            !runs_on(&desk, &session),
            "stopped {pause} ms after the prompt, closed: {is_closed}: {story}"
        );
    }
}

/// E7: and never against a later run
#[test]
fn a_stop_that_is_lost_does_not_end_a_later_run() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.tab.abort(&session);
    desk.world.run_for(SOON);
    desk.world.other.abort(&session);
    desk.world.run_for(Duration::from_secs(1));
    desk.world.other.prompt(&session, &asks("And now?").to_prompt());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(LATER);
    assert!(runs_on(&desk, &session), "somebody else's run was stopped");
}

/// E7: a prompt that is given after a stop comes after it
#[test]
fn a_prompt_that_is_sent_after_a_stop_is_not_ended_by_it() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.tab.abort(&session);
    desk.tab
        .prompt(&session, &asks("And now?").to_prompt())
        .expect("it is taken");
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(LATER);
    let asked: Vec<String> = desk
        .tab
        .waiting()
        .iter()
        .map(|shown| shown.request.questions()[0].text.clone())
        .collect();
    assert_eq!(asked, ["And now?"]);
}

/// R15: the end of a stopped turn is told as such
#[test]
fn a_stop_that_had_to_be_repeated_ends_the_turn_as_stopped() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.tab.abort(&session);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.until_ended(&session);
    let state = desk.tab.session(&session);
    let is_aborted = matches!(
        state,
        Some(TurnState::Ended {
            ending: Ending::Aborted,
            ..
        })
    );
    assert!(is_aborted, "{state:?}");
}

/// E7: a prompt that is sent as the run before it ends is not stopped with it
#[test]
fn a_prompt_right_after_a_stop_that_got_through_runs() {
    for pause in (0..1_500).step_by(50) {
        let mut desk = Desk::new(pause);
        let session = desk.quiet_session();
        desk.tab
            .prompt(&session, &asks("Which?").to_prompt())
            .expect("it is taken");
        desk.until_waiting(&session);
        desk.tab.abort(&session);
        desk.world.run_for(Duration::from_millis(pause));
        desk.tab
            .prompt(&session, &asks("And now?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(LATER);
        assert!(
            runs_on(&desk, &session),
            "the second prompt was stopped, sent {pause} ms after the stop"
        );
    }
}

/// C8: many who wait in one directory do not keep each other from their replies
#[test]
fn twenty_replies_that_are_awaited_in_one_directory_are_all_told() {
    let mut desk = Desk::new(1);
    let sessions: Vec<SessionId> = (0..20).map(|_| desk.quiet_session()).collect();
    let long = script(json!([{ "text": "In a while.", "delay": 20_000 }]));
    let follow_up = |session: &SessionId| {
        desk.tab
            .follow_up(session, &long.to_prompt(), &FollowUpOptions::default())
    };
    desk.world.watch().hurry();
    let told: Vec<_> = sessions.iter().map(follow_up).collect();
    desk.world.run_for(LATER);
    let replies = told.iter().filter(|told| matches!(*told.borrow(), Some(Ok(_)))).count();
    assert_eq!(replies, 20);
}
