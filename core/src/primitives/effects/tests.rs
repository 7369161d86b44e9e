//! What callers of the queue rely on.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures::FutureExt;

use super::*;
use crate::model::{CallId, MessageId, RequestId, SessionId, ToolRef};
use crate::time::Time;

mod random;

const NOW: Time = Time(1_000);

type Queue = EffectQueue<&'static str, &'static str>;

/// What the polls of an effect say: the same each time, until it is set anew.
#[derive(Clone)]
struct Says {
    progress: Rc<RefCell<Progress<&'static str>>>,
    polls: Rc<Cell<usize>>,
}

impl Says {
    fn new(progress: Progress<&'static str>) -> Self {
        Self {
            progress: Rc::new(RefCell::new(progress)),
            polls: Rc::default(),
        }
    }

    fn effect(&self, class: Class) -> Effect<&'static str, &'static str> {
        let says = self.clone();
        Effect::new(class, move |_| {
            says.polls.set(says.polls.get() + 1);
            says.progress.borrow().clone()
        })
    }

    fn set(&self, progress: Progress<&'static str>) {
        self.progress.replace(progress);
    }

    fn polls(&self) -> usize {
        self.polls.get()
    }
}

fn within(session: &str) -> Scope {
    Scope {
        session: Some(SessionId::from(session)),
        ..Scope::default()
    }
}

