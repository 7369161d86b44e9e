//! Workflows in memory, for one tab.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, pending, ready};
use switchboard_core::model::{SessionId, WorkflowId};
use switchboard_core::ports::{Claim, StoreError};
use switchboard_core::workflow::{Workflow, WorkflowCommitError, WorkflowStore};

/// What it holds outlives a connection, and not the process.
#[derive(Default)]
pub(crate) struct MemoryWorkflows {
    held: Rc<RefCell<BTreeMap<WorkflowId, Arc<Workflow>>>>,
}

impl WorkflowStore for MemoryWorkflows {
    fn load(&self) -> LocalBoxFuture<'static, Result<Vec<Arc<Workflow>>, StoreError>> {
        ready(Ok(self.held.borrow().values().cloned().collect())).boxed_local()
    }

    fn commit(
        &self,
        workflow: Arc<Workflow>,
        expected: Option<u64>,
    ) -> LocalBoxFuture<'static, Result<(), WorkflowCommitError>> {
        let mut held = self.held.borrow_mut();
        let result = match held.get(&workflow.id) {
            Some(held) if Some(held.version) != expected => Err(WorkflowCommitError::Conflict(held.clone())),
            Some(_) | None => {
                held.insert(workflow.id.clone(), workflow);
                Ok(())
            }
        };
        ready(result).boxed_local()
    }

    /// There is one tab, which lets no second workflow go on in a session.
    fn claim(&self, _: &SessionId) -> LocalBoxFuture<'static, Option<Claim>> {
        ready(Some(Claim::new(()))).boxed_local()
    }

    fn changed(&self) -> LocalBoxFuture<'static, ()> {
        pending().boxed_local()
    }
}
