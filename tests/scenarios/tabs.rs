//! Several tabs on one device, and several devices.

use std::time::Duration;

use serde_json::json;
use switchboard_core::model::{
    Draft, DraftText, ElsewhereAnswer, NotSentReason, Outcome, Reply, Request, Role, SessionId,
};
use switchboard_core::ports::Read;
use switchboard_core::view::{Link, RequestState};
use switchboard_core::{FollowUpError, FollowUpOptions, WasSent};
use switchboard_tests::network::Fate;
use switchboard_tests::opencode::Reached;
use switchboard_tests::scripts::{asks, question, runs, script};
use switchboard_tests::store::{Device, StoreHealth};
use switchboard_tests::tab::Tab;

use crate::desk::{Desk, LATER, SOON, blue, is_answered, red, typed};

/// Begins a session, and lets time pass until a tab shows it.
fn begin_for(desk: &mut Desk, tab: &Tab) -> SessionId {
    let session = desk.begin(&script(json!([{ "text": "Ready." }])));
    desk.world
        .run_until("it is shown", LATER, |_| tab.view().session(&session).is_some());
    session
}

/// R13
#[test]
fn both_tabs_of_a_device_answer() {
    let mut desk = Desk::new(1);
    let second = desk.world.open_tab(&desk.device);
    let (one, two) = (desk.begin(&asks("One?")), desk.begin(&asks("Two?")));
    let (one, two) = (desk.until_waiting(&one), desk.until_waiting(&two));
    desk.world
        .run_until("the other tab shows them", LATER, |_| second.waiting().len() == 2);
    desk.answer(&one.id, blue());
    second.answer(&two.id, red()).expect("it waits");
    desk.until_answered(&one.id);
    desk.until_answered(&two.id);
    desk.world.run_until("the other tab knows", LATER, |_| {
        second.state(&one.id).as_ref().is_none_or(is_answered)
    });
}

/// R13
#[test]
fn a_follower_reads_nothing_while_the_leader_shows_it_everything() {
    let mut desk = Desk::new(1);
    let second = desk.world.open_tab(&desk.device);
    let session = desk.begin(&asks("Which?"));
    desk.until_waiting(&session);
    desk.world.run_for(LATER);
    let before = second.refreshes();
    desk.world.run_for(LATER);
    assert_eq!(second.refreshes() - before, 0);
}

/// R4, R13
#[test]
fn a_follower_without_the_password_says_so_all_the_time_and_sends_once_it_has_it() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let second = desk.world.open_tab(&desk.device);
    desk.world
        .run_until("the other tab shows it", LATER, |_| second.waiting().len() == 1);
    desk.world.server.set_password(true);
    desk.tab.has_password.set(true);
    desk.tab.handle.credentials_changed();
    second.answer(&request.id, blue()).expect("it waits");
    desk.world.run_until("it is turned away", LATER, |_| {
        second.view().server.link == Link::Password
    });
    for _ in 0..60 {
        desk.world.run_for(Duration::from_secs(1));
        assert_eq!(second.view().server.link, Link::Password);
    }
    assert_eq!(desk.replies(&request.id), []);
    second.has_password.set(true);
    second.handle.credentials_changed();
    desk.until_answered(&request.id);
    assert_eq!(second.view().server.link, Link::Live);
}

/// R13
#[test]
fn a_follower_reads_nothing_while_all_is_quiet() {
    let mut desk = Desk::new(1);
    desk.quiet_session();
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(2 * LATER);
    assert_eq!(second.reads_of_the_minute(), 0);
}

/// R13: what was updated last is in no list any more
#[test]
fn a_follower_reads_no_more_because_the_newest_session_was_deleted_before_it_was_opened() {
    let reads = [false, true].map(|is_deleted| {
        let mut desk = Desk::new(1);
        let session = desk.begin(&asks("Which?"));
        desk.until_waiting(&session);
        let newest = desk.quiet_session();
        if is_deleted {
            desk.world.server.delete(&newest);
        }
        let second = desk.world.open_tab(&desk.device);
        desk.world.run_for(2 * LATER);
        second.reads_of_the_minute()
    });
    assert!(reads[1] <= reads[0] + 1, "{reads:?} reads in a minute");
}

