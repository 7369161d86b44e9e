//! Prompts: sent once, proven, and never taken for an answer.

use std::time::Duration;

use serde_json::json;
use switchboard_core::PromptOptions;
use switchboard_core::model::{Draft, DraftKey, DraftText, ModelRef, NotSentReason, Refusal};
use switchboard_core::view::{Ending, PromptState, RequestState, TurnState};
use switchboard_tests::opencode::Event;
use switchboard_tests::scripts::{asks, script};

use crate::desk::{Desk, LATER, SOON, blue, typed};

/// F5
#[test]
fn a_prompt_is_stored_once_whatever_the_network_does() {
    for seed in 0..60 {
        let mut desk = Desk::new(seed);
        let session = desk.quiet_session();
        {
            let mut faults = desk.tab.faults.borrow_mut();
            (faults.request_lost, faults.response_lost, faults.server_error) = (20, 30, 10);
        }
        desk.tab.prompt(&session, "go on").expect("the session is known");
        let stored = desk.tab.stored.clone();
        desk.world
            .run_until("it is stored", LATER, |_| !stored.borrow().is_empty());
        let message = stored.borrow()[0].clone().expect("the server takes it");
        let messages = desk.world.server.messages(&session);
        assert_eq!(
            messages
                .iter()
                .filter(|held| held.id == message && held.text() == "go on")
                .count(),
            1
        );
        desk.world.run_for(LATER);
    }
}

/// F5
#[test]
fn a_prompt_is_stored_once_whenever_the_tab_crashes() {
    for milliseconds in 3..60 {
        let mut desk = Desk::new(milliseconds);
        let session = desk.quiet_session();
        desk.tab.prompt(&session, "go on").expect("the session is known");
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.reload();
        desk.world.run_for(LATER);
        let messages = desk.world.server.messages(&session);
        assert_eq!(
            messages.iter().filter(|held| held.text() == "go on").count(),
            1,
            "{}",
            desk.world.story()
        );
    }
}

/// F5: a refusal says nothing of the attempts before it
#[test]
fn a_prompt_is_not_called_unsent_while_an_earlier_attempt_may_still_bring_it() {
    for is_taken in [true, false] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.world.restart_server();
        desk.world.run_for(Duration::from_secs(12));
        desk.tab.faults.borrow_mut().posts_lost = !is_taken;
        desk.tab.prompt(&session, "go on").expect("the session is known");
        desk.world.run_for(Duration::from_secs(1));
        desk.tab.faults.borrow_mut().posts_lost = false;
        desk.tab.faults.borrow_mut().refusal = Some(400);
        // The clock makes the page believe that it has waited long enough.
        desk.device.clock_ahead().set(3_600_000);
        let stored = desk.tab.stored.clone();
        desk.world
            .run_until("its person is told", LATER, |_| !stored.borrow().is_empty());
        let told = stored.borrow()[0].clone();
        desk.world.run_for(LATER);
        let messages = desk.world.server.messages(&session);
        let is_there = messages.iter().any(|message| message.text() == "go on");
        assert_eq!(is_there, is_taken, "{}", desk.world.story());
        assert_eq!(told.is_ok(), is_taken, "{told:?}: {}", desk.world.story());
        let is_shown = |state: &PromptState| {
            matches!(
                state,
                PromptState::NotSent {
                    reason: NotSentReason::Refused(Refusal { status: 400, .. })
                }
            )
        };
        let prompts = &desk.tab.view().prompts;
        assert_eq!(
            prompts.iter().any(|prompt| is_shown(&prompt.state)),
            !is_taken,
            "{prompts:?}"
        );
    }
}

/// F5
#[test]
fn a_prompt_that_a_crash_of_the_server_swallowed_is_sent_again() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.world.restart_server();
    desk.world.run_for(Duration::from_secs(12));
    desk.tab.prompt(&session, "go on").expect("the session is known");
    desk.world.run_for(Duration::from_secs(1));
    let history = desk.world.server.history();
    let is_posted =
        |event: &Event| matches!(event, Event::Prompted { message, .. } if message.as_str().starts_with("msg_"));
    assert!(
        history.iter().any(|happening| is_posted(&happening.event)),
        "the server said 204"
    );
    desk.world.restart_server();
    let server = desk.world.server.clone();
    desk.world.run_until("it is stored", LATER, |_| {
        server
            .messages(&session)
            .iter()
            .any(|message| message.text() == "go on")
    });
}

