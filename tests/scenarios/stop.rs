//! A session is stopped: while it waits, twice, before its prompt has arrived, and while a later run goes on.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use serde_json::json;
use switchboard_core::model::{Outcome, Reply, SessionId};
use switchboard_core::ports::Read;
use switchboard_core::view::{Ending, TurnState};
use switchboard_core::{PostFailure, ShellCommand, ShellError};
use switchboard_tests::opencode::Reached;
use switchboard_tests::scripts::{asks, delegates, runs, script, task};
use switchboard_tests::store::StoreHealth;

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue, runs_on};

/// The questions that wait, in their words.
fn asked(desk: &Desk) -> Vec<String> {
    let waiting = desk.tab.waiting();
    let texts = waiting.iter().map(|shown| shown.request.questions()[0].text.clone());
    texts.collect()
}

/// A parent whose sub-agent asks, and whose first stop ends the sub-agent alone: the parent works on.
fn outrun() -> (Desk, SessionId) {
    let mut desk = Desk::new(1);
    desk.world.server.let_parents_outrun_stops();
    let parent = script(json!([
        { "tools": [task(&asks("From below?"))] },
        { "text": "In a while.", "delay": 600_000 },
    ]));
    let session = desk.begin(&parent);
    let tab = desk.tab.clone();
    desk.world
        .run_until("the sub-agent asks", LATER, |_| !tab.waiting().is_empty());
    (desk, session)
}

/// R12
#[test]
fn a_stop_ends_the_wait_as_cancelled_by_us() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.tab.abort(&session);
    assert_eq!(desk.until_outcome(&request.id), Outcome::Cancelled { by_us: true });
    desk.until_ended(&session);
    let state = desk.tab.session(&session);
    assert!(
        matches!(
            state,
            Some(TurnState::Ended {
                ending: Ending::Aborted,
                ..
            })
        ),
        "{state:?}"
    );
}

/// R12
#[test]
fn a_stop_from_elsewhere_ends_the_wait_and_the_ghost_is_left_alone() {
    for reply in [blue(), Reply::Dismiss] {
        let (mut desk, session, request) = Desk::with(&asks("Which?"));
        desk.tab.faults.borrow_mut().is_cut = true;
        desk.answer(&request.id, reply);
        desk.world.other.abort(&session);
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().is_cut = false;
        assert_eq!(desk.until_outcome(&request.id), Outcome::Cancelled { by_us: false });
        desk.world.run_for(LATER);
        assert_eq!(desk.replies(&request.id), [], "nothing is sent to a ghost by itself");
        assert_eq!(
            desk.world.server.listed_of(&session).len(),
            1,
            "the server keeps listing it"
        );
    }
}

/// R12
#[test]
fn a_ghost_is_cleared_on_demand_and_what_waits_is_not() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.handle.open(Some(&session));
    drop(desk.tab.handle.clear_ghost(&request.id));
    desk.world.run_for(SOON);
    assert_eq!(desk.replies(&request.id), [], "it waits");
    desk.world.other.abort(&session);
    let tab = desk.tab.clone();
    let ghosts = || tab.view().timeline.as_ref().map_or(0, |timeline| timeline.ghosts.len());
    desk.world.run_until("the ghost is known", LATER, |_| ghosts() == 1);
    desk.tab.clear_ghost(&request.id);
    desk.world.run_until("it is known no more", LATER, |_| ghosts() == 0);
    assert_eq!(desk.world.server.listed_of(&session).len(), 0);
    assert_eq!(desk.replies(&request.id), [Reached::Ghost]);
}

/// R12
#[test]
fn a_permission_ghost_is_never_replied_to() {
    let (mut desk, session, request) = Desk::with(&runs("echo hi"));
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.answer(&request.id, Reply::Reject { message: None });
    desk.world.other.abort(&session);
    desk.world.run_for(SOON);
    desk.world.other.prompt(&session, &runs("ls").to_prompt());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    let live = desk.until_waiting(&session);
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
    desk.answer(&live.id, Reply::Once);
    desk.until_answered(&live.id);
}

