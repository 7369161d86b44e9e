//! The sweep: all pages of the session list and all directories, once in a while.

use crate::collections::SortedSet;
use crate::engine::server_clock::{Earlier, LastList};
use crate::model::{Directory, SessionId, SessionPage};
use crate::time::Time;

/// What the present sweep, or the last one, has named.
#[derive(Debug, Default)]
pub(crate) struct Sweep {
    /// When the last complete one began.
    pub(crate) begun: Option<Time>,
    /// One was complete, and all directories that are known have been read once, or cannot be.
    pub(crate) is_complete: bool,
    /// The newest list of sessions that was read to its end.
    pub(crate) last_list: LastList,
    /// The one before it.
    pub(crate) list_before_last: Option<Earlier>,
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
    /// That of another tab, as far as it was shown.
    shown: Option<Shown>,
    /// When the last one of another tab was shown to its end.
    shown_end: Option<Time>,
}

/// The pages of a sweep that another tab has shown.
#[derive(Debug, Default)]
struct Shown {
    named: SortedSet<SessionId>,
    /// The page that comes next.
    next: Option<String>,
    /// All pages of several were shown: a list of what was updated since the newest of them comes next.
    is_closing: bool,
    /// The newest `updated` in them, server clock.
    newest: u64,
}

impl Sweep {
    /// The newest list that came before a read that began then: the newest of all, or the one before if that read is it.
    pub(crate) fn list_before(&self, begun: Time) -> Option<Earlier> {
        let newest = self.last_list.newest()?;
        if newest.begun() == begun {
            self.list_before_last
        } else {
            Some(newest).filter(|newest| newest.begun() < begun)
        }
    }

    /// Takes a page that another tab began to read then. With the last page of a sweep it returns all that the sweep has
    /// named, and after when it began: the one before it had been shown to its end, whatever the clocks of the tabs say.
    pub(crate) fn observe_shown(
        &mut self,
        since: Option<u64>,
        cursor: Option<&str>,
        page: &SessionPage,
        begun: Time,
        now: Time,
    ) -> Option<(SortedSet<SessionId>, Time)> {
        if since.is_none() && cursor.is_none() {
            self.shown = Some(Shown::default());
        }
        let is_next = |shown: &Shown| match since {
            None => !shown.is_closing && shown.next.as_deref() == cursor,
            Some(since) => shown.is_closing && since <= shown.newest,
        };
        let shown = self.shown.take_if(|shown| since.is_none() || is_next(shown));
        let mut shown = shown.filter(is_next)?;
        for session in &page.sessions {
            shown.named.insert(session.id.clone());
            shown.newest = shown.newest.max(session.updated);
        }
        shown.next.clone_from(&page.next);
        if shown.next.is_some() || since.is_none() && cursor.is_some() {
            shown.is_closing |= shown.next.is_none();
            self.shown = Some(shown);
            return None;
        }
        let before = self.shown_end.replace(now)?;
        Some((shown.named, before.min(begun)))
    }

    /// Whether a list of the sessions that were updated since then joins on to what is known. What other tabs have listed
    /// before it may not have come here.
    pub(crate) fn reaches(&self, since: Option<u64>) -> bool {
        since.is_none_or(|since| since <= self.newest_update)
    }
}
