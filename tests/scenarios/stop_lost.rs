//! A stop that does not get through, for a while or for an hour, and whom it ends when the network is back.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use switchboard_core::model::SessionId;
use switchboard_core::ports::Read;
use switchboard_core::{PostFailure, ShellCommand};
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{asks, script};

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue, runs_on};

const HOUR: Duration = Duration::from_secs(3_600);

/// How far the server's clock is ahead, in milliseconds.
const CLOCKS: [i64; 3] = [0, 3_600_000, -3_600_000];

type Told = Rc<RefCell<Option<Result<(), PostFailure>>>>;

/// A desk whose events have announced all that happened for two minutes: what waits is seldom read.
fn trusting(server_ahead: i64) -> (Desk, SessionId) {
    let mut desk = Desk::new(1);
    desk.world.server.set_clock_ahead(server_ahead);
    desk.world.events_flow = true;
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    desk.answer(&request.id, blue());
    desk.world.run_for(LATER);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.world.run_for(LATER);
    (desk, session)
}

/// Nothing gets through to the tab, or all does.
fn cut(desk: &mut Desk, is_cut: bool) {
    desk.tab.faults.borrow_mut().is_cut = is_cut;
    desk.world.events_flow = !is_cut;
}

/// A person presses *Stop*.
fn stop(desk: &Desk, session: &SessionId) -> Told {
    let stopping = desk.tab.handle.abort(session);
    let told = Told::default();
    let teller = told.clone();
    desk.tab.run(async move {
        let stopped = stopping.await;
        teller.replace(Some(stopped));
    });
    told
}

/// A terminal ends what runs, and prompts anew.
fn prompt_anew(desk: &mut Desk, session: &SessionId) {
    desk.world.other.abort(session);
    desk.world.run_for(Duration::from_secs(1));
    desk.world.other.prompt(session, &asks("And now?").to_prompt());
}

fn is_of_messages(read: &Read) -> bool {
    matches!(read, Read::Messages { .. } | Read::Message { .. })
}

/// An agent that works for two hours, a step every few minutes.
fn works_for_hours() -> Script {
    let steps: Vec<_> = (0..24)
        .map(|_| json!([{ "text": "a word", "delay": 300_000 }]))
        .collect();
    let calls = steps
        .iter()
        .map(|_| json!({ "tools": [{ "name": "bash", "input": { "command": "true" } }], "delay": 300_000 }));
    script(calls.collect())
}

/// E7
#[test]
fn a_stop_that_is_lost_does_not_end_a_later_run_of_a_session_that_is_seldom_read() {
    for server_ahead in CLOCKS {
        for (pause, outage) in [
            (2, 20),
            (5, 30),
            (2, 70),
            (5, 600),
            (40, 90),
            (61, 61),
            (60, 3_600),
            (3_000, 600),
        ] {
            let (mut desk, session) = trusting(server_ahead);
            cut(&mut desk, true);
            let told = stop(&desk, &session);
            desk.world.run_for(Duration::from_secs(pause));
            prompt_anew(&mut desk, &session);
            desk.world.run_for(Duration::from_secs(outage));
            cut(&mut desk, false);
            desk.world.run_for(LATER);
            let case = format!("server ahead {server_ahead}, prompted after {pause} s, {outage} s");
            assert!(runs_on(&desk, &session), "{case}: another's run was stopped");
            let told = told.borrow().clone();
            assert!(matches!(told, Some(Err(PostFailure::InDoubt(_)))), "{case}: {told:?}");
        }
    }
}

/// E7: the run that it was meant for is stopped, however late
#[test]
fn a_stop_that_is_lost_ends_its_run_when_the_network_is_back() {
    for server_ahead in CLOCKS {
        for outage in [Duration::from_secs(5), Duration::from_secs(90), HOUR] {
            let (mut desk, session) = trusting(server_ahead);
            cut(&mut desk, true);
            let told = stop(&desk, &session);
            desk.world.run_for(outage);
            cut(&mut desk, false);
            desk.world.run_for(LATER);
            let case = format!("server ahead {server_ahead}, {outage:?}");
            assert!(!runs_on(&desk, &session), "{case}: it goes on");
            assert_eq!(*told.borrow(), Some(Ok(())), "{case}");
        }
    }
}

/// E7: by the steps that were made before
#[test]
fn a_stop_that_is_lost_ends_its_run_although_other_steps_are_shown_by_then() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&works_for_hours());
    desk.world.run_for(LATER);
    cut(&mut desk, true);
    let told = stop(&desk, &session);
    desk.world.run_for(HOUR);
    assert!(runs_on(&desk, &session));
    cut(&mut desk, false);
    desk.world.run_for(LATER);
    assert!(!runs_on(&desk, &session), "it goes on");
    assert_eq!(*told.borrow(), Some(Ok(())));
}

