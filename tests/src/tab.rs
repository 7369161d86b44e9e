//! One tab of a simulated device: a board, what drives it, and the person in front of it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use switchboard_core::log::Record;
use switchboard_core::model::{Draft, MessageId, Outcome, Reply, Request, RequestId, SessionId};
use switchboard_core::view::{RequestState, RequestView, SessionState, View};
use switchboard_core::{
    AnswerError, Canceller, Clock, FollowUpError, FollowUpOptions, Handle, NotStored, PromptError, PromptOptions,
    RescueError, Storing, Time, TurnReply, Unresolved, cut,
};

use crate::clock::TabClock;
use crate::executor::{Executor, Group, TaskId};
use crate::network::{Faults, SimTransport};
use crate::store::{Device, DeviceStore};
use crate::watch::Watch;

/// What became of a follow-up; none while it is awaited.
pub type Replied = Rc<RefCell<Option<Result<TurnReply, FollowUpError>>>>;

/// A tab that is open.
#[derive(Clone, Debug)]
pub struct Tab {
    pub(crate) number: usize,
    pub(crate) device: Device,
    pub(crate) executor: Executor,
    pub(crate) watch: Watch,
    pub(crate) clock: TabClock,
    pub(crate) store: Rc<DeviceStore>,
    pub(crate) transport: SimTransport,
    /// The engine behind the page.
    pub handle: Handle,
    /// What goes wrong between this tab and the server.
    pub faults: Rc<RefCell<Faults>>,
    pub(crate) cancellers: Rc<RefCell<Vec<Canceller>>>,
    /// Whether the person has given the password.
    pub has_password: Rc<Cell<bool>>,
    /// After so many further writes to the store the tab dies, before it hears of the last one.
    pub commits_to_live: Rc<Cell<Option<u32>>>,
    /// After so many further writes to the store the tab stands still, before it hears of the last one.
    pub commits_to_freeze: Rc<Cell<Option<u32>>>,
    /// Set when it has died so.
    pub is_dead: Rc<Cell<bool>>,
    pub(crate) driver: TaskId,
    /// When what drives the board has ended by itself.
    pub(crate) ended: Rc<Cell<Option<Time>>>,
    /// What the engine has logged.
    pub log: Rc<RefCell<Vec<Record>>>,
    /// How requests ended for those who await them here.
    pub outcomes: Rc<RefCell<BTreeMap<RequestId, Result<Outcome, Unresolved>>>>,
    /// What became of prompts that are awaited here.
    pub stored: Rc<RefCell<Vec<Result<MessageId, NotStored>>>>,
}

impl Tab {
    /// What the page shows.
    #[must_use]
    pub fn view(&self) -> Arc<View> {
        self.handle.view()
    }

    /// The request as the page shows it.
    #[must_use]
    pub fn request(&self, id: &RequestId) -> Option<Arc<RequestView>> {
        self.view().request(id).cloned()
    }

    /// How far a request is; none when it is not shown.
    #[must_use]
    pub fn state(&self, id: &RequestId) -> Option<RequestState> {
        self.request(id).map(|request| request.state.clone())
    }

    /// The requests that wait for a person, oldest first.
    #[must_use]
    pub fn waiting(&self) -> Vec<Arc<RequestView>> {
        let view = self.view();
        let waiting = view.requests.iter().filter(|request| request.state.is_waiting());
        waiting.cloned().collect()
    }

