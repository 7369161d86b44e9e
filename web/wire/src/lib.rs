#![doc = include_str!("../README.md")]

mod argument;
mod change;
mod events;
mod failure;
mod file;
mod frames;
mod http_answer;
mod json;
mod message;
mod offer;
mod outgoing;
mod part;
mod path;
mod project;
mod request;
mod session;
mod session_cursor;
mod status;
mod tool;

use std::fmt;

use switchboard_core::ports::{Fetched, Read};

pub use argument::argument;
pub use change::{Change, changes};
pub use events::{Event, EventReader, streaming_session};
pub use failure::{error_message, error_text, is_true};
pub use file::{ListedFile, file_text, files, path_of_file_text, path_of_files};
pub use frames::Frames;
pub use http_answer::{HttpAnswer, fetched, posted, understood};
pub use message::{message, page};
pub use offer::{OfferedAgent, OfferedModel, Provider, agents, path_of_agents, path_of_providers, providers};
pub use outgoing::{Outgoing, outgoing};
pub use path::{path_of, path_of_one_project};
pub use project::{directories, health, second_generation};
pub use request::{permissions, questions};
pub use session::{session, sessions};
pub use session_cursor::SessionCursor;
pub use status::statuses;

/// Why a body is not what OpenCode sends.
#[derive(Debug)]
#[non_exhaustive]
pub enum WireError {
    /// It is no JSON.
    Syntax(serde_json::Error),
    /// It is another kind of value.
    Kind {
        /// What it is.
        found: &'static str,
        /// What was asked for.
        expected: &'static str,
    },
    /// It lacks what makes it this.
    Missing(&'static str),
}

impl fmt::Display for WireError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WireError::Syntax(error) => write!(formatter, "damaged JSON: {error}"),
            WireError::Kind { found, expected } => write!(formatter, "{found} where {expected} was expected"),
            WireError::Missing(what) => write!(formatter, "no {what}"),
        }
    }
}

/// By what they say: an error of the parser has no other equality.
impl PartialEq for WireError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl std::error::Error for WireError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WireError::Syntax(error) => Some(error),
            WireError::Kind { .. } | WireError::Missing(_) => None,
        }
    }
}

/// Understands the body of a successful read. `cursor` is the `x-next-cursor` header of a read of messages.
///
/// # Errors
/// When the body as a whole is not what was asked for.
pub fn decode(read: &Read, body: &str, cursor: Option<&str>) -> Result<Fetched, WireError> {
    Ok(match read {
        Read::Health => Fetched::Health(health(body)?),
        Read::Directories => Fetched::Directories(directories(body)?),
        Read::Sessions { page, .. } => Fetched::Sessions(sessions(body, page.as_deref())?),
        Read::Session { .. } => Fetched::Session(Box::new(session(body)?)),
        Read::Questions(directory) => Fetched::Requests(questions(body, directory)?),
        Read::Permissions(directory) => Fetched::Requests(permissions(body, directory)?),
        Read::Status(_) => Fetched::Statuses(statuses(body)?),
        Read::Messages { .. } => Fetched::Page(page(body, cursor)?),
        Read::Message { .. } => Fetched::Message(Box::new(message(body)?)),
    })
}
