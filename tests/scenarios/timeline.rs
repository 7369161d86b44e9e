//! The messages of the open session.

use std::time::Duration;

use serde_json::{Value, json};
use switchboard_core::model::{MessageId, SessionId};
use switchboard_core::ports::{Preview, Read};
use switchboard_core::view::{Older, View};
use switchboard_tests::scripts::{asks, question, script};
use switchboard_tests::store::Device;
use switchboard_tests::tab::Tab;
use switchboard_tests::world::World;

use crate::desk::{Desk, LATER, SOON, blue};

/// R15
#[test]
fn every_step_of_a_long_turn_is_shown_in_order() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&long(60));
    desk.tab.handle.open(Some(&session));
    desk.until_ended(&session);
    check_whole(&mut desk, &session);
}

/// R15
#[test]
fn a_gap_of_more_messages_than_one_read_holds_is_closed() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&long(120));
    desk.tab.handle.open(Some(&session));
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(Duration::from_secs(25));
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.until_ended(&session);
    check_whole(&mut desk, &session);
}

/// R15
#[test]
fn the_timeline_never_jumps_or_has_a_gap() {
    for seed in 0..20 {
        let mut desk = Desk::new(seed);
        {
            let mut faults = desk.tab.faults.borrow_mut();
            faults.server_error = 30;
            faults.latency = Duration::from_millis(1)..Duration::from_millis(1_500);
        }
        let session = desk.begin(&long(40));
        desk.tab.handle.open(Some(&session));
        let (tab, end) = (desk.tab.clone(), desk.world.now() + Duration::from_secs(30));
        desk.world.run_until("time has passed", LATER, |world| {
            check_contiguous(world, &tab, &session);
            world.now() >= end
        });
    }
}

/// R15
#[test]
fn a_long_past_is_read_page_by_page() {
    let mut desk = Desk::new(1);
    let session = desk.world.server.create(&crate::desk::DIRECTORY.into(), "Old");
    desk.world.server.fill(&session, 200);
    desk.world.run_for(SOON);
    desk.tab.handle.open(Some(&session));
    let tab = desk.tab.clone();
    desk.world
        .run_until("the newest page is there", SOON, |_| !shown(&tab).is_empty());
    assert!(shown(&desk.tab).len() < 100, "not everything at once");
    for _ in 0..50 {
        check_contiguous(&desk.world, &desk.tab, &session);
        if desk
            .tab
            .view()
            .timeline
            .as_ref()
            .is_some_and(|timeline| timeline.older == Older::None)
        {
            break;
        }
        desk.tab.handle.load_older();
        desk.world.run_for(SOON);
    }
    assert_eq!(shown(&desk.tab).len(), 400);
}

/// R15: a device in between may have damaged a message for as long as it pleased
#[test]
fn what_was_damaged_on_the_way_is_read_again_although_nothing_moves() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&long(6));
    desk.until_ended(&session);
    desk.tab.faults.borrow_mut().damaged = 100;
    desk.tab.handle.open(Some(&session));
    desk.world.run_for(Duration::from_secs(40));
    desk.tab.faults.borrow_mut().damaged = 0;
    desk.world.run_for(LATER);
    check_whole(&mut desk, &session);
}

#[test]
fn a_token_that_streams_makes_nothing_else_anew() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "text": "Done.", "delay": 3_600_000 }])));
    drop(desk.world.other.begin("/elsewhere", &asks("Which?")));
    desk.world.run_for(SOON);
    desk.tab.handle.open(Some(&session));
    desk.world.run_for(SOON);
    let say = |word: &str| {
        desk.tab.handle.preview(Preview {
            session: session.clone(),
            message: "msg_streams".into(),
            part: "prt_streams".into(),
            delta: word.to_owned(),
        });
    };
    // The first word is a sign of life, which is news of the session.
    say("one ");
    desk.world.run_for(Duration::from_millis(100));
    let before = desk.tab.view();
    say("two ");
    desk.world.run_for(Duration::from_millis(100));
    let after = desk.tab.view();
    let texts = |view: &View| {
        let timeline = view.timeline.as_ref().expect("the session is open");
        timeline.previews.values().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!([texts(&before), texts(&after)], [["one "], ["one two "]]);
    assert!(std::ptr::eq(&*before.sessions, &*after.sessions), "the sessions");
    assert!(std::ptr::eq(&*before.requests, &*after.requests), "the requests");
}

