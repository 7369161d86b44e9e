//! Takes in what was read: sessions, lists, status, messages.

mod messages;
mod requests;
mod saved;
mod sessions;

use self::sessions::is_young;
use crate::engine::board::Board;
use crate::engine::evidence::ReadStamp;
use crate::engine::outbox::PartState;
use crate::engine::refresh::scope::{Refresh, ScopeKey};
use crate::engine::requests::Kind;
use crate::model::{Directory, SessionPage};
use crate::ports::{Fetched, Read, ReadError};
use crate::time::Time;

impl Board {
    pub(crate) fn observe(&mut self, read: &Read, result: Result<Fetched, ReadError>, stamp: ReadStamp, now: Time) {
        match (read, result) {
            (Read::Health, Ok(Fetched::Health(health))) => {
                self.changed |= self.reader.link.version.as_ref() != Some(&health.version);
                self.reader.link.version = Some(health.version);
            }
            (Read::Directories, Ok(Fetched::Directories(mut directories))) => {
                directories.retain(|directory| self.shows(directory));
                for directory in &directories {
                    self.scope(ScopeKey::Directory(directory.clone()));
                }
                self.sweep.directories = Some(directories.into_iter().collect());
            }
            (Read::Sessions { since, page: cursor }, Ok(Fetched::Sessions(page))) => {
                if cursor.is_none() {
                    self.sweep.listed_update = 0;
                    self.compare_session_clocks(*since, &page, stamp.begun, now);
                }
                if let (None, None, Some(open)) = (since, cursor, self.attention.open.clone()) {
                    // A page that names it settles that. None names an archived one, and the tab that sweeps may not need it.
                    self.question(&open);
                }
                self.observe_sessions(*since, cursor.as_deref(), page, stamp.begun, now);
            }
            (Read::Session { session, .. }, Ok(Fetched::Session(found))) => {
                self.observe_session(*found, stamp.begun, now);
                self.settle_missing(session, PartState::Vanished, stamp, now);
            }
            (Read::Session { session, .. }, Err(ReadError::NotFound(_))) => self.observe_deletion(session, stamp, now),
            (Read::Questions(directory), Ok(Fetched::Requests(requests))) => {
                self.observe_list(directory, Kind::Question, requests, stamp, now);
            }
            (Read::Permissions(directory), Ok(Fetched::Requests(requests))) => {
                self.observe_list(directory, Kind::Permission, requests, stamp, now);
            }
            (Read::Status(directory), Ok(Fetched::Statuses(statuses))) => {
                self.observe_statuses(directory, statuses, stamp, now);
            }
            (Read::Messages { session, before, .. }, Ok(Fetched::Page(page))) => {
                self.observe_page(session, before.as_deref(), page, stamp, now);
            }
            (Read::Message { session, message, .. }, Ok(Fetched::Message(found))) => {
                self.observe_message(session, message, &found, stamp, now);
            }
            (
                Read::Message {
                    session,
                    directory,
                    message,
                },
                Err(ReadError::NotFound(_)),
            ) => {
                self.observe_missing(session, directory, message, stamp, now);
            }
            (Read::Message { session, message, .. }, Err(_)) => {
                for id in self.asked_in(session, message) {
                    if let Some(tracked) = self.requests.get_mut(&id) {
                        tracked.handle_unreadable(stamp.number);
                    }
                    self.publish(&id);
                }
            }
            (
                Read::Messages {
                    session, limit, before, ..
                },
                Err(error),
            ) => {
                self.observe_unreadable_page(session, *limit, before.as_deref(), &error, now);
            }
            (_, Ok(_) | Err(_)) => {}
        }
    }

    /// Compares the clocks by the sessions that were updated since the last complete list. A session that is listed for the
    /// first time counts if the list has only recent updates and the session was created after the last list: others may have
    /// been imported, or taken out of the archive. A session whose `updated` is older than what is known does not count.
    fn compare_session_clocks(&mut self, since: Option<u64>, page: &SessionPage, begun: Time, now: Time) {
        if page.next.is_some() {
            return;
        }
        let before = self.sweep.last_list.replace(begun, since);
        self.sweep.list_before_last = before;
        for session in &page.sessions {
            let has_moved = match self.sessions.nodes.get(&session.id) {
                Some(known) => known.session.updated < session.updated,
                None => {
                    let is_young = before.is_none_or(|before| is_young(session, before, now));
                    since.is_some() && is_young && !self.sessions.gone.contains_key(&session.id)
                }
            };
            if has_moved {
                let after = before.and_then(|before| before.made_after(session.updated));
                self.changed |= self.reader.server_clock.observe(session.updated, after, now);
            }
        }
    }

    fn refresh_of(&mut self, directory: &Directory) -> Option<&mut Refresh> {
        self.reader
            .scopes
            .get_mut(&ScopeKey::Directory(directory.clone()))?
            .refresh
            .as_mut()
    }
}