/// R12
#[test]
fn a_stop_of_the_parent_ends_the_wait_of_its_sub_agent() {
    let mut desk = Desk::new(1);
    let parent = desk.begin(&delegates(&asks("Which?")));
    let tab = desk.tab.clone();
    desk.world
        .run_until("the sub-agent asks", LATER, |_| !tab.waiting().is_empty());
    let request = desk.tab.waiting().remove(0).request.clone();
    desk.tab.abort(&parent);
    desk.world
        .run_until("nothing waits", LATER, |_| tab.waiting().is_empty());
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
}

/// R12
#[test]
fn what_was_typed_survives_a_stop() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.draft(crate::desk::typed(&request, "Turquoise"));
    desk.world.other.abort(&session);
    desk.world.run_for(LATER);
    let shown = desk.tab.request(&request.id).expect("its text is kept");
    assert!(
        shown
            .rescue
            .as_ref()
            .is_some_and(|rescue| rescue.text.contains("Turquoise"))
    );
}

/// R2, R12
#[test]
fn a_ghost_is_hidden_also_where_its_session_works_on_at_once() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.world.other.abort(&session);
    desk.world.other.prompt(&session, &runs("ls").to_prompt());
    desk.world.run_for(Duration::from_millis(50));
    desk.reload();
    desk.world.run_for(SOON);
    let tab = desk.tab.clone();
    desk.world.run_until("the ghost is hidden", LATER, |_| {
        !tab.waiting().iter().any(|shown| shown.request.id == request.id)
    });
    desk.until_waiting(&session);
}

