//! The records of the workflows: read, started and changed, each version kept before it is acted on.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{Either, select};

use super::{Held, Runner, StartError};
use crate::model::{SessionId, WorkflowId};
use crate::ports::StoreError;
use crate::workflow::{Goal, Step, Work, Workflow, WorkflowCommitError};

/// Between two tries to keep what a person has asked for, or how a workflow ended, while the store fails.
const KEPT_AGAIN: Duration = Duration::from_secs(5);

/// How long the store may take before that is told. A read that takes longer is given up, and made again.
const STORE_PATIENCE: Duration = Duration::from_secs(10);

impl Runner {
    pub(super) fn get(&self, id: &WorkflowId) -> Option<Arc<Workflow>> {
        self.held.borrow().get(id).map(|held| held.workflow.clone())
    }

    /// Those that go on.
    pub(super) fn unended(&self) -> Vec<WorkflowId> {
        let held = self.held.borrow();
        let unended = held.iter().filter(|(_, held)| held.workflow.end.is_none());
        unended.map(|(id, _)| id.clone()).collect()
    }

    /// Those of which what was found is on its way to the agent.
    pub(super) fn sending(&self) -> Vec<WorkflowId> {
        let held = self.held.borrow();
        let sending = held.iter().filter(|(_, held)| held.workflow.sending().is_some());
        sending.map(|(id, _)| id.clone()).collect()
    }

    /// Whether what was found is on its way to the agent of a session.
    pub(super) fn sends_to(&self, session: &SessionId) -> bool {
        let held = self.held.borrow();
        let sends = |workflow: &Workflow| workflow.session == *session && workflow.sending().is_some();
        held.values().any(|held| sends(&held.workflow))
    }

    /// Whether something is left to do for any.
    pub(super) fn are_open(&self) -> bool {
        self.held.borrow().values().any(|held| held.workflow.is_open())
    }

    /// The one that goes on in a session.
    pub(super) fn running_in(&self, session: &SessionId) -> Option<WorkflowId> {
        let held = self.held.borrow();
        let goes_on = |workflow: &Workflow| workflow.end.is_none() && workflow.session == *session;
        let running = held.iter().find(|(_, held)| goes_on(&held.workflow));
        running.map(|(id, _)| id.clone())
    }

    pub(super) fn start(self: &Rc<Self>, session: &SessionId, goal: Goal) -> Result<WorkflowId, StartError> {
        let view = self.board.view();
        let known = view.session(session);
        let known = known.ok_or_else(|| StartError::UnknownSession(session.clone()))?;
        let is_blank = goal.check.as_ref().is_some_and(|check| check.command.trim().is_empty());
        let has_no_reviewer = goal.review.as_ref().is_some_and(|review| review.reviewers.is_empty());
        if is_blank || has_no_reviewer || goal.check.is_none() && goal.review.is_none() {
            return Err(StartError::NothingToDo);
        }
        if goal.review.as_ref().is_some_and(|review| review.material.is_empty()) {
            return Err(StartError::NothingToReview);
        }
        if goal.rounds == 0 {
            return Err(StartError::NoRounds);
        }
        if let Some(running) = self.running_in(session) {
            return Err(StartError::Running(running));
        }
        let id = WorkflowId::from(format!("{:08x}", self.board.random() >> 32));
        let mut workflow = Workflow {
            id: id.clone(),
            version: 0,
            session: session.clone(),
            directory: known.session.directory.clone(),
            begun: self.clock.now(),
            goal,
            steps: Vec::new(),
            stop: None,
            went_on: 0,
            end: None,
        };
        workflow.take_wait(self.progress_to_keep(session, 0), workflow.begun);
        self.hold(Arc::new(workflow), None, 0);
        self.change_soon(&id, |_| true);
        Ok(id)
    }

