//! The main job: a question is asked, shown, answered, and the agent has the answer.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{Outcome, Reply};
use switchboard_core::ports::Wake;
use switchboard_core::view::RequestState;
use switchboard_tests::opencode::Reached;
use switchboard_tests::scripts::{asks, question, runs, script};

use crate::desk::{Desk, LATER, SOON, blue, is_answered};

/// R2, R4
#[test]
fn a_question_is_shown_answered_and_confirmed() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
    assert_eq!(desk.until_outcome(&request.id), Outcome::Confirmed { note: None });
    desk.world.run_for(SOON);
    assert_eq!(desk.world.server.listed_of(&session), []);
}

/// R8, R12: a look from before the page stood still says nothing about now
#[test]
fn an_answer_in_doubt_of_a_page_that_stood_still_reaches_no_ghost() {
    for seed in 0..400 {
        let mut desk = Desk::new(seed);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.tab.faults.borrow_mut().garbage = 40;
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(10 + seed % 60));
        desk.world.freeze_tab(&desk.tab);
        desk.world.run_for(Duration::from_secs(1));
        let under_way = desk.replies(&request.id).len();
        desk.world.other.abort(&session);
        desk.world.run_for(Duration::from_secs(80));
        desk.world.thaw_tab(&desk.tab);
        desk.world.run_for(LATER);
        let reached = desk.replies(&request.id).split_off(under_way);
        assert_eq!(reached, [], "seed {seed}: {}", desk.world.story());
    }
}

/// R12: what was answered before the page stood still is looked at again: its run may be stopped by now
#[test]
fn an_answer_of_a_page_that_stood_still_before_it_could_send_it_reaches_no_ghost() {
    let mut unsent = 0;
    for (agent, reply) in [(asks("Which?"), blue()), (runs("make"), Reply::Once)] {
        for stops in [true, false] {
            for moment in 0..12 {
                let (mut desk, session, request) = Desk::with(&agent);
                // What has asked is no longer among the newest messages.
                (0..3).for_each(|_| desk.world.other.prompt(&session, "and another thing"));
                desk.world.run_for(SOON);
                desk.answer(&request.id, reply.clone());
                desk.world.run_for(Duration::from_millis(moment));
                desk.world.freeze_tab(&desk.tab);
                desk.world.run_for(Duration::from_secs(1));
                unsent += usize::from(desk.replies(&request.id).is_empty());
                if stops {
                    desk.world.other.abort(&session);
                }
                desk.world.run_for(Duration::from_secs(80));
                desk.world.thaw_tab(&desk.tab);
                desk.world.run_for(LATER);
                let reached = desk.replies(&request.id);
                assert!(
                    !reached.contains(&Reached::Ghost),
                    "{moment} ms: {}",
                    desk.world.story()
                );
                assert!(
                    stops || reached == [Reached::Agent],
                    "{moment} ms: {}",
                    desk.world.story()
                );
                let state = desk.tab.state(&request.id);
                assert!(
                    state.is_none_or(|state| !state.is_waiting() && !state.is_on_its_way()),
                    "{moment} ms: {}",
                    desk.world.story()
                );
            }
        }
    }
    assert!(unsent > 10, "{unsent} were not sent when the page stood still");
}

/// R4
#[test]
fn answered_is_never_shown_before_the_agent_has_the_answer() {
    for seed in 0..50 {
        let mut desk = Desk::new(seed);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.answer(&request.id, blue());
        let (tab, id) = (desk.tab.clone(), request.id.clone());
        desk.world.run_until("it is answered", LATER, |world| {
            let shown = tab.state(&id).is_some_and(|state| is_answered(&state));
            assert!(!shown || world.server.deliveries(&id) == 1, "{}", world.story());
            shown
        });
    }
}

/// R8
#[test]
fn an_accepted_answer_is_confirmed_without_waiting_for_the_next_refresh() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.world.run_for(Duration::from_millis(300));
    let sent = desk.world.now();
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
    let took = desk.world.now().since(sent);
    assert!(took < Duration::from_millis(600), "{took:?}");
}

/// R1
#[test]
fn questions_and_answers_start_no_second_loop() {
    let steps: Vec<_> = (1..=5)
        .map(|number| json!({ "tools": [question(&format!("{number}?"))] }))
        .collect();
    let mut desk = Desk::new(1);
    let refreshes_in_a_minute = |desk: &mut Desk| {
        let before = desk.tab.refreshes();
        desk.world.run_for(Duration::from_secs(60));
        desk.tab.refreshes() - before
    };
    let first = desk.begin(&asks("Which?"));
    let waiting = desk.until_waiting(&first);
    let at_first = refreshes_in_a_minute(&mut desk);
    let session = desk.begin(&script(json!(steps)));
    for _ in 1..=5 {
        let request = desk.until_waiting(&session);
        desk.answer(&request.id, blue());
        desk.until_answered(&request.id);
    }
    let at_last = refreshes_in_a_minute(&mut desk);
    assert!(desk.tab.state(&waiting.id) == Some(RequestState::Waiting));
    assert!(
        at_last <= at_first + 2,
        "{at_first} refreshes in a minute before, {at_last} after"
    );
}