/// R15: no list says that it moves
#[test]
fn what_is_said_in_an_archived_session_is_shown_where_it_is_open() {
    for (leads, busy) in [(true, false), (true, true), (false, false), (false, true)] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let second = desk.world.open_tab(&desk.device);
        if busy {
            drop(desk.world.other.begin("/elsewhere", &asks("Which?")));
        }
        desk.world.run_for(SOON);
        let tab = if leads { desk.tab.clone() } else { second };
        tab.handle.open(Some(&session));
        desk.world.run_for(SOON);
        desk.world.server.archive(&session);
        for _ in 0..3 {
            desk.world.other.prompt(&session, "And now?");
            desk.world.run_for(Duration::from_secs(85));
            let messages = desk.world.server.messages(&session).len();
            assert_eq!(
                shown(&tab).len(),
                messages,
                "leads: {leads}, busy: {busy}, {}",
                desk.world.story()
            );
        }
    }
}

/// R15: a page of the past that cannot be read keeps nothing new away
#[test]
fn the_newest_messages_are_read_at_their_pace_beside_an_older_page_that_cannot_be_read() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.world.server.spoil(&session);
    desk.world.server.fill(&session, 40);
    desk.reload();
    desk.world.run_for(SOON);
    desk.tab.handle.open(Some(&session));
    desk.world.run_for(SOON);
    for _ in 0..10 {
        desk.tab.handle.load_older();
        desk.world.run_for(SOON);
    }
    let past = shown(&desk.tab).len();
    assert_eq!(past, 81, "everything but the prompt that cannot be read");
    desk.tab.handle.load_older();
    desk.world.run_for(Duration::from_millis(100));
    desk.world.other.prompt(&session, "And now?");
    desk.world.run_for(SOON);
    assert!(shown(&desk.tab).len() > past, "the new prompt is shown");
}

/// R15
#[test]
fn a_question_in_the_middle_of_a_turn_hides_no_message() {
    let mut desk = Desk::new(1);
    let steps: Vec<Value> = (0..6)
        .map(|step| match step % 2 {
            0 => json!({ "text": format!("step {step}"), "tools": [look()] }),
            _ => json!({ "text": format!("step {step}"), "tools": [question("Which?")] }),
        })
        .collect();
    let session = desk.begin(&script(json!(steps)));
    desk.tab.handle.open(Some(&session));
    for _ in 0..3 {
        let request = desk.until_waiting(&session);
        desk.answer(&request.id, blue());
        desk.until_answered(&request.id);
    }
    desk.until_ended(&session);
    check_whole(&mut desk, &session);
}

/// R16
#[test]
fn a_turn_without_a_last_word_falls_back_to_what_was_said_or_done() {
    let cases = [
        (
            json!([{ "text": "I have looked.", "tools": [look()] }, { "text": "" }]),
            "I have looked.",
        ),
        (json!([{ "tools": [look()] }, { "text": "" }]), "read"),
        (json!([{ "text": "" }]), "without"),
    ];
    for (steps, expected) in cases {
        let mut desk = Desk::new(1);
        let session = desk.begin(&script(steps));
        desk.tab.handle.open(Some(&session));
        desk.until_ended(&session);
        desk.world.run_for(SOON);
        let fallback = desk
            .tab
            .view()
            .timeline
            .as_ref()
            .and_then(|timeline| timeline.fallback.clone());
        let fallback = fallback.expect("the turn ended without text");
        assert!(fallback.contains(expected), "{fallback}");
        assert!(!fallback.contains("(No response"));
    }
}

/// R16
#[test]
fn a_turn_with_a_last_word_needs_no_fallback() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.handle.open(Some(&session));
    desk.answer(&request.id, blue());
    desk.until_ended(&session);
    desk.world.run_for(SOON);
    assert_eq!(
        desk.tab
            .view()
            .timeline
            .as_ref()
            .and_then(|timeline| timeline.fallback.clone()),
        None
    );
}

