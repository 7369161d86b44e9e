//! What callers hold: registers calls, waits for them, ends turns.

use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::rc::Rc;
use std::time::Duration;

use super::guard::Guard;
use super::machine::Machine;
use super::settle_all::SettleAll;
use super::settlement::{AlreadyOpen, Late, Settling};
use super::shared::Shared;
use super::waiting::Waiting;
use crate::time::Clock;

/// One deferred per running call, by key. See [the module](super) for the rules and an example.
///
/// Dropping it abandons what is open: nobody waits for ever.
pub struct DeferredTracker<K, T> {
    shared: Rc<Shared<K, T>>,
}

impl<K: Hash + Eq + Clone, T> DeferredTracker<K, T> {
    /// A tracker in its first turn.
    #[must_use]
    pub fn new() -> Self {
        let machine = RefCell::new(Machine::new());
        Self {
            shared: Rc::new(Shared { machine }),
        }
    }

    /// Registers a call that the caller runs. The guard settles it.
    ///
    /// # Errors
    /// When the key has been registered in this turn before.
    pub fn register(&self, key: K) -> Result<Guard<K, T>, AlreadyOpen<K>> {
        let deferred = self.shared.machine.borrow_mut().register(key).map_err(AlreadyOpen)?;
        let shared = self.shared.clone();
        Ok(Guard { deferred, shared })
    }

    /// Registers a call that runs elsewhere; [`Self::settle`] settles it. Returns false when the key is known: it was
    /// registered in this turn, or an earlier turn abandoned it and nothing was heard of it since.
    ///
    /// So it may be told the same call again and again.
    pub fn observe(&self, key: K) -> bool {
        let mut machine = self.shared.machine.borrow_mut();
        machine.get_abandoned(&key).is_none() && machine.register(key).is_ok()
    }

    /// Settles a call by its key. A result for a call that an earlier turn abandoned is late, also when the key is in use
    /// again: the key alone does not say which of the two is meant, and the new one must not get what is not its own.
    #[must_use = "a result may be late, or for nobody"]
    pub fn settle(&self, key: &K, result: Result<T, String>) -> Settling {
        let machine = self.shared.machine.borrow();
        let deferred = machine.get_abandoned(key).or_else(|| machine.get(key)).cloned();
        drop(machine);
        match deferred {
            Some(deferred) => self.shared.settle(&deferred, result),
            None => Settling::Unknown,
        }
    }

    /// Waits for the end of a call of this turn; at once when it has ended. `None` when the key is not registered.
    #[must_use]
    pub fn wait(&self, key: &K) -> Option<Waiting<K, T>> {
        self.shared.machine.borrow().get(key).cloned().map(Waiting::new)
    }

    /// How many calls are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.shared.machine.borrow().open()
    }

    /// The keys of the open calls, in the order they were registered.
    #[must_use]
    pub fn open_keys(&self) -> Vec<K> {
        let open = self.shared.machine.borrow().open_deferreds();
        open.iter().map(|deferred| deferred.key.clone()).collect()
    }

    /// Ends the turn: waits until nothing is open, for `grace` from now at most, and abandons the rest.
    ///
    /// All open calls share the one grace. It waits for what is registered meanwhile, too, as that belongs to the turn
    /// which has not ended yet. When something else ends the turn first, it resolves at once and reports nothing.
    /// Dropping it leaves the turn as it is, with everything that is open.
    pub fn settle_all(&self, clock: &dyn Clock, grace: Duration) -> SettleAll<K, T> {
        SettleAll::new(self.shared.clone(), clock.sleep_until(clock.now() + grace))
    }

    /// Ends the turn at once and abandons what is open, for a turn that is cancelled. Returns its keys, in the order they
    /// were registered.
    pub fn abandon_all(&self) -> Vec<K> {
        self.shared.end_turn().abandoned
    }

    /// Results that came after their turn had ended, in the order they came; each is reported once.
    #[must_use = "what is taken is not reported again"]
    pub fn take_late(&self) -> Vec<Late<K, T>> {
        self.shared.machine.borrow_mut().take_late()
    }
}

impl<K: Hash + Eq + Clone, T> Default for DeferredTracker<K, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, T> Drop for DeferredTracker<K, T> {
    fn drop(&mut self) {
        self.shared.abandon();
    }
}

impl<K, T> fmt::Debug for DeferredTracker<K, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (turn, open) = self.shared.turn_and_open();
        let mut shown = formatter.debug_struct("DeferredTracker");
        shown.field("turn", &turn).field("open", &open).finish_non_exhaustive()
    }
}
