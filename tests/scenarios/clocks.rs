//! What is dated when the server's clock is not ours.

use std::time::Duration;

use serde_json::json;
use switchboard_core::Time;
use switchboard_core::model::{RequestId, SessionId};
use switchboard_tests::scripts::{asks, script};

use crate::desk::{Desk, LATER, SOON};

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
