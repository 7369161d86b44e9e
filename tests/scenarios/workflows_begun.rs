//! A workflow that is started just as the agent begins, works or ends.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{Draft, DraftKey, DraftText, SessionId};
use switchboard_core::ports::Read;
use switchboard_core::view::TurnState;
use switchboard_core::workflow::{Goal, Start, Stop, Work, Workflows};
use switchboard_tests::network::Faults;
use switchboard_tests::scripts::script;
use switchboard_tests::store::StoreHealth;
use switchboard_tests::tab::Tab;
use switchboard_tests::world::World;

use crate::desk::{Desk, LATER, SOON};
use crate::workflows::{after_the_next_reply, commands, desk, end_of, review, reviewer, until_ended, until_passes};

/// How long the agent works.
const RUN: Duration = Duration::from_secs(5);

/// Goes on until the command has exited with 0, as soon as the agent does not work.
fn after_the_run(command: &str) -> Goal {
    Goal {
        start: Start::AfterRun,
        ..until_passes(command)
    }
}

/// A prompt that the agent works at for so long.
fn works_for(run: Duration) -> String {
    let delay = u64::try_from(run.as_millis()).expect("it is short");
    script(json!([{ "text": "Done.", "delay": delay }])).to_prompt()
}

/// Another client prompts the agent.
fn prompt(world: &World, session: &SessionId) {
    world.other.prompt(session, &works_for(RUN));
}

/// Prompts the agent from a tab.
fn send(tab: &Tab, session: &SessionId, run: Duration) {
    tab.prompt(session, &works_for(run)).expect("the session is known");
}

/// Loads the page again, and lists the session, whose messages cannot be read from then on.
fn reloaded_and_unread(desk: &mut Desk, session: &SessionId) -> Workflows {
    desk.reload();
    let workflows = desk.tab.workflows();
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Messages { .. }));
    desk.world.run_until("the session is listed", SOON, {
        let (tab, of) = (desk.tab.handle.clone(), session.clone());
        move |_| tab.view().session(&of).is_some()
    });
    workflows
}

/// Returns how long after the start the check has begun, and whether the agent worked then.
fn begun(desk: &mut Desk, session: &SessionId, workflows: &Workflows, goal: Goal) -> (Duration, bool) {
    let started = desk.world.now();
    workflows.start(session, goal).expect("the session is known");
    desk.world
        .run_until("the check runs", LATER, |world| commands(world) == 1);
    let works = desk.world.server.status(session).is_some();
    (desk.world.now().since(started), works)
}

/// The tab where a workflow is started: the first one, which takes the steps, or another one.
fn started_in(desk: &mut Desk, first: &Workflows, is_elsewhere: bool) -> (Tab, Workflows) {
    if is_elsewhere {
        let second = desk.world.open_tab(&desk.device);
        let workflows = second.workflows();
        (second, workflows)
    } else {
        (desk.tab.clone(), first.clone())
    }
}

/// F7: what the page shows of the agent is older than what the engine reads next
#[test]
fn one_that_is_to_begin_after_the_run_begins_once_the_agent_is_idle_whenever_it_is_started() {
    let mut shown = 0;
    for milliseconds in (0..12_000).step_by(171) {
        for is_elsewhere in [false, true] {
            let (mut desk, session, first) = desk();
            let (tab, workflows) = started_in(&mut desk, &first, is_elsewhere);
            desk.world.run_for(SOON);
            let wait = Duration::from_millis(milliseconds);
            prompt(&desk.world, &session);
            desk.world.run_for(wait);
            let is_shown = matches!(tab.session(&session), Some(TurnState::Working));
            let (after, works) = begun(&mut desk, &session, &workflows, after_the_run("echo fine"));
            let left = RUN.saturating_sub(wait);
            let told = format!("started {milliseconds} ms after the prompt, elsewhere: {is_elsewhere}");
            assert!(!works || !is_shown, "beside the agent, {told}");
            shown += u32::from(is_shown);
            assert!(after < left + SOON, "after {after:?}, {told}");
        }
    }
    assert!(shown > 20, "the page has shown it at work {shown} times");
}