/// F5, C6
#[test]
fn a_cold_server_that_takes_its_time_is_not_asked_twice() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.world.restart_server();
    desk.world.run_for(Duration::from_secs(12));
    let before = desk.world.server.history().len();
    desk.tab.prompt(&session, "go on").expect("the session is known");
    let (tab, server) = (desk.tab.clone(), desk.world.server.clone());
    desk.world.run_until("the agent has answered", LATER, |world| {
        let state = tab.session(&session);
        let is_not_started = matches!(
            state,
            Some(TurnState::Ended {
                ending: Ending::NotStarted,
                ..
            })
        );
        assert!(!is_not_started, "{}", world.story());
        server
            .messages(&session)
            .last()
            .is_some_and(|last| last.completed.is_some() && last.text().contains("You wrote"))
    });
    let history = desk.world.server.history();
    let posts = history[before..]
        .iter()
        .filter(|happening| matches!(happening.event, Event::Prompted { .. }));
    assert_eq!(posts.count(), 1);
}

/// F5: a prompt that is posted again after its run was stopped is answered a second time.
#[test]
fn a_prompt_in_doubt_begins_one_run_also_when_that_is_stopped_at_once() {
    for seed in 0..100 {
        let mut desk = Desk::new(seed);
        let session = desk.quiet_session();
        desk.world.restart_server();
        desk.world.run_for(Duration::from_secs(12));
        {
            let mut faults = desk.tab.faults.borrow_mut();
            faults.response_lost = 40;
            faults.latency = Duration::from_millis(2)..Duration::from_millis(2 + 20 * seed);
        }
        let slow = json!([{ "text": "This takes long.", "chunk": 4, "chunkDelay": 1_000 }]);
        let text = script(slow).to_prompt();
        desk.tab.prompt(&session, &text).expect("the session is known");
        let server = desk.world.server.clone();
        desk.world
            .run_until("it runs", LATER, |_| server.status(&session).is_some());
        let begun = |event: &Event| matches!(event, Event::RunBegan { session: of } if *of == session);
        let runs = |desk: &Desk| {
            let history = desk.world.server.history();
            history.iter().filter(|happening| begun(&happening.event)).count()
        };
        let before = runs(&desk);
        desk.world.other.abort(&session);
        desk.world.run_for(LATER);
        assert_eq!(runs(&desk), before, "seed {seed}: {}", desk.world.story());
    }
}

/// F5
#[test]
fn a_prompt_to_a_deleted_session_keeps_its_text() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.tab.prompt(&session, "go on").expect("the session is known");
    desk.world.run_for(SOON);
    desk.world.server.delete(&session);
    desk.tab.faults.borrow_mut().is_cut = false;
    let tab = desk.tab.clone();
    let deleted = PromptState::NotSent {
        reason: NotSentReason::SessionDeleted,
    };
    desk.world.run_until("it is not sent", LATER, |_| {
        tab.view()
            .prompts
            .iter()
            .any(|prompt| prompt.state == deleted && prompt.text == "go on")
    });
}

/// R20
#[test]
fn a_prompt_while_a_question_waits_does_not_answer_it() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.prompt(&session, "Blue").expect("the session is known");
    desk.tab.prompt(&session, "Blue, I said").expect("the session is known");
    desk.world.run_for(LATER);
    assert_eq!(desk.tab.state(&request.id), Some(RequestState::Waiting));
    assert_eq!(desk.replies(&request.id), []);
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
    desk.until_ended(&session);
    let texts: Vec<String> = desk
        .world
        .server
        .messages(&session)
        .iter()
        .map(|message| message.text())
        .collect();
    assert_eq!(
        texts.iter().filter(|text| text.starts_with("Blue")).count(),
        2,
        "{texts:?}"
    );
}

/// R20
#[test]
fn typing_and_answering_stops_nothing() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    for text in ["T", "Tu", "Tur"] {
        desk.tab.draft(typed(&request, text));
        desk.tab.draft(Draft {
            key: DraftKey::Prompt(session.clone()),
            text: DraftText::Prompt(text.to_owned()),
        });
        desk.world.run_for(SOON);
    }
    assert_eq!(desk.replies(&request.id), [], "a half-filled form is no answer");
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
    desk.until_ended(&session);
    let history = desk.world.server.history();
    assert!(
        !history
            .iter()
            .any(|happening| matches!(happening.event, Event::Aborted { .. }))
    );
    assert_eq!(desk.world.server.messages(&session).len(), 3, "one prompt, one turn");
}

