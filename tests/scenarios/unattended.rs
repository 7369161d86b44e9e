//! Requests that nobody answers: the warning, the time-out, and what the policy does then.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use serde_json::json;
use switchboard_core::Unresolved;
use switchboard_core::metrics::{AnsweredBy, Figure};
use switchboard_core::model::{Outcome, Reply, Request};
use switchboard_core::policy::{Policy, Then, Unattended};
use switchboard_core::ports::{Read, StoreError};
use switchboard_core::view::{RequestView, Unanswered};
use switchboard_tests::opencode::script::Script;
use switchboard_tests::scripts::{asks, runs, script};
use switchboard_tests::store::StoreHealth;

use crate::desk::{Desk, LATER, SOON, blue, is_answered, red, typed};

const AFTER: Duration = Duration::from_secs(600);

/// A desk at which this request waits, and what happens when nobody answers it within [`AFTER`].
fn desk(script: &Script, then: Then) -> (Desk, Request) {
    let mut desk = Desk::new(1);
    set_policy(&desk, then);
    let session = desk.begin(script);
    let request = desk.until_waiting(&session);
    (desk, request)
}

fn set_policy(desk: &Desk, then: Then) {
    let policy = Policy {
        after: Some(AFTER),
        then,
    };
    desk.tab.handle.set_unattended(Unattended {
        questions: policy.clone(),
        permissions: policy,
        ..Unattended::default()
    });
}

fn shown(desk: &Desk, request: &Request) -> Arc<RequestView> {
    desk.tab.request(&request.id).expect("it is shown")
}

fn unanswered(desk: &Desk, request: &Request) -> Unanswered {
    shown(desk, request).unanswered.clone().expect("nobody has answered")
}

fn figure(desk: &Desk, request: &Request) -> Figure {
    let figures = desk.tab.handle.figures();
    let found = figures.into_iter().find(|figure| figure.request == request.id);
    found.expect("every request has its figure")
}

/// R5, R6
#[test]
fn a_time_out_warns_frees_who_waits_and_leaves_the_request_answerable() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
    let end = Rc::new(RefCell::new(None));
    let (waiting, result) = (desk.tab.handle.wait(&request.id).expect("it is known"), end.clone());
    desk.tab.run(async move {
        let resolved = waiting.await;
        result.replace(Some(resolved));
    });
    desk.world.run_for(AFTER / 2 - SOON);
    assert!(!unanswered(&desk, &request).warned);
    desk.world.run_for(SOON * 2);
    assert!(unanswered(&desk, &request).warned);
    assert!(end.borrow().is_none());
    desk.world.run_for(AFTER / 2);
    assert!(unanswered(&desk, &request).timed_out.is_some());
    assert_eq!(end.take(), Some(Err(Unresolved::TimedOut)));
    assert!(shown(&desk, &request).state.is_waiting());
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
    assert!(!shown(&desk, &request).by_policy);
}

/// R5, R13
#[test]
fn a_reload_does_not_start_the_time_again() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
    let until = unanswered(&desk, &request).until;
    desk.world.run_for(Duration::from_secs(200));
    let policies = Policy {
        after: Some(AFTER),
        then: Then::Leave,
    };
    desk.world.config.unattended.questions = policies;
    desk.reload();
    desk.until_waiting(&request.session);
    desk.world.run_for(SOON);
    assert_eq!(unanswered(&desk, &request).until, until);
}

/// R5, R13
#[test]
fn a_clock_that_was_set_back_starts_the_time_again_once_and_not_with_each_reload() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
    desk.world.run_for(SOON);
    let ahead = desk.device.clock_ahead();
    ahead.set(ahead.get() - 3_600_000);
    desk.reload();
    desk.until_waiting(&request.session);
    let until = unanswered(&desk, &request).until;
    desk.world.run_for(SOON);
    desk.reload();
    desk.until_waiting(&request.session);
    desk.world.run_for(SOON);
    assert_eq!(unanswered(&desk, &request).until, until);
}

