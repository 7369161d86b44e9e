//! How often things are read, and what ends a slower pace.

use std::cell::RefCell;
use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{Draft, DraftKey, DraftText, SessionId};
use switchboard_core::ports::{Preview, Read, Wake};
use switchboard_core::view::TurnState;
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{asks, delegates, script};
use switchboard_tests::store::Device;
use switchboard_tests::tab::Tab;

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue};

/// A desk whose events have announced for two minutes all that happened.
fn trusting() -> Desk {
    let mut desk = Desk::new(1);
    desk.world.events_flow = true;
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    desk.answer(&request.id, blue());
    desk.world.run_for(LATER);
    desk
}

/// An agent that writes for so long.
fn writes_for(span: Duration) -> Script {
    let text = "word ".repeat(usize::try_from(span.as_secs()).expect("it is short"));
    script(json!([{ "text": text, "chunk": 5, "chunkDelay": 1_000 }]))
}

/// How long after it has ended for the server a session is shown as ended.
fn ended_after(desk: &mut Desk, session: &SessionId) -> Duration {
    let (server, tab) = (desk.world.server.clone(), desk.tab.clone());
    desk.world
        .run_until("it has ended", 4 * LATER, |_| server.status(session).is_none());
    let ended = desk.world.now();
    desk.world.run_until("its end is shown", LATER, |_| {
        matches!(tab.session(session), Some(TurnState::Ended { .. }))
    });
    desk.world.now().since(ended)
}

/// A word of what a session writes.
fn preview(session: &SessionId) -> Preview {
    Preview {
        session: session.clone(),
        message: "msg_1".into(),
        part: "prt_1".into(),
        delta: "word ".to_owned(),
    }
}

/// Runs until so long after the newest heartbeat.
fn run_until_after_heartbeat(desk: &mut Desk, span: Duration) {
    let heartbeat = desk.world.heartbeat();
    desk.world
        .run_until("a heartbeat", SOON + SOON, |world| world.heartbeat() > heartbeat);
    desk.world.run_for(span);
}

fn shown_after(desk: &mut Desk, question: &str) -> Duration {
    shown_after_in(desk, DIRECTORY, question)
}

fn shown_after_in(desk: &mut Desk, directory: &str, question: &str) -> Duration {
    let session = desk.world.other.begin(directory, &asks(question));
    let server = desk.world.server.clone();
    desk.world
        .run_until("it is asked", SOON, |_| !server.listed_of(&session).is_empty());
    let asked = desk.world.now();
    desk.until_waiting(&session);
    desk.world.now().since(asked)
}

/// R1
#[test]
fn while_events_announce_all_a_server_at_rest_is_read_seldom() {
    let mut desk = trusting();
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= 20, "{reads} reads in a minute");
    let took = shown_after(&mut desk, "And?");
    assert!(took <= Duration::from_millis(400), "{took:?}");
}

/// R1, R2: nothing is asked where nothing runs
#[test]
fn a_session_that_is_open_and_at_rest_is_read_seldom_too() {
    let mut desk = trusting();
    let session = desk.quiet_session();
    desk.tab.handle.open(Some(&session));
    desk.world.run_for(LATER);
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= 20, "{reads} reads in a minute");
    let second_tab = desk.world.open_tab(&Device::clone(&desk.device));
    desk.world.run_for(LATER);
    let reads = second_tab.reads_of_the_minute();
    assert!(reads <= 4, "{reads} reads in a minute of the tab that follows");
    for second in 0..10 {
        desk.world.run_for(LATER + Duration::from_millis(1_300 * second));
        desk.world.event_flow.lost = 100;
        let took = shown_after(&mut desk, "Which?");
        assert!(took <= Duration::from_millis(9_400), "{took:?}");
        desk.world.event_flow.lost = 0;
        for shown in desk.tab.waiting() {
            desk.answer(&shown.request.id, blue());
        }
    }
}

/// R1
#[test]
fn ten_that_wait_are_read_seldom_too() {
    let mut desk = trusting();
    let waiting: Vec<_> = (0..10).map(|_| desk.begin(&asks("Which?"))).collect();
    desk.world.run_for(LATER);
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= 40, "{reads} reads in a minute");
    desk.tab.handle.open(Some(&waiting[0]));
    desk.world.run_for(LATER);
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= 40, "{reads} reads in a minute with one of them open");
    for session in waiting {
        let request = desk.until_waiting(&session);
        desk.answer(&request.id, blue());
        desk.world.run_until("the agent has the answer", SOON, |world| {
            world.server.listed_of(&session).is_empty()
        });
    }
}

thread_local! {
    /// The sessions whose messages were asked for. Those of the first one cannot be read.
    static ASKED_FOR: RefCell<Vec<SessionId>> = const { RefCell::new(Vec::new()) };
}

