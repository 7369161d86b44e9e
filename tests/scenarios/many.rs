//! Many requests of one directory at once: more than one refresh has room to look at.

use std::time::Duration;

use switchboard_core::FollowUpOptions;
use switchboard_core::model::{Outcome, Reply, Request, SessionId};
use switchboard_core::ports::{Read, Wake};
use switchboard_core::view::RequestState;
use switchboard_tests::scripts::{asks, runs};
use switchboard_tests::tab::Replied;

use crate::desk::{DIRECTORY, Desk, LATER, SOON, blue, is_answered, is_gone};

/// How long so many orphans may take to be recognised: two looks at each, 2 s apart, and seven looks fit into a refresh.
const RECOGNISED: Duration = Duration::from_secs(20);

/// Lets so many agents ask, a question and a permission in turn, each in a session of its own.
fn ask(desk: &mut Desk, count: usize) -> Vec<Request> {
    let scripts = [asks("Which?"), runs("echo hi")];
    let begin = |number: usize| desk.begin(&scripts[number % 2]);
    let sessions: Vec<SessionId> = (0..count).map(begin).collect();
    sessions.iter().map(|session| desk.until_waiting(session)).collect()
}

fn desk_with(count: usize) -> (Desk, Vec<Request>) {
    let mut desk = Desk::new(1);
    let requests = ask(&mut desk, count);
    (desk, requests)
}

/// An answer that fits.
fn fitting(request: &Request) -> Reply {
    if request.permission().is_some() {
        Reply::Once
    } else {
        blue()
    }
}

/// Runs until all of them are gone.
fn until_gone(desk: &mut Desk, requests: &[Request], within: Duration) {
    let tab = desk.tab.clone();
    desk.world.run_until("all of them are gone", within, |_| {
        let gone = |request: &Request| tab.state(&request.id).is_none_or(|state| is_gone(&state));
        tab.waiting().is_empty() && requests.iter().all(gone)
    });
}

/// R14
#[test]
fn orphans_are_recognised_however_many_there_are() {
    for count in [4, 7, 8, 9, 12, 20, 40] {
        let (mut desk, requests) = desk_with(count);
        desk.world.restart_server();
        until_gone(&mut desk, &requests, RECOGNISED);
        let reads = desk.tab.reads_of_the_minute();
        assert!(reads <= 120 + 4 * count, "{count} orphans: {reads} reads in a minute");
        desk.world.run_for(LATER);
        let reads = desk.tab.reads_of_the_minute();
        assert!(reads <= 30, "{count} orphans are gone: {reads} reads in a minute");
    }
}

/// R4, R14
#[test]
fn an_answer_to_one_of_many_orphans_ends_and_its_text_is_kept() {
    for count in [8, 12, 20] {
        let (mut desk, requests) = desk_with(count);
        desk.world.restart_server();
        let answered = requests.iter().filter(|request| request.permission().is_none());
        for request in answered.clone() {
            desk.answer(&request.id, blue());
        }
        for request in answered {
            let outcome = desk.until_outcome(&request.id);
            assert!(matches!(outcome, Outcome::Gone(_)), "{outcome:?}");
            let shown = desk.tab.request(&request.id).expect("it is still shown");
            assert!(shown.rescue.as_ref().is_some_and(|rescue| rescue.complete));
        }
    }
}

/// R14
#[test]
fn orphans_are_recognised_beside_sessions_that_are_awaited() {
    for count in [3, 4, 5, 8, 20] {
        let mut desk = Desk::new(1);
        let awaited: Vec<SessionId> = (0..8).map(|_| desk.quiet_session()).collect();
        let orphans = ask(&mut desk, count);
        desk.world.restart_server();
        let text = asks("And which of these?").to_prompt();
        let follow_up = |session| desk.tab.follow_up(session, &text, &FollowUpOptions::default());
        let replies: Vec<Replied> = awaited.iter().map(follow_up).collect();
        let tab = desk.tab.clone();
        desk.world.run_until("all orphans are gone", LATER, |_| {
            let mut states = orphans.iter().map(|request| tab.state(&request.id));
            states.all(|state| state.is_none_or(|state| is_gone(&state)))
        });
        assert_eq!(desk.tab.waiting().len(), awaited.len());
        for shown in desk.tab.waiting() {
            desk.answer(&shown.request.id, blue());
        }
        desk.world.run_until("all have replied", LATER, |_| {
            replies.iter().all(|reply| reply.borrow().is_some())
        });
    }
}

