//! The workflows of a server, and what other tabs do with them.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use switchboard_core::Time;
use switchboard_core::model::SessionId;
use switchboard_core::ports::{Claim, StoreError};
use switchboard_core::workflow::{Workflow, WorkflowCommitError, WorkflowStore};

use super::claim::claim;
use super::row::{self, names_of};
use super::transaction::Mode;
use super::{Shelf, Versioned, WORKFLOWS};
use crate::device::records::{self, NotUnderstood};
use crate::platform::task::detached;
use crate::tabs::{Channel, Message};

/// The workflows in the database of one server.
pub struct IdbWorkflows {
    shelf: Rc<Shelf>,
    others: Rc<Others>,
}

/// The channel on which tabs say that they have committed a workflow, with [`Message::Ledger`], and nothing else.
struct Others {
    channel: Channel,
    /// How often another tab has said so.
    heard: Cell<u64>,
    /// How often of these a caller was told.
    told: Cell<u64>,
    waiting: RefCell<Vec<oneshot::Sender<()>>>,
}

impl IdbWorkflows {
    pub(super) fn open(shelf: Rc<Shelf>) -> Self {
        let others = Others::open(&shelf.server);
        Self { shelf, others }
    }
}

impl WorkflowStore for IdbWorkflows {
    /// Leaves out what another version of this page wrote.
    fn load(&self) -> LocalBoxFuture<'static, Result<Vec<Arc<Workflow>>, StoreError>> {
        let shelf = Rc::clone(&self.shelf);
        detached(async move { shelf.load_workflows().await }).boxed_local()
    }

    fn commit(
        &self,
        workflow: Arc<Workflow>,
        expected: Option<u64>,
    ) -> LocalBoxFuture<'static, Result<(), WorkflowCommitError>> {
        let (shelf, others) = (Rc::clone(&self.shelf), Rc::clone(&self.others));
        let commit = detached(async move {
            match shelf.replace(&*workflow, expected).await {
                Ok(None) => {
                    others.channel.post(&Message::Ledger);
                    Ok(())
                }
                Ok(Some(held)) => Err(WorkflowCommitError::Conflict(Arc::new(held))),
                Err(error) => Err(WorkflowCommitError::Failed(error)),
            }
        });
        commit.boxed_local()
    }

    /// No entry has a name that begins so.
    fn claim(&self, session: &SessionId) -> LocalBoxFuture<'static, Option<Claim>> {
        claim(Rc::clone(&self.shelf), format!("workflow:{session}")).boxed_local()
    }

    /// A commit that was heard of when nothing waited resolves the next call at once.
    fn changed(&self) -> LocalBoxFuture<'static, ()> {
        Others::changed(Rc::clone(&self.others)).boxed_local()
    }
}

impl Shelf {
    async fn load_workflows(&self) -> Result<Vec<Arc<Workflow>>, StoreError> {
        let transaction = self.connection.begin(&[WORKFLOWS], Mode::Read).await?;
        let rows = transaction.all(WORKFLOWS, &names_of(&self.server)?)?.await?;
        Ok(row::texts(&rows)?
            .iter()
            .filter_map(|text| records::read_workflow(text).ok().map(Arc::new))
            .collect())
    }
}

impl Versioned for Workflow {
    const STORE: &'static str = WORKFLOWS;

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn version(&self) -> u64 {
        self.version
    }

    fn finished(&self) -> Option<Time> {
        self.end.as_ref().map(|(_, at)| *at)
    }

    fn write(&self) -> String {
        records::write_workflow(self)
    }

    fn read(text: &str) -> Result<Self, NotUnderstood> {
        records::read_workflow(text)
    }
}

impl Others {
    fn open(server: &str) -> Rc<Self> {
        let others = Rc::new(Self {
            channel: Channel::open(&format!("workflows {server}")),
            heard: Cell::new(0),
            told: Cell::new(0),
            waiting: RefCell::default(),
        });
        let hearing = Rc::downgrade(&others);
        others.channel.listen(move |_| {
            if let Some(others) = hearing.upgrade() {
                others.hear();
            }
        });
        others
    }

    fn hear(&self) {
        self.heard.set(self.heard.get() + 1);
        for waiting in self.waiting.take() {
            let _nobody_waits = waiting.send(());
        }
    }

    fn changed(self: Rc<Self>) -> impl Future<Output = ()> {
        let (tell, told) = oneshot::channel();
        if self.heard.get() == self.told.get() {
            self.waiting.borrow_mut().push(tell);
        } else {
            let _received_below = tell.send(());
        }
        async move {
            if told.await.is_err() {
                std::future::pending::<()>().await;
            }
            self.told.set(self.heard.get());
        }
    }
}

/// Node lives for as long as a channel is open.
impl Drop for Others {
    fn drop(&mut self) {
        self.channel.close();
    }
}

impl fmt::Debug for IdbWorkflows {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("IdbWorkflows")
            .field("server", &self.shelf.server)
            .finish_non_exhaustive()
    }
}
