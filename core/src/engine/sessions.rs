//! Sessions: what the server lists of each, its messages, and how its newest turn stands.

pub(crate) mod asks;
pub(crate) mod runner;
pub(crate) mod session;
pub(crate) mod transcript;
pub(crate) mod turn;
pub(crate) mod window;

use crate::collections::{SortedMap, SortedSet};
use crate::engine::sessions::session::Node;
use crate::model::{Directory, MessageId, SessionId};
use crate::time::Time;

/// The sessions of a server, and what is in question about them.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    pub(crate) nodes: SortedMap<SessionId, Node>,
    /// Messages that were not found; whether their session exists is being asked.
    pub(crate) missing: SortedMap<SessionId, SortedSet<MessageId>>,
    /// Those that wait for a person.
    pub(crate) waiting: SortedSet<SessionId>,
    /// Those that are known to be gone, and when the read began that did not find them.
    pub(crate) gone: SortedMap<SessionId, Time>,
    /// Those that something refers to and that no list has named yet.
    pub(crate) unknown: SortedMap<SessionId, Directory>,
    /// For which session others were made here.
    pub(crate) links: SortedMap<SessionId, SessionId>,
}
