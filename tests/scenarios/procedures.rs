//! What programs do with a board: agents side by side, and a reply that is checked until it is right.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::future::{AbortHandle, abortable};
use futures::{FutureExt, StreamExt};
use serde_json::json;
use switchboard_core::completion::PartialRules;
use switchboard_core::model::SessionId;
use switchboard_core::view::{Ending, TurnState};
use switchboard_core::{
    Bound, Checked, DispatchError, DispatchOptions, Dispatched, FollowUpError, FollowUpOptions, Job, ShellCommand,
    ShellError, TurnReply, Validated, ValidationEnd, ValidationOptions, WasSent,
};
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{asks, script};
use switchboard_tests::store::StoreHealth;

use crate::desk::{DIRECTORY, Desk, LATER, SOON};

fn job(script: &Script) -> Job {
    Job::new(DIRECTORY.into(), "review: a try", script.to_prompt())
}

/// A page that knows the server, and what ends of the jobs that were dispatched from it, in the order of the ends.
fn dispatched(jobs: Vec<Job>, options: DispatchOptions) -> (Desk, Rc<RefCell<Vec<Dispatched>>>) {
    let mut desk = Desk::new(1);
    desk.quiet_session();
    let ended = Rc::new(RefCell::new(Vec::new()));
    let (board, results) = (desk.tab.handle.clone(), ended.clone());
    desk.tab.run(async move {
        let mut stream = board.dispatch(jobs, options);
        while let Some(result) = stream.next().await {
            results.borrow_mut().push(result);
        }
    });
    (desk, ended)
}

fn says(text: &str, delay: u64) -> Job {
    job(&script(json!([{ "text": text, "delay": delay }])))
}

/// C8
#[test]
fn results_come_as_each_ends_and_one_that_hangs_holds_nobody_up() {
    let jobs = vec![says("slow", 9_000), job(&asks("Which?")), says("fast", 100)];
    let (mut desk, ended) = dispatched(jobs, DispatchOptions::default());
    let results = ended.clone();
    desk.world
        .run_until("two have ended", LATER, |_| results.borrow().len() == 2);
    let told: Vec<(usize, String)> = ended
        .borrow()
        .iter()
        .map(|one| (one.index, one.result.as_ref().expect("it replied").text.clone()))
        .collect();
    assert_eq!(told, [(2, "fast".to_owned()), (0, "slow".to_owned())]);
}

/// C8
#[test]
fn no_more_agents_work_at_once_than_were_asked_for() {
    let mut options = DispatchOptions::default();
    options.at_once = 2;
    let jobs = (0..6).map(|_| says("done", 3_000)).collect();
    let (mut desk, ended) = dispatched(jobs, options);
    let mut most = 0;
    for _ in 0..600 {
        desk.world.run_for(Duration::from_millis(100));
        let view = desk.tab.view();
        let sessions = view.sessions.iter().map(|view| &view.session.id);
        let working = sessions
            .filter(|session| desk.world.server.status(session).is_some())
            .count();
        most = most.max(working);
    }
    assert_eq!((most, ended.borrow().len()), (2, 6));
}

/// C3, C5, C6
#[test]
fn a_dispatched_agent_that_takes_too_long_is_stopped_and_what_it_said_is_told() {
    let patient_for_20_s = PartialRules {
        dispatch_timeout: Some(Duration::from_secs(20)),
        ..PartialRules::default()
    };
    let mut options = DispatchOptions::default();
    options.rules.overrides = [("plan".to_owned(), patient_for_20_s)].into();
    let mut planned = job(&asks("Which?"));
    planned.options.agent = Some("plan".to_owned());
    let (mut desk, ended) = dispatched(vec![planned], options);
    let results = ended.clone();
    desk.world
        .run_until("it is given up", LATER, |_| !results.borrow().is_empty());
    let one = ended.borrow_mut().remove(0);
    let session = one.session.expect("one was made");
    let (sent, text) = (WasSent::Yes, "I ask.".to_owned());
    assert_eq!(
        one.result,
        Err(DispatchError::NoReply(FollowUpError::TimedOut { sent, text }))
    );
    desk.world.run_for(SOON);
    assert!(desk.world.server.status(&session).is_none(), "it was stopped");
    assert_eq!(desk.tab.waiting().len(), 0, "what it asked is withdrawn");
    assert!(matches!(
        desk.tab.session(&session),
        Some(TurnState::Ended {
            ending: Ending::TimedOut,
            ..
        })
    ));
}

