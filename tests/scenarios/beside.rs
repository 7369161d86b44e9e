//! Another OpenCode process on the same data: a terminal beside the server.

use std::time::Duration;

use serde_json::json;
use switchboard_core::FollowUpOptions;
use switchboard_core::model::{Reply, Request, SessionId};
use switchboard_core::view::{Ending, TurnState};
use switchboard_tests::opencode::script::Script;
use switchboard_tests::opencode::{Client, Event, Happening, OpenCode};
use switchboard_tests::other_client::OtherClient;
use switchboard_tests::scripts::{asks, bash, delegates, question, runs, script};

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue};
use crate::workflows::until_passes;

const CERTAIN: TurnState = TurnState::Elsewhere { certain: true };
const OPEN: TurnState = TurnState::Elsewhere { certain: false };

/// How long it takes until it is clear where a run goes on: the list is read each 5 s, and then the directory twice.
const SHOWS: Duration = Duration::from_secs(20);

/// A terminal with a process of its own.
fn terminal(desk: &Desk) -> OtherClient {
    OtherClient::new(desk.world.server.beside(), desk.world.random())
}

/// Lets time pass, and returns each state of the session that was shown, without repetitions.
fn states_for(desk: &mut Desk, session: &SessionId, span: Duration) -> Vec<TurnState> {
    let mut states = Vec::new();
    let end = desk.world.now() + span;
    while desk.world.now() < end {
        desk.world.run_for(Duration::from_millis(100));
        if let Some(state) = desk.tab.session(session).filter(|state| states.last() != Some(state)) {
            states.push(state);
        }
    }
    states
}

/// A desk whose page has been open for a while, with an event stream or without one.
fn watching(has_stream: bool, ahead: i64) -> Desk {
    let mut desk = Desk::new(1);
    desk.world.server.set_clock_ahead(ahead);
    desk.world.events_flow = has_stream;
    desk.world.run_for(Duration::from_secs(30));
    desk
}

fn is_interrupted(state: &TurnState) -> bool {
    let TurnState::Ended { ending, .. } = state else {
        return false;
    };
    matches!(ending, Ending::Interrupted | Ending::NotStarted)
}

fn until(desk: &mut Desk, session: &SessionId, state: &TurnState) {
    let tab = desk.tab.clone();
    desk.world.run_until(&format!("{session} is {state:?}"), SHOWS, |_| {
        tab.session(session).as_ref() == Some(state)
    });
}

fn ending(desk: &Desk, session: &SessionId) -> Option<Ending> {
    match desk.tab.session(session) {
        Some(TurnState::Ended { ending, .. }) => Some(ending),
        _ => None,
    }
}

fn answer_all(server: &OpenCode, client: &OtherClient, session: &SessionId) {
    for request in server.listed_of(session) {
        let reply = if request.permission().is_some() {
            Reply::Once
        } else {
            blue()
        };
        client.reply(&request, reply);
    }
}

/// R24, C6: with an event stream it is known at once, without one as soon as the run goes on
#[test]
fn a_run_in_another_process_is_called_so_and_never_interrupted() {
    let speaks = json!([{ "text": "A long story.", "chunk": 1, "chunkDelay": 2_000 }]);
    let asks_often =
        json!([{ "tools": [question("One?")] }, { "tools": [bash("make")] }, { "tools": [question("Two?")] }]);
    let scripts: [(Script, TurnState); 5] = [
        (asks("Which?"), OPEN),
        (runs("make"), OPEN),
        (script(json!([{ "text": "Late.", "delay": 60_000 }])), OPEN),
        (script(speaks), OPEN),
        (script(asks_often), CERTAIN),
    ];
    for ahead in [0, 3_600_000, -3_600_000] {
        for has_stream in [false, true] {
            for (script, without_stream) in &scripts {
                let case = format!("clock {ahead}, stream {has_stream}, {script:?}");
                let mut desk = watching(has_stream, ahead);
                let terminal = terminal(&desk);
                let session = terminal.begin(DIRECTORY, script);
                let mut states = states_for(&mut desk, &session, SHOWS);
                let expected = if has_stream { &CERTAIN } else { &OPEN };
                assert_eq!(
                    states.last(),
                    Some(expected),
                    "{case}: {states:?}\n{}",
                    desk.world.story()
                );
                let server = desk.world.server.beside();
                while server.status(&session).is_some() {
                    answer_all(&server, &terminal, &session);
                    states.extend(states_for(&mut desk, &session, SHOWS));
                }
                desk.until_ended(&session);
                assert!(!states.iter().any(is_interrupted), "{case}: {states:?}");
                let expected = if has_stream { &CERTAIN } else { without_stream };
                let last = states
                    .iter()
                    .rfind(|state| matches!(state, TurnState::Elsewhere { .. }));
                assert_eq!(last, Some(expected), "{case}: {states:?}");
                assert_eq!(ending(&desk, &session), Some(Ending::Done));
            }
        }
    }
}

