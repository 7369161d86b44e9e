//! What goes on until it is right: the workflows of a server, and how far they have come.

use std::rc::Rc;
use std::sync::Arc;

use futures::{FutureExt, StreamExt, TryFutureExt};
use leptos::prelude::*;
use leptos::task::spawn_local_scoped_with_cancellation;
use switchboard_browser::formats::read_verdict;
use switchboard_core::model::{Directory, SessionId, WorkflowId};
use switchboard_core::ports::StoreError;
use switchboard_core::view::RequestView;
use switchboard_core::workflow::{Goal, ReadChanges, StartError, Stop, Work, Workflow, Workflows};
use switchboard_core::{SortedMap, Time};

use crate::state::connection::Connection;
use crate::state::turns::{ReviewerTimes, reviewer_time, reviewer_times, whose_turn};
use crate::words::rounds::Progress;
use crate::words::time_out::ReviewerTime;
use crate::words::workflows as words;

/// The loops of a server. Comes from context, in the scope of the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loops {
    kept: RwSignal<Option<Kept>>,
    progress: RwSignal<SortedMap<SessionId, Progress>>,
    reviewer_times: RwSignal<ReviewerTimes>,
    ends: RwSignal<Vec<LoopEnd>>,
}

/// A loop that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopEnd {
    /// The loop.
    pub(crate) workflow: WorkflowId,
    /// Its session.
    pub(crate) session: SessionId,
    /// Where that works.
    pub(crate) directory: Directory,
    /// When it ended.
    pub(crate) at: Time,
    /// How, in words.
    pub(crate) words: String,
}

/// The workflows as they are kept on this device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    engine: StoredValue<Workflows, LocalStorage>,
    list: RwSignal<Vec<Arc<Workflow>>>,
    unsaved: RwSignal<Option<String>>,
    unread: RwSignal<Option<String>>,
}

impl Loops {
    /// Nothing goes on until [`Loops::follow`].
    pub(crate) fn new() -> Self {
        Self {
            kept: RwSignal::new(None),
            progress: RwSignal::new(SortedMap::new()),
            reviewer_times: RwSignal::new(Vec::new()),
            ends: RwSignal::new(Vec::new()),
        }
    }

    /// Takes the steps of the workflows while this tab leads, and shows them, until the present owner is gone. `say` tells of
    /// an end in words.
    pub(crate) fn follow(self, connection: Connection, say: fn(&Workflow) -> String) {
        let Some(store) = connection.workflows() else { return };
        let read_changes: ReadChanges = Rc::new(move |session, directory| {
            let reading = connection.session_changes(session, directory);
            reading.map_ok(|changes| changes.diff).boxed_local()
        });
        let (workflows, steps) = Workflows::new(&connection.handle(), store, read_verdict, read_changes);
        let mut updates = workflows.updates();
        let kept = Kept {
            engine: StoredValue::new_local(workflows),
            list: RwSignal::new(Vec::new()),
            unsaved: RwSignal::new(None),
            unread: RwSignal::new(None),
        };
        self.kept.set(Some(kept));
        spawn_local_scoped_with_cancellation(steps);
        spawn_local_scoped_with_cancellation(async move {
            while let Some(all) = updates.next().await {
                self.show(&all, say);
                kept.list.set(all);
                let told = |of: fn(&Workflows) -> Option<StoreError>, words: fn(&StoreError) -> String| {
                    kept.engine.with_value(of).as_ref().map(words)
                };
                kept.unsaved.set(told(Workflows::unsaved, words::unsaved));
                kept.unread.set(told(Workflows::unread, words::unread));
            }
        });
        on_cleanup(move || {
            self.kept.try_set(None);
            self.progress.try_set(SortedMap::new());
            self.reviewer_times.try_set(Vec::new());
        });
    }

    /// The workflows, once their program is there.
    pub(crate) fn kept(self) -> Option<Kept> {
        self.kept.get()
    }

    /// Whether some would be lost with this page; not tracked.
    pub(crate) fn have_unsaved(self) -> bool {
        let kept = self.kept.get_untracked();
        kept.is_some_and(|kept| kept.engine.with_value(Workflows::has_unsaved))
    }

