//! Which requests are shown, and when they are hidden.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{Directory, ElsewhereAnswer, GoneReason, Reply, SessionId};
use switchboard_core::ports::Read;
use switchboard_core::view::RequestState;
use switchboard_tests::network::Faults;
use switchboard_tests::scripts::{asks, bash_outside, question, script};
use switchboard_tests::store::Device;

use crate::desk::{Desk, LATER, SOON, blue, red};

/// R2
#[test]
fn a_question_is_shown_from_the_list_alone() {
    let mut desk = Desk::new(1);
    desk.tab.faults.borrow_mut().unreadable = Some(is_message);
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    assert_eq!(request.questions()[0].text, "Which?");
}

/// R15: what is shown as the words of an agent is its own
#[test]
fn the_last_words_of_a_session_are_never_those_of_a_person() {
    let mut desk = Desk::new(1);
    let last_text = |desk: &Desk| {
        desk.tab
            .view()
            .sessions
            .iter()
            .next()
            .map(|shown| shown.last_text.clone())
    };
    let session = desk.begin(&script(json!([{ "text": "Ready.", "delay": 3_000 }])));
    desk.world.run_for(Duration::from_secs(2));
    assert_eq!(last_text(&desk).as_deref(), Some(""), "the agent has said nothing");
    desk.until_ended(&session);
    desk.world.other.prompt(
        &session,
        &script(json!([{ "text": "More.", "delay": 9_000 }])).to_prompt(),
    );
    desk.world.run_for(SOON);
    assert_eq!(last_text(&desk).as_deref(), Some("Ready."));
}

/// R2
#[test]
fn what_is_not_shown_once_everything_was_listed_is_not_there() {
    let mut desk = Desk::new(1);
    for number in 0..120 {
        drop(desk.world.server.create(&"/other".into(), &format!("session {number}")));
        desk.world.run_for(Duration::from_millis(1));
    }
    let late = desk.world.open_tab(&Device::default());
    let gone = desk.begin(&asks("Which?"));
    desk.world.server.delete(&gone);
    assert!(!late.view().server.listed);
    desk.world
        .run_until("everything was listed", SOON, |_| late.view().server.listed);
    let shown = late
        .view()
        .sessions
        .iter()
        .map(|shown| shown.session.id.clone())
        .collect::<BTreeSet<_>>();
    let real = desk.world.server.sessions().into_iter().collect::<BTreeSet<_>>();
    assert_eq!(shown, real);
}

/// R22: of folders without a repository the list of sessions alone tells
#[test]
fn the_oldest_of_a_thousand_sessions_that_were_updated_at_once_is_asked_about() {
    let mut desk = Desk::new(1);
    let asking = desk.world.other.begin("/loose/folder", &asks("Which?"));
    desk.until_waiting(&asking);
    for number in 0..1_000 {
        drop(desk.world.server.create(&"/other".into(), &format!("session {number}")));
        if number % 400 == 0 {
            desk.world.run_for(Duration::from_millis(1));
        }
    }
    let late = desk.world.open_tab(&Device::default());
    desk.world
        .run_until("everything was listed", SOON, |_| late.view().server.listed);
    desk.world.run_until("the question is shown", SOON, |_| {
        late.waiting().iter().any(|shown| shown.request.session == asking)
    });
    assert_eq!(late.view().sessions.iter().count(), 1_001);
}

/// R22
#[test]
fn a_session_that_moves_while_pages_are_read_is_not_forgotten() {
    let mut desk = Desk::new(1);
    let all: Vec<SessionId> = (0..400)
        .map(|number| {
            let made = desk.world.server.create(&"/other".into(), &format!("session {number}"));
            desk.world.run_for(Duration::from_millis(1));
            made
        })
        .collect();
    for leading in [true, false] {
        let tab = if leading {
            desk.tab.clone()
        } else {
            desk.world.open_tab(&desk.device)
        };
        tab.faults.borrow_mut().latency = Duration::from_millis(200)..Duration::from_millis(300);
        desk.world.run_for(SOON);
        for session in all.iter().take(150) {
            desk.world.server.touch(session);
            desk.world.run_for(Duration::from_millis(501));
            assert_eq!(tab.view().sessions.iter().count(), all.len(), "leading: {leading}");
        }
    }
}

