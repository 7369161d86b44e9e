//! What a tracker shares with its guards and futures.

use std::cell::RefCell;
use std::rc::Rc;
use std::task::Waker;

use super::machine::{Keyed, Machine};
use super::settlement::{Report, Settling, Turn};
use super::state::{Deferred, Taken};
use super::wakers::Ticket;

/// What the tracker shares with guards and futures.
pub(super) struct Shared<K, T> {
    pub(super) machine: RefCell<Machine<K, T>>,
}

impl<K, T> Shared<K, T> {
    pub(super) fn settle(&self, deferred: &Rc<Deferred<K, T>>, result: Result<T, String>) -> Settling {
        match deferred.settle(result) {
            Taken::Settled => {
                let ending = self.machine.borrow_mut().handle_settled();
                deferred.wake();
                if let Some(ending) = ending {
                    ending.wake();
                }
                Settling::Settled
            }
            Taken::Already => Settling::Already,
            Taken::Late(result) => {
                let dropped = self.machine.borrow_mut().handle_late(deferred.clone(), result);
                drop(dropped);
                Settling::Late
            }
        }
    }

    pub(super) fn turn_and_open(&self) -> (Turn, usize) {
        let machine = self.machine.borrow();
        (machine.turn(), machine.open())
    }

    pub(super) fn keep_waker(&self, ticket: Option<Ticket>, waker: Waker) -> Ticket {
        let (ticket, replaced) = self.machine.borrow_mut().ending.keep(ticket, waker);
        drop(replaced);
        ticket
    }

    pub(super) fn forget_waker(&self, ticket: Ticket) {
        let forgotten = self.machine.borrow_mut().ending.forget(ticket);
        drop(forgotten);
    }

    /// Ends the turn. Everything is abandoned before the first waker is called. Returns how many were settled, and what
    /// was abandoned.
    pub(super) fn abandon(&self) -> (usize, Vec<Rc<Deferred<K, T>>>) {
        let mut ended = self.machine.borrow_mut().end_turn();
        let open = ended.abandon_open();
        if ended.settled > 0 {
            ended.deferreds.retain(|Keyed(deferred)| deferred.is_awaited());
        }
        let forgotten = self.machine.borrow_mut().handle_abandoned(ended.turn, ended.deferreds);
        drop(forgotten);
        open.iter().for_each(|deferred| deferred.wake());
        ended.woken.wake();
        (ended.settled, open)
    }
}

impl<K: Clone, T> Shared<K, T> {
    pub(super) fn end_turn(&self) -> Report<K> {
        let (settled, abandoned) = self.abandon();
        Report {
            settled,
            abandoned: abandoned.iter().map(|deferred| deferred.key.clone()).collect(),
        }
    }
}
