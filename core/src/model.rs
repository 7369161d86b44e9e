//! The nouns: what an OpenCode server holds, and what a person says to it.

mod answer;
mod draft;
mod id;
mod message;
mod prompt_ids;
mod request;
mod session;

pub use answer::{Answers, InvalidReply, Reply, validate};
pub use draft::{Draft, DraftField, DraftKey, DraftText};
pub use id::{CallId, Directory, EntryId, MessageId, PartId, RequestId, SessionId};
pub use message::{Message, MessageError, Page, Part, PartBody, Role, Todo, ToolPart, ToolStatus};
pub(crate) use prompt_ids::Seed;
pub use request::{Ask, Choice, Permission, Question, Request, ToolRef};
pub use session::{Health, ModelRef, Session, SessionPage, Status};