/// The questions that a tab shows as asked by another process in this session.
fn asked_elsewhere(desk: &Desk, session: &SessionId) -> Vec<String> {
    let view = desk.tab.view();
    let asked = view.session(session).map(|view| view.asked_elsewhere.clone());
    let questions = asked.into_iter().flatten().flat_map(|asked| asked.questions);
    questions.map(|question| question.text).collect()
}

fn until_asked_elsewhere(desk: &mut Desk, session: &SessionId, expected: &[&str]) {
    let tab = desk.tab.clone();
    desk.world
        .run_until(&format!("{expected:?} is asked there"), SHOWS * 3, |_| {
            let view = tab.view();
            let asked = view.session(session).map(|view| &view.asked_elsewhere);
            asked.is_some_and(|asked| {
                let questions = asked.iter().flat_map(|asked| &asked.questions);
                questions
                    .map(|question| question.text.as_str())
                    .eq(expected.iter().copied())
            })
        });
}

/// R24
#[test]
fn a_question_that_waits_in_another_process_is_shown_with_its_options_and_counted_apart() {
    for ahead in [0, 3_600_000] {
        for has_stream in [false, true] {
            let mut desk = watching(has_stream, ahead);
            let terminal = terminal(&desk);
            let both = json!([{ "tools": [question("One?"), question("Two?")] }, { "tools": [question("Three?")] }]);
            let session = terminal.begin(DIRECTORY, &script(both));
            until_asked_elsewhere(&mut desk, &session, &["One?", "Two?"]);
            let view = desk.tab.view();
            let shown = view.session(&session).expect("it is listed");
            let beside = desk.world.server.beside();
            let listed = beside.listed_of(&session);
            let asked: Vec<_> = shown
                .asked_elsewhere
                .iter()
                .flat_map(|asked| &asked.questions)
                .collect();
            assert!(listed.iter().flat_map(Request::questions).eq(asked));
            for asked in &shown.asked_elsewhere {
                let ago = desk.world.now().since(asked.asked.expect("the call has begun"));
                assert!(ago < SHOWS * 2, "{ahead}, {has_stream}: {ago:?}");
            }
            assert_eq!((shown.waiting, view.waiting(), view.requests.len()), (0, 0, 0));
            // One answer of two ends one question.
            terminal.reply(&listed[0], blue());
            until_asked_elsewhere(&mut desk, &session, &["Two?"]);
            answer_all(&beside, &terminal, &session);
            until_asked_elsewhere(&mut desk, &session, &["Three?"]);
            answer_all(&beside, &terminal, &session);
            desk.until_ended(&session);
            assert!(asked_elsewhere(&desk, &session).is_empty());
        }
    }
}

/// R24, C7
#[test]
fn a_question_of_a_sub_agent_of_another_process_is_shown_in_its_own_session() {
    let mut desk = watching(true, 0);
    let terminal = terminal(&desk);
    terminal.begin(DIRECTORY, &delegates(&asks("Which?")));
    let beside = desk.world.server.beside();
    desk.world
        .run_until("it asks there", SOON, |_| !beside.listed().is_empty());
    let child = beside.listed()[0].session.clone();
    until_asked_elsewhere(&mut desk, &child, &["Which?"]);
}