/// F7: the tab that takes the steps does so late, and the reply that is waited for has come before
#[test]
fn a_reply_that_comes_before_the_first_step_is_taken_is_the_next_one() {
    let goals = [after_the_next_reply, after_the_run].map(|goal| goal("echo fine"));
    let starts = goals.iter().flat_map(|goal| [(goal, false), (goal, true)]);
    for ((goal, in_the_run), reloads) in starts.flat_map(|start| [(start, false), (start, true)]) {
        let (mut desk, session, mut workflows) = desk();
        desk.tab.handle.set_leading(false);
        desk.world.run_for(SOON);
        if in_the_run {
            prompt(&desk.world, &session);
            desk.world.run_for(Duration::from_secs(3));
        }
        workflows.start(&session, goal.clone()).expect("the session is known");
        if !in_the_run {
            desk.world.run_for(SOON);
            prompt(&desk.world, &session);
        }
        desk.world.run_for(RUN + SOON);
        assert_eq!(commands(&desk.world), 0, "no tab takes the steps");
        if reloads {
            desk.reload();
            workflows = desk.tab.workflows();
        }
        desk.tab.handle.set_leading(true);
        desk.world
            .run_until("the check runs", SOON, |world| commands(world) == 1);
        drop(workflows);
    }
}

/// F7: the agent is at work, and the page has not read that
#[test]
fn one_that_is_to_begin_after_the_run_does_not_begin_before_the_session_was_read() {
    let (mut desk, session, _) = desk();
    prompt(&desk.world, &session);
    let workflows = reloaded_and_unread(&mut desk, &session);
    workflows
        .start(&session, after_the_run("echo fine"))
        .expect("the session is known");
    desk.world.run_for(RUN + SOON);
    assert_eq!(commands(&desk.world), 0, "nothing has been read");
    desk.tab.faults.borrow_mut().unreadable = None;
    desk.world
        .run_until("the check runs", LATER, |world| commands(world) == 1);
}

/// F7
#[test]
fn one_that_was_stopped_while_it_waited_for_a_run_goes_on_after_that_run_and_waits_for_no_other() {
    let (mut desk, session, workflows) = desk();
    prompt(&desk.world, &session);
    desk.world.run_for(Duration::from_secs(3));
    let id = workflows
        .start(&session, after_the_run("echo fine"))
        .expect("the session is known");
    desk.world.run_for(Duration::from_millis(500));
    workflows.stop(&id, Stop::AfterRound);
    desk.world
        .run_until("it has ended", SOON, |_| end_of(&workflows.list()).is_some());
    desk.world.run_for(RUN + SOON);
    workflows.go_on(&id, 1);
    desk.world
        .run_until("the check runs", SOON, |world| commands(world) == 1);
}

/// F7: neither the wait nor its end hangs where the session cannot be read
#[test]
fn one_whose_session_cannot_be_read_is_stopped_or_ends_with_it() {
    for is_stopped in [true, false] {
        for goal in [after_the_run("echo fine"), after_the_next_reply("echo fine")] {
            let (mut desk, session, _) = desk();
            let workflows = reloaded_and_unread(&mut desk, &session);
            let id = workflows.start(&session, goal).expect("the session is known");
            desk.world.run_for(SOON);
            match is_stopped {
                true => workflows.stop(&id, Stop::AfterRound),
                false => desk.world.server.delete(&session),
            }
            desk.world
                .run_until("it has ended", LATER, |_| end_of(&workflows.list()).is_some());
            assert_eq!(commands(&desk.world), 0);
        }
    }
}

/// Prompts the agent, and returns once a tab shows it at work.
fn until_it_works(desk: &mut Desk, session: &SessionId, tab: &Tab, run: Duration) {
    desk.world.other.prompt(session, &works_for(run));
    desk.world.run_until("it is shown at work", LATER, |_| {
        matches!(tab.session(session), Some(TurnState::Working))
    });
}

