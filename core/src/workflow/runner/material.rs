//! Reads what the session has changed, for reviewers.

use std::time::Duration;

use futures::future::{Either, select};

use super::Runner;
use crate::model::WorkflowId;
use crate::ports::ReadError;
use crate::workflow::{Material, Work, Workflow};

/// From the end of a run until its changes are read. Source: OpenCode 1.18.33 notes them up to 91 ms after the last message is
/// complete (75 runs).
const NOTED: Duration = Duration::from_secs(1);
/// Between two tries.
const RETRY: Duration = Duration::from_secs(10);
/// How often a server that answers otherwise is asked.
const TRIES: u32 = 6;
/// How long one try may take where its reader sets no limit of its own. That of the page gives up 200 messages after 20 s.
const READ_MAX: Duration = Duration::from_secs(600);

impl Runner {
    /// The changes of the session where reviewers look at them: read once, and kept with the step, so that all of them are told the
    /// same, also after a reload. Fails with words that say why there is nothing to look at.
    pub(super) async fn changes_for(
        &self,
        id: &WorkflowId,
        place: usize,
        workflow: &Workflow,
        material: &Material,
    ) -> Result<Option<String>, String> {
        if !material.changes {
            return Ok(None);
        }
        if let Some(kept) = self.kept_changes(id, place) {
            return Ok(Some(kept));
        }
        let changes = self.read_changes_of(workflow).await;
        let changes =
            changes.map_err(|error| format!("what the session has changed was not read, since the server {error}"))?;
        if changes.trim().is_empty() && material.text.trim().is_empty() {
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
        // Another tab may have taken the step meanwhile, and kept others.
        Ok(Some(self.kept_changes(id, place).unwrap_or(changes)))
    }

    fn kept_changes(&self, id: &WorkflowId, place: usize) -> Option<String> {
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
                    tries = if self.is_live() { tries + 1 } else { 0 };
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
