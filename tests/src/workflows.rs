//! Workflows in the simulated world: a device keeps them for all of its tabs.

use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, poll_fn};
use switchboard_core::completion::{Fault, Issue, Severity, Verdict, Vote};
use switchboard_core::cut;
use switchboard_core::model::{EntryId, SessionId};
use switchboard_core::ports::{Claim, StoreError};
use switchboard_core::workflow::{
    ReadChanges, ReadVerdict, Work, Workflow, WorkflowCommitError, WorkflowStore, Workflows, review_prompt,
};

use crate::store::{DeviceStore, StoreHealth, broken};
use crate::tab::Tab;
use crate::watch::Watch;

impl Tab {
    /// Opens the workflows of this tab. Their steps are taken until the tab is closed.
    #[must_use]
    pub fn workflows(&self) -> Workflows {
        let store = TabWorkflows {
            store: self.store.clone(),
            watch: self.watch.clone(),
        };
        let transport = self.transport.clone();
        let read_changes: ReadChanges = Rc::new(move |session, directory| {
            let reading = transport.clone().read_changes(session.clone(), directory.clone());
            reading.boxed_local()
        });
        let (workflows, steps) = Workflows::new(&self.handle, Rc::new(store), READ_VERDICT, read_changes);
        self.run(steps);
        workflows
    }
}

struct TabWorkflows {
    store: Rc<DeviceStore>,
    watch: Watch,
}

impl WorkflowStore for TabWorkflows {
    fn load(&self) -> LocalBoxFuture<'static, Result<Vec<Arc<Workflow>>, StoreError>> {
        let (device, clock) = (self.store.device.clone(), self.store.clock.clone());
        async move {
            let health = DeviceStore::wait_until_better(&device, &clock).await;
            clock.sleep(Duration::from_millis(2)).await;
            match health {
                StoreHealth::Broken => Err(broken()),
                StoreHealth::Well | StoreHealth::Slow(_) | StoreHealth::Full | StoreHealth::Hanging => {
                    Ok(device.workflows())
                }
            }
        }
        .boxed_local()
    }

    fn commit(
        &self,
        workflow: Arc<Workflow>,
        expected: Option<u64>,
    ) -> LocalBoxFuture<'static, Result<(), WorkflowCommitError>> {
        for text in texts_of(&workflow) {
            self.watch.intend_text(&text);
        }
        let store = self.store.clone();
        async move {
            match DeviceStore::wait_until_better(&store.device, &store.clock).await {
                StoreHealth::Full => return Err(WorkflowCommitError::Failed(StoreError::Full)),
                StoreHealth::Broken => return Err(WorkflowCommitError::Failed(broken())),
                StoreHealth::Well | StoreHealth::Slow(_) | StoreHealth::Hanging => {}
            }
            store.clock.sleep(Duration::from_millis(2)).await;
            store.device.put_workflow(workflow, expected)?;
            store.outlive_a_commit().await;
            Ok(())
        }
        .boxed_local()
    }

    fn claim(&self, session: &SessionId) -> LocalBoxFuture<'static, Option<Claim>> {
        switchboard_core::ports::Store::claim(&*self.store, EntryId::from(format!("workflow {session}")))
    }

    fn changed(&self) -> LocalBoxFuture<'static, ()> {
        let device = self.store.device.clone();
        let seen = device.changes_of_workflows();
        poll_fn(move |context| {
            if device.changes_of_workflows() != seen {
                return Poll::Ready(());
            }
            device.wake_with_workflows(context.waker().clone());
            Poll::Pending
        })
        .boxed_local()
    }
}

/// What a workflow may send: its steps have been kept before.
fn texts_of(workflow: &Workflow) -> Vec<String> {
    let told = workflow.steps.iter().filter_map(|step| match &step.work {
        Work::Tell(told) => Some(cut(&told.text)),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Review { .. } => None,
    });
    let asked = workflow.goal.review.iter().flat_map(|review| {
        let reviewers = review.reviewers.iter();
        reviewers.map(|reviewer| review_prompt(&reviewer.name, &reviewer.prompt, &review.material.text))
    });
    told.chain(asked).collect()
}

/// Reads verdicts of the form `v: GO` and `- C: text`, a line each.
const READ_VERDICT: ReadVerdict = |text| {
    let mut verdict = None;
    let mut issues = Vec::new();
    for line in text.lines().map(str::trim) {
        let severity = |letter: &str| match letter {
            "- C" => Some(Severity::Critical),
            "- H" => Some(Severity::High),
            "- M" => Some(Severity::Medium),
            "- L" => Some(Severity::Low),
            _ => None,
        };
        match line.split_once(": ") {
            Some(("v", "GO")) => verdict = Some(Vote::Go),
            Some(("v", "CONDITIONAL")) => verdict = Some(Vote::Conditional),
            Some(("v", "NO-GO")) => verdict = Some(Vote::NoGo),
            Some((letter, text)) => issues.extend(severity(letter).map(|severity| Issue {
                severity,
                text: text.to_owned(),
            })),
            None => {}
        }
    }
    let vote = verdict.ok_or_else(|| Fault {
        line: 1,
        column: 1,
        message: "`v` is missing".to_owned(),
    })?;
    Ok(Verdict {
        persona: String::new(),
        vote,
        issues,
    })
};
