//! How entries of the ledger and drafts are written down: JSON that a later version of this page can read.
//!
//! The types of `core` are mirrored here, field by field, so that changing them cannot change what is on somebody's
//! disk without the compiler asking. A record that this version does not understand is told apart, never altered.

mod draft;
mod entry;
mod figure;
mod request;
mod stage;

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use switchboard_core::figures::Figure;
use switchboard_core::ledger::Entry;
use switchboard_core::model::Draft;

pub use draft::draft_name;

/// The form of the records that this version writes.
pub const FORMAT: u32 = 1;

/// A record that this version does not understand. It belongs to a newer one, or is damaged; it is left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotUnderstood;

/// Writes an entry down.
#[must_use]
pub fn write_entry(entry: &Entry) -> String {
    write(&entry::EntryRecord::from(entry))
}

/// Reads an entry back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_entry(text: &str) -> Result<Entry, NotUnderstood> {
    read::<entry::EntryRecord>(text).map(Entry::from)
}

/// Writes a draft down.
#[must_use]
pub fn write_draft(draft: &Draft) -> String {
    write(&draft::DraftRecord::from(draft))
}

/// Reads a draft back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_draft(text: &str) -> Result<Draft, NotUnderstood> {
    read::<draft::DraftRecord>(text).map(Draft::from)
}

/// Writes a figure down.
#[must_use]
pub fn write_figure(figure: &Figure) -> String {
    write(&figure::FigureRecord::from(figure))
}

/// Reads a figure back.
///
/// # Errors
/// The record is of another format, or damaged.
pub fn read_figure(text: &str) -> Result<Figure, NotUnderstood> {
    read::<figure::FigureRecord>(text).map(Figure::from)
}

/// Writes figures down for people and programs: a list, and what they amount to in milliseconds.
#[must_use]
pub fn export_figures(figures: &[Figure]) -> String {
    figure::export(figures)
}

#[derive(Serialize, Deserialize)]
struct Sheet<Content> {
    format: u32,
    content: Content,
}

#[derive(Deserialize)]
struct Heading {
    format: u32,
}

fn write<Content: Serialize>(content: &Content) -> String {
    let sheet = Sheet {
        format: FORMAT,
        content,
    };
    serde_json::to_string(&sheet).expect("records hold only what JSON can say")
}

fn read<Content: DeserializeOwned>(text: &str) -> Result<Content, NotUnderstood> {
    let heading: Heading = serde_json::from_str(text).map_err(|_| NotUnderstood)?;
    if heading.format != FORMAT {
        return Err(NotUnderstood);
    }
    let sheet: Sheet<Content> = serde_json::from_str(text).map_err(|_| NotUnderstood)?;
    Ok(sheet.content)
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