/// R5, R12
#[test]
fn a_policy_that_rejects_says_nothing_to_a_ghost() {
    let (mut desk, request) = desk(&runs("ls"), Then::Reject);
    let policy = Policy {
        after: Some(AFTER),
        then: Then::Reject,
    };
    desk.world.config.unattended.permissions = policy;
    desk.world.run_for(SOON);
    desk.world.other.abort(&request.session);
    desk.world.freeze_tab(&desk.tab);
    desk.world.run_for(AFTER);
    desk.world.other.prompt(&request.session, &runs("make").to_prompt());
    desk.world.run_for(SOON);
    desk.reload();
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id), []);
}

/// R5, R12: a look from before the page stood still says nothing about now
#[test]
fn a_policy_of_a_page_that_stood_still_after_its_look_reaches_no_ghost() {
    let waiting = || {
        let (desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
        desk.tab.entrust(&request, &blue());
        (desk, request)
    };
    let (mut desk, request) = waiting();
    let (server, begun) = (desk.world.server.clone(), desk.world.now());
    desk.world.run_until("the policy has answered", 2 * AFTER, |_| {
        !server.listed().iter().any(|listed| listed.id == request.id)
    });
    let replied = desk.world.now().since(begun);
    let mut unsent = 0;
    for early in 0..60 {
        let (mut desk, request) = waiting();
        desk.world.run_for(replied - Duration::from_millis(early));
        desk.world.freeze_tab(&desk.tab);
        desk.world.run_for(Duration::from_secs(1));
        let under_way = desk.replies(&request.id).len();
        unsent += usize::from(under_way == 0);
        desk.world.other.abort(&request.session);
        desk.world.run_for(Duration::from_secs(80));
        desk.world.thaw_tab(&desk.tab);
        desk.world.run_for(LATER);
        let reached = desk.replies(&request.id).split_off(under_way);
        assert_eq!(reached, [], "{early} ms: {}", desk.world.story());
    }
    assert!(unsent > 30, "{unsent} were not sent when the page stood still");
}

/// R5, R4
#[test]
fn a_policy_does_not_replace_what_a_person_has_said_and_could_not_be_sent() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.tab.faults.borrow_mut().refusal = Some(400);
    desk.answer(&request.id, red());
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().refusal = None;
    desk.world.run_for(AFTER + LATER);
    assert_eq!(shown(&desk, &request).reply, Some(red()));
    assert_eq!(desk.replies(&request.id), []);
}

/// R5, R13
#[test]
fn what_a_person_was_typing_outlives_the_reply_of_a_policy() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Reject);
    desk.tab.entrust(&request, &Reply::Dismiss);
    desk.tab.draft(typed(&request, "Turquoise"));
    desk.world.run_for(AFTER);
    desk.until_ended(&request.session);
    desk.world.run_for(SOON);
    assert_eq!(desk.device.drafts(), [typed(&request, "Turquoise")]);
}

/// R5
#[test]
fn a_policy_that_rejects_turns_the_question_away() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Reject);
    desk.tab.entrust(&request, &Reply::Dismiss);
    desk.world.run_for(AFTER);
    desk.until_ended(&request.session);
    assert_eq!(figure(&desk, &request).by, Some(AnsweredBy::Policy));
}

/// R5
#[test]
fn a_default_answer_comes_after_a_countdown_and_is_the_option_that_was_chosen_for_it() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.tab.entrust(&request, &blue());
    desk.world.run_for(AFTER + SOON);
    let left = unanswered(&desk, &request).answering_in.expect("it counts down");
    assert!(left > Duration::from_secs(50), "{left:?}");
    desk.world.run_for(Duration::from_secs(50));
    assert!(shown(&desk, &request).state.is_waiting(), "the countdown is 60 s long");
    desk.until_state(&request.id, "answered", is_answered);
    assert_eq!(shown(&desk, &request).reply, Some(blue()));
    assert!(shown(&desk, &request).by_policy, "no person has answered");
    assert_eq!(figure(&desk, &request).by, Some(AnsweredBy::Policy));
}

/// R5
#[test]
fn a_countdown_that_a_person_stops_answers_nothing() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.world.run_for(AFTER + SOON);
    desk.tab.handle.stop_countdown(&request.id);
    desk.world.run_for(LATER * 10);
    assert!(shown(&desk, &request).state.is_waiting());
    assert_eq!(desk.replies(&request.id), []);
}

