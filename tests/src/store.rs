//! The storage of one simulated device: what all its tabs share, and what outlives them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, pending};
use switchboard_core::figures::Figure;
use switchboard_core::ledger::Entry;
use switchboard_core::model::{Draft, DraftKey, EntryId, RequestId};
use switchboard_core::runtime::{Claim, CommitError, Saved, Store, StoreError};

use crate::clock::VirtualClock;

/// A device. Clones are the same device.
#[derive(Clone, Default)]
pub struct Device(Rc<RefCell<State>>);

#[derive(Default)]
struct State {
    entries: BTreeMap<EntryId, Arc<Entry>>,
    drafts: BTreeMap<DraftKey, Draft>,
    figures: BTreeMap<RequestId, Figure>,
    claimed: BTreeSet<EntryId>,
    health: StoreHealth,
}

/// How well the storage works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreHealth {
    /// As it should.
    #[default]
    Well,
    /// As it should, but each write takes so long.
    Slow(Duration),
    /// It is full: writes fail, reads do not.
    Full,
    /// It never answers.
    Hanging,
}

impl Device {
    /// Sets how well the storage works.
    pub fn set_health(&self, health: StoreHealth) {
        self.0.borrow_mut().health = health;
    }

    /// True for clones of the same device.
    pub(crate) fn is(&self, other: &Device) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The entries that it holds.
    #[must_use]
    pub fn entries(&self) -> Vec<Arc<Entry>> {
        self.0.borrow().entries.values().cloned().collect()
    }

    /// The drafts that it holds.
    #[must_use]
    pub fn drafts(&self) -> Vec<Draft> {
        self.0.borrow().drafts.values().cloned().collect()
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.borrow();
        write!(formatter, "Device({:?}, {:?})", state.health, state.entries.values())
    }
}

/// A tab's view of its device.
pub(crate) struct DeviceStore {
    pub(crate) device: Device,
    pub(crate) clock: VirtualClock,
    /// Tells the other tabs that the ledger has changed.
    pub(crate) committed: Rc<dyn Fn()>,
}

/// Gives a claim back when it is dropped, also by the death of its tab.
struct ClaimGuard {
    device: Device,
    entry: EntryId,
}

impl Drop for ClaimGuard {
    fn drop(&mut self) {
        self.device.0.borrow_mut().claimed.remove(&self.entry);
    }
}

impl DeviceStore {
    /// Waits as long as a write takes; fails when there is no room.
    async fn wait(device: Device, clock: VirtualClock) -> Result<(), StoreError> {
        let health = device.0.borrow().health;
        match health {
            StoreHealth::Well => clock.sleep(Duration::from_millis(2)).await,
            StoreHealth::Slow(span) => clock.sleep(span).await,
            StoreHealth::Full => return Err(StoreError("no room is left".to_owned())),
            StoreHealth::Hanging => pending().await,
        }
        Ok(())
    }

    fn write<T: 'static>(
        &self,
        change: impl FnOnce(&mut State) -> T + 'static,
    ) -> LocalBoxFuture<'static, Result<T, StoreError>> {
        let device = self.device.clone();
        let waiting = Self::wait(device.clone(), self.clock.clone());
        async move {
            waiting.await?;
            Ok(change(&mut device.0.borrow_mut()))
        }
        .boxed_local()
    }
}

impl Store for DeviceStore {
    fn load(&self) -> LocalBoxFuture<'static, Result<Saved, StoreError>> {
        let (device, clock) = (self.device.clone(), self.clock.clone());
        async move {
            let health = device.0.borrow().health;
            if health == StoreHealth::Hanging {
                pending::<()>().await;
            }
            clock.sleep(Duration::from_millis(2)).await;
            let state = device.0.borrow();
            let unfinished = state.entries.values().filter(|entry| !entry.is_finished());
            Ok(Saved {
                entries: unfinished.cloned().collect(),
                drafts: state.drafts.values().cloned().collect(),
            })
        }
        .boxed_local()
    }

    fn commit(&self, entry: Arc<Entry>, expected: Option<u64>) -> LocalBoxFuture<'static, Result<(), CommitError>> {
        let committed = self.committed.clone();
        let written = self.write(move |state| match state.entries.get(&entry.id) {
            Some(held) if Some(held.version) != expected => Err(CommitError::Conflict(held.clone())),
            Some(_) | None => {
                state.entries.insert(entry.id.clone(), entry);
                Ok(())
            }
        });
        async move {
            written.await.map_err(CommitError::Failed)??;
            committed();
            Ok(())
        }
        .boxed_local()
    }

    fn keep_draft(&self, draft: Draft) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        self.write(move |state| drop(state.drafts.insert(draft.key.clone(), draft)))
    }

    fn drop_draft(&self, key: DraftKey) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        self.write(move |state| drop(state.drafts.remove(&key)))
    }

    fn load_figures(&self) -> LocalBoxFuture<'static, Result<Vec<Figure>, StoreError>> {
        let (device, clock) = (self.device.clone(), self.clock.clone());
        async move {
            let health = device.0.borrow().health;
            if health == StoreHealth::Hanging {
                pending::<()>().await;
            }
            clock.sleep(Duration::from_millis(2)).await;
            Ok(device.0.borrow().figures.values().cloned().collect())
        }
        .boxed_local()
    }

    fn keep_figure(&self, figure: Figure) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        self.write(move |state| drop(state.figures.insert(figure.request.clone(), figure)))
    }

    fn claim(&self, entry: EntryId) -> LocalBoxFuture<'static, Option<Claim>> {
        let device = self.device.clone();
        async move {
            let is_free = device.0.borrow_mut().claimed.insert(entry.clone());
            is_free.then(|| Claim::new(ClaimGuard { device, entry }))
        }
        .boxed_local()
    }
}
