//! What tabs of one device tell each other: what the leader has read, how its event stream is, and that the ledger has
//! changed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use switchboard_core::ports::{Fetched, Read, Wake};
use switchboard_core::{Clock, Handle, Time};

use crate::clock::VirtualClock;
use crate::executor::{Executor, Group};
use crate::store::Device;

/// From one tab to another.
const BETWEEN_TABS: Duration = Duration::from_millis(1);

/// The silence after which a board takes a stream to have ended.
const SILENCE_MAX: Duration = Duration::from_secs(12);

/// The open tabs of all devices. Clones are the same tabs.
#[derive(Clone, Debug)]
pub(crate) struct Neighbours {
    clock: VirtualClock,
    executor: Executor,
    open: Rc<RefCell<BTreeMap<usize, OpenTab>>>,
    /// Nothing that one tab tells arrives at another.
    are_deaf: Rc<Cell<bool>>,
}

#[derive(Debug)]
struct OpenTab {
    device: Device,
    handle: Handle,
    /// It holds the event stream of its device.
    leads: bool,
    /// That stream has begun.
    is_connected: bool,
    /// Since when it goes on, and when it last said so; none once it has ended, or has been silent for too long.
    stream: Option<(Time, Time)>,
}

impl Neighbours {
    pub(crate) fn new(clock: VirtualClock, executor: Executor) -> Self {
        Self {
            clock,
            executor,
            open: Rc::default(),
            are_deaf: Rc::default(),
        }
    }

    /// Adds a tab. The first of a device leads.
    pub(crate) fn join(&self, tab: usize, device: &Device, handle: &Handle) {
        let leads = self.others(tab, device).is_empty();
        handle.set_leading(leads);
        let joined = OpenTab {
            device: device.clone(),
            handle: handle.clone(),
            leads,
            is_connected: false,
            stream: None,
        };
        self.open.borrow_mut().insert(tab, joined);
    }

    /// Takes a tab away. The oldest of those that are left leads, if it did.
    pub(crate) fn leave(&self, tab: usize) {
        let left = self.open.borrow_mut().remove(&tab);
        let heir = left.filter(|left| left.leads).and_then(|left| {
            let open = self.open.borrow();
            let mut others = open.iter().filter(|(_, other)| other.device.is(&left.device));
            others.next().map(|(number, _)| *number)
        });
        if let Some(heir) = heir {
            self.lead(heir);
        }
    }

    /// Makes a tab the one that reads for all of its device. It opens an event stream; the one before closes its own.
    pub(crate) fn lead(&self, heir: usize) {
        let mut open = self.open.borrow_mut();
        let Some(device) = open.get(&heir).map(|tab| tab.device.clone()) else {
            return;
        };
        for (number, tab) in open.iter_mut().filter(|(_, tab)| tab.device.is(&device)) {
            let leads = *number == heir;
            if tab.leads != leads {
                (tab.leads, tab.is_connected, tab.stream) = (leads, false, None);
                if !leads {
                    tab.handle.wake(Wake::Lost);
                }
            }
            tab.handle.set_leading(leads);
        }
    }

    /// Whether nothing that one tab tells arrives at another.
    pub(crate) fn set_deaf(&self, are_deaf: bool) {
        self.are_deaf.set(are_deaf);
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

    /// Lets the event streams begin that have been opened since.
    pub(crate) fn connect(&self) {
        let (mut new, now) = (Vec::new(), self.clock.now());
        for (number, tab) in self.open.borrow_mut().iter_mut() {
            if tab.leads && !std::mem::replace(&mut tab.is_connected, true) {
                tab.stream = Some((now, now));
                new.push(*number);
            }
        }
        new.into_iter().for_each(|tab| self.hear(tab, &Wake::Connected));
    }

    /// Since when a tab has an event stream.
    pub(crate) fn stream_since(&self, tab: usize) -> Option<Time> {
        self.open.borrow().get(&tab)?.stream.map(|(since, _)| since)
    }

    /// Gives a hint to the tabs that have an event stream.
    pub(crate) fn hint(&self, wake: &Wake) {
        let leads = |(number, tab): (&usize, &OpenTab)| tab.leads.then_some(*number);
        let leaders: Vec<usize> = self.open.borrow().iter().filter_map(leads).collect();
        let now = self.clock.now();
        for tab in leaders {
            if let Some(tab) = self.open.borrow_mut().get_mut(&tab) {
                tab.stream = match wake {
                    Wake::Connected => Some((now, now)),
                    Wake::Lost => None,
                    Wake::Alive => {
                        let lasting = tab.stream.filter(|(_, alive)| now.since(*alive) < SILENCE_MAX);
                        lasting.map(|(since, _)| (since, now))
                    }
                    Wake::Question(_)
                    | Wake::Permission(_)
                    | Wake::Answered(_)
                    | Wake::Directory(..)
                    | Wake::Focus
                    | Wake::Ledger => tab.stream,
                };
            }
            self.hear(tab, wake);
        }
    }

    /// A tab hears something on its event stream. Of all that it tells the others how the stream is, and no more.
    fn hear(&self, tab: usize, wake: &Wake) {
        let life = match wake {
            Wake::Connected | Wake::Alive => Some(Wake::Alive),
            Wake::Lost => Some(Wake::Lost),
            Wake::Question(_)
            | Wake::Permission(_)
            | Wake::Answered(_)
            | Wake::Directory(..)
            | Wake::Focus
            | Wake::Ledger => None,
        };
        let Some((device, handle)) = self
            .open
            .borrow()
            .get(&tab)
            .map(|tab| (tab.device.clone(), tab.handle.clone()))
        else {
            return;
        };
        handle.wake(wake.clone());
        if let Some(life) = life.filter(|_| !self.executor.is_frozen(Group::Tab(tab))) {
            self.tell(tab, &device, move |other| other.wake(life.clone()));
        }
    }

    fn tell(&self, tab: usize, device: &Device, word: impl Fn(&Handle) + 'static) {
        if self.are_deaf.get() || self.others(tab, device).is_empty() {
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
