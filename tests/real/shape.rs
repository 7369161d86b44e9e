//! Tells what messages look like, without what differs from one server to the other: ids, times and costs.

use switchboard_core::model::{Message, PartBody, Role, ToolPart, ToolStatus};

use crate::observer::state_of_part;

/// The characters of a text that are shown.
const SHOWN_MAX: usize = 80;

/// One line for each message, in the order of the server.
pub(crate) fn shape_of(messages: &[Message]) -> Vec<String> {
    let place_of = |id| messages.iter().position(|message| message.id == id);
    let told = messages.iter().map(|message| {
        let parent = message.parent.clone().and_then(place_of);
        let parent = parent.map(|place| format!("answers {}", place + 1));
        let model = message.model.as_ref();
        let error = message.error.as_ref();
        let facts = [
            Some(role_of(message).to_owned()),
            parent,
            message.agent.as_ref().map(|agent| format!("agent {agent}")),
            model.map(|model| format!("model {}/{}", model.provider, model.model)),
            message.finish.as_ref().map(|finish| format!("finish {finish}")),
            message.completed.map(|_| "completed".to_owned()),
            error.map(|error| format!("{} “{}”", error.name, error.message)),
            message.summary.then(|| "summary".to_owned()),
            message.fault.clone(),
        ];
        let facts: Vec<String> = facts.into_iter().flatten().collect();
        let parts: Vec<String> = message.parts.iter().map(|part| part_of(&part.body)).collect();
        format!("{} | {}", facts.join(", "), parts.join(", "))
    });
    told.collect()
}

fn role_of(message: &Message) -> &str {
    match &message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Other(word) => word,
    }
}

fn part_of(body: &PartBody) -> String {
    match body {
        PartBody::Text { text, synthetic } => {
            format!("{} “{}”", if *synthetic { "synthetic" } else { "text" }, cut(text))
        }
        PartBody::Reasoning { text, started, ended } => {
            let span = (started.is_some(), ended.is_some());
            format!("reasoning “{}” {span:?}", cut(text))
        }
        PartBody::Tool(tool) => tool_of(tool),
        PartBody::File { name, .. } => format!("file {name}"),
        PartBody::Patch { files } => format!("patch of {}", files.len()),
        PartBody::Agent { name } => format!("agent {name}"),
        PartBody::Compaction => "compaction".to_owned(),
        PartBody::StepStart => "step-start".to_owned(),
        PartBody::StepFinish => "step-finish".to_owned(),
        PartBody::Retry { attempt, .. } => format!("retry {attempt}"),
        PartBody::Other(kind) => kind.clone(),
    }
}

/// What a command prints is left out: the simulated server runs none.
fn tool_of(tool: &ToolPart) -> String {
    let is_told = matches!(tool.tool.as_str(), "question" | "task");
    let output = tool.output.as_deref().filter(|_| is_told);
    let facts = [
        Some(format!("{} {}", tool.tool, state_of_part(tool))),
        tool.title
            .as_ref()
            .filter(|_| is_told)
            .map(|title| format!("title “{title}”")),
        tool.subject
            .as_ref()
            .map(|subject| format!("subject “{}”", cut(subject))),
        output.map(|output| format!("output “{output}”")),
        (tool.output.is_some() && tool.status != ToolStatus::Running).then(|| "with output".to_owned()),
        tool.exit.map(|exit| format!("exit {exit}")),
        tool.diff.as_ref().map(|_| "with diff".to_owned()),
        tool.child.as_ref().map(|_| "with child".to_owned()),
        (!tool.todos.is_empty()).then(|| format!("todos {:?}", tool.todos)),
        Some(format!("{:?}", (tool.started.is_some(), tool.ended.is_some()))),
    ];
    format!("[{}]", facts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

fn cut(text: &str) -> String {
    text.chars().take(SHOWN_MAX).collect()
}
