//! What one tab has read, as a text for the others.

use switchboard_core::Time;
use switchboard_core::ports::{Fetched, Read};
use switchboard_wire::{WireError, decode};

use crate::codec::{choice, from_text, record, to_text};

/// A successful read of one tab: what was asked, what the server said, and when the read began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// What was read.
    pub read: Read,
    /// The body, as the server sent it.
    pub body: String,
    /// When the read began.
    pub begun: Time,
}

/// True for reads that say the same to every tab. Messages are read by the tab that shows them.
#[must_use]
pub fn is_shared(read: &Read) -> bool {
    Form::of(read).is_some()
}

struct Text {
    read: Form,
    body: String,
    begun: u64,
}
record!(Text { read, body, begun });

enum Form {
    Directories,
    Sessions { since: Option<u64>, page: Option<String> },
    Questions(String),
    Permissions(String),
    Status(String),
}
choice!(Form {
    "directories" => Directories,
    // Tabs of before 2026-12 take each page that says "sessions" for the whole list.
    "session pages" => Sessions { since, page },
    "questions" => Questions(directory),
    "permissions" => Permissions(directory),
    "status" => Status(directory),
});

impl Shared {
    /// The text for the other tabs; none for a read that is not shared.
    #[must_use]
    pub fn encode(&self) -> Option<String> {
        let text = Text {
            read: Form::of(&self.read)?,
            body: self.body.clone(),
            begun: self.begun.0,
        };
        Some(to_text(&text))
    }

    /// Reads the text of another tab; none when it is not such a text: that tab may run another version of this page.
    #[must_use]
    pub fn decode(text: &str) -> Option<Self> {
        let text: Text = from_text(text)?;
        Some(Self {
            read: text.read.into(),
            body: text.body,
            begun: Time(text.begun),
        })
    }

    /// Understands the body.
    ///
    /// # Errors
    /// When the body is not what was asked for.
    pub fn fetched(&self) -> Result<Fetched, WireError> {
        decode(&self.read, &self.body, None)
    }
}

impl Form {
    fn of(read: &Read) -> Option<Self> {
        let name = |directory: &switchboard_core::model::Directory| directory.as_str().to_owned();
        match read {
            Read::Directories => Some(Form::Directories),
            Read::Sessions { since, page } => Some(Form::Sessions {
                since: *since,
                page: page.clone(),
            }),
            Read::Questions(directory) => Some(Form::Questions(name(directory))),
            Read::Permissions(directory) => Some(Form::Permissions(name(directory))),
            Read::Status(directory) => Some(Form::Status(name(directory))),
            Read::Health | Read::Session { .. } | Read::Messages { .. } | Read::Message { .. } => None,
        }
    }
}

impl From<Form> for Read {
    fn from(form: Form) -> Self {
        match form {
            Form::Directories => Read::Directories,
            Form::Sessions { since, page } => Read::Sessions { since, page },
            Form::Questions(directory) => Read::Questions(directory.into()),
            Form::Permissions(directory) => Read::Permissions(directory.into()),
            Form::Status(directory) => Read::Status(directory.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_tab_understands_what_this_one_has_read() {
        let reads = [
            Read::Directories,
            Read::Sessions {
                since: Some(7),
                page: Some("c".to_owned()),
            },
            Read::Questions("/a \"b\"".into()),
            Read::Permissions("/d".into()),
            Read::Status("/d".into()),
        ];
        for read in reads {
            let shared = Shared {
                read,
                body: "[{\"ä\":\"\\n\"}]".to_owned(),
                begun: Time(1_795_293_404_898),
            };
            assert_eq!(Shared::decode(&shared.encode().unwrap()), Some(shared));
        }
        assert!(!is_shared(&Read::Health));
        assert!(Shared::decode("{\"read\":\"thoughts\"}").is_none());
    }
}
