//! A request, and what is said to it, as records.

use serde::{Deserialize, Serialize};
use switchboard_core::model::{Ask, Choice, Permission, Question, Reply, Request, ToolRef};

#[derive(Serialize, Deserialize)]
pub(super) struct RequestRecord {
    id: String,
    session: String,
    directory: String,
    tool: Option<ToolRecord>,
    ask: AskRecord,
}

#[derive(Serialize, Deserialize)]
struct ToolRecord {
    message: String,
    call: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AskRecord {
    Questions(Vec<QuestionRecord>),
    Permission(PermissionRecord),
}

#[derive(Serialize, Deserialize)]
struct QuestionRecord {
    text: String,
    header: String,
    options: Vec<ChoiceRecord>,
    multiple: bool,
    custom: bool,
}

#[derive(Serialize, Deserialize)]
struct ChoiceRecord {
    label: String,
    description: String,
}

#[derive(Serialize, Deserialize)]
struct PermissionRecord {
    kind: String,
    patterns: Vec<String>,
    always: Vec<String>,
    command: Option<String>,
    file: Option<String>,
    diff: Option<String>,
    detail: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplyRecord {
    Answers(Vec<Vec<String>>),
    Dismiss,
    Once,
    Always,
    Reject { message: Option<String> },
}

impl From<&Request> for RequestRecord {
    fn from(request: &Request) -> Self {
        let Request {
            id,
            session,
            directory,
            tool,
            ask,
        } = request;
        Self {
            id: id.to_string(),
            session: session.to_string(),
            directory: directory.to_string(),
            tool: tool.as_ref().map(|ToolRef { message, call }| ToolRecord {
                message: message.to_string(),
                call: call.to_string(),
            }),
            ask: match ask {
                Ask::Questions(questions) => AskRecord::Questions(questions.iter().map(QuestionRecord::from).collect()),
                Ask::Permission(permission) => AskRecord::Permission(PermissionRecord::from(&**permission)),
            },
        }
    }
}

impl From<RequestRecord> for Request {
    fn from(record: RequestRecord) -> Self {
        Self {
            id: record.id.into(),
            session: record.session.into(),
            directory: record.directory.into(),
            tool: record.tool.map(|tool| ToolRef {
                message: tool.message.into(),
                call: tool.call.into(),
            }),
            ask: match record.ask {
                AskRecord::Questions(questions) => Ask::Questions(questions.into_iter().map(Question::from).collect()),
                AskRecord::Permission(permission) => Ask::Permission(Box::new(permission.into())),
            },
        }
    }
}

impl From<&Question> for QuestionRecord {
    fn from(question: &Question) -> Self {
        let Question {
            text,
            header,
            options,
            multiple,
            custom,
        } = question.clone();
        let options = options
            .into_iter()
            .map(|Choice { label, description }| ChoiceRecord { label, description })
            .collect();
        Self {
            text,
            header,
            options,
            multiple,
            custom,
        }
    }
}

impl From<QuestionRecord> for Question {
    fn from(record: QuestionRecord) -> Self {
        Self {
            text: record.text,
            header: record.header,
            options: record
                .options
                .into_iter()
                .map(|ChoiceRecord { label, description }| Choice { label, description })
                .collect(),
            multiple: record.multiple,
            custom: record.custom,
        }
    }
}

impl From<&Permission> for PermissionRecord {
    fn from(permission: &Permission) -> Self {
        let Permission {
            kind,
            patterns,
            always,
            command,
            file,
            diff,
            detail,
        } = permission.clone();
        Self {
            kind,
            patterns,
            always,
            command,
            file,
            diff,
            detail,
        }
    }
}

impl From<PermissionRecord> for Permission {
    fn from(record: PermissionRecord) -> Self {
        Self {
            kind: record.kind,
            patterns: record.patterns,
            always: record.always,
            command: record.command,
            file: record.file,
            diff: record.diff,
            detail: record.detail,
        }
    }
}

impl From<&Reply> for ReplyRecord {
    fn from(reply: &Reply) -> Self {
        match reply.clone() {
            Reply::Answers(answers) => Self::Answers(answers),
            Reply::Dismiss => Self::Dismiss,
            Reply::Once => Self::Once,
            Reply::Always => Self::Always,
            Reply::Reject { message } => Self::Reject { message },
        }
    }
}

impl From<ReplyRecord> for Reply {
    fn from(record: ReplyRecord) -> Self {
        match record {
            ReplyRecord::Answers(answers) => Self::Answers(answers),
            ReplyRecord::Dismiss => Self::Dismiss,
            ReplyRecord::Once => Self::Once,
            ReplyRecord::Always => Self::Always,
            ReplyRecord::Reject { message } => Self::Reject { message },
        }
    }
}
