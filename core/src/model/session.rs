//! Sessions and what the server says about them.

use std::fmt;

use super::{Directory, SessionId};

/// A session as the server lists it. It carries no status of its own: see [`Status`].
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The directory whose instance runs it: every send must name this one.
    pub directory: Directory,
    /// The session whose `task` call made this one, or for which it was made here.
    pub parent: Option<SessionId>,
    /// Its title; the server makes one up after the first prompt.
    pub title: String,
    /// Creation, server clock, milliseconds since the epoch.
    pub created: u64,
    /// Last prompt, step or end of a run (not: part, question or answer), server clock, milliseconds since the epoch.
    pub updated: u64,
    /// Put away by a person.
    pub archived: bool,
    /// Cost so far in dollars, where the server tells it.
    pub cost: Option<f64>,
}

impl Session {
    /// A session without a title that has not changed since it was created.
    #[must_use]
    pub fn new(id: SessionId, directory: Directory, created: u64) -> Self {
        Self {
            id,
            directory,
            parent: None,
            title: String::new(),
            created,
            updated: created,
            archived: false,
            cost: None,
        }
    }
}

/// One page of the session list, newest `updated` first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionPage {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Leads to the next older page; none on the last one.
    pub next: Option<String>,
}

/// What the status map says of a session that is in it. Idle sessions are absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// A run goes on; it may be waiting for a person.
    Busy,
    /// The provider refused, the server tries again by itself.
    Retry {
        /// How often it has tried.
        attempt: u32,
        /// What the provider said.
        message: String,
        /// The next try, server clock, milliseconds since the epoch.
        next: Option<u64>,
    },
    /// A word this version does not know; taken for a running session.
    Other(String),
}

/// What `GET /global/health` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// The version of the server, such as `1.18.33`.
    pub version: String,
}

/// A model as prompts name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRef {
    /// The provider, such as `anthropic`.
    pub provider: String,
    /// The model, such as `claude-sonnet-4-5`.
    pub model: String,
}

impl fmt::Display for ModelRef {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.provider, self.model)
    }
}