/// C6
#[test]
fn what_had_ended_before_a_time_out_has_not_ended_for_it() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.world.other.abort(&session);
    desk.until_ended(&session);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = true;
    let options = FollowUpOptions {
        timeout: Some(Duration::from_secs(20)),
        stop: true,
        ..FollowUpOptions::default()
    };
    let ended = desk.tab.follow_up(&session, "And now?", &options);
    desk.world.run_for(Duration::from_millis(19_500));
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(Duration::from_millis(900));
    assert!(ended.borrow().is_some(), "it took too long");
    let state = desk.tab.session(&session);
    let is_so = matches!(&state, Some(TurnState::Ended { ending, .. }) if *ending == Ending::Aborted);
    assert!(is_so, "{state:?}");
}

/// C8
#[test]
fn a_session_that_cannot_be_made_is_told_and_not_made_twice() {
    let mut desk = Desk::new(1);
    desk.quiet_session();
    desk.tab.faults.borrow_mut().response_lost = 100;
    let ended = Rc::new(RefCell::new(None));
    let (board, result) = (desk.tab.handle.clone(), ended.clone());
    desk.tab.run(async move {
        let mut stream = board.dispatch(vec![says("never", 0)], DispatchOptions::default());
        result.replace(stream.next().await);
    });
    desk.world.run_for(LATER);
    let one = ended.borrow_mut().take().expect("it has ended");
    assert!(matches!(one.result, Err(DispatchError::NotCreated(_))), "{one:?}");
    desk.tab.faults.borrow_mut().response_lost = 0;
    desk.world.run_for(LATER);
    assert_eq!(
        desk.tab.view().sessions.len(),
        2,
        "the quiet one, and the one that may have been made"
    );
}

/// Runs a validation loop whose agent says one word after the other. Its check knows which is right, and what to say of
/// the others.
fn validated(
    words: &[&str],
    right: &str,
    complaint: fn(&str) -> String,
    options: ValidationOptions,
) -> Validated<String> {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let steps: Vec<_> = words.iter().map(|word| json!({ "text": word })).collect();
    let prompt = script(steps.into()).to_prompt();
    let ended = Rc::new(RefCell::new(None));
    let (board, result, right, id) = (
        desk.tab.handle.clone(),
        ended.clone(),
        right.to_owned(),
        session.clone(),
    );
    desk.tab.run(async move {
        let check = async |reply: &TurnReply| match &reply.text {
            text if *text == right => Ok(Checked::Passed),
            text => Ok(Checked::Failed {
                output: complaint(text),
            }),
        };
        let end = board.until_valid(&id, &prompt, check, &options).await;
        result.replace(Some(end));
    });
    let over = ended.clone();
    desk.world
        .run_until("the loop has ended", LATER, |_| over.borrow().is_some());
    let found: Validated<String> = ended.take().expect("it was just there");
    let told = desk.world.server.messages(&session);
    let told = told
        .iter()
        .filter(|message| message.text().starts_with("The check failed."));
    assert_eq!(
        told.count(),
        found.rounds.len() - 1,
        "each round but the first begins with a follow-up"
    );
    found
}

fn not(word: &str) -> String {
    format!("it is not {word}")
}

/// F7
#[test]
fn the_loop_follows_up_with_the_output_of_the_check_until_it_passes() {
    let found = validated(&["red", "green", "blue"], "blue", not, ValidationOptions::default());
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::Passed, 3));
    let said: Vec<&str> = found.rounds.iter().map(|round| round.reply.text.as_str()).collect();
    assert_eq!(said, ["red", "green", "blue"]);
}

/// F7
#[test]
fn the_loop_ends_with_its_rounds() {
    let mut options = ValidationOptions::default();
    options.rounds = 2;
    let found = validated(&["one", "two", "three"], "three", not, options);
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::RoundsUsedUp, 2));
}

/// F7
#[test]
fn the_loop_ends_with_its_budget() {
    let mut options = ValidationOptions::default();
    options.budget.time = Some(Duration::ZERO);
    let found = validated(&["one", "two"], "two", not, options);
    assert_eq!(found.end, ValidationEnd::OverBudget(Bound::Time));
}

/// F7
#[test]
fn the_same_failure_twice_in_a_row_ends_the_loop() {
    let found = validated(
        &["one", "two", "three"],
        "three",
        |_| "still wrong".to_owned(),
        ValidationOptions::default(),
    );
    assert_eq!((found.end, found.rounds.len()), (ValidationEnd::Stalled, 2));
}

