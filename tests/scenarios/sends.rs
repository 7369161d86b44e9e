//! What becomes of an answer when the way to the server is bad.

use std::time::Duration;

use switchboard_core::model::{ElsewhereAnswer, Entry, InvalidReply, NotSentReason, Outcome, Refusal, Reply, Sent};
use switchboard_core::view::{Durability, Link, RequestState};
use switchboard_core::{AnswerError, Unresolved};
use switchboard_tests::network::Faults;
use switchboard_tests::opencode::Reached;
use switchboard_tests::scripts::asks;
use switchboard_tests::store::StoreHealth;
use switchboard_tests::tab::Tab;

use crate::desk::{Desk, LATER, SOON, blue, red, typed};

/// R4
#[test]
fn a_reply_whose_response_is_lost_is_not_applied_twice() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().response_lost = 100;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().response_lost = 0;
    desk.until_answered(&request.id);
    assert_eq!(desk.until_outcome(&request.id), Outcome::Confirmed { note: None });
    assert_eq!(desk.replies(&request.id), [Reached::Agent]);
}

/// R4
#[test]
fn a_reply_that_was_lost_on_the_way_is_sent_again() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().request_lost = 100;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    assert!(desk.tab.state(&request.id).is_some_and(|state| state.is_on_its_way()));
    desk.tab.faults.borrow_mut().request_lost = 0;
    desk.until_answered(&request.id);
}

/// R4: however long it takes to look at it
#[test]
fn an_answer_in_doubt_is_sent_again_while_each_read_of_several_directories_takes_seconds() {
    for seconds in 1..8 {
        let mut desk = Desk::new(1);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        for number in 1..=5 {
            desk.world.other.begin(&format!("/project/{number}"), &asks("And?"));
        }
        desk.world.run_for(SOON);
        let way = Duration::from_millis(500 * seconds);
        desk.tab.faults.borrow_mut().latency = way..way + Duration::from_millis(20);
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, blue());
        desk.world.run_for(LATER);
        desk.tab.faults.borrow_mut().posts_lost = false;
        let server = desk.world.server.clone();
        desk.world.run_until(
            &format!("the agent has it with reads of {seconds} s"),
            3 * LATER,
            |_| server.deliveries(&request.id) == 1,
        );
    }
}

/// R4
#[test]
fn an_answer_reaches_the_agent_once_whatever_the_network_does() {
    let bad = |change: fn(&mut Faults)| {
        let mut faults = Faults::default();
        change(&mut faults);
        faults
    };
    let networks = [
        bad(|faults| faults.request_lost = 40),
        bad(|faults| faults.response_lost = 40),
        bad(|faults| faults.server_error = 33),
        bad(|faults| faults.garbage = 40),
        bad(|faults| faults.hang = 10),
        bad(|faults| faults.latency = Duration::from_millis(1)..Duration::from_secs(3)),
    ];
    for (seed, faults) in networks
        .iter()
        .flat_map(|faults| (0..20).map(move |seed| (seed, faults)))
    {
        let mut desk = Desk::new(seed);
        *desk.tab.faults.borrow_mut() = faults.clone();
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.answer(&request.id, blue());
        desk.until_answered(&request.id);
    }
}

/// R4
#[test]
fn a_refused_answer_keeps_its_text_and_is_not_repeated() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().refusal = Some(400);
    desk.answer(&request.id, blue());
    desk.until_state(&request.id, "not sent", |state| {
        matches!(
            state,
            RequestState::NotSent {
                reason: NotSentReason::Refused(Refusal { status: 400, .. })
            }
        )
    });
    desk.tab.faults.borrow_mut().refusal = None;
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
    let shown = desk.tab.request(&request.id).expect("it stays");
    assert_eq!(shown.reply, Some(blue()));

    desk.answer(&request.id, red());
    desk.until_answered(&request.id);
}

/// R4
#[test]
fn a_server_that_wants_a_password_gets_the_answer_after_it() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.world.server.set_password(true);
    desk.answer(&request.id, blue());
    desk.world.run_for(LATER);
    assert_eq!(desk.tab.view().server.link, Link::Password);
    assert_eq!(desk.replies(&request.id), []);
    desk.tab.has_password.set(true);
    desk.tab.handle.credentials_changed();
    desk.until_answered(&request.id);
    assert_eq!(desk.tab.view().server.link, Link::Live);
}

/// R4
#[test]
fn a_doubtful_send_goes_on_without_end_and_without_haste() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(Duration::from_secs(600));
    let Some(RequestState::Sending { attempt, problem, .. }) = desk.tab.state(&request.id) else {
        panic!("{:?}", desk.tab.state(&request.id))
    };
    assert!((30..=200).contains(&attempt), "{attempt} attempts in ten minutes");
    assert!(problem.is_some());
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.until_answered(&request.id);
}

