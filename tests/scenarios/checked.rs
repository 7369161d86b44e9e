//! A reply that is checked with a command, as programs do it: what is the same failure, and what the agent is told of one.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use switchboard_core::model::SessionId;
use switchboard_core::{Checked, ShellCommand, ShellError, TurnReply, Validated, ValidationEnd, ValidationOptions};
use switchboard_tests::scripts::script;
use switchboard_tests::world::World;

use crate::desk::{DIRECTORY, Desk, LATER};

type Ended = Rc<RefCell<Option<Validated<String>>>>;

/// A loop whose agent finishes four times, and whose check `check` makes of the number of the round.
fn begin(check: impl AsyncFn(usize) -> Result<Checked, ShellError> + 'static, desk: &mut Desk) -> (SessionId, Ended) {
    let session = desk.quiet_session();
    let replies: Vec<_> = (1..=4).map(|round| json!({ "text": format!("try {round}") })).collect();
    let prompt = script(replies.into()).to_prompt();
    let ended = Ended::default();
    let (board, id, result) = (desk.tab.handle.clone(), session.clone(), ended.clone());
    desk.tab.run(async move {
        let mut round = 0;
        let checking = async |_: &TurnReply| {
            round += 1;
            check(round).await.map_err(|error| error.to_string())
        };
        let end = board
            .until_valid(&id, &prompt, checking, &ValidationOptions::default())
            .await;
        result.replace(Some(end));
    });
    (session, ended)
}

/// The same with a command for each round.
fn begin_command(command: fn(usize) -> String, desk: &mut Desk) -> (SessionId, Ended) {
    let board = desk.tab.handle.clone();
    let check = async move |round| {
        let mut command = ShellCommand::new(DIRECTORY.into(), "check: a try", &command(round));
        command.timeout = Duration::from_secs(20);
        board.check(&command).await
    };
    begin(check, desk)
}

/// How it has ended, and what the agent was told after its prompt.
fn until_ended(desk: &mut Desk, session: &SessionId, ended: &Ended) -> (Validated<String>, Vec<String>) {
    desk.world
        .run_until("the loop has ended", LATER, |_| ended.borrow().is_some());
    let messages = desk.world.server.messages(session);
    let texts = messages.iter().map(|message| message.text());
    let told = texts.filter(|text| text.starts_with("The check failed."));
    (ended.take().expect("it was just there"), told.collect())
}

fn validated(command: fn(usize) -> String) -> (Validated<String>, Vec<String>) {
    let mut desk = Desk::new(1);
    let (session, ended) = begin_command(command, &mut desk);
    until_ended(&mut desk, &session, &ended)
}

/// F7: each run of a test program says how long it took
#[test]
fn the_same_failure_at_another_time_is_the_same() {
    let (found, told) = validated(|round| {
        format!(
            "echo test limit::applies ... FAILED\necho test result: FAILED. 3 passed; 1 failed; 0 ignored; finished in \
             {round}.0{round}s\nexit 101"
        )
    });
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::Stalled, 2));
    assert_eq!(told.len(), 1);
}

/// F7
#[test]
fn another_failure_of_the_same_command_is_not_the_same() {
    let (found, told) = validated(|round| match round {
        4 => "echo fine".to_owned(),
        _ => format!("echo test limit::t{round} ... FAILED\nexit 101"),
    });
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::Passed, 4));
    assert_eq!(told.len(), 3);
}

/// F7: the line that tells what failed is the same, and the cause is another one
#[test]
fn another_cause_of_the_same_failing_line_is_not_the_same() {
    let (found, told) = validated(|round| match round {
        4 => "echo fine".to_owned(),
        _ => format!("echo undefined: f{round}\necho error: Recipe lint failed with exit code 1\nexit 1"),
    });
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::Passed, 4));
    assert_eq!(told.len(), 3);
}

/// F7: tests run side by side, and end in any order
#[test]
fn the_same_failures_in_another_order_are_the_same() {
    let (found, _) = validated(|round| {
        let (one, two) = if round % 2 == 0 { ("a", "b") } else { ("b", "a") };
        format!("echo test {one} ... FAILED\necho test {two} ... FAILED\nexit 101")
    });
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::Stalled, 2));
}

/// F7, F2: what failed stands at the end
#[test]
fn of_a_long_output_the_agent_is_told_what_failed_and_the_end() {
    let (_, told) = validated(|_| {
        let noise = "echo compiling something that takes a line\n".repeat(4_000);
        format!("{noise}echo test limit::applies ... FAILED\n{noise}echo the very end\nexit 101")
    });
    let told = &told[0];
    assert!(told.contains("test limit::applies ... FAILED"), "{told:.300}");
    assert!(
        told.ends_with("the very end\n(exit code 101)"),
        "{}",
        &told[told.len() - 100..]
    );
    assert!(told.len() < 20_000, "{}", told.len());
}

/// F7, F2: of a check of the caller's own, too
#[test]
fn of_a_long_output_of_a_function_the_agent_is_told_the_end() {
    let mut desk = Desk::new(1);
    let check = async |round| match round {
        1 => Ok(Checked::Failed {
            output: format!("{}the very end", "a line of noise\n".repeat(20_000)),
        }),
        _ => Ok(Checked::Passed),
    };
    let (session, ended) = begin(check, &mut desk);
    let (found, told) = until_ended(&mut desk, &session, &ended);
    assert_eq!(found.end, ValidationEnd::Passed);
    let told = &told[0];
    assert!(told.ends_with("the very end"), "{}", &told[told.len() - 100..]);
    assert!((90_000..=102_400).contains(&told.len()), "{}", told.len());
}

/// F7, C3: an agent that has written a loop without end can mend it
#[test]
fn a_check_that_takes_too_long_has_failed() {
    let (found, told) = validated(|round| match round {
        1 => "echo begun\nsleep 3600".to_owned(),
        _ => "echo fine".to_owned(),
    });
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::Passed, 2));
    assert!(told[0].ends_with("it took too long, and was stopped)"), "{}", told[0]);
}

/// F7: a person, or another client, stops the check in its own session
#[test]
fn a_check_that_another_client_stops_is_no_failure_of_the_agent() {
    let mut desk = Desk::new(1);
    let (session, ended) = begin_command(|_| "sleep 10".to_owned(), &mut desk);
    let runs = |world: &World| {
        let sessions = world.server.sessions();
        let mut others = sessions.into_iter().filter(|id| *id != session);
        others.find(|id| world.server.status(id).is_some())
    };
    desk.world
        .run_until("the check runs", LATER, |world| runs(world).is_some());
    let check = runs(&desk.world).expect("it runs");
    desk.world.run_for(Duration::from_secs(2));
    desk.world.other.abort(&check);
    let (found, told) = until_ended(&mut desk, &session, &ended);
    assert!(matches!(found.end, ValidationEnd::CheckBroken(_)), "{:?}", found.end);
    assert_eq!(told.len(), 0);
}