    /// Begins a step. The ids of what it sends are chosen before, and kept with it.
    pub(super) async fn begin(&self, id: &WorkflowId, mut work: Work) {
        let begun = self.clock.now();
        match &mut work {
            Work::Tell(told) => told.ids = Some(self.board.prompt_ids()),
            Work::Review { seats, .. } => seats
                .iter_mut()
                .for_each(|seat| seat.ids = Some(self.board.prompt_ids())),
            Work::AwaitReply { .. } | Work::Check(_) => {}
        }
        self.change(id, &|workflow| {
            let is_free = workflow.end.is_none() && workflow.current().is_none();
            if is_free {
                workflow.shorten_old_rounds();
                workflow.steps.push(Step {
                    begun,
                    ended: None,
                    work: work.clone(),
                });
            }
            is_free
        })
        .await;
    }

    /// Changes a step that is under way.
    pub(super) async fn change_step(&self, id: &WorkflowId, place: usize, change: &dyn Fn(&mut Step) -> bool) {
        self.change(id, &|workflow| {
            let step = workflow.steps.get_mut(place).filter(|step| step.ended.is_none());
            step.is_some_and(change)
        })
        .await;
    }

    /// Ends a step that is under way, with what came of it.
    pub(super) async fn end_step(&self, id: &WorkflowId, place: usize, change: &dyn Fn(&mut Work)) {
        let now = self.clock.now();
        self.change_step(id, place, &|step| {
            change(&mut step.work);
            step.ended = Some(now);
            true
        })
        .await;
    }

    /// Changes a record, and keeps it. What another tab has kept meanwhile is taken over, and changed in the same way, unless
    /// `change` finds nothing to change in it and returns false. A store that fails is told, and the change counts until the
    /// page is closed.
    ///
    /// Not generic: it is compiled once.
    pub(super) async fn change(&self, id: &WorkflowId, change: &dyn Fn(&mut Workflow) -> bool) {
        self.try_change(id, change, &mut None).await;
    }