/// R13: the device and its server were set back together, and a tab that was open before goes on by its old clock
#[test]
fn a_tab_whose_clock_is_ahead_shows_a_session_that_was_updated_after_the_clocks_were_set_back() {
    let mut desk = Desk::new(1);
    desk.tab.set_clock_ahead(Duration::from_secs(3_600));
    desk.world.server.set_clock_ahead(3_600_000);
    let asking = desk.begin(&asks("Which?"));
    desk.until_waiting(&asking);
    let session = desk.quiet_session();
    desk.world.server.set_clock_ahead(0);
    let second = desk.world.open_tab(&desk.device);
    desk.world.move_lead(&second);
    desk.world.run_for(SOON);
    let again = script(json!([{ "text": "Again." }]));
    desk.world.other.prompt(&session, &again.to_prompt());
    desk.world.run_for(SOON);
    let updated = desk.world.server.session(&session).map(|session| session.updated);
    for tab in [&second, &desk.tab] {
        let shown = || tab.view().session(&session).map(|shown| shown.session.updated);
        desk.world.run_until("it is shown", LATER, |_| shown() == updated);
    }
}

/// R13: also while the other tab reads all sessions for it
#[test]
fn a_follower_shows_no_session_that_was_deleted_elsewhere() {
    let mut desk = Desk::new(1);
    let asking = desk.begin(&asks("Which?"));
    desk.until_waiting(&asking);
    let second = desk.world.open_tab(&desk.device);
    let session = desk.quiet_session();
    desk.world.run_for(SOON);
    desk.world.server.delete(&session);
    for tab in [&desk.tab, &second] {
        desk.world.run_until("it is not shown any more", 2 * LATER, |_| {
            tab.view().session(&session).is_none()
        });
    }
}

/// R13: lists of what has been updated lately do not name it
#[test]
fn a_tab_that_has_missed_a_list_does_not_wait_for_the_next_complete_one() {
    let mut desk = Desk::new(1);
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = true;
    let missed = begin_for(&mut desk, &second);
    begin_for(&mut desk, &second);
    desk.world.run_for(2 * SOON);
    desk.world.move_lead(&second);
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    let tab = desk.tab.clone();
    desk.world
        .run_until("it is shown", 3 * SOON, |_| tab.view().session(&missed).is_some());
}

/// R13
#[test]
fn two_tabs_do_not_answer_one_request_twice() {
    for seed in 0..40 {
        let mut desk = Desk::new(seed);
        let second = desk.world.open_tab(&desk.device);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.world
            .run_until("the other tab shows it", LATER, |_| second.state(&request.id).is_some());
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(desk.world.random().below(8)));
        // Whether the page still takes it depends on the moment; it must not be sent in either case.
        let _ = second.answer(&request.id, red());
        let server = desk.world.server.clone();
        desk.world
            .run_until("the agent has an answer", LATER, |_| server.deliveries(&request.id) > 0);
        desk.world.run_for(LATER);
        let reached = desk.replies(&request.id);
        assert_eq!(reached, [Reached::Agent], "{}", desk.world.story());
    }
}

/// R8: what another tab has read proves nothing about a send of this one, whatever its clock says
#[test]
fn a_reply_in_doubt_is_not_sent_again_on_the_word_of_a_tab_whose_clock_is_ahead() {
    let mut in_doubt = 0;
    for delay in (0..8_000).step_by(100) {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        let second = desk.world.open_tab(&desk.device);
        desk.tab.set_clock_ahead(Duration::from_secs(3_600));
        desk.world
            .run_until("the other tab shows it", LATER, |_| second.state(&request.id).is_some());
        desk.tab.faults.borrow_mut().latency = Duration::from_millis(2_000)..Duration::from_millis(2_001);
        desk.world.run_for(Duration::from_millis(delay));
        second.faults.borrow_mut().response_lost = 100;
        second.answer(&request.id, blue()).expect("it waits");
        desk.world.run_for(SOON);
        in_doubt += usize::from(desk.world.watch().fates().contains_key(&Fate::ResponseLost));
        second.faults.borrow_mut().response_lost = 0;
        desk.world.run_for(SOON);
        assert_eq!(
            desk.replies(&request.id),
            [Reached::Agent],
            "{delay} ms: {}",
            desk.world.story()
        );
        desk.world.run_until("the tab knows", LATER, |_| {
            second.state(&request.id).as_ref().is_none_or(is_answered)
        });
    }
    assert!(in_doubt > 20, "{in_doubt} were in doubt");
}

