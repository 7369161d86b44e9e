//! What both sides hold: publishes questions, waits for them, answers them.

use std::cell::RefCell;
use std::fmt;
use std::hash::Hash;
use std::rc::Rc;

use super::machine::Machine;
use super::outcome::{Answered, AskOptions, Asked, Late, NotAsked};
use super::shared::Shared;
use super::views::Views;
use super::waiting::Waiting;
use crate::time::Clock;

/// Where questions of an agent meet the answers of a person. See [the module](super) for the rules and an example.
///
/// Dropping it closes it: nobody waits for ever.
pub struct Rendezvous<K, Q, A> {
    shared: Rc<Shared<K, Q, A>>,
}

impl<K: Hash + Eq + Clone, Q, A: Clone> Rendezvous<K, Q, A> {
    /// A rendezvous at which nothing was asked yet.
    #[must_use]
    pub fn new(clock: Rc<dyn Clock>) -> Self {
        Self {
            shared: Rc::new(Shared {
                machine: RefCell::new(Machine::new()),
                watching: RefCell::default(),
                clock,
            }),
        }
    }

    /// Publishes a question, and waits for its end. It is published also when the wait is dropped.
    ///
    /// # Errors
    /// When the key was used before, or the rendezvous is closed.
    pub fn ask(&self, key: K, question: Q, options: AskOptions<A>) -> Result<Waiting<K, Q, A>, NotAsked<K>> {
        let asked = |machine: &mut Machine<K, Q, A>, now| (machine.ask(key, question, options, now), None);
        let (cell, until) = self.shared.change(asked)?;
        Ok(Waiting::new(self.shared.clone(), cell, until))
    }

    /// Waits for the end of a question; at once when it has ended. Any number may wait. `None` when the key is not known.
    #[must_use]
    pub fn wait(&self, key: &K) -> Option<Waiting<K, Q, A>> {
        let (cell, until) = self.shared.machine.borrow().cell(key)?;
        Some(Waiting::new(self.shared.clone(), cell, until))
    }

    /// Answers a question. An answer that is late is kept for [`Self::take_late`].
    #[must_use = "an answer may be late, or for nobody"]
    pub fn answer(&self, key: &K, answer: A) -> Answered {
        self.shared.change(|machine, now| machine.answer(key, answer, now))
    }

    /// Ends a question without an answer, and stops showing it; why, in words. An answer that comes later is late. Returns
    /// false when it has ended before, or is not known.
    pub fn cancel(&self, key: &K, reason: impl Into<String>) -> bool {
        self.shared
            .change(|machine, now| machine.cancel(key, reason.into(), now))
    }

    /// What is shown: what waits, and what was left when its time was up, in the order it was asked.
    #[must_use]
    pub fn waiting(&self) -> Vec<Asked<K, Q>> {
        self.shared.look();
        self.shared.shown()
    }

    /// What is shown now, and the newest of it whenever that has changed. A slow reader skips; closing ends it.
    #[must_use]
    pub fn views(&self) -> Views<K, Q, A> {
        Views::new(self.shared.clone())
    }

    /// Answers that came too late, in the order they came; each is reported once, also after the end.
    #[must_use = "what is taken is not reported again"]
    pub fn take_late(&self) -> Vec<Late<K, Q, A>> {
        self.shared.machine.borrow_mut().take_late().into()
    }
}

impl<K, Q, A> Rendezvous<K, Q, A> {
    /// Ends everything. Twice is fine.
    pub fn close(&self) {
        let settled = self.shared.machine.borrow_mut().close();
        self.shared.wake(&settled);
    }
}

impl<K, Q, A> Drop for Rendezvous<K, Q, A> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<K, Q, A> fmt::Debug for Rendezvous<K, Q, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_closed = self.shared.is_closed();
        formatter
            .debug_struct("Rendezvous")
            .field("closed", &is_closed)
            .finish_non_exhaustive()
    }
}
