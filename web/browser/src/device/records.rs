//! How entries of the ledger, drafts and workflows are written down: JSON that a later version of this page can read.
//!
//! The types of `core` are named here, field by field, so that changing them cannot change what is on somebody's disk
//! without the compiler asking. A record that this version does not understand is told apart, never altered.

mod draft;
mod entry;
mod figure;
mod link;
mod request;
mod stage;
mod workflow;

use serde_json::Value;
use switchboard_core::Time;
use switchboard_core::metrics::Figure;
use switchboard_core::model::{
    CallId, Directory, Draft, Entry, EntryId, MessageId, PartId, RequestId, SessionId, WorkflowId,
};
use switchboard_core::ports::SessionLink;
use switchboard_core::workflow::Workflow;

pub use draft::draft_name;

use crate::codec::{Record, field, object};
use crate::device::activity::Happening;

/// The form of the records that this version writes.
pub const FORMAT: u32 = 1;

/// A record that this version does not understand. It belongs to a newer one, or is damaged; it is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUnderstood;

/// Writes an entry down.
#[must_use]
pub fn write_entry(entry: &Entry) -> String {
    write(entry)
}

/// Reads an entry back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_entry(text: &str) -> Result<Entry, NotUnderstood> {
    read(text)
}

/// Writes a draft down.
#[must_use]
pub fn write_draft(draft: &Draft) -> String {
    write(draft)
}

/// Reads a draft back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_draft(text: &str) -> Result<Draft, NotUnderstood> {
    read(text)
}

/// Writes a figure down.
#[must_use]
pub fn write_figure(figure: &Figure) -> String {
    write(figure)
}

/// Reads a figure back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_figure(text: &str) -> Result<Figure, NotUnderstood> {
    read(text)
}

/// Writes a link down.
#[must_use]
pub fn write_link(link: &SessionLink) -> String {
    write(link)
}

/// Reads a link back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_link(text: &str) -> Result<SessionLink, NotUnderstood> {
    read(text)
}

/// Writes down what happened.
#[must_use]
pub fn write_happening(happening: &Happening) -> String {
    write(happening)
}

/// Reads back what happened.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_happening(text: &str) -> Result<Happening, NotUnderstood> {
    read(text)
}

/// Writes a workflow down.
#[must_use]
pub fn write_workflow(workflow: &Workflow) -> String {
    write(workflow)
}

/// Reads a workflow back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_workflow(text: &str) -> Result<Workflow, NotUnderstood> {
    read(text)
}

/// Writes figures down for people and programs: a list, and what they amount to in milliseconds.
#[must_use]
pub fn export_figures(figures: &[Figure]) -> String {
    figure::export(figures)
}

fn write(content: &impl Record) -> String {
    object(vec![("format", FORMAT.write()), ("content", content.write())]).to_string()
}

fn read<Content: Record>(text: &str) -> Result<Content, NotUnderstood> {
    let sheet: Value = serde_json::from_str(text).map_err(|_| NotUnderstood)?;
    if field(&sheet, "format") != Some(FORMAT) {
        return Err(NotUnderstood);
    }
    field(&sheet, "content").ok_or(NotUnderstood)
}

macro_rules! texts {
    ($($id:ty),* $(,)?) => {
        $(impl Record for $id {
            fn write(&self) -> Value {
                self.as_str().into()
            }

            fn read(value: &Value) -> Option<Self> {
                value.as_str().map(Self::from)
            }
        })*
    };
}
texts!(
    CallId, Directory, EntryId, MessageId, PartId, RequestId, SessionId, WorkflowId
);

impl Record for Time {
    fn write(&self) -> Value {
        self.0.into()
    }

    fn read(value: &Value) -> Option<Self> {
        value.as_u64().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_of_another_format_is_not_read() {
        let text =
            r#"{"format":2,"content":{"key":{"kind":"prompt","id":"ses_1"},"text":{"kind":"prompt","text":"a"}}}"#;
        assert_eq!(read_draft(text), Err(NotUnderstood));
        assert!(read_draft(&text.replace(":2,", ":1,")).is_ok());
    }

    /// R13
    #[test]
    fn what_was_written_before_is_read() {
        let text = r#"{"format":1,"content":{"id":"per_1","version":3,"created":5,"session":"ses_1","directory":"/d",
            "sent":{"reply":{"request":{"id":"per_1","session":"ses_1","directory":"/d","tool":null,
                "ask":{"permission":{"kind":"bash","patterns":["a"],"always":[],"command":"a","file":null,"diff":null,
                    "detail":""}}},"reply":{"reject":{"message":"no"}}}},
            "stage":{"ended":{"outcome":{"gone":{"stopped":{"by_us":true}}},"at":8}},"attempts":2,"settled":true}}"#;
        let entry = read_entry(text).unwrap();
        assert_eq!(read_entry(&write_entry(&entry)), Ok(entry));
    }

    #[test]
    fn a_damaged_record_is_not_read() {
        assert_eq!(read_entry(""), Err(NotUnderstood));
        assert_eq!(read_entry("{\"format\":1}"), Err(NotUnderstood));
        assert_eq!(
            read_entry("{\"format\":1,\"content\":{\"id\":\"a\"}}"),
            Err(NotUnderstood)
        );
    }
}