/// E7: a run that is not meant goes on, and a prompt from before the stop is stopped when its turn comes
#[test]
fn a_stop_waits_for_its_prompt_behind_the_run_of_another_client() {
    for is_accepted in [false, true] {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.tab
            .prompt(&session, &asks("Ours?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(Duration::from_millis(100));
        desk.tab.faults.borrow_mut().posts_lost = !is_accepted;
        let stopping = desk.tab.handle.abort(&session);
        desk.world.run_for(Duration::from_millis(100));
        desk.world.other.prompt(&session, &asks("Theirs?").to_prompt());
        desk.world.run_for(Duration::from_secs(1));
        desk.tab.faults.borrow_mut().posts_lost = false;
        desk.world.run_for(Duration::from_secs(40));
        assert_eq!(asked(&desk), ["Theirs?"], "{}", desk.world.story());
        let told = stopping.now_or_never();
        let is_told = match told {
            Some(Ok(())) => is_accepted,
            Some(Err(PostFailure::InDoubt(_))) => !is_accepted,
            Some(Err(_)) | None => false,
        };
        assert!(is_told, "{told:?}, accepted: {is_accepted}");

        let theirs = desk.tab.waiting().remove(0).request.clone();
        desk.world.other.reply(&theirs, blue());
        desk.world.run_for(LATER);
        assert!(!runs_on(&desk, &session), "{}", desk.world.story());
        assert_eq!(asked(&desk), [] as [&str; 0]);
    }
}

/// E7: nor does the stop hold up what is sent after it
#[test]
fn a_stop_that_waits_behind_another_run_lets_a_new_prompt_pass() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.tab.prompt(&session, "Never mind.").expect("it is taken");
    desk.world.run_for(Duration::from_millis(100));
    desk.tab.abort(&session);
    desk.world.other.prompt(&session, &asks("Theirs?").to_prompt());
    desk.world.run_for(Duration::from_secs(1));
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.world.run_for(Duration::from_secs(40));
    desk.tab.prompt(&session, "But this.").expect("it is taken");
    desk.world.run_for(SOON);
    let messages = desk.world.server.messages(&session);
    let is_there = messages.iter().any(|message| message.text() == "But this.");
    assert!(is_there, "{}", desk.world.story());
}

/// E7: a copy of the prompt that arrives after the stop is stopped as well
#[test]
fn a_prompt_that_arrives_twice_is_stopped_twice() {
    for seed in 0..20 {
        let mut desk = Desk::new(seed);
        let session = desk.quiet_session();
        desk.tab.faults.borrow_mut().doubled = 100;
        desk.tab
            .prompt(&session, &asks("Which?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(Duration::from_millis(100));
        desk.tab.faults.borrow_mut().doubled = 0;
        desk.tab.abort(&session);
        desk.world.run_for(LATER);
        assert!(!runs_on(&desk, &session), "seed {seed}: {}", desk.world.story());
    }
}

/// E7, C3: a command that is given up before it has arrived does not run
#[test]
fn a_command_that_its_stop_has_overtaken_is_stopped_when_it_begins() {
    /// How long a call takes to the server, and its answer back.
    const WAY: Duration = Duration::from_millis(900);

    let mut desk = Desk::new(1);
    desk.world.run_for(SOON);
    let handle = desk.tab.handle.clone();
    let mut command = ShellCommand::new(DIRECTORY.into(), "A long command", "sleep 300");
    command.timeout = Duration::from_millis(20);
    let told = Rc::new(RefCell::new(None));
    let result = told.clone();
    desk.tab.faults.borrow_mut().latency = WAY..WAY;
    desk.tab.run(async move {
        let ended = handle.shell(&command).await;
        result.replace(Some(ended));
    });
    // The command has left on a slow way, and its stop takes a fast one.
    desk.world.run_for(WAY * 2 + Duration::from_millis(10));
    desk.tab.faults.borrow_mut().latency = Duration::from_millis(1)..Duration::from_millis(2);
    desk.world.run_for(LATER);
    let told = told.borrow_mut().take();
    assert!(matches!(told, Some(Err(ShellError::TimedOut { .. }))), "{told:?}");
    let session = desk.world.server.sessions().remove(0);
    assert!(!runs_on(&desk, &session), "{}", desk.world.story());
}

/// E7: what was sent from here is meant, also when nothing was read of it for so long that its send is forgotten
#[test]
fn a_stop_after_a_long_silence_means_the_prompt_from_before_it() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let long = script(json!([{ "text": "In a while.", "delay": 600_000 }]));
    desk.tab.prompt(&session, &long.to_prompt()).expect("it is taken");
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Status(_) | Read::Messages { .. }));
    desk.world.run_for(Duration::from_secs(50));
    assert!(!desk.tab.stored.borrow().is_empty(), "it is proven to be there");
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.tab.abort(&session);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().posts_lost = false;
    desk.tab.faults.borrow_mut().unreadable = None;
    desk.world.run_for(LATER);
    assert!(!runs_on(&desk, &session), "{}", desk.world.story());
}

/// E7: a stop that was taken and did not end the run is repeated, however long nothing can be read of the session
#[test]
fn a_stop_without_effect_is_repeated_when_the_session_can_be_read_again() {
    let (mut desk, session) = outrun();
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
    let stopping = desk.tab.handle.abort(&session);
    desk.world.run_for(Duration::from_secs(40));
    assert_eq!(stopping.now_or_never(), Some(Ok(())), "the server has taken it");
    assert!(runs_on(&desk, &session), "and the parent goes on");
    desk.tab.faults.borrow_mut().unreadable = None;
    desk.world.run_for(LATER);
    assert!(!runs_on(&desk, &session), "{}", desk.world.story());
}

