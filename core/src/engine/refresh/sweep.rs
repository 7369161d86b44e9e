//! The sweep: all pages of the session list and all directories, once in a while.

use crate::collections::SortedSet;
use crate::engine::server_clock::LastList;
use crate::model::{Directory, SessionId};
use crate::time::Time;

/// What the present sweep, or the last one, has named.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// When the last complete one began.
    pub(crate) begun: Option<Time>,
    /// The newest list of sessions that was read to its end.
    pub(crate) last_list: LastList,
    /// The newest `updated` in the lists that were read to their end, server clock.
    pub(crate) newest_update: u64,
    /// The same in the list that is being read.
    pub(crate) listed_update: u64,
    /// The same in the sweep that is under way.
    pub(crate) swept_update: u64,
    /// The sessions that it has named.
    pub(crate) sessions: SortedSet<SessionId>,
    /// The directories that it has named; none until it has read them.
    pub(crate) directories: Option<SortedSet<Directory>>,
}

impl Sweep {
    /// Whether a list of the sessions that were updated since then joins on to what is known. What other tabs have listed
    /// before it may not have come here.
    pub(crate) fn reaches(&self, since: Option<u64>) -> bool {
        since.is_none_or(|since| since <= self.newest_update)
    }
}