/// F7, R13: the tab that takes the steps has read less than the one that shows the agent at work
#[test]
fn one_that_is_started_where_the_agent_is_seen_at_work_does_not_begin_beside_it_in_a_tab_that_is_behind() {
    let behind: [fn(&mut Faults); 3] = [
        |faults| faults.is_cut = true,
        |faults| faults.unreadable = Some(|_| true),
        |faults| faults.latency = Duration::from_secs(3)..Duration::from_secs(4),
    ];
    for (kind, fault) in behind.iter().enumerate() {
        for goal in [after_the_run("echo fine"), after_the_next_reply("echo fine")] {
            let (mut desk, session, _workflows) = desk();
            let second = desk.world.open_tab(&desk.device);
            let workflows = second.workflows();
            desk.world.run_for(SOON);
            fault(&mut desk.tab.faults.borrow_mut());
            until_it_works(&mut desk, &session, &second, Duration::from_secs(60));
            workflows.start(&session, goal).expect("the session is known");
            desk.world.run_for(SOON);
            desk.tab.faults.borrow_mut().is_cut = false;
            desk.tab.faults.borrow_mut().unreadable = None;
            desk.world.run_for(SOON + SOON);
            assert_eq!(commands(&desk.world), 0, "beside the agent, kind {kind}");
            desk.world
                .run_until("the check runs", LATER, |world| commands(world) == 1);
        }
    }
}

/// F7
#[test]
fn one_that_goes_on_in_a_run_begins_after_it_however_late_its_steps_are_taken() {
    let (mut desk, session, workflows) = desk();
    let goal = after_the_next_reply("echo fine");
    let id = workflows.start(&session, goal).expect("the session is known");
    workflows.stop(&id, Stop::AfterRound);
    desk.world
        .run_until("it has ended", SOON, |_| end_of(&workflows.list()).is_some());
    let tab = desk.tab.clone();
    until_it_works(&mut desk, &session, &tab, RUN);
    desk.tab.handle.set_leading(false);
    workflows.go_on(&id, 1);
    desk.world.run_for(RUN + SOON);
    assert_eq!(commands(&desk.world), 0, "no tab takes the steps");
    desk.tab.handle.set_leading(true);
    desk.world
        .run_until("the check runs", SOON, |world| commands(world) == 1);
}

/// Prompts the agent from a tab, starts a workflow so long after that, and returns whether it begins once that run has ended.
fn waits_for_what_is_sent(
    desk: &mut Desk,
    sender: &Tab,
    session: &SessionId,
    workflows: &Workflows,
    wait: Duration,
) -> bool {
    let run = Duration::from_secs(20);
    send(sender, session, run);
    desk.world.run_for(wait);
    let (after, works) = begun(desk, session, workflows, after_the_run("echo fine"));
    !works && wait + after > run
}

/// Who prompts the agent, and where the workflow is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hands {
    /// One tab does both, and takes the steps.
    One,
    /// Both are done in another tab than the one that takes the steps.
    Other,
    /// It is started in another tab than the one that prompts the agent and takes the steps.
    Two,
}

/// F7, R13: a person sends the agent something, and starts it with the next press, on lines of each speed
#[test]
fn what_is_on_its_way_to_the_agent_comes_first() {
    let moments = (0..90).step_by(15).chain((90..2_500).step_by(171));
    for milliseconds in moments {
        for hands in [Hands::One, Hands::Other, Hands::Two] {
            for latency in [10, 100, 300, 2_000] {
                let (mut desk, session, first) = desk();
                let (tab, workflows) = started_in(&mut desk, &first, hands != Hands::One);
                let sender = if hands == Hands::Two { &desk.tab.clone() } else { &tab };
                desk.world.run_for(SOON);
                let latency = Duration::from_millis(latency);
                sender.faults.borrow_mut().latency = latency / 2..latency;
                let wait = Duration::from_millis(milliseconds);
                let waits = waits_for_what_is_sent(&mut desk, sender, &session, &workflows, wait);
                assert!(waits, "{wait:?} after it was sent, by {hands:?}, latency {latency:?}");
            }
        }
    }
}