/// R13: the pause between two attempts is not that of another clock
#[test]
fn what_a_tab_whose_clock_is_ahead_has_begun_another_one_finishes_in_time() {
    let mut sent_by_the_other = 0;
    for moment in 0..8 {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        let second = desk.world.open_tab(&desk.device);
        desk.tab.set_clock_ahead(Duration::from_secs(3_600));
        desk.world
            .run_until("the other tab shows it", LATER, |_| second.state(&request.id).is_some());
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(moment));
        let is_taken = second.answer(&request.id, blue()).is_ok();
        desk.world.run_for(SOON);
        desk.world.close_tab(desk.tab.clone());
        sent_by_the_other += usize::from(is_taken && desk.replies(&request.id).is_empty());
        desk.world.run_for(SOON + SOON);
        assert_eq!(
            desk.replies(&request.id),
            [Reached::Agent],
            "after {moment} ms: {}",
            desk.world.story()
        );
    }
    assert!(
        sent_by_the_other > 2,
        "{sent_by_the_other} were finished by the other tab"
    );
}

/// R19: what was given at a time that is still to come may be of any age
#[test]
fn a_permission_is_not_given_by_a_tab_that_cannot_tell_when_it_was_said() {
    for (ahead, is_sent) in [(0, true), (3_600, false)] {
        let (mut desk, _, request) = Desk::with(&runs("make"));
        desk.tab.set_clock_ahead(Duration::from_secs(ahead));
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, Reply::Once);
        desk.world.run_for(SOON);
        desk.world.close_tab(desk.tab.clone());
        let later = desk.world.open_tab(&desk.device);
        desk.world.run_for(SOON + SOON);
        assert_eq!(!desk.replies(&request.id).is_empty(), is_sent, "{}", desk.world.story());
        let reason = NotSentReason::AgeUnknown;
        let is_told = later.state(&request.id) == Some(RequestState::NotSent { reason });
        assert_eq!(is_told, !is_sent, "{:?}", later.state(&request.id));
    }
}

/// R4: whoever was slower hears whose answer was sent, and keeps his own
#[test]
fn of_two_tabs_that_answer_at_once_the_slower_one_is_told_and_keeps_its_text() {
    let (mut told, mut hidden) = (0, 0);
    for seed in 0..200 {
        let mut desk = Desk::new(seed);
        let second = desk.world.open_tab(&desk.device);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.world
            .run_until("the other tab shows it", LATER, |_| second.state(&request.id).is_some());
        // The slower tab may hear of everything late: a browser throttles timers and messages.
        if seed % 2 == 0 {
            desk.world.freeze_tab(&second);
            hidden += 1;
        }
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(desk.world.random().below(6)));
        let is_taken = second.answer(&request.id, red()).is_ok();
        desk.world.run_for(Duration::from_millis(500));
        desk.world.thaw_tab(&second);
        desk.world.run_for(SOON);
        let delivered = desk.world.server.deliveries(&request.id);
        assert_eq!(delivered, 1);
        if !is_taken || desk.tab.state(&request.id).is_none_or(|state| !is_answered(&state)) {
            continue;
        }
        told += 1;
        let shown = second.request(&request.id).expect("its text is left");
        let elsewhere = ElsewhereAnswer::Answers(vec![vec!["Blue".to_owned()]]);
        assert!(
            matches!(&shown.state, RequestState::AnsweredElsewhere { answer, .. } if *answer == elsewhere),
            "seed {seed}: {:?}",
            shown.state
        );
        let kept = shown.draft.as_ref().and_then(Draft::answers);
        assert_eq!(kept, Some(vec![vec!["Red".to_owned()]]), "seed {seed}");
        let correction = shown.rescue.as_ref().expect("a correction is offered");
        assert!(correction.text.ends_with("My answer: Red"), "{}", correction.text);
        let on_device = desk.device.drafts();
        assert!(
            on_device.iter().any(|draft| draft.answers() == kept),
            "seed {seed}: it survives a reload"
        );
    }
    assert!(told > 20 && hidden > 20, "{told} were told, {hidden} were frozen");
}

/// R19: what has arrived from another tab is not said again, while the storage takes a second for each write
#[test]
fn a_permission_that_another_tab_has_given_is_not_given_again() {
    for delay in (0..1_000).step_by(50) {
        let (mut desk, _, request) = Desk::with(&runs("make"));
        let second = desk.world.open_tab(&desk.device);
        desk.world
            .run_until("the other tab shows it", LATER, |_| second.state(&request.id).is_some());
        desk.device.set_health(StoreHealth::Slow(Duration::from_secs(1)));
        desk.answer(&request.id, Reply::Once);
        desk.world.run_for(Duration::from_millis(delay));
        second.answer(&request.id, Reply::Always).expect("it waits");
        desk.device.set_health(StoreHealth::Well);
        desk.world.run_for(SOON);
        assert_eq!(desk.replies(&request.id), [Reached::Agent], "{}", desk.world.story());
        let outcomes = second.outcomes.borrow();
        assert!(outcomes.contains_key(&request.id), "whoever waits hears how it ended");
        let figures = second.handle.figures();
        assert!(figures.iter().all(|figure| figure.confirmed.is_some()), "{figures:?}");
    }
}

