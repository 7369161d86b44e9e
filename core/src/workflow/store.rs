//! Where workflows outlive the page.

use std::fmt;
use std::sync::Arc;

use futures::future::LocalBoxFuture;

use super::Workflow;
use crate::model::SessionId;
use crate::ports::{Claim, StoreError};

/// Where workflows outlive the page, for all tabs of a server.
pub trait WorkflowStore {
    /// All workflows that are kept: those that go on, and of those that ended within the last 30 days the newest 200.
    fn load(&self) -> LocalBoxFuture<'static, Result<Vec<Arc<Workflow>>, StoreError>>;

    /// Makes a workflow durable. Resolves when it will survive a crash of the browser.
    ///
    /// `expected` is the version that the store must hold; `None` means that it must hold none.
    fn commit(
        &self,
        workflow: Arc<Workflow>,
        expected: Option<u64>,
    ) -> LocalBoxFuture<'static, Result<(), WorkflowCommitError>>;

    /// The sole right to take the steps of workflows in a session, over all tabs; `None` while it is held, by another tab or for
    /// another workflow. Never waits for it.
    fn claim(&self, session: &SessionId) -> LocalBoxFuture<'static, Option<Claim>>;

    /// Resolves when another tab has committed a workflow since this was called; for a store without other tabs never.
    fn changed(&self) -> LocalBoxFuture<'static, ()>;
}

/// Why a workflow was not made durable.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkflowCommitError {
    /// The store holds another version: this one. Nothing was written.
    Conflict(Arc<Workflow>),
    /// The store failed. Nothing was written, as far as it can be known.
    Failed(StoreError),
}

impl fmt::Display for WorkflowCommitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkflowCommitError::Conflict(held) => {
                write!(formatter, "the store holds version {} of {}", held.version, held.id)
            }
            WorkflowCommitError::Failed(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for WorkflowCommitError {}
