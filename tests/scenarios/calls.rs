//! What the calls of a program return besides the usual: refusals in words, states as a stream.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::future::FutureExt;
use futures::task::{ArcWake, Context, waker};
use switchboard_core::model::{Draft, DraftKey, DraftText, Reply, Request};
use switchboard_core::view::{PromptState, View};
use switchboard_core::{AnswerError, Handle, PromptError, PromptOptions, RescueError};
use switchboard_tests::scripts::asks;

use crate::desk::{DIRECTORY, Desk, LATER, SOON, red};

/// F1: a list that was asked for before does not name it
#[test]
fn a_session_that_was_just_made_takes_a_prompt_whatever_list_is_under_way() {
    for after in (0..600).step_by(15) {
        let mut desk = Desk::new(1);
        let way = Duration::from_millis(80)..Duration::from_millis(160);
        desk.tab.faults.borrow_mut().latency = way;
        desk.world.run_for(Duration::from_millis(after));
        let (tab, handle) = (desk.tab.clone(), desk.tab.handle.clone());
        let made = Rc::new(RefCell::new(None));
        let (making, told) = (handle.create_session(&DIRECTORY.into(), None), made.clone());
        tab.run(async move {
            let session = making.await.expect("the server makes it");
            told.replace(Some(session));
        });
        desk.world
            .run_until("the session is made", SOON, |_| made.borrow().is_some());
        let session = made.borrow().clone().expect("it was just there");
        for _ in 0..60 {
            assert!(
                tab.view().session(&session).is_some(),
                "made after {after} ms: {}",
                desk.world.story()
            );
            desk.world.run_for(Duration::from_millis(10));
        }
    }
}

/// R18, F3: bad input gets a clear error
#[test]
fn what_cannot_be_taken_is_refused_in_words() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    let handle = desk.tab.handle.clone();
    let prompt = |text: &str| handle.prompt(&session, text, PromptOptions::default()).map(drop);
    let empty = prompt("  ").unwrap_err();
    assert_eq!(
        (&empty, empty.to_string().as_str()),
        (&PromptError::Empty, "a prompt needs a text")
    );
    let nowhere = handle.prompt(&"ses_none".into(), "go", PromptOptions::default());
    assert_eq!(nowhere.unwrap_err().to_string(), "no session ses_none is known");
    let unknown = Request {
        id: "que_none".into(),
        ..request.clone()
    };
    let nobody = handle.answer(&unknown, red());
    assert_eq!(nobody.unwrap_err().to_string(), "no request que_none is known");
    let wrong = handle.answer(&request, Reply::Once).unwrap_err();
    assert!(matches!(wrong, AnswerError::Invalid(_)) && !wrong.to_string().is_empty());
    let alive = handle.rescue(&request.id).unwrap_err();
    assert!(alive.to_string().ends_with("has not ended, answer it"), "{alive}");

    desk.answer(&request.id, red());
    let twice = handle.answer(&request, red()).unwrap_err();
    assert_eq!(twice.to_string(), "already being sent: Red");
    desk.until_answered(&request.id);
    let late = handle.answer(&request, red()).unwrap_err();
    assert_eq!(late.to_string(), "the request has ended");
    let answered = handle.rescue(&request.id).unwrap_err();
    assert_eq!(
        answered.to_string(),
        format!("the agent has the answer to request {}", request.id)
    );

    handle.close();
    desk.world.run_for(SOON);
    let closed = "the board is closed";
    assert_eq!(handle.answer(&request, red()).unwrap_err().to_string(), closed);
    assert_eq!(prompt("go").unwrap_err().to_string(), closed);
    assert_eq!(handle.rescue(&request.id).unwrap_err(), RescueError::Closed);
}

