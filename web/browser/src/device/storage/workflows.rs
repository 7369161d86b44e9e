//! The workflows of a server, and what other tabs do with them.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::LocalBoxFuture;
use switchboard_core::Time;
use switchboard_core::model::SessionId;
use switchboard_core::ports::{Claim, StoreError};
use switchboard_core::workflow::{Workflow, WorkflowCommitError, WorkflowStore};

use super::claim::claim;
use super::row::{self, finished_from, key, names_of};
use super::transaction::Mode;
use super::{Shelf, Versioned, WORKFLOWS};
use crate::device::records::{self, NotUnderstood};
use crate::platform::task::detached;
use crate::tabs::{Channel, Message};

/// So many workflows of a server that have ended are kept at most, for [`FINISHED_KEPT`](super::FINISHED_KEPT).
const ENDED_MAX: u32 = 200;

/// A workflow that was written within so long before the newest read is read again: its commit may have ended later.
const WRITTEN_LATE: Duration = Duration::from_secs(60);

/// Of so many reads one reads everything: it sees what was written in between by a clock that was set back, or by an older version of
/// this page, which dates a row by the end of its workflow.
const READ_WHOLE: u32 = 50;

/// The workflows in the database of one server.
pub struct IdbWorkflows {
    shelf: Rc<Shelf>,
    others: Rc<Others>,
    known: Rc<Known>,
}

/// What was read before. Of what has ended no more is read than what was written since.
#[derive(Default)]
struct Known {
    workflows: RefCell<Vec<Arc<Workflow>>>,
    /// When the newest read began.
    read: Cell<Option<Time>>,
    /// How often it was read.
    reads: Cell<u32>,
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
        let known = Rc::default();
        Self { shelf, others, known }
    }
}

impl WorkflowStore for IdbWorkflows {
    /// Leaves out what another version of this page wrote.
    fn load(&self) -> LocalBoxFuture<'static, Result<Vec<Arc<Workflow>>, StoreError>> {
        let (shelf, known) = (Rc::clone(&self.shelf), Rc::clone(&self.known));
        detached(async move { shelf.load_workflows(&known).await }).boxed_local()
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
    async fn load_workflows(&self, known: &Known) -> Result<Vec<Arc<Workflow>>, StoreError> {
        let now = self.clock.now();
        let reads = known.reads.get();
        known.reads.set(reads + 1);
        let since = match known.read.get().filter(|_| !reads.is_multiple_of(READ_WHOLE)) {
            // A clock that was set back makes both earlier.
            Some(read) => read.min(now) - WRITTEN_LATE,
            None => Time(0),
        };
        let (every, ended) = (names_of(&self.server)?, finished_from(&self.server, Time(0))?);
        let recent = finished_from(&self.server, since)?;
        let transaction = self.connection.begin(&[WORKFLOWS], Mode::Read).await?;
        let every = transaction.keys(WORKFLOWS, &every)?;
        let ended = transaction.keys_by_index(WORKFLOWS, row::ENDED, &ended)?;
        let recent = transaction.all_by_index(WORKFLOWS, row::ENDED, &recent)?;
        let (every, ended) = (row::ids(&every.await?), row::ids(&ended.await?));
        let recent = row::texts(&recent.await?)?;
        let mut read: Vec<_> = recent.iter().filter_map(|text| understood(text)).collect();
        for id in &every {
            // What was open or not there may have ended long ago by the clock of the tab that wrote it.
            let may_be_new = !ended.contains(id) || known.find(id).is_none_or(|workflow| workflow.is_open());
            if may_be_new && find(&read, id).is_none() {
                let row = transaction.get(WORKFLOWS, &key(&self.server, id)).await?;
                read.extend(row::text(&row)?.and_then(|text| understood(&text)));
            }
        }
        known.read.set(Some(now));
        // What another version of this page has written since is none of its format.
        let before = |id: &String| known.find(id).filter(|_| ended.contains(id));
        let kept: Vec<_> = every
            .iter()
            .filter_map(|id| find(&read, id).or_else(|| before(id)))
            .collect();
        known.workflows.replace(kept.clone());
        Ok(kept)
    }
}

impl Versioned for Workflow {
    const STORE: &'static str = WORKFLOWS;
    const FINISHED_MAX: Option<u32> = Some(ENDED_MAX);

    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn version(&self) -> u64 {
        self.version
    }

    /// At the end, or when it was written last after that: a tab that has read it before reads it again.
    fn finished(&self, now: Time) -> Option<Time> {
        let (_, ended) = self.end.as_ref().filter(|_| !self.is_open())?;
        Some((*ended).max(now))
    }

    fn write(&self) -> String {
        records::write_workflow(self)
    }

    fn read(text: &str) -> Result<Self, NotUnderstood> {
        records::read_workflow(text)
    }
}

impl Known {
    fn find(&self, id: &str) -> Option<Arc<Workflow>> {
        find(&self.workflows.borrow(), id)
    }
}

fn find(workflows: &[Arc<Workflow>], id: &str) -> Option<Arc<Workflow>> {
    workflows.iter().find(|workflow| workflow.id.as_str() == id).cloned()
}

/// The workflow in a row; none where another version of this page wrote it.
fn understood(text: &str) -> Option<Arc<Workflow>> {
    records::read_workflow(text).ok().map(Arc::new)
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