/// R24, R14: the request was listed here
#[test]
fn a_question_that_a_restart_took_is_never_called_one_of_another_process() {
    let (mut desk, session, _) = Desk::with(&asks("Which?"));
    desk.world.run_for(SOON);
    desk.world.restart_server();
    let end = desk.world.now() + LATER;
    while desk.world.now() < end {
        desk.world.run_for(Duration::from_millis(100));
        assert!(asked_elsewhere(&desk, &session).is_empty());
    }
    assert_eq!(ending(&desk, &session), Some(Ending::Interrupted));
}

/// R24, R14: another process is at the session, too
#[test]
fn what_this_server_has_asked_in_a_shared_session_is_not_asked_elsewhere_after_a_restart() {
    let mut desk = watching(true, 0);
    let terminal = terminal(&desk);
    let session = terminal.begin(DIRECTORY, &asks("Theirs?"));
    until(&mut desk, &session, &CERTAIN);
    let mine = script(json!([{ "tools": [question("Mine?")] }])).to_prompt();
    desk.tab.prompt(&session, &mine).expect("the session is known");
    desk.until_waiting(&session);
    desk.world.run_for(SOON);
    desk.world.restart_server();
    let end = desk.world.now() + LATER;
    while desk.world.now() < end {
        desk.world.run_for(Duration::from_millis(100));
        let asked = asked_elsewhere(&desk, &session);
        assert!(!asked.contains(&"Mine?".to_owned()), "{}", desk.world.story());
    }
}

/// R24: what is allowed there is not known here, and other calls ask nothing
#[test]
fn a_call_that_runs_in_another_process_is_no_question() {
    let mut desk = watching(true, 0);
    let session = terminal(&desk).begin(DIRECTORY, &runs("make"));
    until(&mut desk, &session, &CERTAIN);
    desk.world.run_for(LATER);
    assert!(asked_elsewhere(&desk, &session).is_empty());
}

/// R24: the message is read each 10 s, and a status after it
#[test]
fn the_next_question_there_is_shown_within_half_a_minute() {
    let mut desk = watching(true, 0);
    let terminal = terminal(&desk);
    let each = json!([{ "tools": [question("One?")] }, { "tools": [question("Two?")] }]);
    let session = terminal.begin(DIRECTORY, &script(each));
    until_asked_elsewhere(&mut desk, &session, &["One?"]);
    desk.world.run_for(LATER);
    answer_all(&desk.world.server.beside(), &terminal, &session);
    desk.world.run_for(Duration::from_secs(20));
    assert_eq!(asked_elsewhere(&desk, &session), ["Two?"]);
}

/// R24: a message from here begins a second run beside it
#[test]
fn a_question_there_stays_while_this_server_goes_on_with_its_session() {
    for is_stopped in [false, true] {
        let mut desk = watching(true, 0);
        let terminal = terminal(&desk);
        let session = terminal.begin(DIRECTORY, &asks("Theirs?"));
        until_asked_elsewhere(&mut desk, &session, &["Theirs?"]);
        let mine = script(json!([{ "text": "Mine.", "delay": 5_000 }])).to_prompt();
        desk.tab.prompt(&session, &mine).expect("the session is known");
        let end = desk.world.now() + LATER;
        while desk.world.now() < end {
            desk.world.run_for(Duration::from_millis(100));
            assert_eq!(asked_elsewhere(&desk, &session), ["Theirs?"], "{}", desk.world.story());
        }
        assert_eq!(ending(&desk, &session), Some(Ending::Done));
        if is_stopped {
            terminal.abort(&session);
        } else {
            answer_all(&desk.world.server.beside(), &terminal, &session);
        }
        until_asked_elsewhere(&mut desk, &session, &[]);
    }
}

/// R24: a link led to it before any list did
#[test]
fn a_session_that_is_opened_before_it_is_listed_is_known_to_run_elsewhere() {
    let mut desk = watching(true, 0);
    let session = terminal(&desk).begin(DIRECTORY, &asks("Which?"));
    desk.tab.handle.open(Some(&session));
    let states = states_for(&mut desk, &session, SHOWS);
    assert_eq!(states.last(), Some(&CERTAIN), "{states:?}");
}