/// R13: two tabs fill in one form before either has heard of the other
#[test]
fn what_one_tab_types_outlives_what_another_one_chooses_at_the_same_time() {
    let chosen = |request: &Request| {
        let mut draft = typed(request, "");
        if let DraftText::Form { fields, .. } = &mut draft.text {
            fields[0].chosen.push("Blue".to_owned());
        }
        draft
    };
    for (delay, is_closed) in [(0, false), (1, false), (3, false), (3, true)] {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        let first = desk.world.open_tab(&desk.device);
        desk.world
            .run_until("the other tab shows it", LATER, |_| first.state(&request.id).is_some());
        // What the other tab tells is late.
        first.draft(typed(&request, "half a thou"));
        desk.world.run_for(Duration::from_millis(delay));
        desk.tab.draft(chosen(&request));
        desk.world.run_for(Duration::from_millis(2));
        if is_closed {
            desk.world.close_tab(first);
        }
        desk.world.other.reply(&request, blue());
        desk.world.run_for(LATER);
        let shown = desk.tab.request(&request.id).expect("it has just ended");
        let draft = shown.draft.as_ref().expect("it was not sent");
        let DraftText::Form { fields, .. } = &draft.text else {
            panic!("a form")
        };
        assert_eq!(
            (fields[0].own.as_str(), &fields[0].chosen[..]),
            ("half a thou", &["Blue".to_owned()][..]),
            "{delay} ms, {is_closed}: {}",
            desk.world.story()
        );
        assert_eq!(desk.device.drafts(), std::slice::from_ref(draft));
    }
}

/// R7: the message that another tab has brought is not brought again
#[test]
fn an_answer_that_another_tab_has_sent_as_a_message_is_not_sent_again() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    let second = desk.world.open_tab(&desk.device);
    desk.tab.draft(typed(&request, "Blue, as the sea"));
    desk.world
        .run_until("the other tab shows it", LATER, |_| second.state(&request.id).is_some());
    desk.world.other.abort(&session);
    desk.world.run_until("both tabs offer the message", LATER, |_| {
        let offers = |tab: &Tab| {
            tab.request(&request.id)
                .is_some_and(|shown| shown.rescue.as_ref().is_some_and(|rescue| rescue.complete))
        };
        offers(&desk.tab) && offers(&second)
    });
    desk.device.set_health(StoreHealth::Slow(Duration::from_secs(1)));
    desk.tab.rescue(&request.id).expect("it is offered");
    desk.world.run_for(Duration::from_millis(900));
    second.rescue(&request.id).expect("it is offered there, too");
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_for(LATER);
    let messages = desk.world.server.messages(&session);
    let said = messages.iter().filter(|message| message.role == Role::User);
    let brought = said.filter(|message| message.text().contains("Blue, as the sea"));
    assert_eq!(brought.count(), 1, "{}", desk.world.story());
    assert!(
        matches!(second.stored.borrow()[..], [Ok(_)]),
        "{:?}",
        second.stored.borrow()
    );
}

/// R13
#[test]
fn another_tab_delivers_what_a_crashed_one_has_saved() {
    for milliseconds in 3..40 {
        let mut desk = Desk::new(milliseconds);
        let second = desk.world.open_tab(&desk.device);
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.world
            .run_until("the other tab shows it", LATER, |_| second.state(&request.id).is_some());
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(milliseconds));
        desk.world.close_tab(desk.tab.clone());
        desk.tab = second;
        let server = desk.world.server.clone();
        desk.world
            .run_until("the agent has it", LATER, |_| server.deliveries(&request.id) == 1);
    }
}

/// R13
#[test]
fn a_visible_tab_does_not_depend_on_a_frozen_leader() {
    let mut desk = Desk::new(1);
    let second = desk.world.open_tab(&desk.device);
    desk.world.run_for(LATER);
    desk.world.freeze_tab(&desk.tab);
    let session = desk.begin(&asks("Which?"));
    desk.world.run_until("it is shown", Duration::from_secs(12), |_| {
        second.waiting().iter().any(|shown| shown.request.session == session)
    });
}