/// R2, R11: one that cannot be read does not keep its turn
#[test]
fn of_several_that_wait_each_is_read_again_though_one_cannot_be_read() {
    let mut desk = trusting();
    let waiting: Vec<_> = (0..3).map(|_| desk.begin(&asks("Which?"))).collect();
    desk.world.run_for(LATER);
    ASKED_FOR.with_borrow_mut(|asked_for| *asked_for = vec![waiting[0].clone()]);
    desk.tab.faults.borrow_mut().unreadable = Some(|read| {
        let Read::Messages { session, .. } = read else {
            return false;
        };
        ASKED_FOR.with_borrow_mut(|asked_for| {
            asked_for.push(session.clone());
            asked_for[0] == *session
        })
    });
    desk.world.run_for(LATER);
    for session in &waiting[1..] {
        let reads = ASKED_FOR.with_borrow(|asked_for| asked_for.iter().filter(|of| *of == session).count());
        assert!(reads >= 2, "{reads} reads in two minutes");
    }
}

/// R2: it stays listed, and only its messages tell
#[test]
fn what_waits_in_a_session_that_was_deleted_is_gone_within_twenty_seconds_though_no_event_says_so() {
    for second in 0..40 {
        let mut desk = trusting();
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.world.run_for(LATER + Duration::from_secs(second));
        desk.world.event_flow.lost = 100;
        desk.world.server.delete(&session);
        let (tab, limit) = (desk.tab.clone(), Duration::from_millis(20_400));
        desk.world.run_until("it waits no more", limit, |_| {
            tab.waiting().iter().all(|shown| shown.request.id != request.id)
        });
    }
}

/// R1, R2
#[test]
fn what_no_event_announces_is_found_within_ten_seconds_and_the_next_at_the_usual_pace() {
    for second in 0..12 {
        let mut desk = trusting();
        desk.world.run_for(Duration::from_secs(second));
        desk.world.event_flow.lost = 100;
        let first = shown_after(&mut desk, "First?");
        assert!(first <= Duration::from_millis(10_200), "{first:?}");
        desk.world.run_for(Duration::from_secs(3));
        let next = shown_after(&mut desk, "Next?");
        assert!(next <= Duration::from_millis(2_300), "{next:?}");
    }
}

/// R1: the list of sessions alone tells of it
#[test]
fn what_no_event_announces_is_found_within_ten_seconds_where_nothing_has_happened_for_long_too() {
    for directory in [DIRECTORY, "/new"] {
        for second in (0..36).step_by(4) {
            let mut desk = trusting();
            desk.world.run_for(LATER + Duration::from_secs(second));
            desk.world.event_flow.lost = 100;
            let took = shown_after_in(&mut desk, directory, "Which?");
            assert!(took <= Duration::from_millis(10_400), "{took:?} in {directory}");
        }
    }
}

/// R1, R2: a surprise in one directory counts for all
#[test]
fn what_no_event_announced_ends_the_slower_pace_of_the_session_list_too() {
    for second in 0..10 {
        let mut desk = trusting();
        let session = desk.begin(&asks("Which?"));
        desk.until_waiting(&session);
        desk.world.run_for(LATER + Duration::from_secs(second));
        desk.world.event_flow.lost = 100;
        shown_after(&mut desk, "First?");
        desk.world.run_for(Duration::from_secs(5));
        let session = desk.world.other.begin("/new", &asks("Next?"));
        let tab = desk.tab.clone();
        desk.world
            .run_until("the new session is shown", Duration::from_millis(2_400), |_| {
                tab.view().session(&session).is_some()
            });
    }
}

/// R1: what was not read cannot be counted on
#[test]
fn where_a_read_fails_the_next_one_comes_at_the_usual_pace() {
    for half_second in 0..24 {
        let mut desk = trusting();
        let session = desk.begin(&asks("Which?"));
        desk.until_waiting(&session);
        desk.world.run_for(LATER + Duration::from_millis(500 * half_second));
        desk.world.event_flow.lost = 100;
        let session = desk.begin(&asks("And?"));
        desk.tab.faults.borrow_mut().server_error = 100;
        let tab = desk.tab.clone();
        desk.world.run_until("its directory could not be read", LATER, |_| {
            let log = tab.log.borrow();
            log.iter().any(|record| record.text.contains("failed: Status"))
        });
        desk.tab.faults.borrow_mut().server_error = 0;
        desk.world.run_until("it is shown", Duration::from_millis(2_400), |_| {
            tab.waiting().iter().any(|shown| shown.request.session == session)
        });
    }
}