/// R24: a page that is opened while a run waits there
#[test]
fn what_began_before_the_page_was_opened_may_have_been_cut_off_until_it_moves() {
    for ahead in [0, 60_000, -60_000] {
        let mut desk = Desk::new(1);
        desk.world.server.set_clock_ahead(ahead);
        let terminal = terminal(&desk);
        let steps = json!([{ "tools": [question("One?")] }, { "tools": [question("Two?")] }]);
        let session = terminal.begin(DIRECTORY, &script(steps));
        desk.world.close_tab(desk.tab.clone());
        desk.world.run_for(Duration::from_secs(30));
        desk.tab = desk.world.open_tab(&desk.device);
        until(&mut desk, &session, &OPEN);
        let states = states_for(&mut desk, &session, LATER);
        assert_eq!(states, [OPEN], "{ahead}");
        answer_all(&desk.world.server.beside(), &terminal, &session);
        until(&mut desk, &session, &CERTAIN);
        answer_all(&desk.world.server.beside(), &terminal, &session);
        desk.until_ended(&session);
        assert_eq!(ending(&desk, &session), Some(Ending::Done));
    }
}

/// R24: nothing that a server says tells the two apart
#[test]
fn a_run_that_was_cut_off_before_the_page_was_opened_is_not_called_one_that_goes_on() {
    let (mut desk, session, _) = Desk::with(&asks("Which?"));
    desk.world.close_tab(desk.tab.clone());
    desk.world.restart_server();
    desk.tab = desk.world.open_tab(&desk.device);
    until(&mut desk, &session, &OPEN);
    let states = states_for(&mut desk, &session, LATER);
    assert_eq!(states, [OPEN]);
}

/// C6
#[test]
fn a_run_of_this_server_that_was_cut_off_is_called_interrupted() {
    let scripts = [
        asks("Which?"),
        script(json!([{ "text": "Late.", "delay": 60_000 }])),
        script(json!([{ "text": "A long story.", "chunk": 1, "chunkDelay": 2_000 }])),
    ];
    for script in scripts {
        let mut desk = Desk::new(1);
        let session = desk.begin(&script);
        let (server, of) = (desk.world.server.clone(), session.clone());
        desk.world.run_until("it has begun", SOON, |_| {
            server.status(&of).is_some() && server.messages(&of).len() > 1
        });
        desk.world.run_for(SOON);
        desk.world.restart_server();
        let states = states_for(&mut desk, &session, Duration::from_secs(20));
        assert_eq!(ending(&desk, &session), Some(Ending::Interrupted), "{states:?}");
        assert!(
            !states.iter().any(|state| matches!(state, TurnState::Elsewhere { .. })),
            "{states:?}"
        );
    }
}

/// C6: the step that was cut off was never seen next to a server that ran it
#[test]
fn a_step_that_began_right_before_the_server_died_is_called_interrupted() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(
        json!([{ "tools": [question("One?")] }, { "text": "Late.", "delay": 60_000 }]),
    ));
    let request = desk.until_waiting(&session);
    desk.world.run_for(SOON);
    desk.world.other.reply(&request, blue());
    let (server, of) = (desk.world.server.clone(), session.clone());
    desk.world
        .run_until("the next step", SOON, |_| server.messages(&of).len() > 2);
    desk.world.restart_server();
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Some(Ending::Interrupted));
}

/// C6: no read has seen the server at it
#[test]
fn what_answers_a_prompt_of_ours_is_called_interrupted() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let prompt = script(json!([{ "text": "Late.", "delay": 60_000 }])).to_prompt();
    desk.tab.prompt(&session, &prompt).expect("the session is known");
    let (server, of) = (desk.world.server.clone(), session.clone());
    desk.world
        .run_until("it has begun", SOON, |_| server.messages(&of).len() > 3);
    desk.world.restart_server();
    desk.until_ended(&session);
    assert_eq!(ending(&desk, &session), Some(Ending::Interrupted));
}

