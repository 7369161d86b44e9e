//! The state of a tracker: the deferreds of the present turn, those that earlier turns abandoned, and late results.
//!
//! It is synchronous and wakes nobody. Whatever runs code of others (waking, dropping a result) is handed out, to be
//! done when the machine is no longer borrowed.
#![expect(
    clippy::mutable_key_type,
    reason = "the state of a deferred changes, its key does not, and only the key is hashed"
)]

use std::borrow::Borrow;
use std::collections::{HashSet, VecDeque};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use super::settlement::{Late, Turn};
use super::state::Deferred;
use super::wakers::{Wakers, Woken};
use super::{LATE_MAX, PAST_TURNS_MAX};
use crate::collections::FixedHash;

/// Deferreds by key. The order of the set is seen nowhere: whatever comes out of it is sorted by registration.
pub(super) type ByKey<K, T> = HashSet<Keyed<K, T>, FixedHash>;

/// A deferred that is found by its key. The key is stored once, in the deferred.
#[derive(Debug)]
pub(super) struct Keyed<K, T>(pub(super) Rc<Deferred<K, T>>);

impl<K, T> Borrow<K> for Keyed<K, T> {
    fn borrow(&self) -> &K {
        &self.0.key
    }
}

impl<K: Hash, T> Hash for Keyed<K, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.key.hash(state);
    }
}

impl<K: PartialEq, T> PartialEq for Keyed<K, T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.key == other.0.key
    }
}

impl<K: Eq, T> Eq for Keyed<K, T> {}

/// The state of a tracker.
#[derive(Debug)]
pub(super) struct Machine<K, T> {
    turn: Turn,
    registered: u64,
    present: ByKey<K, T>,
    settled: usize,
    /// Turns that have abandoned something, oldest first.
    past: VecDeque<Past<K, T>>,
    late: VecDeque<LateResult<K, T>>,
    /// Who waits for the end of the turn.
    pub(super) ending: Wakers,
}

/// A result, and the abandoned deferred it came for.
type LateResult<K, T> = (Rc<Deferred<K, T>>, Result<T, String>);

/// A turn that has ended, and what it abandoned.
#[derive(Debug)]
struct Past<K, T> {
    turn: Turn,
    abandoned: ByKey<K, T>,
}

/// A turn that has just ended.
#[derive(Debug)]
pub(super) struct Ended<K, T> {
    pub(super) turn: Turn,
    pub(super) deferreds: ByKey<K, T>,
    pub(super) settled: usize,
    pub(super) woken: Woken,
}

impl<K, T> Machine<K, T> {
    pub(super) fn new() -> Self {
        Self {
            turn: Turn(0),
            registered: 0,
            present: HashSet::default(),
            settled: 0,
            past: VecDeque::new(),
            late: VecDeque::new(),
            ending: Wakers::default(),
        }
    }

    pub(super) fn turn(&self) -> Turn {
        self.turn
    }

    pub(super) fn open(&self) -> usize {
        self.present.len() - self.settled
    }

    /// Counts a deferred of the present turn that was settled. Whoever waits for the last one is handed out.
    pub(super) fn handle_settled(&mut self) -> Option<Woken> {
        self.settled += 1;
        (self.open() == 0).then(|| self.ending.take())
    }

    /// Keeps a late result. The oldest is handed out when there are too many.
    pub(super) fn handle_late(
        &mut self,
        deferred: Rc<Deferred<K, T>>,
        result: Result<T, String>,
    ) -> Option<LateResult<K, T>> {
        self.late.push_back((deferred, result));
        (self.late.len() > LATE_MAX).then(|| self.late.pop_front()).flatten()
    }

    /// Ends the turn, and hands out what it had. What is open of it is to be abandoned at once.
    pub(super) fn end_turn(&mut self) -> Ended<K, T> {
        let turn = self.turn;
        self.turn = Turn(turn.0 + 1);
        Ended {
            turn,
            deferreds: std::mem::take(&mut self.present),
            settled: std::mem::take(&mut self.settled),
            woken: self.ending.take(),
        }
    }

