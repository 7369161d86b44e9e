//! What is dated, and what is found, when the stamps of the server are not of our time.

use std::time::Duration;

use serde_json::json;
use switchboard_core::Time;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_tests::scripts::{asks, script};

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue};

/// How far the server's clock may be ahead, in milliseconds.
const AHEAD: [i64; 3] = [0, 5 * 60_000, -20 * 60_000];

/// How wrong a date may be: as long as a poll may take to show something new.
const TOLERANCE: Duration = Duration::from_secs(3);

impl Desk {
    /// Begins a session that asks. Returns both, and the span in which it was asked.
    fn ask(&mut self, question: &str) -> (SessionId, RequestId, [Time; 2]) {
        let begun = self.world.now();
        let session = self.begin(&asks(question));
        let request = self.until_waiting(&session);
        (session, request.id, [begun, self.world.now()])
    }

    /// Checks when the page says that a request was asked, and that its session has moved last.
    fn check_dates(&self, (session, request, [begun, shown]): &(SessionId, RequestId, [Time; 2])) {
        let view = self.tab.view();
        let asked = view.request(request).and_then(|shown| shown.asked);
        let updated = view.session(session).map(|shown| shown.updated);
        for date in [asked.expect("its id tells"), updated.expect("it is listed")] {
            let is_right = date + TOLERANCE >= *begun && date <= *shown + TOLERANCE;
            assert!(is_right, "{date:?} is not in {begun:?}..{shown:?}");
        }
    }
}

/// R17
#[test]
fn dates_are_right_while_the_clock_of_the_server_is_minutes_off() {
    for ahead in AHEAD {
        let mut desk = Desk::new(1);
        desk.world.server.set_clock_ahead(ahead);
        desk.world.run_for(SOON);
        let first = desk.ask("Which?");
        // Nothing moves meanwhile: what was found out once stays true.
        for _ in 0..2 {
            desk.check_dates(&first);
            desk.world.run_for(Duration::from_secs(600));
        }
        desk.reload();
        let second = desk.ask("And which next?");
        desk.check_dates(&first);
        desk.check_dates(&second);
    }
}

/// R17
#[test]
fn dates_are_right_again_soon_after_the_clock_of_the_server_was_set() {
    let mut desk = Desk::new(1);
    desk.ask("Before?");
    for ahead in AHEAD {
        desk.world.server.set_clock_ahead(ahead);
        desk.world.run_for(SOON);
        let asked = desk.ask(&format!("With {ahead}?"));
        desk.check_dates(&asked);
    }
}

/// R17: it is as old as it looks, as one is that was brought from another server
#[test]
fn dates_stay_right_when_an_old_session_comes_out_of_the_archive() {
    let mut desk = Desk::new(1);
    let first = desk.ask("Which?");
    desk.world.run_for(10 * LATER);
    let works = script(json!([{ "text": "Done.", "delay": 20_000 }]));
    let archived = desk.begin(&works);
    desk.world.run_for(LATER);
    desk.world.server.archive(&archived);
    desk.world.run_for(10 * LATER);
    desk.reload();
    desk.world.run_for(SOON);
    desk.world.server.restore(&archived);
    desk.world.run_for(SOON);
    assert!(desk.tab.view().session(&archived).is_some(), "it is shown");
    desk.check_dates(&first);
}

/// Where the questions are asked: nothing else goes on there.
const ELSEWHERE: &str = "/elsewhere";

/// How soon a question is shown that the newest list alone can tell of, in a session that is new or known.
const PROMPT: Duration = Duration::from_secs(4);

/// The same where the stamps that are known say nothing of the server's clock as it is now.
const FOUND: Duration = Duration::from_secs(11);

impl Desk {
    /// How long after it was asked a question is shown that is asked in a directory at rest.
    fn found_after(&mut self, session: Option<&SessionId>) -> Duration {
        let script = asks("Which?");
        let session = match session {
            Some(session) => {
                self.world.other.prompt(session, &script.to_prompt());
                session.clone()
            }
            None => self.world.other.begin(ELSEWHERE, &script),
        };
        let server = self.world.server.clone();
        self.world
            .run_until("it is asked", SOON, |_| !server.listed_of(&session).is_empty());
        let asked = self.world.now();
        let request = self.until_waiting(&session);
        let found = self.world.now().since(asked);
        self.world.other.reply(&request, blue());
        self.until_ended(&session);
        found
    }

    /// Asks a question in each of these sessions, or in a new one, and checks how soon it is found.
    fn check_found(&mut self, asked: [(Option<&SessionId>, Duration); 2], case: &str) {
        for (session, limit) in asked {
            let found = self.found_after(session);
            assert!(found <= limit, "{case}: found after {found:?}");
            self.world.run_for(LATER);
        }
    }

    /// A directory at rest with a session that has ended.
    fn rest_elsewhere(&mut self) -> SessionId {
        let ends = script(json!([{ "text": "Ready." }]));
        let session = self.world.other.begin(ELSEWHERE, &ends);
        self.until_ended(&session);
        session
    }
}

/// Seconds after which a question is asked: anywhere between two sweeps.
const PHASES: [u64; 4] = [5, 20, 35, 50];