/// E7: that the server has taken the first stop says nothing of the second
#[test]
fn a_stop_that_is_pressed_again_and_lost_is_not_told_as_done_while_another_prompt_runs() {
    let (mut desk, session) = outrun();
    let first = desk.tab.handle.abort(&session);
    desk.world.run_for(Duration::from_millis(600));
    assert_eq!(first.now_or_never(), Some(Ok(())), "the server has taken it");
    assert!(runs_on(&desk, &session), "and the parent goes on");

    let second = desk.tab.handle.abort(&session);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(Duration::from_millis(200));
    desk.world.other.abort(&session);
    desk.world.run_for(Duration::from_secs(1));
    desk.world.other.prompt(&session, &asks("And now?").to_prompt());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world.run_for(LATER);
    let told = second.now_or_never();
    assert!(matches!(told, Some(Err(PostFailure::InDoubt(_)))), "{told:?}");
    assert_eq!(asked(&desk), ["And now?"]);
}

/// R12: the first prompt was kept back by the first stop, the second one was still being saved when the second stop was pressed
#[test]
fn a_stop_means_all_prompts_that_were_given_before_it_and_holds_none_of_them_back() {
    for milliseconds in (100..3_000).step_by(100) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        desk.device.set_health(StoreHealth::Slow(Duration::from_millis(1_500)));
        desk.tab.faults.borrow_mut().hanging = vec![DIRECTORY.into()];
        desk.tab.abort(&session);
        desk.tab.prompt(&session, "one").unwrap();
        desk.world.run_for(Duration::from_millis(2_500));
        desk.tab.prompt(&session, "two").unwrap();
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.tab.abort(&session);
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().hanging.clear();
        desk.device.set_health(StoreHealth::Well);
        let tab = desk.tab.clone();
        desk.world
            .run_until("both prompts are stored", LATER, |_| tab.view().prompts.is_empty());
        assert!(
            !runs_on(&desk, &session),
            "after {milliseconds} ms: {}",
            desk.world.story()
        );
    }
}

/// E7: nor does the answer to a stop that had left before
#[test]
fn a_stop_that_is_pressed_while_another_is_under_way_is_told_as_done_only_when_nothing_runs() {
    for pause in (0..400).step_by(20).map(Duration::from_millis) {
        let (mut desk, session, _) = Desk::with(&asks("Which?"));
        desk.tab.abort(&session);
        desk.world.run_for(Duration::from_millis(20));
        desk.world.other.prompt(&session, &asks("And now?").to_prompt());
        desk.world.run_for(Duration::from_millis(60) + pause);
        desk.tab.faults.borrow_mut().posts_lost = true;
        let mut second = desk.tab.handle.abort(&session).boxed_local();
        let mut told = None;
        for step in 0..1_200 {
            if step == 200 {
                desk.tab.faults.borrow_mut().posts_lost = false;
            }
            desk.world.run_for(Duration::from_millis(100));
            told = second.as_mut().now_or_never();
            if told.is_some() {
                break;
            }
        }
        let is_true = told
            .as_ref()
            .is_some_and(|told| told.is_err() || !runs_on(&desk, &session));
        assert!(
            is_true,
            "{told:?}, pressed again after {pause:?}: {}",
            desk.world.story()
        );
    }
}

/// R8: a page whose storage is slow sends an answer later than it was given
#[test]
fn an_answer_that_is_still_being_saved_is_not_sent_to_a_run_that_was_stopped() {
    for milliseconds in [0, 500, 1_500] {
        for script in [asks("Which?"), delegates(&asks("From below?"))] {
            let mut desk = Desk::new(1);
            let session = desk.begin(&script);
            let tab = desk.tab.clone();
            desk.world
                .run_until("it is asked", LATER, |_| !tab.waiting().is_empty());
            let request = tab.waiting()[0].request.clone();
            desk.device.set_health(StoreHealth::Slow(Duration::from_millis(1_800)));
            desk.tab.faults.borrow_mut().latency = Duration::from_millis(700)..Duration::from_millis(900);
            desk.answer(&request.id, blue());
            desk.world.run_for(Duration::from_millis(milliseconds));
            desk.tab.abort(&session);
            let outcome = desk.until_outcome(&request.id);
            assert_eq!(outcome, Outcome::Cancelled { by_us: true });
            desk.world.run_for(LATER);
            assert_eq!(desk.replies(&request.id), []);
        }
    }
}