fn look() -> Value {
    json!({ "name": "read", "input": { "filePath": "notes.md" } })
}

fn long(steps: usize) -> switchboard_tests::opencode::script::Script {
    let steps: Vec<Value> = (0..steps)
        .map(|step| json!({ "text": format!("step {step}"), "tools": [look()] }))
        .collect();
    script(json!(steps))
}

fn shown(tab: &Tab) -> Vec<MessageId> {
    let view = tab.view();
    let messages = view.timeline.iter().flat_map(|timeline| &timeline.messages);
    messages.map(|message| message.id.clone()).collect()
}

/// What is shown is an unbroken stretch of what the server has.
fn check_contiguous(world: &World, tab: &Tab, session: &SessionId) {
    let all: Vec<MessageId> = world
        .server
        .messages(session)
        .into_iter()
        .map(|message| message.id)
        .collect();
    let shown = shown(tab);
    let is_stretch = shown.is_empty() || all.windows(shown.len()).any(|stretch| *stretch == *shown);
    assert!(is_stretch, "shown {shown:?}\nof {all:?}\n{}", world.story());
}

/// Everything is shown, as the server has it.
fn check_whole(desk: &mut Desk, session: &SessionId) {
    desk.world.run_for(SOON);
    for _ in 0..50 {
        desk.tab.handle.load_older();
        desk.world.run_for(Duration::from_millis(500));
    }
    let view = desk.tab.view();
    let messages = &view.timeline.as_ref().expect("the session is open").messages;
    let shown: Vec<_> = messages.iter().map(|message| (**message).clone()).collect();
    assert_eq!(shown, desk.world.server.messages(session));
}

/// C6: the link of a session that is in no list
#[test]
fn an_address_of_no_session_is_told_at_once_also_beside_a_directory_that_hangs() {
    for hanging in [false, true] {
        let mut desk = Desk::new(1);
        desk.world.other.begin("/aside", &asks("Stuck?"));
        desk.quiet_session();
        if hanging {
            desk.tab.faults.borrow_mut().hanging = vec!["/aside".into()];
            desk.world.run_for(LATER);
        }
        desk.tab.handle.open(Some(&"ses_of_nobody".into()));
        let tab = desk.tab.clone();
        desk.world.run_until("it is told", SOON, |_| is_told(&tab));
    }
}

fn is_told(tab: &Tab) -> bool {
    let view = tab.view();
    view.timeline
        .as_ref()
        .is_some_and(|timeline| timeline.problem.is_some())
}

/// C6: a page that is loaded with it knows of no directory yet whether it answers
#[test]
fn an_address_of_no_session_is_told_at_once_also_in_a_page_that_begins_beside_a_directory_that_hangs() {
    let mut desk = Desk::new(1);
    desk.world.other.begin("/aside", &asks("Stuck?"));
    desk.quiet_session();
    desk.world.run_for(LATER);
    let second = desk.world.open_tab(&Device::default());
    second.faults.borrow_mut().hanging = vec!["/aside".into()];
    second.handle.open(Some(&"ses_of_nobody".into()));
    desk.world.run_until("it is told", SOON, |_| is_told(&second));
}

/// R15: who opens a session need not wait for the pause after its messages could not be read
#[test]
fn a_session_whose_messages_could_not_be_read_is_read_when_it_is_opened() {
    for seconds in [12, 24, 33, 41] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.tab.faults.borrow_mut().unreadable =
            Some(|read| matches!(read, Read::Messages { .. } | Read::Message { .. }));
        let news = script(json!([{ "text": "Fresh news." }]));
        desk.world.other.prompt(&session, &news.to_prompt());
        desk.world.run_for(Duration::from_secs(seconds));
        desk.tab.faults.borrow_mut().unreadable = None;
        desk.tab.handle.open(Some(&session));
        let tab = desk.tab.clone();
        let is_shown = |view: &View| format!("{:?}", view.timeline).contains("Fresh news.");
        desk.world
            .run_until("the news is shown", Duration::from_secs(1), |_| is_shown(&tab.view()));
    }
}
