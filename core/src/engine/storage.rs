//! How the store is: whether it is being read, and what went wrong with it last.

use crate::ports::StoreError;

/// The state of the store.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) loading: Loading,
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
            loaded: false,
            store_problem: None,
            load_problem: None,
        }
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