/// E7: without evidence a person decides
#[test]
fn a_stop_that_is_lost_ends_nothing_an_hour_later_where_the_messages_cannot_be_read() {
    let (mut desk, session) = trusting(0);
    cut(&mut desk, true);
    let told = stop(&desk, &session);
    desk.world.run_for(SOON);
    prompt_anew(&mut desk, &session);
    desk.world.run_for(HOUR);
    desk.tab.faults.borrow_mut().unreadable = Some(is_of_messages);
    cut(&mut desk, false);
    desk.world.run_for(LATER);
    assert!(runs_on(&desk, &session), "another's run was stopped");
    let told = told.borrow().clone();
    assert!(matches!(told, Some(Err(PostFailure::InDoubt(_)))), "{told:?}");
}

/// E7: where they can be read again, what goes on is stopped after all
#[test]
fn a_stop_that_is_lost_ends_its_run_although_the_messages_come_later_than_the_network() {
    for unread in [5, 12, 15, 100, 3_600] {
        let (mut desk, session) = trusting(0);
        cut(&mut desk, true);
        let told = stop(&desk, &session);
        desk.world.run_for(Duration::from_secs(90));
        desk.tab.faults.borrow_mut().unreadable = Some(is_of_messages);
        cut(&mut desk, false);
        desk.world.run_for(Duration::from_secs(unread));
        assert!(runs_on(&desk, &session));
        desk.tab.faults.borrow_mut().unreadable = None;
        desk.world.run_for(LATER);
        assert!(!runs_on(&desk, &session), "it goes on after {unread} s, told {told:?}");
    }
}

/// E7: what runs when it is pressed is meant, although it was not seen to begin
#[test]
fn a_stop_that_is_lost_ends_the_run_that_began_unseen_before_it_was_pressed() {
    for server_ahead in CLOCKS {
        for pause in [15, 30, 300] {
            let mut desk = Desk::new(1);
            desk.world.server.set_clock_ahead(server_ahead);
            let session = desk.begin(&script(json!([{ "text": "In a while.", "delay": 6_000_000 }])));
            desk.world.run_for(LATER);
            cut(&mut desk, true);
            desk.world.run_for(Duration::from_secs(2));
            prompt_anew(&mut desk, &session);
            desk.world.run_for(Duration::from_secs(pause));
            let told = stop(&desk, &session);
            desk.world.run_for(SOON);
            cut(&mut desk, false);
            desk.world.run_for(LATER);
            let case = format!("server ahead {server_ahead}, pressed after {pause} s");
            assert!(!runs_on(&desk, &session), "{case}: it goes on, told {told:?}");
        }
    }
}

/// E7: a stamp is no proof where the server's clock was set back. By more than the age of the first prompt: the server itself works
/// at that one again.
#[test]
fn a_stop_that_is_lost_leaves_a_later_run_alone_although_the_clock_of_the_server_was_set_back() {
    for set_back in [20_000, 60_000, 100_000] {
        let (mut desk, session) = trusting(0);
        cut(&mut desk, true);
        let told = stop(&desk, &session);
        desk.world.run_for(Duration::from_secs(2));
        desk.world.server.set_clock_ahead(-set_back);
        prompt_anew(&mut desk, &session);
        desk.world.run_for(Duration::from_secs(90));
        cut(&mut desk, false);
        desk.world.run_for(LATER);
        let case = format!("set back by {set_back} ms");
        assert!(
            runs_on(&desk, &session),
            "{case}: another's run was stopped, told {told:?}"
        );
    }
}

/// E7, F7: nothing else runs in the session of a command
#[test]
fn a_command_whose_time_ran_out_during_an_outage_is_stopped_although_no_messages_can_be_read() {
    let mut desk = Desk::new(1);
    desk.world.run_for(SOON);
    let handle = desk.tab.handle.clone();
    let mut command = ShellCommand::new(DIRECTORY.into(), "A long command", "sleep 3000");
    command.timeout = Duration::from_secs(20);
    desk.tab.run(async move { drop(handle.shell(&command).await) });
    desk.world.run_for(SOON);
    let session = desk.world.server.sessions().remove(0);
    cut(&mut desk, true);
    desk.world.run_for(Duration::from_secs(160));
    desk.tab.faults.borrow_mut().unreadable = Some(is_of_messages);
    cut(&mut desk, false);
    desk.world.run_for(Duration::from_secs(20));
    assert!(!runs_on(&desk, &session), "the command goes on");
}

/// E7: nor does one whose prompt is lost as well, and comes after that of another
#[test]
fn a_stop_that_is_lost_with_its_prompt_ends_the_run_of_that_prompt_alone() {
    for outage in [Duration::from_secs(90), HOUR] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.world.run_for(SOON);
        cut(&mut desk, true);
        desk.tab
            .prompt(&session, &asks("Mine?").to_prompt())
            .expect("it is taken");
        let told = stop(&desk, &session);
        desk.world.run_for(SOON);
        desk.world.other.prompt(&session, &asks("And now?").to_prompt());
        desk.world.run_for(outage);
        cut(&mut desk, false);
        desk.world.run_for(LATER);
        assert!(runs_on(&desk, &session), "another's run was stopped after {outage:?}");
        assert!(matches!(*told.borrow(), Some(Err(PostFailure::InDoubt(_)))), "{told:?}");
        let theirs = desk.until_waiting(&session);
        desk.answer(&theirs.id, blue());
        desk.world.run_for(LATER);
        assert!(!runs_on(&desk, &session), "the prompt that was stopped is worked at");
    }
}
