#![doc = include_str!("../README.md")]

mod argument;
mod events;
mod failure;
mod frames;
mod http_answer;
mod json;
mod message;
mod outgoing;
mod part;
mod path;
mod project;
mod request;
mod session;
mod status;
mod tool;

use std::fmt;

use switchboard_core::ports::{Fetched, Read};

pub use argument::{argument, asked};
pub use events::{Event, EventReader};
pub use failure::{error_message, error_text, is_true};
pub use frames::Frames;
pub use http_answer::{HttpAnswer, fetched, posted};
pub use message::{message, page};
pub use outgoing::{Outgoing, outgoing};
pub use path::{path_of, path_of_one_project};
pub use project::{directories, health, second_generation};
pub use request::{permissions, questions};
pub use session::{session, sessions};
pub use status::statuses;

/// A body that is not what OpenCode sends; in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WireError(
    /// What is wrong with it.
    pub String,
);

impl fmt::Display for WireError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for WireError {}

/// Understands the body of a successful read. `cursor` is its `x-next-cursor` header.
///
/// # Errors
/// When the body as a whole is not what was asked for.
pub fn decode(read: &Read, body: &str, cursor: Option<&str>) -> Result<Fetched, WireError> {
    Ok(match read {
        Read::Health => Fetched::Health(health(body)?),
        Read::Directories => Fetched::Directories(directories(body)?),
        Read::Sessions { .. } => Fetched::Sessions(sessions(body, cursor)?),
        Read::Session { .. } => Fetched::Session(Box::new(session(body)?)),
        Read::Questions(directory) => Fetched::Requests(questions(body, directory)?),
        Read::Permissions(directory) => Fetched::Requests(permissions(body, directory)?),
        Read::Status(_) => Fetched::Statuses(statuses(body)?),
        Read::Messages { .. } => Fetched::Page(page(body, cursor)?),
        Read::Message { .. } => Fetched::Message(Box::new(message(body)?)),
    })
}
