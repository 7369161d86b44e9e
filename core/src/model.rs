//! The nouns: what an OpenCode server holds, what a person says to it, and what is sent.

mod answer;
mod draft;
mod entry;
mod id;
mod message;
mod not_sent;
mod prompt_ids;
mod request;
mod session;

pub use answer::{Answers, InvalidReply, Reply, validate};
pub use draft::{Draft, DraftField, DraftKey, DraftText};
pub use entry::{Attempt, ElsewhereAnswer, Entry, GoneReason, Outcome, Prompt, Sent, Stage};
pub use id::{CallId, Directory, EntryId, MessageId, PartId, RequestId, SessionId, WorkflowId};
pub use message::{Message, MessageError, Page, Part, PartBody, Role, Todo, ToolPart, ToolStatus};
pub use not_sent::{NotSentReason, Refusal};
pub use prompt_ids::PromptIds;
pub(crate) use prompt_ids::Seed;
pub use request::{Ask, Choice, Permission, Question, Request, ToolRef};
pub use session::{Health, ModelRef, Session, SessionPage, Status};
