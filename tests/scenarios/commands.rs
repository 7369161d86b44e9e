//! Commands on the server's machine: what their end is called, and when.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::abortable;
use serde_json::json;
use switchboard_core::model::SessionId;
use switchboard_core::ports::Read;
use switchboard_core::workflow::End;
use switchboard_core::{ShellCommand, ShellError, ShellResult};
use switchboard_tests::scripts::script;

use crate::desk::{DIRECTORY, Desk, LATER, SOON};
use crate::workflows::{self, until_ended, until_passes};

/// The end of a command, once it was told.
type Ran = Rc<RefCell<Option<Result<ShellResult, ShellError>>>>;

/// Runs a command that may take so many seconds.
fn begin_shell(desk: &mut Desk, command: &str, timeout: u64) -> Ran {
    desk.quiet_session();
    let ran = spawn_shell(desk, command, timeout);
    desk.world.run_for(Duration::from_millis(300));
    ran
}

fn spawn_shell(desk: &Desk, command: &str, timeout: u64) -> Ran {
    let mut command = ShellCommand::new(DIRECTORY.into(), "check: a try", command);
    command.timeout = Duration::from_secs(timeout);
    let ended = Rc::new(RefCell::new(None));
    let (board, result) = (desk.tab.handle.clone(), ended.clone());
    desk.tab.run(async move {
        let end = board.shell(&command).await;
        result.replace(Some(end));
    });
    ended
}

fn until_ran(desk: &mut Desk, ran: &Ran) -> Result<ShellResult, ShellError> {
    desk.world
        .run_until("the command has ended", LATER, |_| ran.borrow().is_some());
    ran.take().expect("it was just there")
}

/// Runs a command from a page whose network is like that.
fn shell(command: &str, timeout: u64, spoil: impl Fn(&Desk)) -> (Desk, Result<ShellResult, ShellError>) {
    let mut desk = Desk::new(1);
    let ran = begin_shell(&mut desk, command, timeout);
    spoil(&desk);
    let end = until_ran(&mut desk, &ran);
    (desk, end)
}

/// F7
#[test]
fn a_command_tells_what_it_printed_and_its_exit_code() {
    for (command, expected) in [("echo fine", Some(0)), ("echo fine\nexit 3", Some(3))] {
        let (_, result) = shell(command, 60, |_| ());
        let result = result.expect("it ran");
        assert_eq!((result.output.trim(), result.exit), ("fine", expected));
    }
}

/// F7
#[test]
fn a_command_that_takes_longer_than_its_request_is_read_from_the_session() {
    let (desk, result) = shell("sleep 30\necho late", 60, |_| ());
    assert_eq!(result.expect("it ran").output.trim(), "late");
    assert!(
        desk.world.server.sessions().len() == 2,
        "it ran once, in a session of its own"
    );
}

/// F7
#[test]
fn a_command_whose_request_was_lost_is_not_sent_again() {
    let (desk, result) = shell("echo once", 60, |desk| desk.tab.faults.borrow_mut().response_lost = 30);
    let ran = desk.world.server.sessions().into_iter();
    let ran = ran.flat_map(|session| desk.world.server.messages(&session));
    let ran = ran.filter(|message| message.tools().next().is_some()).count();
    match result {
        Ok(result) => assert_eq!((result.output.trim(), ran), ("once", 1)),
        Err(error) => assert!(ran <= 1, "{error}"),
    }
}

/// F7, C3
#[test]
fn a_command_that_takes_too_long_is_stopped() {
    let (mut desk, result) = shell("sleep 3600", 20, |_| ());
    assert!(matches!(result, Err(ShellError::TimedOut { .. })), "{result:?}");
    desk.world.run_for(SOON);
    let server = &desk.world.server;
    assert!(server.sessions().iter().all(|session| server.status(session).is_none()));
}

/// F7, C3: its time is up while nothing can be read, and it had ended before
#[test]
fn a_command_that_ended_in_an_outage_has_its_result() {
    for ends in ["exit 0", "exit 3"] {
        let mut desk = Desk::new(1);
        let ran = begin_shell(&mut desk, &format!("sleep 10\necho fine\n{ends}"), 20);
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.world.run_for(Duration::from_secs(60));
        assert!(ran.borrow().is_none(), "{ran:?}");
        desk.tab.faults.borrow_mut().is_cut = false;
        let result = until_ran(&mut desk, &ran).expect("it ran");
        assert_eq!(
            (result.output.trim(), ends),
            ("fine", format!("exit {}", result.exit.unwrap()).as_str())
        );
    }
}