/// R5
#[test]
fn a_countdown_that_was_stopped_does_not_begin_again_after_a_reload() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.world.run_for(AFTER + SOON);
    desk.tab.handle.stop_countdown(&request.id);
    desk.world.run_for(SOON);
    desk.reload();
    set_policy(&desk, Then::Answer("Blue".to_owned()));
    desk.world.run_for(LATER * 10);
    assert!(shown(&desk, &request).state.is_waiting());
    assert_eq!(desk.replies(&request.id), []);
}

/// A desk whose question was asked 600 s ago, and whose page is opened anew while its storage is in such a state, or answers
/// no load of figures. It is well again after this time.
fn reopened(is_stopped: bool, trouble: Option<StoreHealth>, lasts: Duration) -> (Desk, Request) {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.world.run_for(AFTER + SOON);
    if is_stopped {
        desk.tab.handle.stop_countdown(&request.id);
    }
    desk.world.run_for(SOON);
    match trouble {
        Some(health) => desk.device.set_health(health),
        None => desk.device.leave_figures_unanswered(2),
    }
    desk.reload();
    set_policy(&desk, Then::Answer("Blue".to_owned()));
    desk.tab.entrust(&request, &blue());
    desk.world.run_for(lasts);
    desk.device.set_health(StoreHealth::Well);
    (desk, request)
}

/// How the storage is while a page is opened: it fails, it hangs, or two loads of figures are never answered.
const TROUBLES: [Option<StoreHealth>; 3] = [Some(StoreHealth::Broken), Some(StoreHealth::Hanging), None];

/// R5
#[test]
fn a_countdown_that_was_stopped_stays_so_while_the_storage_cannot_be_read() {
    for trouble in TROUBLES {
        for lasts in [SOON, LATER, AFTER * 3] {
            let (mut desk, request) = reopened(true, trouble, lasts);
            assert_eq!(desk.replies(&request.id), [], "{trouble:?} for {lasts:?}");
            desk.world.run_for(LATER * 10);
            assert!(shown(&desk, &request).state.is_waiting());
            assert_eq!(desk.replies(&request.id), [], "{trouble:?} for {lasts:?}");
        }
    }
}

/// R5: it counts from when the question was first seen
#[test]
fn a_policy_acts_as_soon_as_the_storage_can_be_read_again() {
    for trouble in TROUBLES {
        for lasts in [SOON, LATER, AFTER * 3] {
            let (mut desk, request) = reopened(false, trouble, lasts);
            let answered = desk.replies(&request.id).len();
            assert!(trouble.is_none() || answered == 0, "{trouble:?} for {lasts:?}");
            desk.world
                .run_until("the agent has its answer", LATER + LATER, |world| {
                    world.server.deliveries(&request.id) == 1
                });
        }
    }
}

/// R5
#[test]
fn a_countdown_that_a_person_stops_in_one_tab_is_stopped_in_all() {
    for is_closed in [false, true] {
        let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
        let first = desk.tab.clone();
        desk.tab = desk.world.open_tab(&desk.device);
        set_policy(&desk, Then::Answer("Blue".to_owned()));
        desk.world.run_for(AFTER + SOON);
        assert!(unanswered(&desk, &request).answering_in.is_some(), "it counts down");
        first.handle.stop_countdown(&request.id);
        desk.world.run_for(SOON);
        if is_closed {
            desk.world.close_tab(first);
        }
        desk.world.run_for(LATER * 10);
        assert!(shown(&desk, &request).state.is_waiting());
        assert_eq!(desk.replies(&request.id), []);
    }
}

/// R5: what another tab stops after the countdown is over, and before the list comes that decides
#[test]
fn a_countdown_is_stopped_in_all_tabs_also_while_its_list_cannot_be_read() {
    fn cut(desk: &Desk, is_cut: bool) {
        desk.tab.faults.borrow_mut().is_cut = is_cut;
    }
    fn blind(desk: &Desk, is_blind: bool) {
        let is_unreadable: fn(&Read) -> bool = |read| matches!(read, Read::Status(_));
        desk.tab.faults.borrow_mut().unreadable = is_blind.then_some(is_unreadable);
    }
    for trouble in [cut, blind] {
        for after in [2, 10, 60, 600] {
            let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
            desk.tab.entrust(&request, &blue());
            let other = desk.world.open_tab(&desk.device);
            desk.world.run_for(AFTER + SOON);
            trouble(&desk, true);
            desk.world.run_for(Duration::from_secs(60 + after));
            other.handle.stop_countdown(&request.id);
            desk.world.run_for(SOON);
            trouble(&desk, false);
            desk.world.run_for(LATER * 2);
            assert_eq!(desk.replies(&request.id), [], "{after} s");
        }
    }
}