/// R4
#[test]
fn the_first_answer_wins_and_the_other_is_told() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.world.other.reply(&request, red());
    desk.answer(&request.id, blue());
    let answer = ElsewhereAnswer::Answers(vec![vec!["Red".to_owned()]]);
    assert_eq!(desk.until_outcome(&request.id), Outcome::AnsweredElsewhere(answer));
    let shown = desk.tab.request(&request.id).expect("it is told");
    assert_eq!(shown.reply, Some(blue()), "what was typed is kept");
    let rescue = shown.rescue.clone().expect("it can go as a correction");
    assert!(
        rescue.complete && rescue.text.contains("Blue") && rescue.text.contains("Which?"),
        "{rescue:?}"
    );
}

/// R4
#[test]
fn an_old_server_that_says_yes_to_everything_does_not_fool_us() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.world.server.behave_as_1_3();
    desk.world.other.reply(&request, red());
    desk.answer(&request.id, blue());
    let answer = ElsewhereAnswer::Answers(vec![vec!["Red".to_owned()]]);
    assert_eq!(desk.until_outcome(&request.id), Outcome::AnsweredElsewhere(answer));
}

/// R4
#[test]
fn an_answer_goes_out_although_it_cannot_be_saved() {
    for health in [
        StoreHealth::Full,
        StoreHealth::Hanging,
        StoreHealth::Slow(Duration::from_secs(5)),
    ] {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        desk.device.set_health(health);
        let sent = desk.world.now();
        desk.answer(&request.id, blue());
        desk.until_answered(&request.id);
        let took = desk.world.now().since(sent);
        assert!(took < Duration::from_secs(6), "{took:?} with {health:?}");
    }
}

/// R13
#[test]
fn what_a_slow_store_tells_late_brings_no_answered_request_back() {
    for seed in 0..8 {
        let mut desk = Desk::new(seed);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(5));
        desk.device.set_health(StoreHealth::Hanging);
        desk.until_answered(&request.id);
        desk.world.run_for(Duration::from_secs(40));
        desk.device.set_health(StoreHealth::Well);
        for _ in 0..600 {
            desk.world.run_for(Duration::from_millis(1));
            assert_eq!(desk.tab.waiting().len(), 0, "{}", desk.world.story());
        }
    }
}

/// R4
#[test]
fn a_page_says_that_an_answer_is_not_saved() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.device.set_health(StoreHealth::Full);
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    let tab = desk.tab.clone();
    desk.world.run_until("it says so", SOON, |_| {
        tab.request(&request.id)
            .is_some_and(|shown| shown.durability == Durability::Failed)
    });
    assert!(desk.tab.view().server.unsaved.is_some());
}

/// R13
#[test]
fn an_answer_is_called_saved_when_it_is_written_and_not_before() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.device.set_health(StoreHealth::Slow(Duration::from_secs(1)));
    desk.tab.faults.borrow_mut().posts_lost = true;
    assert!(!desk.tab.handle.has_unsaved());
    desk.answer(&request.id, blue());
    assert!(desk.tab.handle.has_unsaved(), "from the press on");
    desk.world.run_for(Duration::from_millis(900));
    let shown = desk.tab.request(&request.id).expect("it is shown");
    assert_eq!(shown.durability, Durability::Pending);
    assert!(desk.device.entries().is_empty());
    let tab = desk.tab.clone();
    desk.world.run_until("it is called saved", SOON, |_| {
        tab.request(&request.id)
            .is_some_and(|shown| shown.durability == Durability::Saved)
    });
    assert_eq!(desk.device.entries().len(), 1);
    assert!(!desk.tab.handle.has_unsaved());
}

/// R13
#[test]
fn an_answer_that_replaces_a_refused_one_is_saved_when_it_is_written_itself() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().refusal = Some(400);
    desk.answer(&request.id, red());
    desk.until_state(&request.id, "not sent", |state| {
        matches!(state, RequestState::NotSent { .. })
    });
    desk.world.run_for(SOON);
    desk.device.set_health(StoreHealth::Hanging);
    desk.answer(&request.id, blue());
    desk.world.run_for(Duration::from_millis(500));
    let shown = desk.tab.request(&request.id).expect("it is shown");
    assert_eq!(
        shown.durability,
        Durability::Pending,
        "only the refused one is in the store"
    );
    assert!(desk.tab.handle.has_unsaved());
    desk.world.run_for(SOON);
    let shown = desk.tab.request(&request.id).expect("it is shown");
    assert_eq!(shown.durability, Durability::Failed);
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_for(SOON);
    assert!(!desk.tab.handle.has_unsaved());
}