/// F5
#[test]
fn two_prompts_have_different_ids_and_keep_their_order() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.world.server.set_clock_ahead(60_000);
    desk.world
        .other
        .prompt(&session, &script(json!([{ "text": "First." }])).to_prompt());
    desk.world.run_for(SOON);
    desk.tab.prompt(&session, "one").expect("the session is known");
    desk.tab.prompt(&session, "two").expect("the session is known");
    let stored = desk.tab.stored.clone();
    desk.world
        .run_until("both are stored", LATER, |_| stored.borrow().len() == 2);
    let ids: Vec<_> = stored
        .borrow()
        .iter()
        .map(|stored| stored.clone().expect("the server takes it"))
        .collect();
    assert_ne!(ids[0], ids[1]);
    let newest = desk
        .world
        .server
        .messages(&session)
        .into_iter()
        .filter(|message| message.text() == "First.");
    for seen in newest {
        assert!(ids.iter().all(|id| *id > seen.id), "{ids:?} after {}", seen.id);
    }
}

/// E3, F5
#[test]
fn prompts_arrive_in_the_order_in_which_they_were_sent() {
    for seed in 0..40 {
        let mut desk = Desk::new(seed);
        let session = desk.quiet_session();
        {
            let mut faults = desk.tab.faults.borrow_mut();
            (faults.request_lost, faults.server_error) = (30, 20);
            faults.latency = Duration::from_millis(1)..Duration::from_millis(900);
        }
        let texts = ["one", "two", "three", "four"];
        for text in texts {
            desk.tab.prompt(&session, text).expect("the session is known");
        }
        let server = desk.world.server.clone();
        desk.world.run_until("all are stored", 2 * LATER, |_| {
            texts
                .iter()
                .all(|text| server.messages(&session).iter().any(|message| message.text() == *text))
        });
        let stored: Vec<String> = server.messages(&session).iter().map(|message| message.text()).collect();
        let order: Vec<&str> = stored
            .iter()
            .map(String::as_str)
            .filter(|text| texts.contains(text))
            .collect();
        assert_eq!(order, texts, "{}", desk.world.story());
    }
}

/// R20: the server itself would take its default agent
#[test]
fn a_prompt_goes_to_the_agent_of_the_one_before() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let plan = PromptOptions {
        agent: Some("plan".to_owned()),
        ..PromptOptions::default()
    };
    drop(desk.tab.handle.prompt(&session, "make a plan", plan));
    desk.world.run_for(SOON);
    desk.tab.prompt(&session, "and another").expect("the session is known");
    desk.world.run_for(SOON);
    let messages = desk.world.server.messages(&session);
    let last = messages.iter().find(|message| message.text() == "and another");
    assert_eq!(last.and_then(|message| message.agent.as_deref()), Some("plan"));
}

/// R13
#[test]
fn a_prompt_that_waits_for_the_server_keeps_its_agent_and_its_model_over_a_reload() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let second = ModelRef {
        provider: "stub".to_owned(),
        model: "second".to_owned(),
    };
    let options = PromptOptions {
        agent: Some("plan".to_owned()),
        model: Some(second.clone()),
    };
    desk.tab.faults.borrow_mut().posts_lost = true;
    drop(desk.tab.handle.prompt(&session, "make a plan", options));
    desk.world.run_for(SOON);
    desk.reload();
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(LATER);
    let messages = desk.world.server.messages(&session);
    let prompts: Vec<_> = messages
        .iter()
        .filter(|message| message.text() == "make a plan")
        .collect();
    assert_eq!(prompts.len(), 1, "{}", desk.world.story());
    assert_eq!(prompts[0].agent.as_deref(), Some("plan"));
    assert_eq!(prompts[0].model, Some(second));
}

/// F5
#[test]
fn a_prompt_that_does_not_show_is_looked_for_less_and_less_often() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.world.restart_server();
    desk.world.run_for(Duration::from_secs(12));
    desk.tab.prompt(&session, "go on").expect("the session is known");
    let before = desk.tab.refreshes();
    desk.world.run_for(Duration::from_secs(3));
    let refreshes = desk.tab.refreshes() - before;
    assert!(refreshes <= 8, "{refreshes} refreshes in 3 s");
}