/// R13: a prompt that the server will not take is kept until its person gives it up
#[test]
fn a_refused_prompt_is_shown_until_it_is_given_up() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    desk.tab.faults.borrow_mut().refusal = Some(400);
    desk.tab.prompt(&session, "go on").expect("the page takes it");
    let tab = desk.tab.clone();
    desk.world.run_until("it is refused", LATER, |_| {
        let view = tab.view();
        view.prompts
            .iter()
            .any(|prompt| matches!(prompt.state, PromptState::NotSent { .. }))
    });
    let told = desk
        .tab
        .stored
        .borrow()
        .first()
        .cloned()
        .expect("who has sent it is told");
    assert!(
        told.unwrap_err()
            .to_string()
            .starts_with("the server refused the prompt")
    );
    let entry = desk.tab.view().prompts[0].entry.clone();
    desk.tab.handle.discard_prompt(&entry);
    desk.world.run_for(SOON);
    assert_eq!(desk.tab.view().prompts.len(), 0);
}

/// R13: what is deleted again is no draft
#[test]
fn a_draft_that_becomes_blank_is_dropped() {
    let mut desk = Desk::new(1);
    let session = desk.quiet_session();
    let typed = |text: &str| Draft {
        key: DraftKey::Prompt(session.clone()),
        text: DraftText::Prompt(text.to_owned()),
    };
    desk.tab.draft(typed("half a thou"));
    desk.world.run_for(SOON);
    assert_eq!(desk.device.drafts().len(), 1);
    desk.tab.draft(typed(" "));
    desk.world.run_for(SOON);
    assert_eq!(desk.device.drafts().len(), 0);
}

/// R15: a reader of states sees the newest one, and hears the end
#[test]
fn a_stream_of_views_shows_what_is_new_and_ends_with_the_board() {
    let mut desk = Desk::new(1);
    let (newest, is_over) = (Rc::new(RefCell::new(None::<Arc<View>>)), Rc::new(Cell::new(false)));
    let mut views = desk.tab.handle.views();
    let (seen, over) = (newest.clone(), is_over.clone());
    desk.tab.run(async move {
        while let Some(view) = views.next().await {
            seen.replace(Some(view));
        }
        over.set(true);
    });
    let session = desk.begin(&asks("Which?"));
    let request = desk.until_waiting(&session);
    desk.world.run_for(SOON);
    let shown = newest.borrow().clone().expect("it is told of the first state");
    assert!(shown.request(&request.id).is_some_and(|shown| shown.state.is_waiting()));
    assert!(!is_over.get());
    desk.tab.handle.close();
    desk.world.run_until("the stream ends", LATER, |_| is_over.get());
}

thread_local! {
    /// Whom [`CallsAtOnce`] calls; what is woken has to be `Send`, and a handle is not.
    static CALLED: RefCell<Option<(Handle, usize)>> = const { RefCell::new(None) };
}

/// An executor that polls in place, in the middle of a wake.
struct CallsAtOnce;

impl ArcWake for CallsAtOnce {
    fn wake_by_ref(_: &Arc<Self>) {
        CALLED.with_borrow_mut(|called| {
            let (handle, wakes) = called.as_mut().expect("the test has set it");
            handle.set_visible(true);
            *wakes += 1;
        });
    }
}

/// R4: who is told of an end may call the board in that moment, whatever its executor
#[test]
fn who_is_woken_by_an_end_may_call_the_board_at_once() {
    let (mut desk, session, request) = Desk::with(&asks("Which?"));
    let handle = desk.tab.handle.clone();
    CALLED.set(Some((handle.clone(), 0)));
    let waker = waker(Arc::new(CallsAtOnce));
    let mut context = Context::from_waker(&waker);
    desk.tab.entrust(&request, &red());
    let mut answered = handle.answer(&request, red()).expect("it waits").boxed_local();
    let mut stopped = handle.abort(&session).boxed_local();
    assert!(answered.poll_unpin(&mut context).is_pending() && stopped.poll_unpin(&mut context).is_pending());

    desk.world.run_for(LATER);
    assert!(answered.poll_unpin(&mut context).is_ready() && stopped.poll_unpin(&mut context).is_ready());

    let mut prompted = handle
        .prompt(&session, "go", PromptOptions::default())
        .expect("it is known");
    assert!(prompted.poll_unpin(&mut context).is_pending());
    handle.close();
    desk.world.run_for(SOON);
    let (_, wakes) = CALLED.take().expect("the test has set it");
    assert_eq!(
        wakes, 3,
        "of the answer, of the stop, of the prompt that the end of the board leaves open"
    );
}