/// R13
#[test]
fn what_was_cleared_is_called_unsaved_and_written_again() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    desk.device.clear();
    let tab = desk.tab.clone();
    let durability = |tab: &Tab| tab.request(&request.id).map(|shown| shown.durability);
    desk.world.run_until("it is called unsaved", LATER, |_| {
        durability(&tab) == Some(Durability::Failed)
    });
    assert!(desk.tab.handle.has_unsaved());
    desk.world.run_until("it is written again", LATER, |_| {
        durability(&tab) == Some(Durability::Saved)
    });
    assert_eq!(desk.device.entries().len(), 1);
}

/// R13
#[test]
fn an_answer_stays_unsaved_though_the_one_it_replaces_is_written_late() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().refusal = Some(400);
    desk.device.set_health(StoreHealth::Slow(Duration::from_secs(6)));
    desk.answer(&request.id, red());
    desk.until_state(&request.id, "not sent", |state| {
        matches!(state, RequestState::NotSent { .. })
    });
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    let tab = desk.tab.clone();
    let durability = |tab: &Tab| {
        let shown = tab.request(&request.id).filter(|shown| shown.reply == Some(blue()));
        shown.map(|shown| shown.durability)
    };
    desk.world.run_until("it is called unsaved", SOON, |_| {
        durability(&tab) == Some(Durability::Failed)
    });
    while durability(&tab) != Some(Durability::Saved) {
        assert_eq!(durability(&tab), Some(Durability::Failed), "{}", desk.world.story());
        desk.world.run_for(Duration::from_millis(50));
    }
    let is_blue = |entry: &Entry| matches!(&entry.sent, Sent::Reply { reply, .. } if *reply == blue());
    assert!(desk.device.entries().iter().any(|entry| is_blue(entry)));
}

/// R13
#[test]
fn a_draft_is_unsaved_until_the_store_has_it() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let durability = |desk: &Desk| desk.tab.request(&request.id).map(|shown| shown.durability);
    for (health, expected) in [
        (StoreHealth::Hanging, Durability::Pending),
        (StoreHealth::Full, Durability::Failed),
    ] {
        desk.device.set_health(health);
        desk.tab.handle.draft(typed(&request, &format!("Teal, {expected:?}")));
        desk.world.run_for(SOON);
        assert_eq!(durability(&desk), Some(expected));
        assert!(desk.tab.handle.has_unsaved());
    }
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_for(LATER);
    assert_eq!(durability(&desk), Some(Durability::Saved));
    assert!(!desk.tab.handle.has_unsaved());
}

/// R13
#[test]
fn an_answer_given_in_the_moment_of_closing_is_kept_and_goes_on_with_the_next_connection() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.device.set_health(StoreHealth::Slow(Duration::from_secs(1)));
    desk.answer(&request.id, blue());
    desk.tab.handle.close();
    desk.world.run_for(SOON);
    desk.device.set_health(StoreHealth::Well);
    assert!(desk.replies(&request.id).is_empty(), "a closed board sends nothing");
    desk.reload();
    desk.until_answered(&request.id);
}

/// R4
#[test]
fn closing_frees_whoever_awaits_an_answer_and_the_answer_goes_on() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    desk.tab.handle.close();
    desk.tab.handle.close();
    desk.world.run_for(SOON);
    assert_eq!(
        desk.tab.outcomes.borrow().get(&request.id),
        Some(&Err(Unresolved::Closed))
    );
    assert_eq!(desk.tab.answer(&request.id, blue()), Err(AnswerError::Closed));
    desk.reload();
    desk.until_answered(&request.id);
}

/// R18
#[test]
fn what_the_server_would_swallow_never_leaves_the_page() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let lists = |lists: &[&[&str]]| {
        Reply::Answers(
            lists
                .iter()
                .map(|list| list.iter().map(|text| (*text).to_owned()).collect())
                .collect(),
        )
    };
    let cases = [
        (lists(&[]), InvalidReply::WrongCount { expected: 1, given: 0 }),
        (
            lists(&[&["Red"], &["Blue"]]),
            InvalidReply::WrongCount { expected: 1, given: 2 },
        ),
        (lists(&[&[]]), InvalidReply::Empty { question: 0 }),
        (lists(&[&[" "]]), InvalidReply::Empty { question: 0 }),
        (lists(&[&["Red", "Blue"]]), InvalidReply::TooMany { question: 0 }),
        (Reply::Once, InvalidReply::WrongKind),
    ];
    for (reply, expected) in cases {
        assert_eq!(desk.tab.answer(&request.id, reply), Err(AnswerError::Invalid(expected)));
    }
    desk.world.run_for(SOON);
    assert_eq!(desk.replies(&request.id), []);
    assert_eq!(desk.tab.state(&request.id), Some(RequestState::Waiting));
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
}