/// R5: a storage that is slow puts a policy off, and does not keep it from acting
#[test]
fn a_policy_acts_beside_a_storage_that_takes_seconds_for_each_load() {
    for seconds in [1, 4, 8, 20] {
        let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
        desk.tab.entrust(&request, &blue());
        desk.device.set_figures_delay(Duration::from_secs(seconds));
        desk.world.run_for(AFTER + Duration::from_secs(60));
        desk.world.run_until(
            "the agent has its answer",
            Duration::from_secs(10 + 2 * seconds),
            |world| world.server.deliveries(&request.id) == 1,
        );
    }
}

/// R5: figures that come late give nobody the time to decide
#[test]
fn a_policy_that_rejects_counts_down_where_the_first_sight_is_read_late() {
    for trouble in [StoreHealth::Broken, StoreHealth::Hanging] {
        for lasts in [70, 200, 500] {
            let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
            desk.world.run_for(AFTER + SOON);
            desk.device.set_health(trouble);
            desk.reload();
            set_policy(&desk, Then::Reject);
            desk.tab.entrust(&request, &Reply::Dismiss);
            desk.world.run_for(Duration::from_secs(lasts));
            desk.device.set_health(StoreHealth::Well);
            desk.world.run_for(Duration::from_secs(45));
            assert_eq!(desk.replies(&request.id), [], "{trouble:?}, {lasts} s");
            desk.world.run_for(LATER);
            assert_eq!(desk.replies(&request.id).len(), 1, "{trouble:?}, {lasts} s");
        }
    }
}

/// R5
#[test]
fn a_countdown_that_is_stopped_while_the_storage_is_full_stays_stopped() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.world.run_for(AFTER + SOON);
    desk.device.set_health(StoreHealth::Full);
    desk.tab.handle.stop_countdown(&request.id);
    desk.world.run_for(LATER);
    assert_eq!(desk.tab.view().server.unsaved, Some(StoreError::Full), "it is told");
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_for(SOON + SOON);
    assert_eq!(desk.tab.view().server.unsaved, None);
    desk.reload();
    set_policy(&desk, Then::Answer("Blue".to_owned()));
    desk.world.run_for(LATER * 10);
    assert!(shown(&desk, &request).state.is_waiting());
    assert_eq!(desk.replies(&request.id), []);
}

/// R5
#[test]
fn a_countdown_to_another_answer_ends() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.world.run_for(AFTER + SOON);
    let policy = Policy {
        after: Some(AFTER),
        then: Then::Answer("Red".to_owned()),
    };
    desk.tab.handle.set_unattended(Unattended {
        questions: policy,
        ..Unattended::never()
    });
    desk.world.run_for(LATER * 10);
    assert_eq!(unanswered(&desk, &request).answering_in, None);
    assert_eq!(desk.replies(&request.id), []);
}

/// R5
#[test]
fn a_countdown_ends_when_its_request_gets_more_time_or_for_ever() {
    for after in [Some(AFTER * 3), None] {
        let then = Then::Answer("Blue".to_owned());
        let (mut desk, request) = desk(&asks("Which?"), then.clone());
        desk.world.run_for(AFTER + SOON);
        assert!(unanswered(&desk, &request).answering_in.is_some());
        desk.tab.handle.set_unattended(Unattended {
            questions: Policy { after, then },
            ..Unattended::never()
        });
        desk.world.run_for(AFTER);
        assert_eq!(desk.replies(&request.id), []);
    }
}

/// R5, R6
#[test]
fn whoever_begins_to_wait_after_the_time_out_is_freed_at_once() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
    desk.world.run_for(AFTER + SOON);
    let waiting = desk.tab.handle.wait(&request.id).expect("it is known");
    assert_eq!(waiting.now_or_never(), Some(Err(Unresolved::TimedOut)));
}