fn answer(responding: &mut Responding<&'static str>) -> Option<Response<&'static str>> {
    responding.now_or_never()
}

fn request() -> (SessionId, RequestId) {
    (SessionId::from("ses_1"), RequestId::from("per_1"))
}

/// An approval: it is done, or fails with the reason, as was decided.
fn approval() -> Effect<&'static str, &'static str> {
    let (session, request) = request();
    let approval = Effect::new(Class::ConsumedById, |context| match context.decision {
        Some(Decision::Approve) => Progress::Ready("allowed"),
        Some(Decision::Deny { reason }) => Progress::Failed(reason.clone()),
        None => Progress::Pending,
    });
    approval.needs(["per_1"]).decided_by(session, request)
}

/// E1
#[test]
fn what_is_immediate_what_waits_and_what_is_approved_go_through_one_queue() {
    let mut queue = Queue::new();
    let waits = Says::new(Progress::Pending);
    let (_, mut immediate) = queue.submit(Says::new(Progress::Ready("shown")).effect(Class::Once));
    let (_, mut waiting) = queue.submit(waits.effect(Class::Once));
    let (_, mut approved) = queue.submit(approval());
    queue.poll_all(NOW);
    assert_eq!(answer(&mut immediate), Some(Response::Ready("shown")));
    assert_eq!((answer(&mut waiting), answer(&mut approved)), (None, None));

    waits.set(Progress::Ready("there"));
    let (session, request) = request();
    queue.decide(session, request, Decision::Approve).unwrap();
    queue.poll_all(NOW);
    assert_eq!(answer(&mut waiting), Some(Response::Ready("there")));
    assert_eq!(answer(&mut approved), Some(Response::Ready("allowed")));
}

/// E2
#[test]
fn a_poll_sees_the_time_and_the_newest_refresh_and_nothing_to_wait_with() {
    let mut queue = EffectQueue::<&str, (Time, u64)>::new();
    let (_, responding) = queue.submit(Effect::new(Class::Once, |context| {
        Progress::Ready((context.now, context.refresh))
    }));
    queue.observe_refresh(7);
    queue.poll_all(Time(5));
    assert_eq!(responding.now_or_never(), Some(Response::Ready((Time(5), 7))));
}

/// E3
#[test]
fn an_open_preview_keeps_its_slot_until_it_is_closed() {
    let mut queue = Queue::new();
    let second = Says::new(Progress::Holding("b.rs"));
    let (first_id, mut first) = queue.submit(Says::new(Progress::Holding("a.rs")).effect(Class::Once).needs(["slot"]));
    let (second_id, mut next) = queue.submit(second.effect(Class::Once).needs(["slot"]));
    queue.poll_all(NOW);
    queue.poll_all(NOW);
    assert_eq!(answer(&mut first), Some(Response::Ready("a.rs")));
    assert_eq!((answer(&mut next), second.polls()), (None, 0));
    assert!(queue.release(first_id));
    assert!(!queue.release(first_id));
    assert!(queue.holds(second_id), "it has the slot in the same step");
    queue.poll_all(NOW);
    assert_eq!(answer(&mut next), Some(Response::Ready("b.rs")));
}

/// E3
#[test]
fn whoever_needs_nothing_waits_for_nobody() {
    let mut queue = Queue::new();
    let (_held, _) = queue.submit(Says::new(Progress::Pending).effect(Class::Once).needs(["slot"]));
    let (_, mut free) = queue.submit(Says::new(Progress::Ready("done")).effect(Class::Once));
    queue.poll_all(NOW);
    assert_eq!(answer(&mut free), Some(Response::Ready("done")));
}

/// E4
#[test]
fn effects_that_need_two_things_in_opposite_order_are_both_done() {
    let mut queue = Queue::new();
    let (left, right) = (Says::new(Progress::Pending), Says::new(Progress::Ready("right")));
    let (_, mut left_done) = queue.submit(left.effect(Class::Once).needs(["prompt", "preview"]));
    let (_, mut right_done) = queue.submit(right.effect(Class::Once).needs(["preview", "prompt"]));
    queue.poll_all(NOW);
    assert_eq!(right.polls(), 0, "it holds one thing at most, so it gets nothing");
    left.set(Progress::Ready("left"));
    queue.poll_all(NOW);
    assert_eq!(answer(&mut left_done), Some(Response::Ready("left")));
    assert_eq!(answer(&mut right_done), Some(Response::Ready("right")));
}

/// E5
#[test]
fn the_next_in_line_is_polled_in_the_same_pass_however_the_holder_ended() {
    let mut queue = Queue::new();
    let ends = [
        Progress::Ready("done"),
        Progress::Failed("no".to_owned()),
        Progress::NothingToDo,
        Progress::InDoubt("broken".to_owned()),
        Progress::Ready("last"),
    ];
    let effects = ends.map(|end| Says::new(end).effect(Class::Once).needs(["slot"]));
    let answers = effects.map(|effect| queue.submit(effect).1);
    queue.poll_all(NOW);
    assert_eq!(
        answers.map(|mut responding| answer(&mut responding).unwrap()),
        [
            Response::Ready("done"),
            Response::Failed("no".to_owned()),
            Response::NothingToDo,
            Response::InDoubt("broken".to_owned()),
            Response::Ready("last"),
        ]
    );
}

/// E5 E6
#[test]
fn cancelling_the_holder_hands_its_resource_on() {
    let mut queue = Queue::new();
    let pending = || Says::new(Progress::Pending).effect(Class::Once).needs(["slot"]);
    let (_, mut holder) = queue.submit(pending().within(within("ses_1")));
    let (_, mut behind) = queue.submit(pending().within(within("ses_1")));
    let (next, mut other) = queue.submit(pending().within(within("ses_2")));
    assert_eq!(queue.cancel(&Cancel::Session(SessionId::from("ses_1"))), 2);
    assert_eq!(answer(&mut holder), Some(Response::Cancelled));
    assert_eq!(answer(&mut behind), Some(Response::Cancelled));
    assert!(queue.holds(next));
    assert_eq!(answer(&mut other), None);
}

/// E6
#[test]
fn a_call_a_session_and_an_agent_each_cancel_their_own() {
    let mut queue = Queue::new();
    let call = |name: &str| ToolRef {
        message: MessageId::from("msg_1"),
        call: CallId::from(name),
    };
    let mut submit = |agent: &str, session: &str, name: &str| {
        let scope = Scope {
            agent: Some(agent.to_owned()),
            session: Some(SessionId::from(session)),
            call: Some(call(name)),
        };
        let effect = Says::new(Progress::Pending).effect(Class::Once).within(scope);
        (format!("{agent} {session} {name}"), queue.submit(effect).1)
    };
    let mut submitted = vec![
        submit("build", "ses_1", "call_1"),
        submit("build", "ses_1", "call_2"),
        submit("plan", "ses_1", "call_1"),
        submit("build", "ses_2", "call_1"),
        submit("plan", "ses_2", "call_1"),
    ];
    let mut cancelled_by = |which| {
        let count = queue.cancel(&which);
        let answered = submitted.extract_if(.., |(_, responding)| answer(responding) == Some(Response::Cancelled));
        let names: Vec<String> = answered.map(|(name, _)| name).collect();
        assert_eq!(names.len(), count);
        names
    };
    let session = SessionId::from;
    assert_eq!(
        cancelled_by(Cancel::Call(session("ses_1"), call("call_1"))),
        ["build ses_1 call_1", "plan ses_1 call_1"]
    );
    assert_eq!(
        cancelled_by(Cancel::Agent("build".to_owned())),
        ["build ses_1 call_2", "build ses_2 call_1"]
    );
    assert_eq!(cancelled_by(Cancel::Session(session("ses_2"))), ["plan ses_2 call_1"]);
    assert!(cancelled_by(Cancel::Session(session("ses_2"))).is_empty());
}

/// E6
#[test]
fn dropping_the_queue_answers_everybody() {
    let mut queue = Queue::new();
    let (_, mut due) = queue.submit(Says::new(Progress::Pending).effect(Class::Once).needs(["slot"]));
    let (_, mut behind) = queue.submit(Says::new(Progress::Pending).effect(Class::Once).needs(["slot"]));
    drop(queue);
    assert_eq!(answer(&mut due), Some(Response::Cancelled));
    assert_eq!(answer(&mut behind), Some(Response::Cancelled));
}

/// E6
#[test]
fn whoever_does_not_want_the_answer_disturbs_nobody() {
    let mut queue = Queue::new();
    let ignored = Says::new(Progress::Ready("done"));
    drop(queue.submit(ignored.effect(Class::Once).needs(["slot"])));
    let (_, mut next) = queue.submit(Says::new(Progress::Ready("next")).effect(Class::Once).needs(["slot"]));
    queue.poll_all(NOW);
    assert_eq!(ignored.polls(), 1);
    assert_eq!(answer(&mut next), Some(Response::Ready("next")));
}

/// E6
#[test]
fn a_preview_that_is_closed_before_it_was_shown_is_never_shown() {
    let mut queue = Queue::new();
    let preview = Says::new(Progress::Holding("a.rs"));
    let (id, mut shown) = queue.submit(preview.effect(Class::Once).needs(["slot"]));
    assert!(queue.release(id));
    queue.poll_all(NOW);
    assert_eq!((answer(&mut shown), preview.polls()), (Some(Response::Cancelled), 0));
}

/// E7
#[test]
fn what_cannot_be_repeated_is_told_to_be_in_doubt_and_left_alone() {
    let mut queue = Queue::new();
    let create = Says::new(Progress::InDoubt("no answer in time".to_owned()));
    let (_, mut responding) = queue.submit(create.effect(Class::Once));
    queue.poll_all(NOW);
    assert_eq!(
        answer(&mut responding),
        Some(Response::InDoubt("no answer in time".to_owned()))
    );
    queue.observe_refresh(9);
    queue.poll_all(NOW);
    assert_eq!(create.polls(), 1);
}

/// E7
#[test]
fn what_carries_an_id_is_tried_again_only_after_a_refresh_that_began_later() {
    for class in [Class::ConsumedById, Class::IdempotentById] {
        let mut queue = Queue::new();
        queue.observe_refresh(3);
        queue.handle_refresh_begun(4);
        let reply = Says::new(Progress::InDoubt("no answer in time".to_owned()));
        let (id, mut responding) = queue.submit(reply.effect(class).needs(["que_1"]));
        queue.poll_all(NOW);
        queue.poll_all(NOW);
        queue.observe_refresh(4);
        queue.poll_all(NOW);
        assert_eq!(reply.polls(), 1, "a refresh that began before the doubt proves nothing");
        assert!(queue.holds(id));
        assert_eq!(answer(&mut responding), None);

        reply.set(Progress::Ready("stored"));
        queue.observe_refresh(5);
        queue.poll_all(NOW);
        assert_eq!(answer(&mut responding), Some(Response::Ready("stored")));
    }
}

/// E7
#[test]
fn an_effect_in_doubt_that_is_no_longer_needed_is_not_repeated() {
    let mut queue = Queue::new();
    let reply = Says::new(Progress::InDoubt("no answer in time".to_owned()));
    let (_, mut responding) = queue.submit(reply.effect(Class::ConsumedById));
    queue.poll_all(NOW);
    reply.set(Progress::NothingToDo);
    queue.observe_refresh(1);
    queue.poll_all(NOW);
    assert_eq!(answer(&mut responding), Some(Response::NothingToDo));
}

/// E6 E7
#[test]
fn an_effect_in_doubt_can_be_cancelled() {
    let mut queue = Queue::new();
    let reply = Says::new(Progress::InDoubt("no answer in time".to_owned()));
    let doubtful = reply.effect(Class::ConsumedById).within(within("ses_1"));
    let (_, mut responding) = queue.submit(doubtful);
    queue.poll_all(NOW);
    assert_eq!(queue.cancel(&Cancel::Session(SessionId::from("ses_1"))), 1);
    assert_eq!(answer(&mut responding), Some(Response::Cancelled));
    queue.observe_refresh(1);
    queue.poll_all(NOW);
    assert_eq!(reply.polls(), 1);
}

/// E7
#[test]
fn a_failure_reaches_its_own_responder_at_once_and_nobody_elses() {
    let mut queue = Queue::new();
    let (_, mut failing) = queue.submit(Says::new(Progress::Failed("refused".to_owned())).effect(Class::ConsumedById));
    let (_, mut other) = queue.submit(Says::new(Progress::Pending).effect(Class::ConsumedById));
    queue.poll_all(NOW);
    assert_eq!(answer(&mut failing), Some(Response::Failed("refused".to_owned())));
    assert_eq!(answer(&mut other), None);
}

/// E8
#[test]
fn a_decision_that_came_before_its_effect_is_used() {
    let decisions = [
        (Decision::Approve, Response::Ready("allowed")),
        (
            Decision::Deny {
                reason: "not today".to_owned(),
            },
            Response::Failed("not today".to_owned()),
        ),
    ];
    for (decision, response) in decisions {
        let mut queue = Queue::new();
        let (session, request) = request();
        queue.decide(session, request, decision).unwrap();
        queue.poll_all(NOW);
        let (_, mut approved) = queue.submit(approval());
        queue.poll_all(NOW);
        assert_eq!(answer(&mut approved), Some(response));
        let (_, mut again) = queue.submit(approval());
        queue.poll_all(NOW);
        assert_eq!(answer(&mut again), None, "a decision is used once");
    }
}

/// E8
#[test]
fn a_decision_is_for_its_own_request_alone() {
    let mut queue = Queue::new();
    let (session, request) = request();
    queue
        .decide(session, RequestId::from("per_2"), Decision::Approve)
        .unwrap();
    queue
        .decide(SessionId::from("ses_2"), request, Decision::Approve)
        .unwrap();
    let (_, mut approved) = queue.submit(approval());
    queue.poll_all(NOW);
    assert_eq!(answer(&mut approved), None);
}

/// E8
#[test]
fn decisions_end_with_the_turn_of_their_session() {
    let mut queue = Queue::new();
    let (session, request) = request();
    queue
        .decide(session.clone(), request.clone(), Decision::Approve)
        .unwrap();
    queue.end_turn(&SessionId::from("ses_2"));
    assert_eq!(
        queue.decide(session.clone(), request, Decision::Approve),
        Err(NotKept::Decided)
    );
    queue.end_turn(&session);
    let (_, mut approved) = queue.submit(approval());
    queue.poll_all(NOW);
    assert_eq!(answer(&mut approved), None);
}

/// E8
#[test]
fn the_first_decision_counts_and_their_number_has_a_limit() {
    let mut queue = Queue::new();
    let (session, _) = request();
    let mut decide = |number: usize| {
        let request = RequestId::from(format!("per_{number}"));
        queue.decide(session.clone(), request, Decision::Approve)
    };
    (0..DECISIONS_MAX).for_each(|number| decide(number).unwrap());
    assert_eq!(decide(0), Err(NotKept::Decided));
    assert_eq!(decide(DECISIONS_MAX), Err(NotKept::TooMany));
}

/// E9
#[test]
fn effects_that_wait_in_line_are_not_polled() {
    let mut queue = Queue::new();
    let (holder, behind) = (Says::new(Progress::Pending), Says::new(Progress::Pending));
    drop(queue.submit(holder.effect(Class::Once).needs(["slot"])));
    drop(queue.submit(behind.effect(Class::Once).needs(["slot"])));
    (0..10).for_each(|_| queue.poll_all(NOW));
    assert_eq!((holder.polls(), behind.polls()), (10, 0));
}

/// E10
#[test]
fn an_effect_without_a_target_ends_at_once_though_its_slot_is_taken() {
    let mut queue = Queue::new();
    drop(queue.submit(Says::new(Progress::Pending).effect(Class::Once).needs(["slot"])));
    let preview = Says::new(Progress::Holding("a.rs"));
    let (id, mut shown) = queue.submit(preview.effect(Class::Once).needs(["slot"]).acts_on(false));
    assert_eq!(answer(&mut shown), Some(Response::NothingToDo));
    assert!(!queue.holds(id));
    queue.poll_all(NOW);
    assert_eq!(preview.polls(), 0);
}

#[test]
fn one_effect_too_many_fails_at_once() {
    let mut queue = EffectQueue::<u8, ()>::new();
    let pending = || Effect::new(Class::Once, |_| Progress::Pending);
    (0..EFFECTS_MAX).for_each(|_| drop(queue.submit(pending())));
    let (_, refused) = queue.submit(pending());
    let reason = "200000 effects wait already".to_owned();
    assert_eq!(refused.now_or_never(), Some(Response::Failed(reason)));
}
