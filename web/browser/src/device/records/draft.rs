//! A draft as a record.

use serde_json::Value;
use switchboard_core::model::{Draft, DraftField, DraftKey, DraftText};

use crate::codec::{Record, field, object, record};

/// The name of a draft in the store.
#[must_use]
pub fn draft_name(key: &DraftKey) -> String {
    match key {
        DraftKey::Request(request) => format!("request {request}"),
        DraftKey::Prompt(session) => format!("prompt {session}"),
    }
}

const REQUEST: &str = "request";
const FORM: &str = "form";
const PROMPT: &str = "prompt";

record!(Draft { key, text });

impl Record for DraftKey {
    fn write(&self) -> Value {
        let (kind, id) = match self {
            Self::Request(request) => (REQUEST, request.write()),
            Self::Prompt(session) => (PROMPT, session.write()),
        };
        object(vec![("kind", kind.into()), ("id", id)])
    }

    fn read(value: &Value) -> Option<Self> {
        match value.get("kind")?.as_str()? {
            REQUEST => field(value, "id").map(Self::Request),
            PROMPT => field(value, "id").map(Self::Prompt),
            _ => None,
        }
    }
}

impl Record for DraftText {
    fn write(&self) -> Value {
        object(match self {
            Self::Form { request, fields } => vec![
                ("kind", FORM.into()),
                ("request", request.write()),
                ("fields", fields.write()),
            ],
            Self::Prompt(text) => vec![("kind", PROMPT.into()), ("text", text.write())],
        })
    }

    fn read(value: &Value) -> Option<Self> {
        match value.get("kind")?.as_str()? {
            FORM => Some(Self::Form {
                request: field(value, "request")?,
                fields: field(value, "fields")?,
            }),
            PROMPT => field(value, "text").map(Self::Prompt),
            _ => None,
        }
    }
}

record!(DraftField {
    chosen,
    own,
    own_chosen
});

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use switchboard_core::model::{Ask, Choice, Question, Request, ToolRef};

    use super::super::{read_draft, write_draft};
    use super::*;

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