    /// How far those that go on have come, by session.
    pub(crate) fn progress(self) -> ReadSignal<SortedMap<SessionId, Progress>> {
        self.progress.read_only()
    }

    /// How long the reviewer has that asks a request, itself or through a sub-agent; none where no reviewer of this device does.
    pub(crate) fn reviewer_time(self, view: &RequestView) -> Option<ReviewerTime> {
        self.reviewer_times.with(|times| reviewer_time(times, view))
    }

    /// Those that have ended.
    pub(crate) fn ends(self) -> ReadSignal<Vec<LoopEnd>> {
        self.ends.read_only()
    }

    fn show(self, all: &[Arc<Workflow>], say: fn(&Workflow) -> String) {
        let going = all.iter().filter(|workflow| workflow.end.is_none());
        let progress = going.filter_map(|workflow| {
            let turn = whose_turn(all, &workflow.session)?;
            Some((turn.session.clone(), progress_of(turn)))
        });
        let progress = progress.collect();
        if *self.progress.read_untracked() != progress {
            self.progress.set(progress);
        }
        let times = reviewer_times(all);
        if *self.reviewer_times.read_untracked() != times {
            self.reviewer_times.set(times);
        }
        let ends = all.iter().filter_map(|workflow| {
            let (_, at) = workflow.end.as_ref()?;
            Some(LoopEnd {
                workflow: workflow.id.clone(),
                session: workflow.session.clone(),
                directory: workflow.directory.clone(),
                at: *at,
                words: say(workflow),
            })
        });
        let ends: Vec<_> = ends.collect();
        if *self.ends.read_untracked() != ends {
            self.ends.set(ends);
        }
    }
}

/// How far one that goes on has come.
fn progress_of(workflow: &Workflow) -> Progress {
    let has_rounds = workflow.goal.has_rounds();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let (number, of) = match &workflow.goal.review {
        Some(review) if !has_rounds => {
            let spoken = match workflow.current().map(|step| &step.work) {
                Some(Work::Review { seats, .. }) => seats.iter().filter(|seat| seat.opinion.is_some()).count(),
                Some(Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_)) | None => 0,
            };
            (number(spoken), number(review.reviewers.len()))
        }
        Some(_) | None => (workflow.round(), workflow.goal.rounds),
    };
    Progress { number, of, has_rounds }
}

impl Kept {
    /// All workflows, those that were begun first at the beginning.
    pub(crate) fn list(self) -> ReadSignal<Vec<Arc<Workflow>>> {
        self.list.read_only()
    }

    /// Why they are not kept on this device; none when they are.
    pub(crate) fn unsaved(self) -> ReadSignal<Option<String>> {
        self.unsaved.read_only()
    }

    /// Why those that are kept on this device could not be read; none when they were.
    pub(crate) fn unread(self) -> ReadSignal<Option<String>> {
        self.unread.read_only()
    }

    /// Starts one.
    pub(crate) fn start(self, session: &SessionId, goal: Goal) -> Result<WorkflowId, StartError> {
        self.engine.with_value(|engine| engine.start(session, goal))
    }

    /// Stops one.
    pub(crate) fn stop(self, workflow: &WorkflowId, stop: Stop) {
        self.engine.with_value(|engine| engine.stop(workflow, stop));
    }

    /// Goes on with one that has ended, for so many rounds more.
    pub(crate) fn go_on(self, workflow: &WorkflowId, rounds: u32) {
        self.engine.with_value(|engine| engine.go_on(workflow, rounds));
    }

    /// Sends the agent what the newest review of one has found.
    pub(crate) fn send_findings(self, workflow: &WorkflowId) {
        self.engine.with_value(|engine| engine.send_findings(workflow));
    }

    /// What the check that runs has printed so far; not tracked.
    pub(crate) fn output(self, workflow: &WorkflowId) -> Option<String> {
        self.engine.with_value(|engine| engine.output(workflow))
    }
}
