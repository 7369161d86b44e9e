//! Reads what the session has changed, for reviewers.

use std::time::Duration;

use futures::future::{Either, select};

use super::Runner;
use crate::model::WorkflowId;
use crate::ports::ReadError;
use crate::workflow::{Work, Workflow};

/// From the end of a run until its changes are read. Source: OpenCode 1.18.33 notes them up to 91 ms after the last message is
/// complete, on two busy cores.
const NOTED: Duration = Duration::from_secs(1);
/// Between two tries.
const RETRY: Duration = Duration::from_secs(10);
/// How often a server that answers otherwise is asked.
const TRIES: u32 = 6;
/// How long one try may take: the reader of the page gives up a page of messages after 20 s, and reads 5 at most.
const READ_MAX: Duration = Duration::from_secs(120);

impl Runner {
    /// Reads what the session has changed where reviewers look at that, and keeps it with their step: all of them are told the same,
    /// also after a reload. Returns why there is nothing to look at, in words.
    pub(super) async fn read_material(&self, id: &WorkflowId, place: usize, workflow: &Workflow) -> Result<(), String> {
        let Some(review) = &workflow.goal.review else {
            return Ok(());
        };
        if !review.material.changes || self.changes_of(id, place).is_some() {
            return Ok(());
        }
        let changes = self.read_changes_of(workflow).await;
        let changes =
            changes.map_err(|error| format!("what the session has changed was not read, since the server {error}"))?;
        if changes.trim().is_empty() && review.material.text.trim().is_empty() {
            return Err(
                "no change of a file was found in the session, and nothing else was named to look at".to_owned(),
            );
        }
        self.change_step(id, place, &|step| match &mut step.work {
            Work::Review { changes: held, .. } if held.is_none() => {
                *held = Some(changes.clone());
                true
            }
            Work::Review { .. } | Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => false,
        })
        .await;
        Ok(())
    }

    /// The changes that are kept with a step.
    pub(super) fn changes_of(&self, id: &WorkflowId, place: usize) -> Option<String> {
        match &self.get(id)?.steps.get(place)?.work {
            Work::Review { changes, .. } => changes.clone(),
            Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
        }
    }

    /// Waits for a server that cannot be reached; one that answers is asked [`TRIES`] times.
    async fn read_changes_of(&self, workflow: &Workflow) -> Result<String, ReadError> {
        self.until_live().await;
        self.sleep(NOTED).await;
        let mut tries = 0;
        loop {
            let reading = (self.read_changes)(&workflow.session, &workflow.directory);
            let read = match select(reading, Box::pin(self.sleep(READ_MAX))).await {
                Either::Left((read, _)) => read,
                Either::Right(((), _)) => Err(ReadError::TimedOut),
            };
            match read {
                Ok(changes) => return Ok(changes),
                Err(gone @ ReadError::NotFound(_)) => return Err(gone),
                Err(error) => {
                    tries += u32::from(self.is_live());
                    if tries == TRIES {
                        return Err(error);
                    }
                    self.sleep(RETRY).await;
                    self.until_live().await;
                }
            }
        }
    }
}