/// R9
#[test]
fn each_question_after_an_answer_is_a_new_one() {
    let steps: Vec<_> = (1..=5)
        .map(|number| json!({ "tools": [question(&format!("{number}?"))] }))
        .collect();
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!(steps)));
    for number in 1..=5 {
        let request = desk.until_waiting(&session);
        assert_eq!(request.questions()[0].text, format!("{number}?"));
        desk.answer(&request.id, blue());
        desk.until_answered(&request.id);
    }
}

/// R10
#[test]
fn parallel_questions_are_answered_in_any_order() {
    let mut desk = Desk::new(1);
    let both =
        script(json!([{ "tools": [question("One?"), question("Two?"), question("Three?")] }, { "text": "Done." }]));
    let session = desk.begin(&both);
    let requests = desk.until_waiting_for(&session, 3);
    for at in [1, 2, 0] {
        desk.answer(&requests[at].id, blue());
        desk.until_answered(&requests[at].id);
    }
}

/// R4
#[test]
fn what_is_on_its_way_is_not_given_up_by_mistake() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, blue());
    desk.tab.prompt(&session, "and this").expect("the session is known");
    let entries: Vec<_> = desk
        .tab
        .view()
        .prompts
        .iter()
        .map(|prompt| prompt.entry.clone())
        .collect();
    desk.tab.handle.discard(&request.id);
    entries.iter().for_each(|entry| desk.tab.handle.discard_prompt(entry));
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_answered(&request.id);
    desk.world.run_until("the prompt is stored", LATER, |world| {
        world
            .server
            .messages(&session)
            .iter()
            .any(|message| message.text() == "and this")
    });
}

/// R10
#[test]
fn an_answer_that_does_not_get_through_holds_up_no_other() {
    let mut desk = Desk::new(1);
    let stuck = desk.world.other.begin("/stuck", &asks("Stuck?"));
    let free = desk.begin(&asks("Free?"));
    let (stuck, free) = (desk.until_waiting(&stuck), desk.until_waiting(&free));
    desk.tab.faults.borrow_mut().hanging = vec!["/stuck".into()];
    desk.answer(&stuck.id, blue());
    desk.world.run_for(Duration::from_secs(1));
    let sent = desk.world.now();
    desk.answer(&free.id, blue());
    desk.until_answered(&free.id);
    assert!(desk.world.now().since(sent) < SOON);
    assert!(desk.tab.state(&stuck.id).is_some_and(|state| state.is_on_its_way()));
    desk.tab.faults.borrow_mut().hanging.clear();
    desk.until_answered(&stuck.id);
}

/// R11
#[test]
fn a_hundred_sessions_each_get_their_own_answer() {
    let mut desk = Desk::new(1);
    let sessions: Vec<_> = (0..100)
        .map(|number| desk.begin(&asks(&format!("Question {number}?"))))
        .collect();
    let tab = desk.tab.clone();
    desk.world
        .run_until("all are shown", LATER, |_| tab.waiting().len() == 100);
    for shown in desk.tab.waiting() {
        let own = format!("for {}", shown.request.questions()[0].text);
        desk.answer(
            &shown.request.id,
            switchboard_core::model::Reply::Answers(vec![vec![own]]),
        );
    }
    desk.world.run_until("all are answered", LATER, |_| {
        let requests = tab.view().requests.clone();
        requests.len() == 100 && requests.iter().all(|shown| is_answered(&shown.state))
    });
    for (number, session) in sessions.iter().enumerate() {
        let messages = desk.world.server.messages(session);
        let answers = messages
            .iter()
            .flat_map(|message| message.tools())
            .find_map(|(_, tool)| tool.answers.clone());
        assert_eq!(answers, Some(vec![vec![format!("for Question {number}?")]]));
    }
}

/// R3
#[test]
fn a_waiting_question_does_not_slow_another_session() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let other = desk.begin(&script(json!([{ "text": "Quick." }])));
    let tab = desk.tab.clone();
    desk.world.run_until("the other is done", SOON, |_| {
        let state = tab.session(&other);
        matches!(
            state,
            Some(switchboard_core::view::TurnState::Ended {
                ending: switchboard_core::view::Ending::Done,
                ..
            })
        )
    });
    assert_eq!(desk.tab.state(&request.id), Some(RequestState::Waiting));
}

/// R8: whatever else is asked meanwhile, also on a slow line
#[test]
fn a_lost_answer_is_sent_again_while_events_go_on() {
    for gap in (250..700).step_by(30) {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        let one_way = Duration::from_millis(200);
        desk.tab.faults.borrow_mut().latency = one_way..one_way + Duration::from_millis(1);
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, blue());
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().posts_lost = false;
        for _ in 0..50 {
            desk.tab.handle.wake(Wake::Question(request.directory.clone()));
            desk.world.run_for(Duration::from_millis(gap));
        }
        assert_eq!(desk.replies(&request.id).len(), 1, "an event every {gap} ms");
    }
}
