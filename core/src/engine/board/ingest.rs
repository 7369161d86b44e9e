//! Takes in what was read: sessions, lists, status, messages.

mod messages;
mod requests;
mod saved;
mod sessions;

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
                    self.note_session_list(*since, &page, stamp.begun);
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

    /// Notes a list of the sessions that were updated since then, as far as it shows more than what is known.
    fn note_session_list(&mut self, since: Option<u64>, page: &SessionPage, begun: Time) {
        if page.next.is_none() {
            let since = since.map(|since| since.max(self.sweep.reach(&self.reader.server_clock)));
            self.sweep.list_before_last = self.sweep.last_list.replace(begun, since);
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