    /// The state of a session.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> Option<SessionState> {
        self.view().session(id).map(|session| session.state.clone())
    }

    /// How often this tab has refreshed a directory.
    #[must_use]
    pub fn refreshes(&self) -> usize {
        self.watch.refreshes(self.number)
    }

    /// How often this tab has read anything within the last minute.
    #[must_use]
    pub fn reads_of_the_minute(&self) -> usize {
        self.watch.reads_of_the_minute(self.number)
    }

    /// Presses Send under a request as it is shown now. The outcome appears in [`Tab::outcomes`].
    ///
    /// # Errors
    /// When the page refuses.
    pub fn answer(&self, request: &RequestId, reply: Reply) -> Result<(), AnswerError> {
        let shown = self.request(request);
        let shown = shown.ok_or_else(|| AnswerError::Unknown(request.clone()))?;
        self.answer_shown(&shown.request, reply)
    }

    /// Presses Send under a request as it was shown at some time.
    ///
    /// # Errors
    /// When the page refuses.
    pub fn answer_shown(&self, shown: &Request, reply: Reply) -> Result<(), AnswerError> {
        let answering = self.handle.answer(shown, reply.clone())?;
        self.watch.intend(self.number, &shown.id, &reply, self.clock.now());
        let (outcomes, request) = (self.outcomes.clone(), shown.id.clone());
        self.executor.spawn(Group::Tab(self.number), async move {
            let outcome = answering.await;
            outcomes.borrow_mut().insert(request, outcome);
        });
        Ok(())
    }

    /// Entrusts an answer to a policy: the person wants it when the time is up.
    pub fn entrust(&self, request: &Request, reply: &Reply) {
        self.watch.intend(self.number, &request.id, reply, self.clock.now());
    }

    /// Clears a ghost.
    pub fn clear_ghost(&self, request: &RequestId) {
        self.watch.intend_clearing(self.number, request, self.clock.now());
        drop(self.handle.clear_ghost(request));
    }

    /// Sends the text of a dead request as a message.
    ///
    /// # Errors
    /// When the page refuses.
    pub fn rescue(&self, request: &RequestId) -> Result<(), RescueError> {
        let text = self
            .request(request)
            .and_then(|shown| Some(shown.rescue.as_ref()?.text.clone()));
        let storing = self.handle.rescue(request)?;
        self.watch.intend_text(&text.unwrap_or_default());
        self.await_stored(storing);
        Ok(())
    }

    /// Prompts a session.
    ///
    /// # Errors
    /// When the page refuses.
    pub fn prompt(&self, session: &SessionId, text: &str) -> Result<(), PromptError> {
        self.watch.intend_text(text);
        let storing = self.handle.prompt(session, text, PromptOptions::default())?;
        self.await_stored(storing);
        Ok(())
    }

    /// Starts a run over what was never picked up.
    ///
    /// # Errors
    /// When the page refuses.
    pub fn start(&self, session: &SessionId) -> Result<(), PromptError> {
        self.watch.intend_text("");
        let storing = self.handle.start(session)?;
        self.await_stored(storing);
        Ok(())
    }

    /// Follows up, and awaits the reply. It appears in what this returns.
    #[must_use]
    pub fn follow_up(&self, session: &SessionId, text: &str, options: &FollowUpOptions) -> Replied {
        self.watch.intend_text(&cut(text));
        let following = self.handle.follow_up(session, text, options);
        self.cancellers.borrow_mut().extend(following.canceller());
        let replied = Replied::default();
        let result = replied.clone();
        self.executor.spawn(Group::Tab(self.number), async move {
            let reply = following.await;
            result.replace(Some(reply));
        });
        replied
    }

    /// Lets a program that holds the engine run, until the tab is closed.
    pub fn run(&self, program: impl Future<Output = ()> + 'static) {
        self.executor.spawn(Group::Tab(self.number), program);
    }

    /// Wants no reply to any follow-up any more.
    pub fn cancel_follow_ups(&self) {
        for canceller in self.cancellers.borrow().iter() {
            canceller.cancel();
        }
    }

    /// Stops a session.
    pub fn abort(&self, session: &SessionId) {
        drop(self.handle.abort(session));
    }

    /// Sets how far its clock is ahead of that of its device.
    pub fn set_clock_ahead(&self, ahead: Duration) {
        let ahead = i64::try_from(ahead.as_millis()).unwrap_or(i64::MAX);
        self.clock.own.set(ahead);
    }

    /// Types.
    pub fn draft(&self, draft: Draft) {
        self.handle.draft(draft);
    }

    fn await_stored(&self, storing: Storing) {
        let stored = self.stored.clone();
        self.executor.spawn(Group::Tab(self.number), async move {
            let result = storing.await;
            stored.borrow_mut().push(result);
        });
    }
}
