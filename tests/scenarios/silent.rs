//! A storage that does not answer: each send waits for it for a while and no longer, and the person is told.

use std::time::Duration;

use switchboard_core::model::{Outcome, Request, RequestId, SessionId};
use switchboard_core::ports::StoreError;
use switchboard_core::view::{PromptState, RequestState};
use switchboard_core::{FollowUpError, FollowUpOptions, TurnReply, WasSent};
use switchboard_tests::opencode::Event;
use switchboard_tests::scripts::asks;
use switchboard_tests::store::StoreHealth;

use crate::desk::{Desk, LATER, SOON, blue, is_answered, red, typed};

/// How long a send waits at the most: for two answers of the store.
const WAITS: Duration = Duration::from_secs(4);

/// Each way in which claims are not answered.
#[derive(Clone, Copy, Debug)]
enum Silence {
    /// A phone over plain HTTP, whose claims are in a storage that hangs.
    Hangs,
    /// The same with one that takes so long.
    Slow(Duration),
    /// So many claims are never answered.
    Claims(usize),
}

impl Silence {
    const ALL: [Silence; 5] = [
        Silence::Hangs,
        Silence::Slow(Duration::from_secs(5)),
        Silence::Slow(Duration::from_secs(20)),
        Silence::Claims(1),
        Silence::Claims(usize::MAX),
    ];

    fn begin(self, desk: &Desk) {
        match self {
            Silence::Hangs => {
                desk.device.remove_locks();
                desk.device.set_health(StoreHealth::Hanging);
            }
            Silence::Slow(span) => {
                desk.device.remove_locks();
                desk.device.set_health(StoreHealth::Slow(span));
            }
            Silence::Claims(count) => desk.device.leave_claims_unanswered(count),
        }
    }

    fn end(desk: &Desk) {
        desk.device.set_health(StoreHealth::Well);
        desk.device.leave_claims_unanswered(0);
    }
}

/// How often prompts of this session reached the server from here, and how many are in its list.
fn prompted(desk: &Desk, session: &SessionId) -> (usize, usize) {
    let history = desk.world.server.history();
    let count = |is_it: &dyn Fn(&Event) -> bool| history.iter().filter(|happening| is_it(&happening.event)).count();
    (
        count(&|event| matches!(event, Event::Prompted { session: of, .. } if of == session)),
        count(&|event| matches!(event, Event::Stored { session: of, .. } if of == session)),
    )
}

/// Why an answer is not through yet.
fn problem_of(desk: &Desk, request: &RequestId) -> Option<String> {
    match desk.tab.state(request) {
        Some(RequestState::Sending { problem, .. }) => problem,
        _ => None,
    }
}

/// A desk at which an answer was given that did not get through, and the page was reloaded while claims are not answered.
fn reloaded(silence: Silence) -> (Desk, SessionId, Request) {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    silence.begin(&desk);
    desk.reload();
    (desk, session, request)
}

/// R4, R13
#[test]
fn an_answer_goes_out_although_the_right_to_send_it_is_never_given() {
    for silence in Silence::ALL {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        silence.begin(&desk);
        let sent = desk.world.now();
        desk.answer(&request.id, blue());
        desk.until_answered(&request.id);
        let took = desk.world.now().since(sent);
        assert!(took < WAITS + SOON, "{took:?} with {silence:?}");
        Silence::end(&desk);
        desk.world.run_for(LATER);
        assert_eq!(desk.replies(&request.id).len(), 1, "{silence:?}");
        assert!(!desk.tab.handle.has_unsaved(), "{silence:?}");
    }
}

