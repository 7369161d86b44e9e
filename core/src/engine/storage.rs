//! How the store is: whether it is being read, and what went wrong with it last.

use std::time::Duration;

use crate::collections::SortedSet;
use crate::model::RequestId;
use crate::ports::StoreError;
use crate::time::Time;

/// The store is read again after this time though no tab has said that it has changed: what it said may have been lost. A
/// load that takes as long is told.
const READ_AGAIN: Duration = Duration::from_secs(10);

/// Figures that were read so long ago are read again before a policy acts.
const FIGURES_AGE: Duration = Duration::from_secs(5);

/// The state of the store.
#[derive(Debug)]
pub(crate) struct Storage {
    loading: Loading,
    /// When a load was last asked for; none before the first pass.
    asked: Option<Time>,
    /// It was read once.
    pub(crate) loaded: bool,
    /// Why the last write failed.
    pub(crate) store_problem: Option<StoreError>,
    /// Why the last load failed.
    pub(crate) load_problem: Option<StoreError>,
    /// Whether the figures were read.
    pub(crate) figures: FiguresRead,
}

/// Whether the figures of the store were read. What they say of a stopped countdown binds each policy, so they are read until
/// that succeeds, and anew for each policy that is about to act.
#[derive(Debug, Default)]
pub(crate) struct FiguresRead {
    /// Numbered as reads are: when the load under way began.
    loading: Option<u64>,
    /// The same of the newest one that succeeded.
    loaded: Option<u64>,
    /// When that one ended.
    ended: Time,
    /// The last one failed.
    refused: bool,
    /// When the store is asked again that has refused.
    again: Option<Time>,
    /// The figures of stopped countdowns that it did not keep.
    pub(crate) unkept: SortedSet<RequestId>,
}

impl FiguresRead {
    /// A load of this number is wanted. True when it begins: one at a time.
    pub(crate) fn begin(&mut self, number: u64) -> bool {
        if self.loading.is_some() {
            return false;
        }
        self.loading = Some(number);
        true
    }

    /// The load under way has ended.
    pub(crate) fn end(&mut self, has_failed: bool, now: Time) {
        let begun = self.loading.take();
        self.refused = has_failed;
        if has_failed {
            self.put_off(now);
        } else {
            self.loaded = begun;
            self.ended = now;
        }
    }

    /// Asks the store again later.
    pub(crate) fn put_off(&mut self, now: Time) {
        self.again = Some(now + READ_AGAIN);
    }

    /// When the store is asked again.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        self.again
    }

    /// Whether the store is to be asked again by now; said once.
    pub(crate) fn take_due(&mut self, now: Time) -> bool {
        self.again.take_if(|again| *again <= now).is_some()
    }

    /// Whether they were read by a load that began after this number.
    pub(crate) fn are_read_since(&self, number: u64) -> bool {
        self.loaded.is_some_and(|loaded| loaded > number)
    }

    /// Whether the last load failed.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused
    }

    /// Whether they were read so long ago that another tab may have said more since.
    pub(crate) fn are_old(&self, now: Time) -> bool {
        !self.refused && self.loading.is_none() && now.since(self.ended) >= FIGURES_AGE
    }

    /// Whether they were read at all.
    pub(crate) fn are_read(&self) -> bool {
        self.loaded.is_some()
    }
}

/// Whether the store is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loading {
    No,
    Once {
        begun: Time,
    },
    /// Something has asked for another load since this one began.
    AndAgain {
        begun: Time,
    },
}

impl Storage {
    pub(crate) fn new() -> Self {
        Self {
            loading: Loading::No,
            asked: None,
            loaded: false,
            store_problem: None,
            load_problem: None,
            figures: FiguresRead::default(),
        }
    }

    /// When it is read again if no tab says that it has changed.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        Some(self.asked? + READ_AGAIN)
    }

    /// Whether the last load or the last write has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.store_problem.is_some() || self.load_problem.is_some()
    }

    /// Another load is wanted. True when it begins at once; what is asked for while one is under way is read by the next: the
    /// present one may have passed it.
    pub(crate) fn begin_load(&mut self, now: Time) -> bool {
        self.asked = Some(now);
        let (begins, loading) = match self.loading {
            Loading::No => (true, Loading::Once { begun: now }),
            Loading::Once { begun } | Loading::AndAgain { begun } => (false, Loading::AndAgain { begun }),
        };
        self.loading = loading;
        begins
    }

    /// Whether a load takes so long that the person is told.
    pub(crate) fn is_silent(&self, now: Time) -> bool {
        match self.loading {
            Loading::No => false,
            Loading::Once { begun } | Loading::AndAgain { begun } => begun + READ_AGAIN <= now,
        }
    }

    /// A load has ended. True when another one was asked for since it began.
    pub(crate) fn end_load(&mut self) -> bool {
        matches!(
            std::mem::replace(&mut self.loading, Loading::No),
            Loading::AndAgain { .. }
        )
    }
}
