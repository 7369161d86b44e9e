//! One deferred: open, then settled or abandoned, once.

use std::cell::RefCell;
use std::fmt;
use std::task::Waker;

use super::settlement::{Settlement, Turn};
use super::wakers::{Ticket, Wakers};

/// One deferred. The map of its tracker, its guard and its waiters share it, so settling needs no look-up.
pub(crate) struct Deferred<K, T> {
    pub(crate) key: K,
    pub(crate) turn: Turn,
    /// Its place among all deferreds of its tracker.
    pub(crate) sequence: u64,
    state: RefCell<State<T>>,
    waiting: RefCell<Wakers>,
}

enum State<T> {
    Open,
    Settled(Result<T, String>),
    /// Its turn has ended, and there is no word of it.
    Abandoned,
    /// Its turn had ended when its result came.
    Late,
}

/// What became of a result.
pub(crate) enum Taken<T> {
    Settled,
    Already,
    /// Too late; here it is again.
    Late(Result<T, String>),
}

impl<K, T> Deferred<K, T> {
    pub(crate) fn new(key: K, turn: Turn, sequence: u64) -> Self {
        Self {
            key,
            turn,
            sequence,
            state: RefCell::new(State::Open),
            waiting: RefCell::default(),
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(*self.state.borrow(), State::Open)
    }

    /// True while a result would be news: open, or abandoned and not heard of since.
    pub(crate) fn is_awaited(&self) -> bool {
        matches!(*self.state.borrow(), State::Open | State::Abandoned)
    }

    /// Takes a result, once. Call [`Self::wake`] after it.
    pub(crate) fn settle(&self, result: Result<T, String>) -> Taken<T> {
        let mut state = self.state.borrow_mut();
        match *state {
            State::Open => {
                *state = State::Settled(result);
                Taken::Settled
            }
            State::Abandoned => {
                *state = State::Late;
                Taken::Late(result)
            }
            State::Settled(_) | State::Late => Taken::Already,
        }
    }

    /// Gives up an open deferred. Call [`Self::wake`] after it.
    pub(crate) fn abandon(&self) {
        debug_assert!(self.is_open(), "only what is open is abandoned");
        self.state.replace(State::Abandoned);
    }

    /// Wakes all waiters. Nothing may be borrowed here.
    pub(crate) fn wake(&self) {
        let woken = self.waiting.borrow_mut().take();
        woken.wake();
    }

    pub(crate) fn keep_waker(&self, ticket: Option<Ticket>, waker: Waker) -> Ticket {
        let (ticket, replaced) = self.waiting.borrow_mut().keep(ticket, waker);
        drop(replaced);
        ticket
    }

    pub(crate) fn forget_waker(&self, ticket: Ticket) {
        let forgotten = self.waiting.borrow_mut().forget(ticket);
        drop(forgotten);
    }
}

impl<K, T: Clone> Deferred<K, T> {
    /// Its end, as a waiter sees it; none while it is open.
    pub(crate) fn settlement(&self) -> Option<Settlement<T>> {
        match &*self.state.borrow() {
            State::Open => None,
            State::Settled(Ok(result)) => Some(Settlement::Completed(result.clone())),
            State::Settled(Err(reason)) => Some(Settlement::Failed(reason.clone())),
            State::Abandoned | State::Late => Some(Settlement::Aborted),
        }
    }
}

impl<K: fmt::Debug, T> fmt::Debug for Deferred<K, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &*self.state.borrow() {
            State::Open => "open",
            State::Settled(_) => "settled",
            State::Abandoned => "abandoned",
            State::Late => "late",
        };
        write!(formatter, "{:?} of turn {}: {state}", self.key, self.turn.0)
    }
}
