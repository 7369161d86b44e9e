//! What reads the server: the scopes, what is in flight of them, and how the server can be reached.

use crate::collections::SortedMap;
use crate::engine::refresh::link::Link;
use crate::engine::refresh::looks::Looks;
use crate::engine::refresh::scope::{RefreshScope, ScopeKey};
use crate::engine::refresh::trust::Trust;
use crate::engine::server_clock::ServerClock;
use crate::model::Directory;
use crate::ports::Read;
use crate::time::Time;

/// The reads of a board.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) scopes: SortedMap<ScopeKey, RefreshScope>,
    /// The reads that have not ended, by their number.
    pub(crate) in_flight: SortedMap<u64, Reading>,
    pub(crate) looks: Looks,
    pub(crate) link: Link,
    pub(crate) trust: Trust,
    pub(crate) server_clock: ServerClock,
}

/// A read that is in flight.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) scope: ScopeKey,
    pub(crate) read: Read,
    pub(crate) begun: Time,
    pub(crate) repeated: bool,
    /// It belongs to no refresh.
    pub(crate) is_peek: bool,
}

impl Reader {
    /// Reads the session list, and a directory that is known from the start.
    pub(crate) fn new(directory: Option<&Directory>) -> Self {
        let known = directory.map(|directory| ScopeKey::Directory(directory.clone()));
        let keys = [ScopeKey::Sessions].into_iter().chain(known);
        Self {
            scopes: keys.map(|key| (key, RefreshScope::new())).collect(),
            in_flight: SortedMap::new(),
            looks: Looks::default(),
            link: Link::default(),
            trust: Trust::default(),
            server_clock: ServerClock::default(),
        }
    }
}