/// R13, F4
#[test]
fn a_prompt_goes_out_although_the_right_to_send_it_is_never_given() {
    for silence in Silence::ALL {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let before = prompted(&desk, &session);
        silence.begin(&desk);
        desk.tab
            .prompt(&session, &asks("Which?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(WAITS + SOON);
        assert_eq!(desk.tab.waiting().len(), 1, "{silence:?}: {}", desk.world.story());
        Silence::end(&desk);
        desk.world.run_for(LATER);
        let after = prompted(&desk, &session);
        assert_eq!(after, (before.0 + 1, before.1 + 1), "{silence:?}");
    }
}

/// E7
#[test]
fn a_stop_after_a_prompt_that_waits_for_the_store_ends_its_run() {
    for (silence, pause) in Silence::ALL
        .into_iter()
        .flat_map(|silence| [0, 500, 2_500, 5_000].map(|pause| (silence, pause)))
    {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        silence.begin(&desk);
        desk.tab
            .prompt(&session, &asks("Which?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(Duration::from_millis(pause));
        desk.tab.abort(&session);
        desk.world.run_for(LATER);
        let (prompts, _) = prompted(&desk, &session);
        assert_eq!(prompts, 2, "{silence:?}, {pause} ms");
        assert!(
            desk.world.server.status(&session).is_none(),
            "{silence:?}, {pause} ms: it goes on"
        );
    }
}

/// R4: two tabs of one device, neither of which hears who may send
#[test]
fn what_two_tabs_send_is_sent_once() {
    for silence in Silence::ALL {
        let (mut desk, session, request) = Desk::with(&asks("Which?"));
        let other = desk.world.open_tab(&desk.device);
        desk.world.run_for(SOON);
        let before = prompted(&desk, &session);
        silence.begin(&desk);
        desk.answer(&request.id, blue());
        desk.world.run_for(Duration::from_millis(100));
        other
            .prompt(&session, &asks("And then?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(Duration::from_secs(30));
        Silence::end(&desk);
        desk.world.run_for(LATER);
        assert_eq!(desk.world.server.deliveries(&request.id), 1, "{silence:?}");
        let after = prompted(&desk, &session);
        assert_eq!(after.1, before.1 + 1, "{silence:?}");
        assert_eq!(
            after.0,
            before.0 + 1,
            "{silence:?}: the other tab leaves it to this one"
        );
    }
}

/// R4: a store that takes about as long as a page may stand still before it looks again
#[test]
fn what_was_left_is_sent_although_the_store_takes_ten_seconds() {
    for (slow, latency) in (7..14).flat_map(|slow| [5, 800, 2_500].map(|latency| (slow, latency))) {
        let (mut desk, _, request) = Desk::with(&asks("Which?"));
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.answer(&request.id, blue());
        desk.world.run_for(SOON);
        desk.device.set_health(StoreHealth::Slow(Duration::from_secs(slow)));
        desk.world.faults.latency = Duration::from_millis(latency)..Duration::from_millis(latency + 10);
        desk.reload();
        desk.world.run_for(Duration::from_secs(40));
        let story = desk.world.story();
        assert_eq!(
            desk.world.server.deliveries(&request.id),
            1,
            "{slow} s, {latency} ms: {story}"
        );
    }
}

/// R4: two tabs say something else, and the claim of the first is not answered
#[test]
fn whose_answer_was_delivered_is_told_so_and_the_other_one_that_it_was_not() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    let other = desk.world.open_tab(&desk.device);
    desk.world.run_for(SOON);
    desk.device.leave_claims_unanswered(1);
    desk.answer(&request.id, blue());
    other.answer(&request.id, red()).expect("it is taken");
    let first = desk.until_outcome(&request.id);
    assert!(matches!(first, Outcome::Confirmed { .. }), "{first:?}");
    desk.world.run_for(SOON);
    let second = other.outcomes.borrow().get(&request.id).cloned();
    assert!(matches!(second, Some(Ok(Outcome::AnsweredElsewhere(_)))), "{second:?}");
}

/// Whether a message with these words is in the list of its session.
fn is_stored(desk: &Desk, words: &str) -> bool {
    let is_it = |event: &Event| matches!(event, Event::Stored { text, .. } if text.contains(words));
    let history = desk.world.server.history();
    history.iter().any(|happening| is_it(&happening.event))
}

/// Whether the caller was told that its message was not sent.
fn is_denied(told: &Option<Result<TurnReply, FollowUpError>>) -> bool {
    matches!(told, Some(Err(FollowUpError::Cancelled { sent: WasSent::No })))
}

/// F4: *not sent* is said of nothing that another tab has sent
#[test]
fn what_is_told_as_not_sent_is_not_sent() {
    for (silent, at) in [1, 2]
        .into_iter()
        .flat_map(|silent| (1..15).map(move |at| (silent, at)))
    {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let _other = desk.world.open_tab(&desk.device);
        desk.world.run_for(SOON);
        desk.tab.faults.borrow_mut().posts_lost = true;
        desk.tab
            .prompt(&session, &asks("First?").to_prompt())
            .expect("it is taken");
        desk.world.run_for(Duration::from_secs(2));
        desk.device.leave_claims_unanswered(silent);
        let options = FollowUpOptions::default();
        let ended = desk.tab.follow_up(&session, &asks("Second?").to_prompt(), &options);
        desk.world.run_for(Duration::from_secs(at));
        desk.tab.cancel_follow_ups();
        desk.world.run_for(Duration::from_millis(100));
        let told = ended.borrow().clone();
        assert!(told.is_some(), "{silent} silent, {at} s");
        desk.tab.faults.borrow_mut().posts_lost = false;
        desk.world.run_for(LATER);
        assert!(
            !is_denied(&told) || !is_stored(&desk, "Second?"),
            "{silent} silent, {at} s: {}",
            desk.world.story()
        );
    }
}

/// F4: nor of what another tab sends, which read it before it was taken back
#[test]
fn what_was_taken_back_is_sent_by_no_other_tab() {
    let slow = [500, 1_000, 2_050, 2_500, 4_000].map(|slow| Silence::Slow(Duration::from_millis(slow)));
    let silences = slow.into_iter().chain([Silence::Claims(1), Silence::Claims(2)]);
    for (silence, at) in silences.flat_map(|silence| (0..25).map(move |step| (silence, 100 + step * 200))) {
        let mut desk = Desk::new(1);
        let session = desk.quiet_session();
        let _other = desk.world.open_tab(&desk.device);
        desk.world.run_for(SOON);
        silence.begin(&desk);
        let options = FollowUpOptions::default();
        let ended = desk.tab.follow_up(&session, &asks("Which?").to_prompt(), &options);
        desk.world.run_for(Duration::from_millis(at));
        desk.tab.cancel_follow_ups();
        desk.world.run_for(LATER);
        let told = ended.borrow().clone();
        assert!(
            !is_denied(&told) || !is_stored(&desk, "Which?"),
            "{silence:?}, {at} ms: {}",
            desk.world.story()
        );
    }
}

/// R4, R13: what an earlier life left may be another tab's
#[test]
fn what_was_left_is_not_sent_without_the_right_to_and_the_person_is_told() {
    let (mut desk, session, request) = reloaded(Silence::Claims(usize::MAX));
    desk.world.run_for(WAITS + SOON);
    for _ in 0..300 {
        let problem = problem_of(&desk, &request.id).unwrap_or_default();
        assert!(problem.contains("another tab"), "{problem:?}: {}", desk.world.story());
        desk.world.run_for(Duration::from_millis(100));
    }
    assert_eq!(desk.replies(&request.id).len(), 0);
    assert!(
        desk.device.entries().iter().any(|entry| !entry.is_finished()),
        "it is kept"
    );
    desk.tab.abort(&session);
    desk.world.run_for(SOON);
    assert!(desk.world.server.status(&session).is_none(), "a stop passes");
}

/// R13
#[test]
fn what_was_left_goes_on_as_soon_as_a_claim_is_answered() {
    for silence in Silence::ALL {
        let (mut desk, _, request) = reloaded(silence);
        desk.world.run_for(Duration::from_secs(40));
        Silence::end(&desk);
        let sent = |desk: &Desk| desk.replies(&request.id).len();
        desk.world.run_for(SOON + SOON);
        assert_eq!(sent(&desk), 1, "{silence:?}: {}", desk.world.story());
    }
}

/// R4, F4
#[test]
fn a_prompt_that_was_left_says_why_it_is_not_sent() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.tab
        .prompt(&session, &asks("Which?").to_prompt())
        .expect("it is taken");
    desk.world.run_for(SOON);
    desk.device.leave_claims_unanswered(1);
    desk.reload();
    let problem = |desk: &Desk| match desk.tab.view().prompts.iter().next().map(|prompt| prompt.state.clone()) {
        Some(PromptState::Sending { problem, .. }) => problem,
        _ => None,
    };
    desk.world.run_for(WAITS);
    assert!(problem(&desk).is_some_and(|words| words.contains("another tab")));
    desk.world.run_for(SOON + SOON);
    assert_eq!(
        desk.tab.waiting().len(),
        1,
        "it was asked for again: {}",
        desk.world.story()
    );
}

/// R13
#[test]
fn a_load_that_is_never_answered_is_told_and_made_again() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.tab.handle.draft(typed(&request, "Teal"));
    desk.world.run_for(SOON);
    desk.device.leave_loads_unanswered(1);
    desk.reload();
    let tab = desk.tab.clone();
    desk.world.run_until("it is told", Duration::from_secs(21), |_| {
        tab.view().server.unsaved == Some(StoreError::TimedOut)
    });
    desk.world
        .run_until("the draft is there", Duration::from_secs(25), |_| {
            tab.request(&request.id).is_some_and(|shown| shown.draft.is_some())
        });
    assert_eq!(tab.view().server.unsaved, None);
    desk.answer(&request.id, blue());
    desk.until_state(&request.id, "answered", is_answered);
}

/// R4
#[test]
fn a_store_that_does_not_take_an_answer_is_told_until_it_does() {
    let (mut desk, _, request) = Desk::with(&asks("Which?"));
    desk.device.set_health(StoreHealth::Hanging);
    desk.tab.faults.borrow_mut().posts_lost = true;
    desk.answer(&request.id, blue());
    desk.world.run_for(SOON);
    assert_eq!(desk.tab.view().server.unsaved, Some(StoreError::TimedOut));
    desk.device.set_health(StoreHealth::Well);
    desk.world.run_for(SOON);
    assert_eq!(desk.tab.view().server.unsaved, None);
}
