//! Says when reading is done (R25): when everything has been read once, and whether a request or a session is there.

use std::fmt;
use std::sync::Arc;

use futures::channel::oneshot;

use crate::engine::board::Board;
use crate::engine::refresh::scope::{RefreshScope, ScopeKey};
use crate::engine::told::Waiter;
use crate::model::{Directory, Request, RequestId, Session, SessionId};
use crate::ports::ReadError;
use crate::time::Time;
use crate::view::Link;

/// Why it is not known whether a request waits, or a session is there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindError {
    /// A part of the server could not be read.
    Unread {
        /// The directory; none where the sessions could not be listed.
        directory: Option<Directory>,
        /// Why.
        error: ReadError,
    },
    /// The board is closed.
    Closed,
}

impl fmt::Display for FindError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::Unread {
                directory: Some(directory),
                error,
            } => write!(formatter, "{directory} was not read: the server {error}"),
            FindError::Unread { directory: None, error } => {
                write!(formatter, "the sessions were not listed: the server {error}")
            }
            FindError::Closed => formatter.write_str("the board is closed"),
        }
    }
}

impl std::error::Error for FindError {}

/// The request or session that was looked for; none when there is none.
pub(crate) type Found<T> = Result<Option<Arc<T>>, FindError>;

/// The search for a request or a session.
#[derive(Debug)]
pub(crate) struct Search<Id, T> {
    id: Id,
    /// Refreshes with greater numbers have begun since, reads that fail at this one or later have failed since.
    number: u64,
    waiter: Waiter<Found<T>>,
}

/// The searches that go on.
#[derive(Debug, Default)]
pub(crate) struct Searches {
    requests: Vec<Search<RequestId, Request>>,
    sessions: Vec<Search<SessionId, Session>>,
}

/// How far a scope has been read since a search began.
enum Progress<'a> {
    Read,
    Failed(&'a ReadError),
    Unread,
}

impl Board {
    /// Looks for a request that waits: at once where it is shown, and else until everything was read once more.
    pub(crate) fn find(&mut self, request: &RequestId, now: Time) -> oneshot::Receiver<Found<Request>> {
        let (waiter, receiver) = self.told.waiter();
        if let Some(shown) = self.shown_request(request) {
            waiter.tell_at_once(Ok(Some(shown)));
            return receiver;
        }
        let search = self.search(request, waiter);
        self.waits.searches.requests.push(search);
        self.try_now(now);
        receiver
    }

    /// Looks for a session: at once where it is known, and else until the list was read once more.
    pub(crate) fn find_session(&mut self, session: &SessionId, now: Time) -> oneshot::Receiver<Found<Session>> {
        let (waiter, receiver) = self.told.waiter();
        if let Some(shown) = self.shown_session(session) {
            waiter.tell_at_once(Ok(Some(shown)));
            return receiver;
        }
        let search = self.search(session, waiter);
        self.waits.searches.sessions.push(search);
        let pace = self.config.pace;
        self.scope(ScopeKey::Sessions).cadence.expedite(now, &pace);
        receiver
    }

    fn search<Id: Clone, T>(&mut self, id: &Id, waiter: Waiter<Found<T>>) -> Search<Id, T> {
        Search {
            id: id.clone(),
            number: self.next_number(),
            waiter,
        }
    }

    /// Whether a request is looked for: then this tab reads every directory for itself.
    pub(super) fn is_searching(&self) -> bool {
        !self.waits.searches.requests.is_empty()
    }

    /// Whether anything is looked for: then this tab reads the list of sessions for itself.
    pub(super) fn needs_own_list(&self) -> bool {
        self.is_searching() || !self.waits.searches.sessions.is_empty()
    }

    /// Tells those who look for something what the reads have shown, and notes when everything has been read once.
    pub(super) fn conclude_reading(&mut self) {
        if !self.sweep.is_complete && self.has_read_everything() {
            self.sweep.is_complete = true;
            self.changed = true;
        }
        let Searches { requests, sessions } = std::mem::take(&mut self.waits.searches);
        self.waits.searches = Searches {
            requests: still_open(requests, |id, number| self.found_request(id, number)),
            sessions: still_open(sessions, |id, number| self.found_session(id, number)),
        };
    }

    /// Whether each scope has been read once, or cannot be, and all that was found is shown.
    fn has_read_everything(&self) -> bool {
        let mut scopes = self.reader.scopes.values();
        let mut requests = self.requests.iter();
        self.sweep.begun.is_some()
            && scopes.all(|scope| scope.completed.is_some() || scope.is_unreadable())
            && matches!(self.reader.link.show(), Link::Live)
            && requests.all(|(_, tracked)| tracked.publish_deadline().is_none())
    }

    fn shown_request(&self, request: &RequestId) -> Option<Arc<Request>> {
        let tracked = self.requests.get(request)?;
        tracked.is_published().then(|| tracked.request.clone())
    }

    fn shown_session(&self, session: &SessionId) -> Option<Arc<Session>> {
        self.sessions.nodes.get(session).map(|node| node.session.clone())
    }

    fn found_request(&self, id: &RequestId, number: u64) -> Option<Found<Request>> {
        if let Some(shown) = self.shown_request(id) {
            return Some(Ok(Some(shown)));
        }
        let tracked = self.requests.get(id);
        if tracked.is_some_and(|tracked| tracked.publish_deadline().is_some()) {
            return None;
        }
        let is_read = self.read_since(number, |_| true)?;
        Some(is_read.map(|()| None))
    }

    fn found_session(&self, id: &SessionId, number: u64) -> Option<Found<Session>> {
        if let Some(shown) = self.shown_session(id) {
            return Some(Ok(Some(shown)));
        }
        let is_read = self.read_since(number, |key| *key == ScopeKey::Sessions)?;
        Some(is_read.map(|()| None))
    }

    /// Whether these scopes have been read since a search began, or which of them could not be; none as long as one of them is
    /// still to be read.
    fn read_since(&self, number: u64, counts: impl Fn(&ScopeKey) -> bool) -> Option<Result<(), FindError>> {
        let mut result = Ok(());
        for (key, scope) in self.reader.scopes.iter().filter(|(key, _)| counts(key)) {
            match scope.progress_since(number) {
                Progress::Read => {}
                Progress::Unread => return None,
                Progress::Failed(error) => {
                    let directory = match key {
                        ScopeKey::Sessions => None,
                        ScopeKey::Directory(directory) => Some(directory.clone()),
                    };
                    let error = error.clone();
                    result = result.and(Err(FindError::Unread { directory, error }));
                }
            }
        }
        Some(result)
    }
}

/// Tells the searches that are over, and returns the others that are still wanted.
fn still_open<Id, T: 'static>(
    searches: Vec<Search<Id, T>>,
    found: impl Fn(&Id, u64) -> Option<Found<T>>,
) -> Vec<Search<Id, T>> {
    let mut open = Vec::new();
    for search in searches {
        match found(&search.id, search.number) {
            _ if search.waiter.is_canceled() => {}
            Some(found) => search.waiter.tell(found),
            None => open.push(search),
        }
    }
    open
}

impl RefreshScope {
    fn progress_since(&self, number: u64) -> Progress<'_> {
        if self.completed.is_some_and(|completed| completed > number) {
            return Progress::Read;
        }
        let is_recent = self.failed.is_some_and(|failed| failed >= number);
        match self.failure().filter(|_| is_recent) {
            Some(error) => Progress::Failed(error),
            None => Progress::Unread,
        }
    }
}
