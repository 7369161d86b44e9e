//! What a rendezvous shares with its futures.

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use super::machine::{Cell, Machine};
use super::outcome::Asked;
use crate::primitives::deferred::Wakers;
use crate::time::{Clock, Time};

/// What a rendezvous shares with its futures.
pub(super) struct Shared<K, Q, A> {
    pub(super) machine: RefCell<Machine<K, Q, A>>,
    /// Who waits for another state to show.
    pub(super) watching: RefCell<Wakers>,
    pub(super) clock: Rc<dyn Clock>,
}

impl<K, Q, A> Shared<K, Q, A> {
    pub(super) fn version(&self) -> u64 {
        self.machine.borrow().version()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.machine.borrow().is_closed()
    }

    pub(super) fn next_deadline(&self) -> Option<Time> {
        self.machine.borrow().next_deadline()
    }

    /// Wakes those who wait for these, and those who look at what is shown. Nothing may be borrowed here.
    pub(super) fn wake(&self, settled: &[Rc<Cell<K, A>>]) {
        settled.iter().for_each(|cell| cell.wake());
        let woken = self.watching.borrow_mut().take();
        woken.wake();
    }
}

impl<K: Hash + Eq + Clone, Q, A: Clone> Shared<K, Q, A> {
    pub(super) fn shown(&self) -> Vec<Asked<K, Q>> {
        self.machine.borrow().shown()
    }

    /// Looks at the time.
    pub(super) fn look(&self) {
        self.change(|_, _| ((), None));
    }

    /// Looks at the time, and then changes something. Whoever waits for what it settles is woken, and whoever looks at
    /// what is shown.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut Machine<K, Q, A>, Time) -> (T, Option<Rc<Cell<K, A>>>),
    ) -> T {
        let now = self.clock.now();
        let mut machine = self.machine.borrow_mut();
        let before = machine.version();
        let mut settled = machine.handle_deadline(now);
        let (result, also_settled) = change(&mut machine, now);
        settled.extend(also_settled);
        let is_changed = machine.version() != before;
        drop(machine);
        if is_changed {
            self.wake(&settled);
        }
        result
    }
}