/// R1
#[test]
fn a_hidden_tab_reads_at_its_own_pace_beside_one_that_is_looked_at() {
    let mut desk = Desk::new(1);
    let second = desk.world.open_tab(&desk.device);
    let sessions = ["One?", "Two?", "Three?"].map(|text| desk.begin(&asks(text)));
    second.handle.set_visible(false);
    desk.world.run_for(LATER);
    // Four times three lists, three sessions, and the list of these.
    let reads = second.reads_of_the_minute();
    assert!(reads <= 4 * (3 + 3 + 1), "{reads} reads in a minute");
    let late = desk.begin(&asks("And?"));
    desk.until_waiting(&late);
    desk.world
        .run_until("it is shown at once", Duration::from_secs(1), |_| {
            second.waiting().len() == sessions.len() + 1
        });
}

/// R1: what another tab reads spares nothing that this one does not take
#[test]
fn a_tab_whose_clock_is_ahead_reads_the_lists_that_it_does_not_take_from_the_leader() {
    let mut desk = Desk::new(1);
    let thinks_first = script(json!([{ "tools": [question("Which?")], "delay": 10_000 }]));
    let session = desk.begin(&thinks_first);
    desk.world.run_for(SOON);
    let second = desk.world.open_tab(&desk.device);
    second.set_clock_ahead(Duration::from_secs(3_600));
    second.faults.borrow_mut().unreadable = Some(|read| matches!(read, Read::Status(_)));
    desk.world.run_for(Duration::from_secs(1));
    second.faults.borrow_mut().unreadable = None;
    desk.until_waiting(&session);
    desk.world.run_until("it is shown in the other tab, too", SOON, |_| {
        second.waiting().iter().any(|shown| shown.request.session == session)
    });
}

/// R2
#[test]
fn a_follower_hides_a_ghost_whose_list_comes_after_the_status() {
    for seed in 0..20 {
        let mut desk = Desk::new(seed);
        desk.quiet_session();
        desk.world.run_for(LATER);
        desk.tab.faults.borrow_mut().latency = Duration::ZERO..Duration::from_secs(1);
        let second = desk.world.open_tab(&desk.device);
        desk.world.run_for(Duration::from_secs(10));
        let session = desk.begin(&runs("echo hi"));
        desk.world.run_for(Duration::from_millis(300));
        desk.world.server.delete(&session);
        let mut seconds = 0;
        for _ in 0..100 {
            desk.world.run_for(Duration::from_secs(1));
            seconds += second.waiting().len();
        }
        assert!(seconds <= 6, "the ghost is shown for {seconds} s");
    }
}

/// R1
#[test]
fn a_follower_that_is_cut_off_tries_less_and_less_often_while_its_leader_reads() {
    let mut desk = Desk::new(1);
    let second = desk.world.open_tab(&desk.device);
    (0..6).for_each(|_| drop(desk.begin(&asks("Which?"))));
    desk.world.run_for(LATER);
    second.faults.borrow_mut().is_cut = true;
    desk.world.run_for(LATER);
    let lost = |desk: &Desk| {
        desk.world
            .watch()
            .fates()
            .get(&Fate::RequestLost)
            .copied()
            .unwrap_or_default()
    };
    let before = lost(&desk);
    desk.world.run_for(Duration::from_secs(60));
    let reads = lost(&desk) - before;
    assert!(reads < 60, "{reads} reads in a minute");

    second.faults.borrow_mut().is_cut = false;
    let session = desk.begin(&asks("And?"));
    desk.world.run_until("it is shown", SOON, |_| {
        second.waiting().iter().any(|shown| shown.request.session == session)
    });
}

/// R4
#[test]
fn of_two_devices_the_first_wins_and_the_other_is_told() {
    for seed in 0..40 {
        let mut desk = Desk::new(seed);
        let other = desk.world.open_tab(&Device::default());
        let session = desk.begin(&asks("Which?"));
        let request = desk.until_waiting(&session);
        desk.world.run_until("the other device shows it", LATER, |_| {
            other.state(&request.id).is_some()
        });
        desk.answer(&request.id, blue());
        other.answer(&request.id, red()).expect("it waits there, too");
        let server = desk.world.server.clone();
        desk.world
            .run_until("the agent has an answer", LATER, |_| server.deliveries(&request.id) > 0);
        desk.world.run_for(Duration::from_secs(8));
        let states = [&desk.tab, &other].map(|tab| tab.state(&request.id));
        let told = |state: &Option<RequestState>| {
            matches!(
                state,
                Some(RequestState::AnsweredElsewhere {
                    answer: ElsewhereAnswer::Answers(_),
                    ..
                })
            )
        };
        assert_eq!(
            states.iter().filter(|state| told(state)).count(),
            1,
            "{states:?}\n{}",
            desk.world.story()
        );
    }
}