/// F7
#[test]
fn a_person_who_stops_the_agent_ends_the_loop() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let ended = Rc::new(RefCell::new(None));
    let (board, result, id) = (desk.tab.handle.clone(), ended.clone(), session.clone());
    desk.tab.run(async move {
        let check = async |_: &TurnReply| Ok(Checked::Passed);
        let prompt = asks("Which?").to_prompt();
        let end = board
            .until_valid(&id, &prompt, check, &ValidationOptions::default())
            .await;
        result.replace(Some(end));
    });
    desk.until_waiting(&session);
    desk.tab.abort(&session);
    let over = ended.clone();
    desk.world
        .run_until("the loop has ended", LATER, |_| over.borrow().is_some());
    let found: Validated<String> = ended.take().expect("it was just there");
    assert_eq!(found.end, ValidationEnd::Ended(Ending::Aborted));
}

/// Begins a loop whose check always passes.
fn begin_loop(desk: &Desk, session: &SessionId, prompt: String, options: ValidationOptions) -> AbortHandle {
    let (board, id) = (desk.tab.handle.clone(), session.clone());
    let (looping, handle) = abortable(async move {
        let check = async |_: &TurnReply| Ok::<_, ShellError>(Checked::Passed);
        board.until_valid(&id, &prompt, check, &options).await;
    });
    desk.tab.run(looping.map(drop));
    handle
}

/// F4, F7
#[test]
fn a_loop_that_is_given_up_before_its_prompt_is_sent_sends_nothing() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.device.set_health(StoreHealth::Slow(Duration::from_secs(1)));
    let prompt = asks("Never").to_prompt();
    let looping = begin_loop(&desk, &session, prompt.clone(), ValidationOptions::default());
    desk.world.run_for(Duration::from_millis(100));
    looping.abort();
    desk.world.run_for(LATER);
    let messages = desk.world.server.messages(&session);
    assert!(
        messages.iter().all(|message| message.text() != prompt),
        "{}",
        desk.world.story()
    );
}

/// F4, F7
#[test]
fn a_loop_that_is_given_up_leaves_the_agent_to_its_work_unless_told_otherwise() {
    for stop in [false, true] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let mut options = ValidationOptions::default();
        options.reply.stop = stop;
        let looping = begin_loop(&desk, &session, asks("Which?").to_prompt(), options);
        desk.until_waiting(&session);
        looping.abort();
        desk.world.run_for(SOON);
        assert_eq!(
            desk.world.server.status(&session).is_none(),
            stop,
            "{}",
            desk.world.story()
        );
    }
}

/// F7
#[test]
fn the_loop_checks_with_a_command_of_the_server() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let prompt = script(json!([{ "text": "one" }, { "text": "two" }])).to_prompt();
    let ended = Rc::new(RefCell::new(None));
    let (board, result, id) = (desk.tab.handle.clone(), ended.clone(), session);
    desk.tab.run(async move {
        let checker = board.clone();
        let check = async |reply: &TurnReply| {
            let code = if reply.text == "two" {
                "echo good"
            } else {
                "echo bad\nexit 1"
            };
            let command = ShellCommand::new(DIRECTORY.into(), "check: a try", code);
            checker.check(&command).await.map_err(|error| error.to_string())
        };
        let end = board
            .until_valid(&id, &prompt, check, &ValidationOptions::default())
            .await;
        result.replace(Some(end));
    });
    let over = ended.clone();
    desk.world
        .run_until("the loop has ended", LATER, |_| over.borrow().is_some());
    let found: Validated<String> = ended.take().expect("it was just there");
    assert_eq!((&found.end, found.rounds.len()), (&ValidationEnd::Passed, 2));
    let Some(Checked::CommandFailed(failure)) = &found.rounds[0].check else {
        panic!("{found:?}");
    };
    assert_eq!(failure.message(), "bad\n(exit code 1)");
}

/// C7: what the server does not know is in our storage, and in the title
#[test]
fn a_session_that_was_made_for_another_one_is_known_as_such_after_a_reload() {
    let mut desk = Desk::new(1);
    let parent = desk.quiet_session();
    let (board, command) = (
        desk.tab.handle.clone(),
        ShellCommand {
            made_for: Some(parent.clone()),
            ..ShellCommand::new(DIRECTORY.into(), "Check", "true")
        },
    );
    desk.tab.run(async move { drop(board.shell(&command).await) });
    let is_linked = |desk: &Desk| {
        let view = desk.tab.view();
        let made = view
            .sessions
            .iter()
            .find(|shown| shown.session.parent.as_ref() == Some(&parent));
        made.is_some_and(|made| made.session.title == format!("Check (for {parent})"))
    };
    desk.world.run_for(SOON);
    assert!(is_linked(&desk), "{:#?}", desk.tab.view().sessions);
    desk.reload();
    desk.world.run_for(SOON);
    assert!(is_linked(&desk), "{:#?}", desk.tab.view().sessions);
}