/// R24
#[test]
fn a_session_that_this_server_ran_before_may_run_elsewhere_afterwards() {
    let mut desk = watching(true, 0);
    let session = desk.quiet_session();
    let terminal = terminal(&desk);
    for _ in 0..2 {
        terminal.prompt(&session, &asks("Which?").to_prompt());
        let states = states_for(&mut desk, &session, SHOWS);
        assert_eq!(states.last(), Some(&CERTAIN), "{states:?}");
        answer_all(&desk.world.server.beside(), &terminal, &session);
        desk.until_ended(&session);
        assert!(!states.iter().any(is_interrupted), "{states:?}");
        desk.world
            .other
            .prompt(&session, &script(json!([{ "text": "Here." }])).to_prompt());
        desk.world.run_for(SOON);
        desk.until_ended(&session);
    }
}

/// R24
#[test]
fn a_prompt_that_is_queued_there_is_not_called_one_that_was_never_picked_up() {
    let mut desk = watching(true, 0);
    let terminal = terminal(&desk);
    let session = terminal.begin(DIRECTORY, &asks("Which?"));
    desk.world.run_for(Duration::from_secs(2));
    terminal.prompt(&session, &script(json!([{ "text": "Next." }])).to_prompt());
    let states = states_for(&mut desk, &session, LATER);
    assert_eq!(states.last(), Some(&CERTAIN), "{states:?}");
    assert!(!states.iter().any(is_interrupted), "{states:?}");
}

/// R24: the server that is watched restarts; what runs beside it goes on
#[test]
fn a_restart_of_the_server_changes_nothing_about_what_runs_elsewhere() {
    let mut desk = watching(true, 0);
    let session = terminal(&desk).begin(DIRECTORY, &asks("Which?"));
    until(&mut desk, &session, &CERTAIN);
    desk.world.restart_server();
    let states = states_for(&mut desk, &session, LATER);
    assert_eq!(states, [CERTAIN]);
}

/// R24: it has no event stream of its own
#[test]
fn a_tab_that_follows_calls_it_interrupted_no_more_than_the_one_that_leads() {
    let mut desk = watching(true, 0);
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    let session = terminal(&desk).begin(DIRECTORY, &asks("Which?"));
    until(&mut desk, &session, &CERTAIN);
    desk.world.run_until("the other tab says so", SHOWS, |_| {
        second.session(&session) == Some(OPEN)
    });
}

/// R24: no provider and no tool is silent for a day
#[test]
fn what_shows_nothing_for_a_day_and_has_no_open_call_was_cut_off() {
    for (steps, expected) in [
        (
            json!([{ "text": "Late.", "delay": 600_000 }]),
            Some(Ending::Interrupted),
        ),
        (json!([{ "tools": [question("Which?")] }]), None),
    ] {
        let mut desk = Desk::new(1);
        let session = terminal(&desk).begin(DIRECTORY, &script(steps));
        desk.world.run_for(SOON);
        desk.world.close_tab(desk.tab.clone());
        desk.world.server.beside().kill();
        desk.world.run_for(Duration::from_secs(25 * 60 * 60));
        desk.tab = desk.world.open_tab(&desk.device);
        desk.tab.handle.open(Some(&session));
        desk.world.run_for(LATER);
        assert_eq!(ending(&desk, &session), expected, "{:?}", desk.tab.session(&session));
    }
}

/// R24, F1: the run that was awaited is over, and another process has begun one
#[test]
fn a_reply_is_told_although_another_process_goes_on_in_its_session() {
    let mut desk = watching(true, 0);
    let session = desk.quiet_session();
    let prompt = script(json!([{ "text": "Ours.", "delay": 5_000 }])).to_prompt();
    let replied = desk.tab.follow_up(&session, &prompt, &FollowUpOptions::default());
    let server = desk.world.server.clone();
    desk.world
        .run_until("it runs", SOON, |_| server.status(&session).is_some());
    desk.world
        .run_until("it has ended", LATER, |_| server.status(&session).is_none());
    terminal(&desk).prompt(&session, &asks("Which?").to_prompt());
    desk.world.run_until("the reply", LATER, |_| replied.borrow().is_some());
    let reply = replied.borrow_mut().take().expect("it is there").expect("a reply");
    assert_eq!((reply.ending, reply.text.as_str()), (Ending::Done, "Ours."));
}