/// R5, R6
#[test]
fn a_request_that_gets_more_time_is_warned_and_times_out_again() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
    desk.world.run_for(AFTER + SOON);
    let policy = Policy {
        after: Some(AFTER * 2),
        then: Then::Reject,
    };
    desk.tab.handle.set_unattended(Unattended {
        questions: policy,
        ..Unattended::never()
    });
    desk.world.run_for(SOON);
    let found = unanswered(&desk, &request);
    assert_eq!((found.warned, found.timed_out), (false, None));
    desk.tab.entrust(&request, &Reply::Dismiss);
    desk.world.run_for(AFTER);
    desk.until_ended(&request.session);
    assert_eq!(figure(&desk, &request).by, Some(AnsweredBy::Policy));
}

/// R5
#[test]
fn a_page_that_slept_through_the_countdown_has_not_shown_it() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.world.run_for(AFTER + SOON);
    desk.world.freeze_tab(&desk.tab);
    desk.world.run_for(Duration::from_secs(3_600));
    desk.world.thaw_tab(&desk.tab);
    desk.world.run_for(Duration::from_secs(20));
    assert!(unanswered(&desk, &request).answering_in.is_some());
    assert_eq!(desk.replies(&request.id), []);
}

/// R5
#[test]
fn a_default_answer_needs_a_list_that_still_names_the_question() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Answer("Blue".to_owned()));
    desk.world.run_for(AFTER + SOON);
    desk.tab.faults.borrow_mut().is_cut = true;
    desk.world.run_for(LATER);
    desk.world
        .other
        .reply(&request, Reply::Answers(vec![vec!["Red".to_owned()]]));
    desk.world.run_for(SOON);
    desk.tab.faults.borrow_mut().is_cut = false;
    desk.world.run_for(LATER);
    assert_eq!(desk.replies(&request.id).len(), 1, "only the other client has answered");
}

/// R5: when another tab began to read its list cannot be told, for its clock may differ
#[test]
fn a_default_answer_needs_a_list_that_its_own_tab_reads_after_the_countdown() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let second = desk.world.open_tab(&desk.device);
    second.handle.set_unattended(Unattended {
        questions: Policy {
            after: Some(AFTER),
            then: Then::Answer("Blue".to_owned()),
        },
        ..Unattended::default()
    });
    second.entrust(&request, &blue());
    desk.world.run_for(AFTER + SOON);
    let counts = second
        .request(&request.id)
        .and_then(|shown| shown.unanswered.as_ref()?.answering_in);
    assert!(counts.is_some());
    second.faults.borrow_mut().is_cut = true;
    desk.world.run_for(LATER);
    let is_said = second.request(&request.id).is_some_and(|shown| shown.by_policy);
    assert!(!is_said, "{}", desk.world.story());
    second.faults.borrow_mut().is_cut = false;
    desk.world.run_until("it is answered", LATER, |_| {
        second.state(&request.id).as_ref().is_some_and(is_answered)
    });
}

/// R5
#[test]
fn no_policy_ever_allows_anything() {
    let (mut desk, request) = desk(&runs("rm -rf x"), Then::Answer("once".to_owned()));
    desk.world.run_for(AFTER + LATER * 10);
    assert!(shown(&desk, &request).state.is_waiting());
    assert_eq!(desk.replies(&request.id), []);
}

/// R5
#[test]
fn an_option_that_is_not_offered_is_not_given() {
    let other = asks("Which?");
    let (mut desk, request) = desk(&other, Then::Answer("Green".to_owned()));
    desk.world.run_for(AFTER + LATER * 10);
    assert!(shown(&desk, &request).state.is_waiting());
}

/// R5
#[test]
fn without_a_policy_nothing_happens_by_itself() {
    let mut desk = Desk::new(1);
    desk.tab.handle.set_unattended(Unattended::never());
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    desk.world.run_for(Duration::from_secs(7_200));
    assert_eq!(shown(&desk, &request).unanswered, None);
}

/// R5
#[test]
fn a_request_whose_answer_is_on_its_way_does_not_time_out() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Reject);
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(AFTER * 2);
    desk.tab.faults.borrow_mut().posts_lost = false;
    assert!(matches!(desk.until_outcome(&request.id), Outcome::Confirmed { .. }));
}