    /// Returns whether the store holds the change. `made` tells the record in which it was made already: it is made again only in
    /// one that has taken its place.
    async fn try_change(
        &self,
        id: &WorkflowId,
        change: &dyn Fn(&mut Workflow) -> bool,
        made: &mut Option<u64>,
    ) -> bool {
        let next_of = |held: &Held, made: Option<u64>| {
            let is_made = made == Some(held.replaced);
            (!is_made).then(|| changed(&held.workflow, change)).flatten()
        };
        while let Some(held) = self.held(id) {
            let next = match next_of(&held, *made) {
                Some(next) => next,
                // An earlier change could not be kept.
                None if held.stored != Some(held.workflow.version) => held.workflow.clone(),
                None => return true,
            };
            match self.commit(next.clone(), held.stored).await {
                Ok(()) => {
                    // What was changed here meanwhile, and could not be kept, is not in it.
                    let now = self.held(id).unwrap_or(held.clone());
                    let is_other = !Arc::ptr_eq(&now.workflow, &held.workflow);
                    let version = next.version;
                    self.hold(next, Some(version), now.replaced + u64::from(is_other));
                    self.forget_problem();
                    return true;
                }
                Err(WorkflowCommitError::Conflict(theirs)) => self.hold_theirs(theirs),
                Err(WorkflowCommitError::Failed(error)) => {
                    let is_cleared = error == StoreError::Cleared;
                    self.note_problem(Some(error));
                    // Another change may have been made while this one was being written.
                    if let Some(held) = self.held(id) {
                        let stored = held.stored.filter(|_| !is_cleared);
                        let next = next_of(&held, *made).unwrap_or(held.workflow);
                        self.hold(next, stored, held.replaced);
                        *made = Some(held.replaced);
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Changes a record, and keeps it as soon as the store can. It goes on as a step of the workflow's own.
    pub(super) fn change_soon(self: &Rc<Self>, id: &WorkflowId, change: impl Fn(&mut Workflow) -> bool + 'static) {
        self.keep_soon(id, Box::new(change), None);
    }

    /// Keeps how a workflow has ended as soon as the store can, also in what another tab has kept meanwhile.
    pub(super) fn keep_end_soon(self: &Rc<Self>, id: &WorkflowId) {
        let Some(held) = self.held(id) else { return };
        let end = held.workflow.end.clone();
        let take_end = move |workflow: &mut Workflow| {
            let ends = workflow.end.is_none() && end.is_some();
            if ends {
                workflow.end.clone_from(&end);
            }
            ends
        };
        self.keep_soon(id, Box::new(take_end), Some(held.replaced));
    }

    fn keep_soon(self: &Rc<Self>, id: &WorkflowId, change: Box<dyn Fn(&mut Workflow) -> bool>, mut made: Option<u64>) {
        let (runner, id) = (self.clone(), id.clone());
        self.wanted.borrow_mut().push(Box::pin(async move {
            while !runner.try_change(&id, &*change, &mut made).await {
                runner.sleep(KEPT_AGAIN).await;
            }
        }));
        self.touch();
    }

    /// Makes a record durable. A write that takes long may still be done, so that the step that waits for it does.
    async fn commit(&self, next: Arc<Workflow>, expected: Option<u64>) -> Result<(), WorkflowCommitError> {
        let patience = Box::pin(self.sleep(STORE_PATIENCE));
        match select(self.store.commit(next, expected), patience).await {
            Either::Left((committed, _)) => committed,
            Either::Right(((), committing)) => {
                self.note_problem(Some(StoreError::TimedOut));
                committing.await
            }
        }
    }

    /// Reads what is kept. A workflow that could not be kept stays as it is.
    pub(super) async fn reload(&self) {
        let patience = Box::pin(self.sleep(STORE_PATIENCE));
        let loaded = match select(self.store.load(), patience).await {
            Either::Left((loaded, _)) => loaded,
            Either::Right(_) => Err(StoreError::TimedOut),
        };
        match loaded {
            Ok(kept) => {
                self.note_unread(None);
                for workflow in kept {
                    let is_newer = self
                        .get(&workflow.id)
                        .is_none_or(|held| held.version < workflow.version);
                    if is_newer {
                        self.hold_theirs(workflow);
                    }
                }
                self.forget_problem();
            }
            Err(error) => self.note_unread(Some(error)),
        }
    }

    /// Whether the newest read has failed.
    pub(super) fn is_unread(&self) -> bool {
        self.unread.borrow().is_some()
    }

    fn note_unread(&self, unread: Option<StoreError>) {
        if self.unread.replace(unread.clone()) != unread {
            self.touch();
        }
    }

    fn note_problem(&self, problem: Option<StoreError>) {
        if self.problem.replace(problem.clone()) != problem {
            self.touch();
        }
    }

    /// There is no problem once everything is kept.
    fn forget_problem(&self) {
        let is_kept = |held: &Held| held.stored == Some(held.workflow.version);
        if self.held.borrow().values().all(is_kept) {
            self.note_problem(None);
        }
    }

    fn held(&self, id: &WorkflowId) -> Option<Held> {
        self.held.borrow().get(id).cloned()
    }

    fn hold_theirs(&self, workflow: Arc<Workflow>) {
        let replaced = self.held(&workflow.id).map_or(0, |held| held.replaced + 1);
        let version = workflow.version;
        self.hold(workflow, Some(version), replaced);
    }

    fn hold(&self, workflow: Arc<Workflow>, stored: Option<u64>, replaced: u64) {
        let id = workflow.id.clone();
        let held = Held {
            workflow,
            stored,
            replaced,
        };
        self.held.borrow_mut().insert(id, held);
        self.touch();
    }
}

/// The next version, if there is one.
fn changed(workflow: &Arc<Workflow>, change: &dyn Fn(&mut Workflow) -> bool) -> Option<Arc<Workflow>> {
    let mut next = workflow.clone();
    let changing = Arc::make_mut(&mut next);
    changing.version += 1;
    change(changing).then_some(next)
}