/// R14
#[test]
fn many_that_wait_end_with_their_instance() {
    let (mut desk, requests) = desk_with(20);
    desk.world.server.dispose(&DIRECTORY.into());
    until_gone(&mut desk, &requests, RECOGNISED);
}

/// R14: what is answered in an outage is told, and what waits still waits
#[test]
fn many_that_wait_outlast_an_outage() {
    let (mut desk, requests) = desk_with(20);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(LATER);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world.run_for(SOON + SOON);
    assert_eq!(desk.tab.waiting().len(), requests.len());
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.restart_server();
    desk.world.run_for(LATER);
    desk.tab.faults.borrow_mut().is_cut = false;
    until_gone(&mut desk, &requests, RECOGNISED + Duration::from_secs(15));
}

/// R1: a look that cannot bring news is not repeated without a pause
#[test]
fn many_that_cannot_be_read_cost_little() {
    for count in [4, 12, 40] {
        let (mut desk, requests) = desk_with(count);
        desk.tab.faults.borrow_mut().unreadable =
            Some(|read| matches!(read, Read::Message { .. } | Read::Messages { .. }));
        desk.world.restart_server();
        desk.world.run_for(LATER);
        let reads = desk.tab.reads_of_the_minute();
        assert!(reads <= 200 + 20 * count, "{count}: {reads} reads in a minute");
        let still = |request: &Request| desk.tab.state(&request.id) == Some(RequestState::Waiting);
        assert!(requests.iter().all(still), "nothing was read that tells more");
        desk.tab.faults.borrow_mut().unreadable = None;
        until_gone(&mut desk, &requests, RECOGNISED + Duration::from_secs(60));
    }
}

/// R1, R4: reads go through, sends do not
#[test]
fn many_sends_in_doubt_cost_little_and_arrive_in_the_end() {
    for count in [4, 12, 24] {
        let mut desk = Desk::new(1);
        let sessions: Vec<SessionId> = (0..count).map(|_| desk.quiet_session()).collect();
        desk.tab.faults.borrow_mut().posts_lost = true;
        for session in &sessions {
            desk.tab
                .prompt(session, &asks("Which?").to_prompt())
                .expect("the page takes it");
        }
        desk.world.run_for(LATER);
        let reads = desk.tab.reads_of_the_minute();
        assert!(reads <= 200 + 30 * count, "{count}: {reads} reads in a minute");
        desk.tab.faults.borrow_mut().posts_lost = false;
        let tab = desk.tab.clone();
        desk.world
            .run_until("all have arrived", LATER, |_| tab.waiting().len() == count);
    }
}

/// R1: what is answered in one session says nothing of the others
#[test]
fn many_that_cannot_be_read_cost_little_while_others_are_answered() {
    let (mut desk, _) = desk_with(40);
    desk.tab.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Message { .. } | Read::Messages { .. }));
    desk.world.restart_server();
    desk.world.run_for(LATER / 2);
    for _ in 0..60 {
        desk.tab.handle.wake(Wake::Answered(DIRECTORY.into()));
        desk.world.run_for(Duration::from_secs(1));
    }
    let reads = desk.tab.reads_of_the_minute();
    assert!(reads <= 1_200, "{reads} reads in a minute");
}

/// R4, R8: sessions whose messages never come do not keep others from being looked at
#[test]
fn answers_are_proven_beside_many_sessions_that_hang() {
    for hanging in [4, 7, 8, 10] {
        for is_stopped in [false, true] {
            let (mut desk, requests) = desk_with(hanging);
            let others = [asks("Which?"), runs("echo hi")].map(|script| desk.begin(&script));
            let others = others.map(|session| desk.until_waiting(&session));
            desk.tab.faults.borrow_mut().silent = requests.iter().map(|request| request.session.clone()).collect();
            for request in &requests {
                if is_stopped {
                    desk.world.other.abort(&request.session);
                } else {
                    desk.answer(&request.id, fitting(request));
                }
            }
            desk.world.run_for(Duration::from_secs(20));
            for request in &others {
                desk.answer(&request.id, fitting(request));
            }
            let tab = desk.tab.clone();
            desk.world.run_until("the others are proven", LATER / 4, |_| {
                let mut states = others.iter().map(|request| tab.state(&request.id));
                states.all(|state| state.is_some_and(|state| is_answered(&state)))
            });
        }
    }
}
