//! How the store is: whether it is being read, and what went wrong with it last.

use std::time::Duration;

use crate::ports::StoreError;
use crate::time::Time;

/// The store is read again after this time though no tab has said that it has changed: what it said may have been lost.
const READ_AGAIN: Duration = Duration::from_secs(10);

/// The state of the store.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) loading: Loading,
    /// When a load was last asked for; none before the first pass.
    pub(crate) asked: Option<Time>,
    /// It was read once.
    pub(crate) loaded: bool,
    /// Why the last write failed.
    pub(crate) store_problem: Option<StoreError>,
    /// Why the last load failed.
    pub(crate) load_problem: Option<StoreError>,
}

/// Whether the store is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loading {
    No,
    Once,
    /// Something has asked for another load since this one began.
    AndAgain,
}

impl Storage {
    pub(crate) fn new() -> Self {
        Self {
            loading: Loading::No,
            asked: None,
            loaded: false,
            store_problem: None,
            load_problem: None,
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
    pub(crate) fn begin_load(&mut self) -> bool {
        let begins = self.loading == Loading::No;
        self.loading = if begins { Loading::Once } else { Loading::AndAgain };
        begins
    }

    /// A load has ended. True when another one was asked for since it began.
    pub(crate) fn end_load(&mut self) -> bool {
        std::mem::replace(&mut self.loading, Loading::No) == Loading::AndAgain
    }
}