/// R2
#[test]
fn a_question_that_left_the_list_stays_until_its_part_proves_why() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    desk.tab.faults.borrow_mut().unreadable = Some(is_message);
    desk.world.other.reply(&request, red());
    desk.world.run_for(Duration::from_secs(60));
    assert_eq!(desk.tab.state(&request.id), Some(RequestState::Waiting));

    desk.tab.faults.borrow_mut().unreadable = None;
    let answer = ElsewhereAnswer::Answers(vec![vec!["Red".to_owned()]]);
    desk.until_state(
        &request.id,
        "answered elsewhere",
        |state| matches!(state, RequestState::AnsweredElsewhere { answer: shown, .. } if *shown == answer),
    );
}

/// R2
#[test]
fn a_question_stays_when_queued_prompts_push_it_out_of_the_window() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    for number in 0..30 {
        desk.world.other.prompt(&session, &format!("and also {number}"));
        desk.world.run_for(Duration::from_millis(20));
    }
    desk.world.run_for(SOON);
    assert_eq!(desk.tab.state(&request.id), Some(RequestState::Waiting));
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
}

/// R2
#[test]
fn a_request_appears_once() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    let tab = desk.tab.clone();
    let (was_shown, appearances) = (std::cell::Cell::new(false), std::cell::Cell::new(0));
    let watch = |tab: &switchboard_tests::tab::Tab| {
        let is_shown = !tab.view().requests.is_empty();
        if is_shown && !was_shown.replace(is_shown) {
            appearances.set(appearances.get() + 1);
        }
        was_shown.set(is_shown);
    };
    desk.world.run_until("it waits", SOON, |_| {
        watch(&tab);
        !tab.waiting().is_empty()
    });
    let request = desk.until_waiting(&session);
    desk.answer(&request.id, blue());
    desk.world.run_until("it has left the page", LATER, |_| {
        watch(&tab);
        tab.view().requests.is_empty()
    });
    let end = desk.world.now() + LATER;
    desk.world.run_until("time has passed", LATER, |world| {
        watch(&tab);
        world.now() >= end
    });
    assert_eq!(appearances.get(), 1);
}

/// R2, R12
#[test]
fn a_ghost_whose_part_is_known_is_never_shown_again() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.world.other.abort(&session);
    let tab = desk.tab.clone();
    desk.world
        .run_until("it has left the page", SOON, |_| tab.view().requests.is_empty());
    let end = desk.world.now() + LATER;
    desk.world.run_until("time has passed", LATER, |world| {
        assert!(tab.view().requests.is_empty(), "{}", world.story());
        world.now() >= end
    });
    assert_eq!(desk.world.server.listed().len(), 1, "the server keeps listing it");
}

/// R2, R12: a page that has read no message yet cannot know a ghost, and shows what the list names at once.
#[test]
fn a_ghost_leaves_a_fresh_page_with_the_first_read_of_its_part() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.world.other.abort(&session);
    desk.world.run_for(SOON);
    desk.reload();
    desk.world.run_for(Duration::from_millis(200));
    let (tab, end) = (desk.tab.clone(), desk.world.now() + LATER);
    desk.world.run_until("time has passed", LATER, |world| {
        assert!(tab.view().requests.is_empty(), "{}", world.story());
        world.now() >= end
    });
}

