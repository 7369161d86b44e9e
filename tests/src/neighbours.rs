//! What tabs of one device tell each other: what the leader has read, and that the ledger has changed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use switchboard_core::ports::{Fetched, Read, Wake};
use switchboard_core::{Handle, Time};

use crate::clock::VirtualClock;
use crate::executor::{Executor, Group};
use crate::store::Device;

/// From one tab to another.
const BETWEEN_TABS: Duration = Duration::from_millis(1);

/// The open tabs of all devices. Clones are the same tabs.
#[derive(Clone, Debug)]
pub(crate) struct Neighbours {
    clock: VirtualClock,
    executor: Executor,
    open: Rc<RefCell<BTreeMap<usize, OpenTab>>>,
}

#[derive(Debug)]
struct OpenTab {
    device: Device,
    handle: Handle,
}

impl Neighbours {
    pub(crate) fn new(clock: VirtualClock, executor: Executor) -> Self {
        Self {
            clock,
            executor,
            open: Rc::default(),
        }
    }

    /// Adds a tab. The first of a device leads.
    pub(crate) fn join(&self, tab: usize, device: &Device, handle: &Handle) {
        let is_first = self.others(tab, device).is_empty();
        handle.set_leading(is_first);
        let (device, handle) = (device.clone(), handle.clone());
        self.open.borrow_mut().insert(tab, OpenTab { device, handle });
    }

    /// Takes a tab away. The oldest of those that are left leads.
    pub(crate) fn leave(&self, tab: usize) {
        let left = self.open.borrow_mut().remove(&tab);
        if let Some(heir) = left.and_then(|left| self.others(tab, &left.device).into_iter().next()) {
            heir.set_leading(true);
        }
    }

    /// Shows the others what a tab has read. Only a follower takes it.
    pub(crate) fn show(&self, tab: usize, device: &Device, read: &Read, fetched: &Fetched, begun: Time) {
        let (read, fetched) = (read.clone(), fetched.clone());
        self.tell(tab, device, move |other| other.observe(&read, fetched.clone(), begun));
    }

    /// Tells the others that the ledger has changed.
    pub(crate) fn wake(&self, tab: usize, device: &Device) {
        self.tell(tab, device, |other| other.wake(Wake::Ledger));
    }

    /// Gives all tabs of all devices a hint.
    pub(crate) fn hint(&self, wake: &Wake) {
        for tab in self.open.borrow().values() {
            tab.handle.wake(wake.clone());
        }
    }

    fn tell(&self, tab: usize, device: &Device, word: impl Fn(&Handle) + 'static) {
        if self.others(tab, device).is_empty() {
            return;
        }
        let (neighbours, device) = (self.clone(), device.clone());
        self.executor.spawn(Group::World, async move {
            neighbours.clock.sleep(BETWEEN_TABS).await;
            neighbours.others(tab, &device).iter().for_each(word);
        });
    }

    fn others(&self, tab: usize, device: &Device) -> Vec<Handle> {
        let open = self.open.borrow();
        let others = open
            .iter()
            .filter(|(number, other)| **number != tab && other.device.is(device));
        others.map(|(_, other)| other.handle.clone()).collect()
    }
}
