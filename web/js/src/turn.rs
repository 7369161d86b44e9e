//! What a session replied, as a plain object.

use serde::Serialize;
use switchboard_core::TurnReply;
use switchboard_core::model::{Message, PartBody, PartId, Role, ToolPart, ToolStatus};

use super::session::EndingShape;

#[derive(Serialize)]
pub(super) struct TurnShape<'a> {
    session: &'a str,
    message: &'a str,
    ending: EndingShape,
    reason: String,
    text: &'a str,
    messages: Vec<MessageShape<'a>>,
    cost: f64,
    tokens: u64,
}

#[derive(Serialize)]
pub(super) struct MessageShape<'a> {
    id: &'a str,
    role: &'a str,
    created: u64,
    completed: Option<u64>,
    agent: Option<&'a str>,
    text: String,
    reasoning: Vec<&'a str>,
    tools: Vec<ToolShape<'a>>,
    error: Option<ErrorShape<'a>>,
    cost: Option<f64>,
}

#[derive(Serialize)]
struct ErrorShape<'a> {
    name: &'a str,
    message: &'a str,
}

#[derive(Serialize)]
struct ToolShape<'a> {
    id: &'a str,
    tool: &'a str,
    status: &'a str,
    title: Option<&'a str>,
    input: &'a str,
    output: Option<&'a str>,
    error: Option<&'a str>,
    diff: Option<&'a str>,
    exit: Option<i64>,
    child: Option<&'a str>,
}

impl<'a> From<&'a TurnReply> for TurnShape<'a> {
    fn from(reply: &'a TurnReply) -> Self {
        Self {
            session: reply.session.as_str(),
            message: reply.message.as_str(),
            ending: reply.ending.into(),
            reason: reply.reason.to_string(),
            text: &reply.text,
            messages: reply.messages.iter().map(|message| (&**message).into()).collect(),
            cost: reply.cost(),
            tokens: reply.tokens(),
        }
    }
}

impl<'a> From<&'a Message> for MessageShape<'a> {
    fn from(message: &'a Message) -> Self {
        let reasoning = message.parts.iter().filter_map(|part| {
            let PartBody::Reasoning { text, .. } = &part.body else {
                return None;
            };
            Some(text.as_str())
        });
        Self {
            id: message.id.as_str(),
            role: match &message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Other(word) => word,
            },
            created: message.created,
            completed: message.completed,
            agent: message.agent.as_deref(),
            text: message.text(),
            reasoning: reasoning.collect(),
            tools: message.tools().map(ToolShape::from).collect(),
            error: message.error.as_ref().map(|error| ErrorShape {
                name: &error.name,
                message: &error.message,
            }),
            cost: message.cost,
        }
    }
}

impl<'a> From<(&'a PartId, &'a ToolPart)> for ToolShape<'a> {
    fn from((id, part): (&'a PartId, &'a ToolPart)) -> Self {
        Self {
            id: id.as_str(),
            tool: &part.tool,
            status: match &part.status {
                ToolStatus::Pending => "pending",
                ToolStatus::Running => "running",
                ToolStatus::Completed => "completed",
                ToolStatus::Error => "error",
                ToolStatus::Other(word) => word,
            },
            title: part.title.as_deref(),
            input: &part.input,
            output: part.output.as_deref(),
            error: part.error.as_deref(),
            diff: part.diff.as_deref(),
            exit: part.exit,
            child: part.child.as_ref().map(|session| session.as_str()),
        }
    }
}