/// R2
#[test]
fn one_call_that_asks_twice_shows_both_requests() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "tools": [bash_outside("ls")] }, { "text": "Done." }])));
    let first = desk.until_waiting(&session);
    desk.answer(&first.id, Reply::Once);
    desk.until_answered(&first.id);
    let second = desk.until_waiting(&session);
    assert_ne!(first.id, second.id);
    assert_eq!(first.tool, second.tool, "the same part asks both");
    let kinds = [&first, &second].map(|request| request.permission().map(|permission| permission.kind.clone()));
    assert_eq!(kinds, [Some("external_directory".to_owned()), Some("bash".to_owned())]);
    desk.answer(&second.id, Reply::Once);
    desk.until_answered(&second.id);
}

/// R2
#[test]
fn a_question_of_a_deleted_session_is_gone() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.world.server.delete(&session);
    desk.until_state(&request.id, "gone", |state| {
        matches!(
            state,
            RequestState::Gone {
                reason: GoneReason::SessionDeleted,
                ..
            }
        )
    });
}

/// R2
#[test]
fn a_question_whose_message_was_removed_is_gone() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    let tool = request.tool.expect("a question has a part");
    desk.world.server.remove_message(&session, &tool.message);
    desk.until_state(&request.id, "gone", |state| {
        matches!(
            state,
            RequestState::Gone {
                reason: GoneReason::MessageRemoved,
                ..
            }
        )
    });
}

/// R2
#[test]
fn a_question_is_shown_within_one_refresh_and_with_events_at_once() {
    for (events_flow, at_most) in [
        (false, Duration::from_millis(2_300)),
        (true, Duration::from_millis(400)),
    ] {
        let mut desk = Desk::new(1);
        desk.world.events_flow = events_flow;
        let first = desk.begin(&asks("First?"));
        desk.until_waiting(&first);
        let session = desk.begin(&asks("Which?"));
        let server = desk.world.server.clone();
        desk.world
            .run_until("it is asked", SOON, |_| !server.listed_of(&session).is_empty());
        let asked = desk.world.now();
        desk.until_waiting(&session);
        let took = desk.world.now().since(asked);
        assert!(took <= at_most, "{took:?} with events {events_flow}");
    }
}

/// R2: at every moment of a refresh
#[test]
fn a_question_waits_for_no_more_than_the_read_that_is_under_way() {
    let one_way = Duration::from_millis(40);
    for moment in 0..60 {
        let mut desk = Desk::new(1);
        desk.world.events_flow = true;
        desk.tab.faults.borrow_mut().latency = one_way..one_way + Duration::from_millis(1);
        let delay = 5_000 + moment * 35;
        let session = desk.begin(&script(json!([{ "tools": [question("Which?")], "delay": delay }])));
        desk.world
            .run_until("a question waits", LATER, |world| !world.server.listed().is_empty());
        let asked = desk.world.now();
        desk.until_waiting(&session);
        let took = desk.world.now().since(asked);
        assert!(
            took <= one_way * 4 + Duration::from_millis(5),
            "asked after {delay} ms: shown after {took:?}"
        );
    }
}

/// R3
#[test]
fn a_directory_that_hangs_delays_nobody_else() {
    let mut desk = Desk::new(1);
    let stuck = desk.world.other.begin("/stuck", &asks("Stuck?"));
    desk.until_waiting(&stuck);
    desk.tab.faults.borrow_mut().hanging = vec!["/stuck".into()];
    let first = desk.begin(&asks("First?"));
    desk.until_waiting(&first);
    for _ in 0..5 {
        desk.world.run_for(SOON);
        let session = desk.begin(&asks("Which?"));
        let began = desk.world.now();
        desk.until_waiting(&session);
        let took = desk.world.now().since(began);
        assert!(took < Duration::from_secs(3), "{took:?}");
    }
    desk.world.run_for(LATER);
    let failing = desk.tab.view().server.failing.clone();
    let directories: Vec<&str> = failing.iter().map(|failing| failing.directory.as_str()).collect();
    assert_eq!(directories, ["/stuck"], "{}", desk.world.story());
}