/// R1: its list of sessions has no slower pace that an event could end
#[test]
fn hundreds_of_directories_at_rest_are_looked_at_in_turn_and_a_question_in_one_of_them_is_found() {
    let mut desk = Desk::new(1);
    for number in 0..300 {
        let directory = format!("/loose/{number}");
        drop(desk.world.server.create(&directory.into(), "at rest"));
    }
    desk.world.run_for(5 * LATER);
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= 120, "{reads} reads in a minute");
    assert!(shown_after_in(&mut desk, "/loose/17", "Which?") < SOON);
}

#[test]
fn a_hidden_page_lists_the_sessions_no_more_often_because_events_come() {
    let wakes: [fn(&str) -> Wake; 2] = [
        |directory| Wake::Answered(directory.into()),
        |directory| Wake::Directory(directory.into(), None),
    ];
    let reads = wakes.map(|wake| {
        let mut desk = Desk::new(1);
        desk.quiet_session();
        desk.tab.handle.set_visible(false);
        for _ in 0..30 {
            desk.tab.handle.wake(wake(DIRECTORY));
            desk.world.run_for(Duration::from_secs(3));
        }
        desk.tab.reads_of_the_minute()
    });
    assert!(reads[1] <= reads[0] + 2, "{reads:?} reads in a minute");
}

/// R13: the tab that leads reads for it
#[test]
fn a_stream_that_breaks_again_and_again_lets_no_tab_read_more() {
    let reads = [Wake::Alive, Wake::Lost].map(|end| {
        let mut desk = Desk::new(1);
        let session = desk.begin(&asks("Which?"));
        desk.until_waiting(&session);
        let second = desk.world.open_tab(&Device::clone(&desk.device));
        for _ in 0..12 {
            desk.tab.handle.wake(end.clone());
            second.handle.wake(end.clone());
            desk.world.run_for(Duration::from_secs(1));
            desk.tab.handle.wake(Wake::Connected);
            second.handle.wake(Wake::Alive);
            desk.world.run_for(Duration::from_secs(9));
        }
        [&desk.tab, &second].map(Tab::reads_of_the_minute)
    });
    assert!(
        reads[1][0] <= reads[0][0] + 4 && reads[1][1] <= reads[0][1] + 4,
        "{reads:?} reads in a minute"
    );
}

/// R1: also when it has waited for so long that it is called stuck
#[test]
fn a_parent_whose_sub_agent_waits_is_read_seldom_too() {
    let mut desk = trusting();
    desk.begin(&delegates(&asks("Which?")));
    desk.world.run_for(LATER);
    let early = desk.tab.reads_of_the_minute();
    desk.world.run_for(5 * LATER);
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= early + 4, "{early}, then {reads} reads in a minute");
}

/// R1, R2
#[test]
fn a_stream_that_is_lost_or_silent_ends_the_slower_pace() {
    for is_lost in [true, false] {
        let mut desk = trusting();
        desk.world.events_flow = false;
        if is_lost {
            desk.tab.handle.wake(Wake::Lost);
            desk.world.run_for(Duration::from_secs(1));
        } else {
            desk.world.run_for(Duration::from_secs(23));
        }
        let took = shown_after(&mut desk, "First?");
        assert!(took <= Duration::from_millis(5_200), "{took:?}, lost: {is_lost}");
    }
}

/// R1: it hears of no event, only that they come
#[test]
fn a_tab_that_follows_rests_with_its_leader() {
    let mut desk = trusting();
    let second = desk.world.open_tab(&Device::clone(&desk.device));
    desk.world.run_for(LATER);
    let reads = second.reads_of_the_minute();
    assert!(reads <= 8, "{reads} reads in a minute");
    let session = desk.begin(&asks("And?"));
    desk.world
        .run_until("the second tab shows it", Duration::from_secs(2), |_| {
            second.waiting().iter().any(|shown| shown.request.session == session)
        });
}

/// R1, C2
#[test]
fn a_session_that_writes_is_read_seldom_too_and_its_end_at_once() {
    let mut desk = trusting();
    let session = desk.begin(&writes_for(2 * LATER));
    desk.world.run_for(LATER);
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= 50, "{reads} reads in a minute");
    let took = shown_after(&mut desk, "And?");
    assert!(took <= Duration::from_millis(400), "{took:?}");
    let took = ended_after(&mut desk, &session);
    assert!(took <= Duration::from_millis(600), "{took:?}");
}

/// R1, R2, C6: its end, too
#[test]
fn while_a_session_writes_what_no_event_announces_is_found_within_ten_seconds_and_the_next_at_the_usual_pace() {
    for second in 0..10 {
        let mut desk = trusting();
        let session = desk.begin(&writes_for(LATER + Duration::from_secs(90)));
        desk.world.run_for(LATER + Duration::from_secs(second));
        desk.world.event_flow.lost = 100;
        let took = shown_after(&mut desk, "First?");
        assert!(took <= Duration::from_millis(9_000), "{took:?}");
        desk.world.run_for(Duration::from_secs(3));
        let took = shown_after(&mut desk, "Next?");
        assert!(took <= Duration::from_millis(2_300), "{took:?}");
        let took = ended_after(&mut desk, &session);
        assert!(took <= Duration::from_millis(9_000), "{took:?}");
    }
}

