//! The scope of refreshing: one directory, or the session list. At most one refresh of a scope is in flight.

use std::collections::VecDeque;
use std::time::Duration;

use crate::collections::{SortedMap, SortedSet};
use crate::engine::evidence::ReadStamp;
use crate::engine::refresh::cadence::Cadence;
use crate::engine::refresh::link::FAILURES_HIDDEN;
use crate::engine::refresh::peeks::Peeks;
use crate::engine::requests::Kind;
use crate::engine::server_clock::LastList;
use crate::model::{Directory, RequestId, SessionId, Status};
use crate::ports::{Read, ReadError};
use crate::time::Time;

/// Names a scope.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ScopeKey {
    /// The list of sessions, and what a sweep adds to it.
    Sessions,
    /// Requests, status and messages of one directory.
    Directory(Directory),
}

/// A scope and how far its refresh is.
#[derive(Debug)]
pub(crate) struct RefreshScope {
    pub(crate) cadence: Cadence,
    pub(crate) refresh: Option<Refresh>,
    /// The last refresh ran out of time: the next one reads one thing at a time.
    pub(crate) timed_out: bool,
    /// One of its reads was answered. Before that one thing is read at a time: directories that hang must not take all
    /// connections from those that do not.
    pub(crate) answered: bool,
    /// Why the newest refresh that has ended has failed.
    pub(crate) error: Option<ReadError>,
    /// The number of the newest refresh that has read everything it wanted to.
    pub(crate) completed: Option<u64>,
    /// The number of the newest read at the last failure.
    pub(crate) failed: Option<u64>,
    /// The read that last showed the status map.
    pub(crate) status_read: Option<ReadStamp>,
    /// What that status map said.
    pub(crate) statuses: SortedMap<SessionId, Status>,
    /// Which lists, and the status (none), another tab has read since they were last taken together, and when it began to.
    pub(crate) shown: SortedMap<Option<Kind>, Time>,
    /// When the newest read of each list began, and of the status (none).
    pub(crate) begun: SortedMap<Option<Kind>, Time>,
    /// When the newest read of each list began that has been taken in.
    pub(crate) listed: SortedMap<Kind, LastList>,
    /// The lists that are wanted beside the refresh: something was asked after it had read them.
    pub(crate) peeks: Peeks,
    /// The lists and the status have been read together once, and what they name has been looked at.
    pub(crate) is_concluded: bool,
    /// When an event last named it.
    pub(crate) announced: Option<Time>,
    /// When something was found here that no event had announced, and none has yet.
    pub(crate) unannounced: Option<Time>,
    /// When something was last seen to happen here.
    pub(crate) used: Option<Time>,
}

/// One refresh.
#[derive(Debug)]
pub(crate) struct Refresh {
    pub(crate) number: u64,
    pub(crate) begun: Time,
    pub(crate) phase: Phase,
    pub(crate) queue: VecDeque<Read>,
    pub(crate) in_flight: usize,
    /// The status map was read.
    pub(crate) status: bool,
    /// It reads the status alone, as long as that shows nothing that runs: nothing is asked there.
    pub(crate) is_glance: bool,
    /// The lists that were read.
    pub(crate) lists: SortedSet<Kind>,
    /// Requests whose part was read.
    pub(crate) parts: SortedSet<RequestId>,
    /// Directories and all pages of the session list are read.
    pub(crate) sweep: bool,
    /// An urgent look did not fit in: the next refresh follows at once.
    pub(crate) unfinished: bool,
    /// One of its reads was answered.
    pub(crate) got_through: bool,
    /// The last of its reads that ended ran out of time.
    pub(crate) timed_out: bool,
    pub(crate) error: Option<ReadError>,
}

/// The two steps of a refresh. Messages are read after the status, or "idle" is paired with messages from before the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Lists,
    Messages,
}

impl RefreshScope {
    pub(crate) fn new() -> Self {
        Self {
            cadence: Cadence::new(),
            refresh: None,
            timed_out: false,
            answered: false,
            error: None,
            completed: None,
            failed: None,
            status_read: None,
            statuses: SortedMap::new(),
            shown: SortedMap::new(),
            begun: SortedMap::new(),
            listed: SortedMap::new(),
            peeks: Peeks::default(),
            is_concluded: false,
            announced: None,
            unannounced: None,
            used: None,
        }
    }

    /// When another tab began to read the lists and the status, if it has read them all, so close together.
    pub(crate) fn begin_of_shown(&self, close: Duration) -> Option<Time> {
        let all = [None, Some(Kind::Question), Some(Kind::Permission)];
        let begun: Vec<Time> = all.iter().filter_map(|kind| self.shown.get(kind).copied()).collect();
        let (first, last) = (*begun.iter().min()?, *begun.iter().max()?);
        (begun.len() == all.len() && last.since(first) < close).then_some(first)
    }

    /// Why it cannot be read: the present refresh shows it, or the last one.
    pub(crate) fn failure(&self) -> Option<&ReadError> {
        let present = self.refresh.as_ref().and_then(|refresh| refresh.error.as_ref());
        present.or(self.error.as_ref())
    }

    /// It was never read, and nothing says that it soon will be: it hangs, or has failed again although the server can be reached.
    pub(crate) fn is_unreadable(&self) -> bool {
        let has_failed_again = self.cadence.failures() > FAILURES_HIDDEN;
        let fails = |error: &ReadError| *error == ReadError::TimedOut || has_failed_again && !error.is_about_the_way();
        self.completed.is_none() && self.failure().is_some_and(fails)
    }

    /// It ran out of time when it was last read.
    pub(crate) fn hangs(&self) -> bool {
        self.timed_out || self.refresh.as_ref().is_some_and(|refresh| refresh.timed_out)
    }

    /// True when a read of its refresh may begin, or its refresh.
    pub(crate) fn wants_connection(&self) -> bool {
        match &self.refresh {
            Some(refresh) => {
                let alone = (self.timed_out || !self.answered) && refresh.in_flight > 0;
                !refresh.queue.is_empty() && !alone
            }
            None => self.cadence.is_due(),
        }
    }
}

impl Refresh {
    pub(crate) fn new(number: u64, begun: Time, reads: impl IntoIterator<Item = Read>) -> Self {
        Self {
            number,
            begun,
            phase: Phase::Lists,
            queue: reads.into_iter().collect(),
            in_flight: 0,
            status: false,
            is_glance: false,
            lists: SortedSet::new(),
            parts: SortedSet::new(),
            sweep: false,
            unfinished: false,
            got_through: false,
            timed_out: false,
            error: None,
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty() && self.in_flight == 0
    }
}