/// F7, C3: who waits for it is not kept for ever
#[test]
fn of_a_command_whose_session_cannot_be_read_it_is_said_that_its_end_is_not_known() {
    let mut desk = Desk::new(1);
    let ran = begin_shell(&mut desk, "sleep 3600", 20);
    desk.tab.faults.borrow_mut().is_cut = true;
    let end = until_ran(&mut desk, &ran);
    assert!(matches!(end, Err(ShellError::Unread { .. })), "{end:?}");
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world.run_for(SOON);
    let server = &desk.world.server;
    assert!(
        server.sessions().iter().all(|session| server.status(session).is_none()),
        "its time was up: it is stopped"
    );
}

/// F7, C6: another client stops it, and its server does not complete its message
#[test]
fn a_command_that_is_never_closed_does_not_blame_its_server() {
    for events in [true, false] {
        let mut desk = Desk::new(1);
        desk.world.events_flow = events;
        desk.world.server.close_after(LATER * 2);
        let ran = begin_shell(&mut desk, "sleep 3600", 600);
        desk.world.other.abort(&session_of(&desk));
        let end = until_ran(&mut desk, &ran).expect_err("it has no result");
        assert!(matches!(end, ShellError::Interrupted { .. }), "{end:?}");
        assert!(!end.to_string().contains("went away"), "{end}");
    }
}

/// The session of the newest command.
fn session_of(desk: &Desk) -> SessionId {
    desk.world.server.sessions().pop().expect("the command has a session")
}

fn runs_on(desk: &Desk) -> bool {
    desk.world.server.status(&session_of(desk)).is_some()
}

fn messages(read: &Read) -> bool {
    matches!(read, Read::Messages { .. } | Read::Message { .. })
}

/// F7: a page of its messages is damaged on the way
#[test]
fn a_command_that_was_seen_to_run_is_not_in_doubt_while_its_messages_are_damaged() {
    let mut desk = Desk::new(1);
    let ran = begin_shell(&mut desk, "sleep 60\necho fine", 600);
    desk.world.run_for(Duration::from_secs(40));
    desk.tab.faults.borrow_mut().damaged = 100;
    desk.world.run_for(Duration::from_secs(3));
    desk.tab.faults.borrow_mut().damaged = 0;
    assert_eq!(until_ran(&mut desk, &ran).expect("it ran").output.trim(), "fine");
}

/// F7: others have prompted its session, and its own message cannot be read when its time is up
#[test]
fn a_command_behind_prompts_of_others_has_its_result() {
    let mut desk = Desk::new(1);
    let ran = begin_shell(&mut desk, "sleep 10\necho fine", 20);
    let session = session_of(&desk);
    desk.world.run_for(SOON);
    for _ in 0..3 {
        let prompt = script(json!([{ "text": "ok" }])).to_prompt();
        desk.world.other.prompt(&session, &prompt);
    }
    desk.world.run_for(Duration::from_secs(1));
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Message { .. }));
    desk.world.run_for(Duration::from_secs(30));
    desk.tab.faults.borrow_mut().unreadable = None;
    assert_eq!(until_ran(&mut desk, &ran).expect("it ran").output.trim(), "fine");
}

/// F7
#[test]
fn a_command_has_its_result_without_a_status() {
    let mut desk = Desk::new(1);
    let ran = begin_shell(&mut desk, "sleep 10\necho fine", 20);
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Status(_)));
    let result = until_ran(&mut desk, &ran).expect("it ran");
    assert_eq!((result.output.trim(), result.exit), ("fine", Some(0)));
}

/// F7, C3: the session of a check can never be read, and the server is there
#[test]
fn a_check_whose_session_is_never_read_is_stopped_and_left_to_a_person() {
    let (mut desk, session, workflows) = workflows::desk();
    let mut goal = until_passes("sleep 3600");
    goal.check.as_mut().expect("it checks").timeout = Duration::from_secs(30);
    workflows.start(&session, goal).expect("the session is known");
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().unreadable = Some(messages);
    let (end, _) = until_ended(&mut desk, &workflows);
    assert!(matches!(end, End::CheckBroken(_)), "{end:?}");
    desk.world.run_for(SOON);
    assert!(!runs_on(&desk), "{}", desk.world.story());
}

/// F7: reads of its session fail ever more rarely until its time is up
#[test]
fn a_session_that_can_be_read_from_the_deadline_on_is_read_in_time() {
    for timeout in (100..320).step_by(5) {
        let mut desk = Desk::new(1);
        let ran = begin_shell(&mut desk, "sleep 10\necho fine", timeout);
        desk.world.run_for(Duration::from_secs(4));
        desk.tab.faults.borrow_mut().silent = vec![session_of(&desk)];
        desk.world.run_for(Duration::from_secs(timeout - 4));
        desk.tab.faults.borrow_mut().silent = Vec::new();
        let result = until_ran(&mut desk, &ran);
        assert!(result.is_ok(), "{timeout} s: {result:?}");
    }
}