/// R17: it had ended before it was first listed
#[test]
fn a_short_session_is_dated_right_while_the_clock_of_the_server_is_off() {
    for ahead in AHEAD {
        let mut desk = Desk::new(1);
        desk.world.server.set_clock_ahead(ahead);
        // No sweep lists it first.
        desk.world.run_for(LATER + SOON + SOON);
        let begun = desk.world.now();
        let session = desk.rest_elsewhere();
        desk.world.run_for(LATER);
        let shown = desk.tab.view().session(&session).map(|shown| shown.updated);
        let shown = shown.expect("it is listed");
        let is_right = shown + SOON >= begun && shown <= begun + SOON;
        assert!(is_right, "{ahead}: {begun:?} is shown as {shown:?}");
    }
}

/// R17: it lived for a moment only
#[test]
fn dates_stay_right_when_a_short_session_comes_out_of_the_archive() {
    let mut desk = Desk::new(1);
    let first = desk.ask("Which?");
    desk.world.run_for(LATER);
    let short = desk.world.server.create(&DIRECTORY.into(), "Short");
    desk.world.run_for(SOON);
    desk.world.server.archive(&short);
    desk.world.run_for(10 * LATER);
    desk.world.server.restore(&short);
    desk.world.run_for(SOON);
    desk.check_dates(&first);
}

/// R13: nothing tells it of the clock of the server
#[test]
fn a_follower_reads_nothing_while_all_is_quiet_though_the_clock_of_the_server_is_ahead() {
    for ahead in [0, 600_000, 3_600_000] {
        let mut desk = Desk::new(1);
        desk.world.server.set_clock_ahead(ahead);
        desk.world.run_for(SOON);
        let (session, request, _) = desk.ask("Which?");
        desk.answer(&request, blue());
        desk.until_ended(&session);
        desk.world.run_for(LATER);
        let second = desk.world.open_tab(&desk.device);
        desk.world.run_for(2 * LATER);
        assert_eq!(second.reads_of_the_minute(), 0, "{ahead}");
    }
}

/// R1: a list that reaches back has one page, and so has one after many sessions were made at once
#[test]
fn more_than_a_page_of_old_sessions_costs_no_more_reads() {
    for apart in [5, 1_000] {
        let reads = [80, 120].map(|count: i64| {
            let mut desk = Desk::new(1);
            for number in 0..count {
                desk.world.server.set_clock_ahead(-7_200_000 - apart * number);
                drop(desk.world.server.create(&DIRECTORY.into(), "Old"));
            }
            desk.world.server.set_clock_ahead(0);
            desk.world.run_for(5 * LATER);
            desk.tab.reads_of_the_minute()
        });
        // The sweep has another page, and is closed.
        assert!(
            reads[1] <= reads[0] + 3,
            "{apart} ms apart: {reads:?} reads in a minute"
        );
    }
}

/// R1: nothing is known of the clock of the server, and the stream loses what it should announce
#[test]
fn what_no_event_announces_is_found_beside_a_session_stamped_in_the_future() {
    for ahead in AHEAD {
        let mut desk = Desk::new(1);
        desk.world.events_flow = true;
        desk.world.server.set_clock_ahead(ahead);
        desk.rest_elsewhere();
        desk.world.server.import(&DIRECTORY.into(), Duration::from_secs(86_400));
        desk.world.run_for(LATER);
        desk.reload();
        desk.world.run_for(LATER + Duration::from_secs(10));
        desk.world.event_flow.lost = 100;
        let found = desk.found_after(None);
        assert!(found <= FOUND, "{ahead}: found after {found:?}");
    }
}

/// R1: a session that was imported does not hide what happens in others
#[test]
fn a_session_stamped_in_the_future_hides_no_question() {
    for ahead in AHEAD {
        for future in [120, 3_600, 86_400] {
            for phase in PHASES {
                let mut desk = Desk::new(1);
                desk.world.server.set_clock_ahead(ahead);
                let known = desk.rest_elsewhere();
                desk.world.run_for(LATER);
                desk.world.server.import(&DIRECTORY.into(), Duration::from_secs(future));
                desk.world.run_for(Duration::from_secs(phase));
                let asked = [(None, PROMPT), (Some(&known), PROMPT)];
                desk.check_found(asked, &format!("{ahead}, {future} s, {phase} s"));
            }
        }
    }
}

/// R1: the same where the page is opened afterwards
#[test]
fn a_page_that_opens_beside_a_session_stamped_in_the_future_finds_each_question() {
    for ahead in AHEAD {
        for future in [120, 3_600, 86_400] {
            for phase in PHASES {
                let mut desk = Desk::new(1);
                desk.world.server.set_clock_ahead(ahead);
                let known = desk.rest_elsewhere();
                desk.world.server.import(&DIRECTORY.into(), Duration::from_secs(future));
                desk.world.run_for(LATER);
                desk.reload();
                desk.world.run_for(SOON + Duration::from_secs(phase));
                let asked = [(None, FOUND), (Some(&known), PROMPT)];
                desk.check_found(asked, &format!("{ahead}, {future} s, {phase} s"));
            }
        }
    }
}

/// R1: the sessions of the last hours are stamped in the future then
#[test]
fn a_server_whose_clock_is_set_back_hides_no_question() {
    for back in [30, 600, 3 * 3_600] {
        for is_reloaded in [false, true] {
            for phase in PHASES {
                let mut desk = Desk::new(1);
                desk.rest_elsewhere();
                desk.quiet_session();
                desk.world.run_for(LATER);
                desk.world.server.set_clock_ahead(-1_000 * back);
                if is_reloaded {
                    desk.reload();
                }
                desk.world.run_for(SOON + Duration::from_secs(phase));
                let asked = [(None, FOUND), (None, PROMPT)];
                desk.check_found(asked, &format!("{back} s, reloaded: {is_reloaded}, {phase} s"));
            }
        }
    }
}
