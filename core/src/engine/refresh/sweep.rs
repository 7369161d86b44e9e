//! The sweep: all pages of the session list and all directories, once in a while.

use std::time::Duration;

use crate::collections::SortedSet;
use crate::engine::server_clock::{Earlier, LastList, ServerClock};
use crate::model::{Directory, SessionId, SessionPage};
use crate::time::Time;

/// How far a list reaches back before what the lists have shown, milliseconds: by so much the server's clock may be set back, or
/// be known wrongly, before anything is missed.
const OVERLAP: u64 = 60_000;

/// How often a list reaches back further: a clock may have been set, and nothing says so. Events may be lost.
const LOOK_BACK_EVERY: Duration = Duration::from_secs(8);

/// How far it reaches back then, milliseconds: by so much a clock is wrong whose time zone is.
const LOOK_BACK: u64 = 24 * 60 * 60 * 1_000;

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
    /// The lists that were read to their end.
    read: Listed,
    /// The list that is being read.
    reading: Listed,
    /// The newest `updated` in the sweep that is under way, server clock.
    swept_update: u64,
    /// The `updated` in the middle of the first page of the newest sweep, where other pages follow, server clock. A list from
    /// there has one page.
    half_page: u64,
    /// When the newest list began that reaches back further.
    looked_back: Option<Time>,
    /// The sessions that it has named.
    pub(crate) sessions: SortedSet<SessionId>,
    /// The directories that it has named; none until it has read them.
    pub(crate) directories: Option<SortedSet<Directory>>,
    /// That of another tab, as far as it was shown.
    shown: Option<Shown>,
    /// When the last one of another tab was shown to its end.
    shown_end: Option<Time>,
}

/// How far lists of sessions go.
#[derive(Clone, Copy, Debug, Default)]
struct Listed {
    /// The newest `updated` in them, server clock.
    newest: u64,
    /// When the newest of them began.
    begun: Time,
}

impl Listed {
    /// Up to where they show each update, server clock: a session that has a stamp of later than when they were read has it
    /// from another clock, or from before this one was set back.
    fn reach(self, clock: &ServerClock) -> u64 {
        self.newest.min(clock.theirs(self.begun))
    }
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

    /// Whether a list that began then, of the sessions that were updated since, joins on to what is known. What other tabs have
    /// listed before it may not have come here. A tab that knows nothing of the server's clock goes by the time between two
    /// lists: each reaches back by more.
    pub(crate) fn reaches(&self, since: Option<u64>, begun: Time, clock: &ServerClock) -> bool {
        let follows = !clock.is_known() && begun <= self.read.begun + Duration::from_millis(OVERLAP);
        let reach = if follows { self.read.newest } else { self.reach(clock) };
        since.is_none_or(|since| since <= reach)
    }

    /// Up to where all updates are known, server clock.
    pub(crate) fn reach(&self, clock: &ServerClock) -> u64 {
        self.read.reach(clock)
    }

    /// Where the next list begins that is no sweep, server clock. It reaches back further from time to time, as far as one page
    /// does.
    pub(crate) fn next_since(&mut self, clock: &ServerClock, now: Time) -> u64 {
        let back = if self.looked_back.is_none_or(|at| now.since(at) >= LOOK_BACK_EVERY) {
            self.looked_back = Some(now);
            LOOK_BACK
        } else {
            OVERLAP
        };
        let reach = self.reach(clock);
        let half_page = Some(self.half_page).filter(|half| *half <= reach);
        reach.saturating_sub(back).max(half_page.unwrap_or(0))
    }

    /// Where the list begins that closes a sweep of several pages.
    pub(crate) fn closing_since(&self, clock: &ServerClock) -> u64 {
        let swept = Listed {
            newest: self.swept_update,
            ..self.reading
        };
        swept.reach(clock).saturating_sub(OVERLAP)
    }

    /// A sweep begins.
    pub(crate) fn begin(&mut self, now: Time) {
        self.sessions.clear();
        self.swept_update = 0;
        self.directories = None;
        self.looked_back = Some(now);
    }

    /// A sweep that began then is complete. What was updated last may be gone, and tabs that have never seen it could not join
    /// on to lists from there.
    pub(crate) fn end(&mut self, begun: Time) {
        self.begun = Some(begun);
        self.read.newest = self.swept_update;
    }

    /// Takes a page of a list that began to be read then.
    pub(crate) fn observe_page(
        &mut self,
        since: Option<u64>,
        cursor: Option<&str>,
        page: &SessionPage,
        begun: Time,
        clock: &ServerClock,
    ) {
        if cursor.is_none() {
            self.reading = Listed { newest: 0, begun };
        }
        let updates = || page.sessions.iter().map(|session| session.updated);
        let newest = updates().max().unwrap_or(0);
        self.reading.newest = self.reading.newest.max(newest);
        if since.is_none() {
            self.swept_update = self.swept_update.max(newest);
        }
        if since.is_none() && cursor.is_none() {
            let middle = page
                .sessions
                .get(page.sessions.len() / 2)
                .filter(|_| page.next.is_some());
            self.half_page = middle.map_or(0, |session| session.updated);
        }
        if page.next.is_none() && self.reaches(since, self.reading.begun, clock) {
            // Only a list that was read to its end says that nothing older has moved.
            self.read.newest = self.read.newest.max(self.reading.newest);
            self.read.begun = self.reading.begun;
        }
    }
}