/// R3: what is asked there after it has begun to hang takes no connection either
#[test]
fn a_directory_in_which_something_is_asked_while_it_hangs_delays_nobody_else() {
    let asked_after = Duration::from_secs(6);
    for hangs_for in (100..2_400).step_by(200) {
        let mut desk = Desk::new(1);
        desk.world.events_flow = true;
        let first = desk.begin(&asks("First?"));
        desk.until_waiting(&first);
        let late = script(json!([{ "tools": [question("Stuck?")], "delay": 6_000 }]));
        let stuck = desk.world.other.begin("/stuck", &late);
        desk.world.run_for(asked_after - Duration::from_millis(hangs_for));
        desk.tab.faults.borrow_mut().hanging = vec!["/stuck".into()];
        desk.world
            .run_until("it is asked", SOON, |world| !world.server.listed_of(&stuck).is_empty());
        let began = desk.world.now();
        let session = desk.begin(&asks("Which?"));
        desk.until_waiting(&session);
        let took = desk.world.now().since(began);
        assert!(took < Duration::from_secs(3), "{took:?}, it hangs for {hangs_for} ms");
    }
}

/// R3: more than there are connections
#[test]
fn directories_that_hang_keep_the_connections_from_nobody_for_long() {
    let mut desk = Desk::new(1);
    let hanging: Vec<Directory> = ["/a", "/b", "/c", "/d", "/e"].map(Directory::from).into();
    for directory in &hanging {
        let stuck = desk.world.other.begin(directory.as_str(), &asks("Stuck?"));
        desk.until_waiting(&stuck);
    }
    let free = desk.begin(&asks("First?"));
    desk.until_waiting(&free);
    for moment in (0..2_000).step_by(200) {
        desk.tab.faults.borrow_mut().hanging.clone_from(&hanging);
        desk.world.run_for(Duration::from_millis(moment));
        let session = desk.begin(&asks("Which?"));
        let began = desk.world.now();
        desk.until_waiting(&session);
        let took = desk.world.now().since(began);
        assert!(took < Duration::from_secs(20), "{took:?}, asked after {moment} ms");
        desk.tab.faults.borrow_mut().hanging.clear();
        desk.world.run_for(SOON);
    }
}

fn is_message(read: &Read) -> bool {
    matches!(read, Read::Message { .. } | Read::Messages { .. })
}

/// R2, R12: right after connecting nothing is known of the runs, and a ghost looks like a question
#[test]
fn a_ghost_is_not_offered_by_a_page_that_has_just_connected() {
    for busy in [false, true] {
        let (mut desk, session, request) = Desk::with(&asks("Which?"));
        desk.world.other.abort(&session);
        desk.world.run_for(SOON);
        if busy {
            // The session works on something else: the status map names it.
            desk.world.other.prompt(
                &session,
                &script(json!([{ "text": "Well.", "delay": 600_000 }])).to_prompt(),
            );
            desk.world.run_for(SOON);
        }
        assert_eq!(
            desk.world.server.listed_of(&session).len(),
            1,
            "the server keeps listing it"
        );
        desk.world.faults.latency = Duration::from_millis(200)..Duration::from_millis(450);
        let device = desk.device.clone();
        let tab = desk.world.open_tab(&device);
        desk.world
            .play_for(LATER, |world| {
                assert_eq!(tab.state(&request.id), None, "busy: {busy}, {}", world.story());
            })
            .expect("nothing is breached");
    }
}

/// R2: and nothing that waits is kept from a person for long
#[test]
fn what_waits_is_offered_right_after_connecting_although_its_part_cannot_be_read() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let unreadable = [
        Faults {
            unreadable: Some(|read| matches!(read, Read::Message { .. })),
            ..Faults::default()
        },
        Faults {
            latency: Duration::from_millis(700)..Duration::from_millis(701),
            ..Faults::default()
        },
    ];
    for faults in unreadable {
        desk.world.faults = faults;
        let device = desk.device.clone();
        let tab = desk.world.open_tab(&device);
        desk.world.run_until("it is offered", Duration::from_secs(5), |_| {
            tab.state(&request.id).is_some()
        });
    }
}
