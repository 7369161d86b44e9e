//! What the server says when it is asked (docs/opencode.md, sections 1 to 6).

use switchboard_core::Time;
use switchboard_core::model::{Ask, Directory, Health, Message, MessageId, Page, Request, SessionId, SessionPage};
use switchboard_core::ports::{Fetched, Read, ReadError};
use switchboard_wire::SessionCursor;

use super::OpenCode;

/// What a cursor begins with: it is no id of a message.
const CURSOR: &str = "before:";

/// The prefix of folders that lie in no repository.
const LOOSE: &str = "/loose/";

impl OpenCode {
    /// Answers a read, as of this moment.
    ///
    /// # Errors
    /// 404 for a session or message that does not exist.
    pub fn read(&self, read: &Read) -> Result<Fetched, ReadError> {
        refuse(read)?;
        match read {
            Read::Health => Ok(Fetched::Health(Health {
                version: "1.18.33".to_owned(),
            })),
            Read::Directories => Ok(self.directories()),
            Read::Sessions { since, page } => Ok(Fetched::Sessions(self.session_page(*since, page.as_deref()))),
            Read::Session { session, .. } => {
                let session = self.session(session).ok_or_else(|| not_found("Session"))?;
                Ok(Fetched::Session(Box::new(session)))
            }
            Read::Questions(directory) => {
                Ok(self.requests(directory, |request| matches!(request.ask, Ask::Questions(_))))
            }
            Read::Permissions(directory) => {
                Ok(self.requests(directory, |request| matches!(request.ask, Ask::Permission(_))))
            }
            Read::Status(directory) => Ok(Fetched::Statuses(
                self.with(|state| state.instance(directory).statuses.clone()),
            )),
            Read::Messages {
                session, limit, before, ..
            } => {
                self.with(|state| state.sessions.contains_key(session))
                    .then_some(())
                    .ok_or_else(|| not_found("Session"))?;
                let page = self.message_page(session, *limit, before.as_deref());
                // A window that more comes before is sent as it is stored.
                if page.older.is_none() && page.messages.iter().any(|message| self.is_spoiled(&message.id)) {
                    return Err(bad_request());
                }
                Ok(Fetched::Page(page))
            }
            Read::Message { session, message, .. } => {
                let found = self.with_messages(session, |held| held.iter().find(|held| held.id == *message).cloned());
                if found.is_some() && self.is_spoiled(message) {
                    return Err(bad_request());
                }
                Ok(Fetched::Message(Box::new(found.ok_or_else(|| not_found("Message"))?)))
            }
        }
    }

    /// The changes of a session that the server has noted: each complete reply is a change, `change 1` the first.
    #[must_use]
    pub fn changes(&self, session: &SessionId) -> String {
        let (now, span) = (self.stamp(), self.with(|state| state.notes_changes_after));
        let noted = |message: &&Message| {
            message
                .completed
                .is_some_and(|completed| Time(now).since(Time(completed)) >= span)
        };
        let replies = self.with_messages(session, |messages| messages.iter().filter(noted).count());
        (1..=replies).map(|reply| format!("change {reply}\n")).collect()
    }

    fn is_spoiled(&self, message: &MessageId) -> bool {
        self.with(|state| state.spoiled.contains(message))
    }

    /// The folders of the projects. Sessions outside of repositories belong to a project whose folder is `/`.
    fn directories(&self) -> Fetched {
        let mut directories = self.with(|state| {
            let all = state.sessions.values().map(|stored| stored.session.directory.clone());
            let all = all.filter(|directory| !directory.as_str().starts_with(LOOSE));
            all.collect::<Vec<_>>()
        });
        directories.sort();
        directories.dedup();
        Fetched::Directories(directories)
    }

    /// Newest first. The cursor is a time, as the real one is.
    fn session_page(&self, since: Option<u64>, page: Option<&str>) -> SessionPage {
        let cursor = SessionCursor::of(page);
        let before = cursor.before.unwrap_or(u64::MAX);
        let mut sessions = self.with(|state| {
            let all = state.sessions.values().map(|stored| stored.session.clone());
            all.filter(|session| !session.archived && session.updated < before && session.updated >= since.unwrap_or(0))
                .collect::<Vec<_>>()
        });
        sessions.sort_by(|one, other| (other.updated, &other.id).cmp(&(one.updated, &one.id)));
        sessions.truncate(usize::try_from(cursor.limit).unwrap_or(usize::MAX));
        let next = cursor.next(sessions.len(), sessions.last().map(|session| session.updated));
        SessionPage { sessions, next }
    }

    fn requests(&self, directory: &Directory, wanted: impl Fn(&Request) -> bool) -> Fetched {
        let requests = self.with(|state| {
            let asked = state.instance(directory).asked.iter();
            asked
                .map(|asked| asked.request.clone())
                .filter(|request| wanted(request))
                .collect()
        });
        Fetched::Requests(requests)
    }

    /// The newest, oldest first. The cursor names the oldest message that was returned.
    fn message_page(&self, session: &SessionId, limit: u32, before: Option<&str>) -> Page {
        self.with_messages(session, |all| {
            let before = before.and_then(|before| before.strip_prefix(CURSOR));
            let end = before.and_then(|before| all.iter().position(|message| message.id.as_str() == before));
            let end = end.unwrap_or(all.len());
            let surplus = match usize::try_from(limit) {
                Ok(limit @ 1..) => end.saturating_sub(limit),
                Ok(0) | Err(_) => 0,
            };
            let messages = all[surplus..end].to_vec();
            let older = messages.first().filter(|_| surplus > 0);
            let older = older.map(|message| format!("{CURSOR}{}", message.id));
            Page { messages, older }
        })
    }
}

/// Ids and cursors are refused by their form.
fn refuse(read: &Read) -> Result<(), ReadError> {
    let session = match read {
        Read::Session { session, .. } | Read::Messages { session, .. } | Read::Message { session, .. } => Some(session),
        Read::Health
        | Read::Directories
        | Read::Sessions { .. }
        | Read::Questions(_)
        | Read::Permissions(_)
        | Read::Status(_) => None,
    };
    if session.is_some_and(|session| !session.as_str().starts_with("ses")) {
        return Err(ReadError::Server {
            status: 500,
            message: "UnknownError".to_owned(),
        });
    }
    let is_odd = match read {
        Read::Message { message, .. } => !message.as_str().starts_with("msg"),
        Read::Messages { before, .. } => before
            .as_ref()
            .is_some_and(|before| !before.is_empty() && !before.starts_with(CURSOR)),
        Read::Health
        | Read::Directories
        | Read::Sessions { .. }
        | Read::Session { .. }
        | Read::Questions(_)
        | Read::Permissions(_)
        | Read::Status(_) => false,
    };
    if is_odd {
        return Err(bad_request());
    }
    Ok(())
}

fn bad_request() -> ReadError {
    ReadError::Refused {
        status: 400,
        message: "BadRequest".to_owned(),
    }
}

fn not_found(what: &str) -> ReadError {
    ReadError::NotFound(format!("{what} not found"))
}
