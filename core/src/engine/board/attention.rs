//! What people look at here, and whether this page reads for other tabs.

use crate::collections::SortedMap;
use crate::engine::previews::Previews;
use crate::engine::waits::awake::Awake;
use crate::model::{Directory, SessionId};

/// Where the attention of this page is.
#[derive(Debug)]
pub(crate) struct Attention {
    /// The session whose messages are shown whole.
    pub(crate) open: Option<SessionId>,
    /// The page before the oldest message of the open session is wanted.
    pub(crate) older_wanted: bool,
    /// The page is on the screen.
    pub(crate) visible: bool,
    /// Another tab reads the lists for this one.
    pub(crate) following: bool,
    pub(crate) awake: Awake,
    pub(crate) previews: Previews,
    /// Sessions that are known for as long as they exist, also where no list names them, each with its directory.
    pub(crate) needed: SortedMap<SessionId, Directory>,
}

impl Attention {
    pub(crate) fn new() -> Self {
        Self {
            open: None,
            older_wanted: false,
            visible: true,
            following: false,
            awake: Awake::default(),
            previews: Previews::default(),
            needed: SortedMap::new(),
        }
    }
}