/// F7, R13: neither beside the agent nor never, whatever happens to the tab that takes the steps while a prompt is on its way
#[test]
fn one_begins_after_what_is_on_its_way_although_the_tab_that_leads_is_disturbed() {
    type Disturbance = (&'static str, fn(&mut Desk));
    let disturbances: [Disturbance; 5] = [
        ("its lead is taken", |desk| {
            desk.tab.handle.set_leading(false);
            desk.world.run_for(Duration::from_secs(4));
            desk.tab.handle.set_leading(true);
        }),
        ("it is cut off", |desk| {
            desk.tab.faults.borrow_mut().is_cut = true;
            desk.world.run_for(Duration::from_secs(4));
            desk.tab.faults.borrow_mut().is_cut = false;
        }),
        ("it reads no messages", |desk| {
            desk.tab.faults.borrow_mut().unreadable =
                Some(|read| matches!(read, Read::Messages { .. } | Read::Message { .. }));
            desk.world.run_for(Duration::from_secs(4));
            desk.tab.faults.borrow_mut().unreadable = None;
        }),
        ("it stands still", |desk| {
            desk.world.freeze_tab(&desk.tab);
            desk.world.run_for(Duration::from_secs(14));
            desk.world.thaw_tab(&desk.tab);
        }),
        ("the server is killed", |desk| {
            desk.world.kill_server_for(Duration::from_secs(3));
        }),
    ];
    for (what, disturb) in disturbances {
        for (milliseconds, latency) in [0, 60, 700].iter().flat_map(|wait| [(wait, 10), (wait, 2_000)]) {
            for (is_elsewhere, is_first) in [(false, false), (false, true), (true, false), (true, true)] {
                let (mut desk, session, first) = desk();
                let (tab, workflows) = started_in(&mut desk, &first, is_elsewhere);
                desk.world.run_for(SOON);
                let latency = Duration::from_millis(latency);
                tab.faults.borrow_mut().latency = latency / 2..latency;
                send(&tab, &session, Duration::from_secs(2));
                if is_first {
                    workflows
                        .start(&session, after_the_run("echo fine"))
                        .expect("the session is known");
                }
                desk.world.run_for(Duration::from_millis(*milliseconds));
                disturb(&mut desk);
                if !is_first {
                    workflows
                        .start(&session, after_the_run("echo fine"))
                        .expect("the session is known");
                }
                desk.world
                    .run_until("the check runs", LATER, |world| commands(world) == 1);
                let works = desk.world.server.status(&session).is_some();
                assert!(
                    !works,
                    "{what}, {milliseconds} ms after the prompt, elsewhere: {is_elsewhere}, started first: {is_first}, latency {latency:?}"
                );
            }
        }
    }
}

/// F7: *Send 1 issue to the agent*, and *Ask the reviewers again*
#[test]
fn reviewers_who_are_asked_again_see_what_the_agent_makes_of_what_it_was_just_sent() {
    let (mut desk, session, workflows) = desk();
    let found = "v: NO-GO\n- H: a clock that steps back frees the window";
    let mut goal = review(vec![reviewer("one", found, 0)], false);
    let id = workflows.start(&session, goal.clone()).expect("the session is known");
    until_ended(&mut desk, &workflows);
    workflows.send_findings(&id);
    goal.start = Start::AfterRun;
    workflows.start(&session, goal).expect("none goes on");
    desk.world.run_until("they are asked again", LATER, |_| {
        workflows.list().iter().all(|workflow| workflow.end.is_some())
    });
    let world = &desk.world;
    let created = |begins: &str| {
        let messages = world.server.sessions().into_iter();
        let mut messages = messages.flat_map(|session| world.server.messages(&session));
        let newest = messages.rfind(|message| message.text().starts_with(begins));
        newest.expect("it is there").created
    };
    let replies = world.server.messages(&session);
    let replied = replies
        .last()
        .and_then(|reply| reply.completed)
        .expect("it has replied");
    assert!(created("Reviewers found") < replied && replied <= created("You are the reviewer"));
}

/// F7: a person undoes the run, so that the session has no message
#[test]
fn one_that_waits_for_a_run_that_is_taken_back_begins() {
    let mut desk = Desk::new(1);
    let workflows = desk.tab.workflows();
    let session = desk.begin(&script(json!([{ "text": "Done.", "delay": 8_000 }])));
    let tab = desk.tab.clone();
    desk.world.run_until("it is shown at work", LATER, |_| {
        matches!(tab.session(&session), Some(TurnState::Working))
    });
    workflows
        .start(&session, after_the_run("echo fine"))
        .expect("the session is known");
    desk.world.run_for(Duration::from_secs(1));
    desk.tab.abort(&session);
    desk.world.run_for(Duration::from_millis(100));
    for message in desk.world.server.messages(&session) {
        desk.world.server.remove_message(&session, &message.id);
    }
    desk.world
        .run_until("the check runs", LATER, |world| commands(world) == 1);
}

/// F7: nothing else changes
#[test]
fn one_that_is_started_on_an_agent_that_is_idle_for_long_begins_at_once() {
    for minutes in [1, 10, 90] {
        for is_visible in [true, false] {
            let (mut desk, session, workflows) = desk();
            desk.tab.handle.set_visible(is_visible);
            desk.world.run_for(Duration::from_secs(60 * minutes));
            let (after, _) = begun(&mut desk, &session, &workflows, after_the_run("echo fine"));
            assert!(after < SOON, "after {after:?}");
        }
    }
}

/// F7: the server refuses what is on its way
#[test]
fn what_does_not_arrive_is_no_reply_and_holds_nothing_up() {
    for (goal, begins) in [
        (after_the_next_reply("echo fine"), false),
        (after_the_run("echo fine"), true),
    ] {
        let (mut desk, session, workflows) = desk();
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().refusal = Some(400);
        desk.tab.prompt(&session, "Go on.").expect("the session is known");
        workflows.start(&session, goal).expect("the session is known");
        desk.world.run_for(Duration::from_secs(1));
        desk.tab.faults.borrow_mut().refusal = None;
        desk.world.run_for(SOON + SOON);
        // What the check has sent may have been refused as well.
        let list = workflows.list();
        let mut steps = list.iter().flat_map(|workflow| &workflow.steps);
        assert_eq!(steps.any(|step| matches!(step.work, Work::Check(_))), begins);
    }
}

/// F7, R9: what was refused, and left by its person, is over, however often the store is read again
#[test]
fn a_prompt_that_was_refused_before_holds_nothing_up_while_a_person_types_in_another_tab() {
    let (mut desk, session, workflows) = desk();
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().refusal = Some(400);
    desk.tab.prompt(&session, "Go on.").expect("the session is known");
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().refusal = None;
    desk.tab.faults.borrow_mut().latency = Duration::from_millis(150)..Duration::from_millis(300);
    desk.world.run_for(SOON + SOON);
    workflows
        .start(&session, after_the_run("echo fine"))
        .expect("the session is known");
    for typed in 1..40 {
        let text = DraftText::Prompt("a".repeat(typed));
        second.draft(Draft {
            key: DraftKey::Prompt(session.clone()),
            text,
        });
        desk.world.run_for(Duration::from_millis(250));
    }
    assert_eq!(commands(&desk.world), 1, "the agent is idle all the time");
}

/// F7, R13: the record of a loop may be kept before the prompt is that was sent with the press before
#[test]
fn what_is_on_its_way_from_another_tab_comes_first_also_with_a_slow_store() {
    for slow in [20, 50, 100, 300, 1_500] {
        for milliseconds in [0, 30, 200, 900] {
            let (mut desk, session, _first) = desk();
            let second = desk.world.open_tab(&desk.device);
            let workflows = second.workflows();
            desk.world.run_for(SOON);
            desk.device.set_health(StoreHealth::Slow(Duration::from_millis(slow)));
            let wait = Duration::from_millis(milliseconds);
            let waits = waits_for_what_is_sent(&mut desk, &second, &session, &workflows, wait);
            assert!(waits, "{wait:?} after it was sent, in a store that takes {slow} ms");
        }
    }
}