/// R24: a loop sends nothing while another process is at its session
#[test]
fn a_loop_waits_for_the_run_of_another_process() {
    let mut desk = watching(true, 0);
    let session = desk.quiet_session();
    let workflows = desk.tab.workflows();
    let terminal = terminal(&desk);
    terminal.prompt(&session, &asks("Which?").to_prompt());
    until(&mut desk, &session, &CERTAIN);
    workflows
        .start(&session, until_passes("each 1:red 0:green"))
        .expect("the session is known");
    desk.world.run_for(LATER);
    let ours = |desk: &Desk| {
        let prompted = |happening: &Happening| matches!(&happening.event, Event::Prompted { session: of, by: Client::Tab(_), .. } if *of == session);
        desk.world
            .server
            .history()
            .iter()
            .filter(|happening| prompted(happening))
            .count()
    };
    assert_eq!(ours(&desk), 0, "{}", desk.world.story());
    answer_all(&desk.world.server.beside(), &terminal, &session);
    let server = desk.world.server.beside();
    desk.world
        .run_until("it has ended there", LATER, |_| server.status(&session).is_none());
    desk.world.run_for(LATER);
    assert!(ours(&desk) > 0, "{}", desk.world.story());
}

/// R24: a session does not move when its run is stopped or refused, and no event comes from another process
#[test]
fn a_run_that_is_stopped_or_refused_there_is_over_here_too() {
    for has_stream in [false, true] {
        for (script, expected) in [
            (asks("Which?"), Ending::Aborted),
            (script(json!([{ "text": "Late.", "delay": 600_000 }])), Ending::Aborted),
            (
                script(json!([{ "tools": [question("Which?")] }, { "status": 400 }])),
                Ending::Failed,
            ),
        ] {
            let mut desk = watching(has_stream, 0);
            let terminal = terminal(&desk);
            let session = terminal.begin(DIRECTORY, &script);
            desk.world.run_for(Duration::from_secs(90));
            let is_elsewhere = matches!(desk.tab.session(&session), Some(TurnState::Elsewhere { .. }));
            assert!(is_elsewhere, "{script:?}");
            if expected == Ending::Aborted {
                terminal.abort(&session);
            } else {
                answer_all(&desk.world.server.beside(), &terminal, &session);
            }
            desk.until_ended(&session);
            assert_eq!(ending(&desk, &session), Some(expected), "{script:?}");
        }
    }
}

/// R24: the page was offline meanwhile
#[test]
fn a_run_that_began_there_while_the_server_was_out_of_reach_is_not_called_interrupted() {
    let mut desk = watching(true, 0);
    let session = desk.begin(&script(json!([{ "text": "Ours.", "delay": 20_000 }])));
    until(&mut desk, &session, &TurnState::Working);
    desk.tab.faults.borrow_mut().request_lost = 100;
    desk.world.run_for(Duration::from_secs(600));
    terminal(&desk).prompt(&session, &asks("Which?").to_prompt());
    desk.world.run_for(Duration::from_secs(600));
    desk.tab.faults.borrow_mut().request_lost = 0;
    let states = states_for(&mut desk, &session, LATER);
    assert!(!states.iter().any(is_interrupted), "{states:?}");
    assert!(matches!(states.last(), Some(TurnState::Elsewhere { .. })), "{states:?}");
}

/// R24: each process takes up what the other one is asked
#[test]
fn a_run_there_is_not_called_interrupted_although_this_server_was_prompted_too() {
    let mut desk = watching(true, 0);
    let terminal = terminal(&desk);
    let session = terminal.begin(DIRECTORY, &asks("Theirs?"));
    until(&mut desk, &session, &CERTAIN);
    // The run there goes on with the second step, in reply to this prompt.
    let mine = json!([{ "tools": [question("Mine?")] }, { "text": "Late.", "delay": 600_000 }]);
    desk.tab
        .prompt(&session, &script(mine).to_prompt())
        .expect("the session is known");
    desk.until_waiting(&session);
    desk.tab.abort(&session);
    let states = states_for(&mut desk, &session, SHOWS);
    answer_all(&desk.world.server.beside(), &terminal, &session);
    let later = states_for(&mut desk, &session, SHOWS);
    assert!(!states.iter().chain(&later).any(is_interrupted), "{states:?} {later:?}");
    assert!(matches!(later.last(), Some(TurnState::Elsewhere { .. })), "{later:?}");
}