/// R4, R13
#[test]
fn the_slower_of_two_tabs_hears_what_was_answered_and_keeps_its_text() {
    let mut desk = Desk::new(1);
    let other = desk.world.open_tab(&desk.device);
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    desk.world.run_for(SOON);
    other.answer(&request.id, blue()).expect("it waits in both tabs");
    desk.answer(&request.id, red());
    let outcome = desk.until_outcome(&request.id);
    assert_eq!(
        outcome,
        Outcome::AnsweredElsewhere(ElsewhereAnswer::Answers(vec![vec!["Blue".to_owned()]]))
    );
    desk.world.run_for(SOON);
    desk.reload();
    desk.world.run_for(SOON);
    let shown = desk.tab.request(&request.id).expect("its text is kept");
    let draft = shown.draft.as_ref().and_then(switchboard_core::model::Draft::answers);
    assert_eq!(draft, Some(vec![vec!["Red".to_owned()]]));
    let correction = shown.rescue.as_ref().expect("a correction is offered");
    assert!(correction.text.ends_with("My answer: Red"), "{}", correction.text);
    assert_eq!(desk.world.server.deliveries(&request.id), 1);
}

/// R4, R19: nobody is told that a permission was given which another tab has refused
#[test]
fn the_slower_of_two_tabs_hears_whether_a_permission_was_given() {
    let refused = (Reply::Reject { message: None }, Reply::Once, ElsewhereAnswer::Rejected);
    let given = (Reply::Once, Reply::Reject { message: None }, ElsewhereAnswer::Allowed);
    for (first, second, told) in [refused, given] {
        let (mut desk, _, request) = Desk::with(&runs("make"));
        let other = desk.world.open_tab(&desk.device);
        desk.world.run_for(SOON);
        other.answer(&request.id, first).expect("it waits in both tabs");
        desk.answer(&request.id, second);
        assert_eq!(desk.until_outcome(&request.id), Outcome::AnsweredElsewhere(told));
    }
}

/// F4, R13
#[test]
fn what_one_tab_takes_back_unsent_is_shown_by_no_other() {
    let mut desk = Desk::new(1);
    let second = desk.world.open_tab(&desk.device);
    let session = desk.quiet_session();
    desk.world
        .run_until("the other tab knows it", LATER, |_| second.session(&session).is_some());
    second.faults.borrow_mut().is_cut = true;
    let follow = |text| second.follow_up(&session, text, &FollowUpOptions::default());
    let _ends = (follow("First"), follow("Second"));
    desk.world.run_for(SOON);
    second.cancel_follow_ups();
    desk.world.run_for(SOON);
    second.faults.borrow_mut().is_cut = false;
    desk.world.run_for(LATER);
    assert!(desk.tab.view().prompts.is_empty(), "{:?}", desk.tab.view().prompts);
}

/// F4
#[test]
fn what_one_tab_takes_back_unsent_is_sent_by_no_other() {
    let mut unsent = 0;
    for seed in 0..25 {
        let mut desk = Desk::new(seed);
        let second = desk.world.open_tab(&desk.device);
        let session = desk.quiet_session();
        desk.world
            .run_until("the other tab knows it", LATER, |_| second.session(&session).is_some());
        desk.device.set_health(StoreHealth::Slow(Duration::from_secs(1)));
        let ended = second.follow_up(&session, "Never mind", &FollowUpOptions::default());
        desk.world.run_for(Duration::from_millis(100 * seed));
        second.cancel_follow_ups();
        desk.world.run_for(LATER);
        let is_unsent = matches!(ended.take(), Some(Err(FollowUpError::Cancelled { sent: WasSent::No })));
        let messages = desk.world.server.messages(&session);
        let is_there = messages.iter().any(|message| message.text() == "Never mind");
        assert!(!is_unsent || !is_there, "cancelled after {seed} tenths of a second");
        unsent += u32::from(is_unsent);
    }
    assert!(unsent > 3, "{unsent} of them were taken back in time");
}