/// F7, C3: a browser lets a hidden page run for a moment each minute
#[test]
fn a_page_that_is_seldom_awake_stops_a_command_that_takes_too_long() {
    for awake in [1, 5, 9] {
        let mut desk = Desk::new(1);
        let ran = begin_shell(&mut desk, "sleep 3600", 20);
        let tab = desk.tab.clone();
        for _ in 0..3 {
            desk.world.freeze_tab(&tab);
            desk.world.run_for(Duration::from_secs(60 - awake));
            desk.world.thaw_tab(&tab);
            desk.world.run_for(Duration::from_secs(awake));
        }
        let told = ran.take();
        assert!(
            matches!(told, Some(Err(ShellError::TimedOut { .. }))),
            "{awake} s: {told:?}"
        );
    }
}

/// F7
#[test]
fn a_command_that_is_awaited_no_longer_goes_on_after_an_outage() {
    let mut desk = Desk::new(1);
    desk.quiet_session();
    let mut command = ShellCommand::new(DIRECTORY.into(), "check: a try", "sleep 3600");
    command.timeout = Duration::from_secs(20);
    let board = desk.tab.handle.clone();
    let (running, waiting) = abortable(async move { drop(board.shell(&command).await) });
    desk.tab.run(running.map(drop));
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = true;
    waiting.abort();
    desk.world.run_for(LATER);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world.run_for(SOON);
    assert!(runs_on(&desk), "{}", desk.world.story());
}

/// F7, R14: its server goes away shortly before its time is up
#[test]
fn a_command_that_was_cut_off_did_not_take_too_long() {
    for (events, at) in [(true, 15), (false, 15), (true, 19), (false, 19)] {
        let mut desk = Desk::new(1);
        desk.world.events_flow = events;
        let ran = begin_shell(&mut desk, "sleep 3600", 20);
        desk.world.run_for(Duration::from_secs(at));
        desk.world.restart_server();
        let end = until_ran(&mut desk, &ran);
        assert!(matches!(end, Err(ShellError::Interrupted { .. })), "{at} s: {end:?}");
    }
}

/// F7, R6: another client prompts the session of a check while no page is open
#[test]
fn a_check_behind_prompts_of_others_is_found_after_a_reload() {
    for (command, prompts) in [("sleep 10", 1), ("sleep 10", 3), ("sleep 40", 2)] {
        let (mut desk, session, workflows) = workflows::desk();
        workflows
            .start(&session, until_passes(command))
            .expect("the session is known");
        desk.world.run_for(SOON);
        let (device, check) = (desk.device.clone(), session_of(&desk));
        desk.world.close_tab(desk.tab.clone());
        for _ in 0..prompts {
            let prompt = script(json!([{ "text": "ok" }])).to_prompt();
            desk.world.other.prompt(&check, &prompt);
        }
        desk.world.run_for(Duration::from_secs(20));
        desk.tab = desk.world.open_tab(&device);
        let workflows = desk.tab.workflows();
        let (end, _) = until_ended(&mut desk, &workflows);
        assert_eq!(end, End::Passed, "{command}, {prompts} prompts");
    }
}

/// F7, R14: another client goes on in the session of a command that a restart has cut off
#[test]
fn a_command_that_was_cut_off_before_another_run_is_told_so_and_the_run_goes_on() {
    for delay in [0, 200_000] {
        let mut desk = Desk::new(1);
        let ran = begin_shell(&mut desk, "sleep 3600", 60);
        desk.world.run_for(Duration::from_secs(10));
        let session = session_of(&desk);
        desk.world.restart_server();
        let prompt = script(json!([{ "text": "ok", "delay": delay }])).to_prompt();
        desk.world.other.prompt(&session, &prompt);
        let end = until_ran(&mut desk, &ran);
        assert!(matches!(end, Err(ShellError::Interrupted { .. })), "{delay}: {end:?}");
        desk.world.run_for(SOON);
        assert_eq!(runs_on(&desk), delay > 0, "{delay}: {}", desk.world.story());
    }
}

/// F7: its request never reaches the server
#[test]
fn a_command_that_was_never_sent_did_not_take_too_long() {
    let mut desk = Desk::new(1);
    desk.quiet_session();
    let ran = spawn_shell(&desk, "sleep 3600", 3);
    let server = desk.world.server.clone();
    desk.world
        .run_until("it has a session", SOON, |_| server.sessions().len() == 2);
    desk.tab.faults.borrow_mut().posts_lost = true;
    let end = until_ran(&mut desk, &ran);
    assert!(matches!(end, Err(ShellError::InDoubt(_))), "{end:?}");
}