    /// Remembers what an ended turn has abandoned, so that a result by key is known to be late. What is too old to be
    /// remembered any longer is handed out.
    pub(super) fn handle_abandoned(&mut self, turn: Turn, abandoned: ByKey<K, T>) -> Vec<ByKey<K, T>> {
        if !abandoned.is_empty() {
            self.past.push_back(Past { turn, abandoned });
        }
        let remembered = self.turn.0.saturating_sub(PAST_TURNS_MAX);
        let old = self.past.partition_point(|past| past.turn.0 < remembered);
        self.past.drain(..old).map(|past| past.abandoned).collect()
    }

    /// What is open, in the order it was registered.
    pub(super) fn open_deferreds(&self) -> Vec<Rc<Deferred<K, T>>> {
        in_order(&self.present)
    }
}

impl<K, T> Ended<K, T> {
    /// Abandons what is open, and returns it in the order it was registered.
    pub(super) fn abandon_open(&self) -> Vec<Rc<Deferred<K, T>>> {
        let open = in_order(&self.deferreds);
        open.iter().for_each(|deferred| deferred.abandon());
        open
    }
}

impl<K: Hash + Eq, T> Machine<K, T> {
    /// Registers a key in the present turn. A key that it has is handed back.
    pub(super) fn register(&mut self, key: K) -> Result<Rc<Deferred<K, T>>, K> {
        let deferred = Rc::new(Deferred::new(key, self.turn, self.registered));
        if self.present.insert(Keyed(deferred.clone())) {
            self.registered += 1;
            return Ok(deferred);
        }
        let deferred = Rc::into_inner(deferred).expect("what was not inserted has no other owner");
        Err(deferred.key)
    }

    pub(super) fn get(&self, key: &K) -> Option<&Rc<Deferred<K, T>>> {
        self.present.get(key).map(|Keyed(deferred)| deferred)
    }

    /// The deferred with this key that an earlier turn abandoned and that nothing was heard of since.
    pub(super) fn get_abandoned(&self, key: &K) -> Option<&Rc<Deferred<K, T>>> {
        let same_key = self.past.iter().filter_map(|past| past.abandoned.get(key));
        same_key
            .map(|Keyed(deferred)| deferred)
            .find(|deferred| deferred.is_awaited())
    }

    /// The late results, in the order they came.
    pub(super) fn take_late(&mut self) -> Vec<Late<K, T>>
    where
        K: Clone,
    {
        let late = std::mem::take(&mut self.late);
        for (deferred, _) in &late {
            self.forget(deferred);
        }
        late.into_iter()
            .map(|(deferred, result)| Late {
                key: deferred.key.clone(),
                turn: deferred.turn,
                result,
            })
            .collect()
    }

    /// Forgets an abandoned deferred that was heard of.
    fn forget(&mut self, deferred: &Deferred<K, T>) {
        let Ok(place) = self.past.binary_search_by_key(&deferred.turn, |past| past.turn) else {
            return;
        };
        self.past[place].abandoned.remove(&deferred.key);
        if self.past[place].abandoned.is_empty() {
            self.past.remove(place);
        }
    }
}

/// The open ones among them, in the order they were registered.
fn in_order<K, T>(deferreds: &ByKey<K, T>) -> Vec<Rc<Deferred<K, T>>> {
    let open: Vec<_> = deferreds.iter().filter(|Keyed(deferred)| deferred.is_open()).collect();
    // The numbers are copied out: sorting by what lies behind a pointer is slow.
    let mut places: Vec<_> = open
        .iter()
        .enumerate()
        .map(|(place, Keyed(deferred))| (deferred.sequence, place))
        .collect();
    sort(&mut places);
    places.into_iter().map(|(_, place)| open[place].0.clone()).collect()
}

/// Not generic: it is compiled once for all types of deferreds.
fn sort(places: &mut [(u64, usize)]) {
    places.sort_unstable_by_key(|(sequence, _)| *sequence);
}
