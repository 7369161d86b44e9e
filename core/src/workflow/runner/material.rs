//! Reads what reviewers look at.

use std::time::Duration;

use futures::future::{Either, select};

use super::Runner;
use crate::ports::ReadError;
use crate::workflow::review::material;
use crate::workflow::{Review, Workflow};

/// From the end of a run until its changes are read. Source: OpenCode 1.18.33 notes them up to 91 ms after the last message is
/// complete, on two busy cores.
const NOTED: Duration = Duration::from_secs(1);
/// Between two tries.
const RETRY: Duration = Duration::from_secs(10);
/// How often a server that answers otherwise is asked: for a minute, or for 3 where each read takes the 20 s that it may.
const TRIES: u32 = 6;
/// How long one read may take.
const READ_MAX: Duration = Duration::from_secs(30);

impl Runner {
    /// What the reviewers of a workflow look at, as of now; or why there is nothing to look at, in words.
    pub(super) async fn material(&self, workflow: &Workflow, review: &Review) -> Result<String, String> {
        if !review.changes {
            return Ok(review.material.clone());
        }
        match self.changes(workflow).await {
            Ok(changes) => material(&review.material, &changes).ok_or_else(|| {
                "its session has changed no file, as far as the server has noted, and nothing else was named to look at"
                    .to_owned()
            }),
            Err(error) => Err(format!(
                "what its session has changed was not read, since the server {error}"
            )),
        }
    }

    /// Waits for a server that cannot be reached; one that answers is asked [`TRIES`] times.
    async fn changes(&self, workflow: &Workflow) -> Result<String, ReadError> {
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