/// R17
#[test]
fn every_request_has_its_times_and_who_answered_it() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
    desk.world.run_for(Duration::from_secs(30));
    desk.answer(&request.id, blue());
    desk.until_answered(&request.id);
    desk.world.run_for(SOON);
    let found = figure(&desk, &request);
    let (answered, accepted) = (found.answered.expect("it was"), found.accepted.expect("it was"));
    assert!(found.seen < answered && answered < accepted && accepted <= found.confirmed.expect("it was"));
    assert!(found.asked.is_some_and(|asked| asked <= found.seen.0));
    assert_eq!(found.by, Some(AnsweredBy::Here));
    desk.reload();
    desk.world.run_for(SOON);
    assert_eq!(figure(&desk, &request), found, "it outlives the page");
}

/// R17
#[test]
fn an_answer_from_elsewhere_is_told_apart() {
    let (mut desk, request) = desk(&asks("Which?"), Then::Leave);
    desk.world.other.reply(&request, blue());
    desk.world.run_for(SOON);
    assert_eq!(figure(&desk, &request).by, Some(AnsweredBy::Elsewhere));
}

/// R5
#[test]
fn the_policy_of_a_session_goes_before_that_of_the_kind() {
    let mut desk = Desk::new(1);
    let session = desk.begin(&script(json!([{ "text": "Ready." }])));
    desk.until_ended(&session);
    let mut unattended = Unattended::never();
    let policy = Policy {
        after: Some(AFTER),
        then: Then::Reject,
    };
    unattended.sessions.insert(session.clone(), policy);
    desk.tab.handle.set_unattended(unattended);
    desk.world.other.prompt(&session, &asks("Which?").to_prompt());
    let request = desk.until_waiting(&session);
    desk.tab.entrust(&request, &Reply::Dismiss);
    let other = desk.begin(&asks("And this?"));
    desk.until_waiting(&other);
    desk.world.run_for(AFTER + SOON);
    assert_eq!(desk.replies(&request.id).len(), 1);
    let left: Vec<_> = desk
        .tab
        .waiting()
        .iter()
        .map(|shown| shown.request.session.clone())
        .collect();
    assert_eq!(left, [other]);
}

/// R5: a laptop that sleeps, or a clock that is set, gives nobody the time to decide
#[test]
fn a_policy_does_not_act_in_the_moment_in_which_the_clock_jumps() {
    let policies = [
        (asks("Which?"), Then::Reject),
        (asks("Which?"), Then::Answer("Blue".to_owned())),
        (runs("ls"), Then::Reject),
    ];
    for (script, then) in policies {
        let (mut desk, request) = desk(&script, then.clone());
        let reply = match (&then, request.permission()) {
            (Then::Answer(_), _) => blue(),
            (_, Some(_)) => Reply::Reject { message: None },
            (_, None) => Reply::Dismiss,
        };
        desk.tab.entrust(&request, &reply);
        desk.world.run_for(SOON);
        let ahead = desk.device.clock_ahead();
        ahead.set(ahead.get() + 7_200_000);
        desk.world.run_for(Duration::from_secs(40));
        assert_eq!(desk.replies(&request.id), [], "{then:?}");
        let shown = unanswered(&desk, &request);
        assert!(shown.timed_out.is_some() && shown.answering_in.is_some(), "{shown:?}");
        desk.world.run_for(LATER);
        assert_eq!(
            desk.replies(&request.id).len(),
            1,
            "{then:?}: and a minute later it does"
        );
    }
}

/// R5
#[test]
fn a_countdown_after_a_jump_of_the_clock_can_be_stopped() {
    let (mut desk, request) = desk(&runs("ls"), Then::Reject);
    desk.world.run_for(SOON);
    let ahead = desk.device.clock_ahead();
    ahead.set(ahead.get() + 7_200_000);
    desk.world.run_for(SOON);
    desk.tab.handle.stop_countdown(&request.id);
    desk.world.run_for(LATER + LATER);
    assert_eq!(desk.replies(&request.id), []);
    assert!(shown(&desk, &request).state.is_waiting());
}