/// R1, R2: it ends as soon as the heartbeat is late, and not only when the pause is over that has begun before
#[test]
fn a_heartbeat_that_is_late_ends_the_slower_pace_at_once() {
    for is_writing in [true, false] {
        for second in 0..10 {
            let mut desk = trusting();
            desk.world.run_for(Duration::from_secs(second));
            let span = if is_writing { 3 * LATER } else { Duration::ZERO };
            desk.begin(&writes_for(span));
            desk.world.run_for(LATER);
            run_until_after_heartbeat(&mut desk, Duration::from_millis(100));
            desk.world.events_flow = false;
            desk.world.run_for(Duration::from_secs(12));
            let took = shown_after(&mut desk, "Which?");
            assert!(took <= Duration::from_millis(2_300), "{took:?}, writing: {is_writing}");
        }
    }
}

/// R1, R2: no text comes, and no word why
#[test]
fn a_text_that_stops_ends_the_slower_pace_long_before_a_heartbeat_is_late() {
    for second in 0..8 {
        let mut desk = trusting();
        let session = desk.begin(&writes_for(2 * LATER));
        for _ in 0..120 + second {
            desk.tab.handle.preview(preview(&session));
            desk.world.run_for(Duration::from_secs(1));
        }
        desk.world.event_flow.lost = 100;
        let took = shown_after(&mut desk, "Which?");
        assert!(took <= Duration::from_millis(5_300), "{took:?}");
    }
}

/// R1, R13: only another tab changes it
#[test]
fn the_ledger_is_read_when_it_has_changed() {
    let mut desk = trusting();
    desk.begin(&writes_for(2 * LATER));
    desk.world.run_for(Duration::from_secs(60));
    let before = desk.device.loads();
    desk.world.run_for(Duration::from_secs(60));
    let loads = desk.device.loads() - before;
    assert!(loads <= 7, "{loads} in a minute");
}

/// R13: what another tab tells may be lost
#[test]
fn what_another_tab_has_kept_is_found_within_ten_seconds_though_it_does_not_say_so() {
    for (is_deaf, limit) in [(false, 50), (true, 10_200)] {
        for second in 0..10 {
            let mut desk = trusting();
            let session = desk.quiet_session();
            let second_tab = desk.world.open_tab(&Device::clone(&desk.device));
            desk.world.run_for(LATER + Duration::from_secs(second));
            desk.world.set_deaf(is_deaf);
            second_tab.draft(Draft {
                key: DraftKey::Prompt(session.clone()),
                text: DraftText::Prompt("abc".to_owned()),
            });
            let (tab, limit) = (desk.tab.clone(), Duration::from_millis(limit));
            desk.world.run_until("the other tab shows it", limit, |_| {
                tab.view().prompt_drafts.contains_key(&session)
            });
        }
    }
}

/// R1: the list of sessions says no more than the status does
#[test]
fn a_session_that_is_known_to_run_is_read_no_more_often_because_it_is_updated() {
    let reads = [false, true].map(|is_touched| {
        let mut desk = Desk::new(1);
        let session = desk.begin(&writes_for(2 * LATER));
        desk.world.run_for(LATER);
        for _ in 0..60 {
            if is_touched {
                desk.world.server.touch(&session);
            }
            desk.tab
                .handle
                .wake(Wake::Directory("/another".into(), Some("ses_unknown".into())));
            desk.world.run_for(Duration::from_secs(1));
        }
        desk.tab.reads_of_the_minute()
    });
    assert!(reads[1] <= reads[0] + 4, "{reads:?} reads in a minute");
}

/// R1, R2, R13: its leader stands still without a word
#[test]
fn a_tab_that_follows_finds_a_question_within_ten_seconds_by_itself() {
    for is_writing in [true, false] {
        for second in 0..10 {
            let mut desk = trusting();
            let second_tab = desk.world.open_tab(&Device::clone(&desk.device));
            if is_writing {
                desk.begin(&writes_for(2 * LATER));
            }
            desk.world.run_for(LATER + Duration::from_secs(second));
            desk.world.freeze_tab(&desk.tab);
            let session = desk.begin(&asks("Which?"));
            let server = desk.world.server.clone();
            desk.world
                .run_until("it is asked", SOON, |_| !server.listed_of(&session).is_empty());
            desk.world.run_until("it is shown", Duration::from_millis(10_400), |_| {
                second_tab
                    .waiting()
                    .iter()
                    .any(|shown| shown.request.session == session)
            });
        }
    }
}
