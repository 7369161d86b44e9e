//! A draft as a record.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use switchboard_core::model::{Draft, DraftField, DraftKey, DraftText};

use super::request::RequestRecord;

/// The name of a draft in the store.
#[must_use]
pub fn draft_name(key: &DraftKey) -> String {
    match key {
        DraftKey::Request(request) => format!("request {request}"),
        DraftKey::Prompt(session) => format!("prompt {session}"),
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct DraftRecord {
    key: KeyRecord,
    text: TextRecord,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
enum KeyRecord {
    Request(String),
    Prompt(String),
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum TextRecord {
    Form {
        request: Box<RequestRecord>,
        fields: Vec<FieldRecord>,
    },
    Prompt {
        text: String,
    },
}

#[derive(Serialize, Deserialize)]
struct FieldRecord {
    chosen: Vec<String>,
    own: String,
    own_chosen: bool,
}

impl From<&Draft> for DraftRecord {
    fn from(draft: &Draft) -> Self {
        Self {
            key: match &draft.key {
                DraftKey::Request(request) => KeyRecord::Request(request.to_string()),
                DraftKey::Prompt(session) => KeyRecord::Prompt(session.to_string()),
            },
            text: match &draft.text {
                DraftText::Form { request, fields } => TextRecord::Form {
                    request: Box::new(RequestRecord::from(&**request)),
                    fields: fields.iter().cloned().map(FieldRecord::from).collect(),
                },
                DraftText::Prompt(text) => TextRecord::Prompt { text: text.clone() },
            },
        }
    }
}

impl From<DraftRecord> for Draft {
    fn from(record: DraftRecord) -> Self {
        Self {
            key: match record.key {
                KeyRecord::Request(request) => DraftKey::Request(request.into()),
                KeyRecord::Prompt(session) => DraftKey::Prompt(session.into()),
            },
            text: match record.text {
                TextRecord::Form { request, fields } => DraftText::Form {
                    request: Arc::new((*request).into()),
                    fields: fields.into_iter().map(DraftField::from).collect(),
                },
                TextRecord::Prompt { text } => DraftText::Prompt(text),
            },
        }
    }
}

impl From<DraftField> for FieldRecord {
    fn from(field: DraftField) -> Self {
        let DraftField {
            chosen,
            own,
            own_chosen,
        } = field;
        Self {
            chosen,
            own,
            own_chosen,
        }
    }
}

impl From<FieldRecord> for DraftField {
    fn from(record: FieldRecord) -> Self {
        Self {
            chosen: record.chosen,
            own: record.own,
            own_chosen: record.own_chosen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{read_draft, write_draft};
    use super::*;
    use switchboard_core::model::{Ask, Choice, Question, Request, ToolRef};

    fn question() -> Question {
        Question {
            text: "Which “colour”?".to_owned(),
            header: "Colour".to_owned(),
            options: vec![Choice {
                label: "Red".to_owned(),
                description: "warm\nand loud".to_owned(),
            }],
            multiple: true,
            custom: false,
        }
    }

    /// R13
    #[test]
    fn a_draft_is_read_back_as_it_was_written() {
        let form = Draft {
            key: DraftKey::Request("que_1".into()),
            text: DraftText::Form {
                request: Arc::new(Request {
                    id: "que_1".into(),
                    session: "ses_1".into(),
                    directory: "/d".into(),
                    tool: Some(ToolRef {
                        message: "msg_1".into(),
                        call: "call_1".into(),
                    }),
                    ask: Ask::Questions(vec![question()]),
                }),
                fields: vec![DraftField {
                    chosen: vec!["Red".to_owned()],
                    own: "my \u{202e}own".to_owned(),
                    own_chosen: true,
                }],
            },
        };
        let prompt = Draft {
            key: DraftKey::Prompt("ses_1".into()),
            text: DraftText::Prompt("line\nline".to_owned()),
        };
        for draft in [form, prompt] {
            assert_eq!(read_draft(&write_draft(&draft)), Ok(draft));
        }
    }
}
