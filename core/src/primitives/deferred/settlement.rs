//! How a deferred ends, and what is said about it.

use std::fmt;

/// The number of a turn of one tracker, from 0. A tracker's turn ends with `settle_all` or `abandon_all`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn(pub u64);

/// The one end of a deferred, as its waiters see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settlement<T> {
    /// The call has a result.
    Completed(T),
    /// The call failed; in words.
    Failed(String),
    /// The turn ended first. A result that comes later is reported by `take_late`.
    Aborted,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// It settled its deferred.
    Settled,
    /// Its deferred had a result before. Nothing happened.
    Already,
    /// Its deferred had been abandoned. The result is kept with its old turn, for `take_late`.
    Late,
    /// There is no such deferred. Nothing happened.
    Unknown,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<K> {
    /// How many deferreds of the turn were settled.
    pub settled: usize,
    /// The others, in the order they were registered.
    pub abandoned: Vec<K>,
}

/// A result that came after its deferred was abandoned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late<K, T> {
    /// The key of the deferred.
    pub key: K,
    /// The turn it belonged to.
    pub turn: Turn,
    /// The result, or why there is none; in words.
    pub result: Result<T, String>,
}

/// This key has been registered in this turn before. A key is used once a turn, so that no result meets the wrong call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlreadyOpen<K>(
    /// The key.
    pub K,
);

impl<K: fmt::Debug> fmt::Display for AlreadyOpen<K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the deferred {:?} is already registered in this turn",
            self.0
        )
    }
}

impl<K: fmt::Debug> std::error::Error for AlreadyOpen<K> {}
