//! Messages and their parts.

use super::{CallId, MessageId, ModelRef, PartId, Question, SessionId};

/// One message with its parts, in the order of the server.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The session it belongs to.
    pub session: SessionId,
    /// Who speaks.
    pub role: Role,
    /// Creation, server clock, milliseconds since the epoch. Lists are sorted by this.
    pub created: u64,
    /// When an assistant message became final, server clock. A user message has none.
    pub completed: Option<u64>,
    /// Why an assistant message ended badly.
    pub error: Option<MessageError>,
    /// The model's reason to stop a step. Not an end marker: docs/opencode.md, trap 7.
    pub finish: Option<String>,
    /// The user message an assistant message answers.
    pub parent: Option<MessageId>,
    /// The agent that speaks or is spoken to.
    pub agent: Option<String>,
    /// The model that speaks or is spoken to.
    pub model: Option<ModelRef>,
    /// Cost of this step in dollars.
    pub cost: Option<f64>,
    /// Tokens in the context after this step.
    pub context_tokens: Option<u64>,
    /// A summary that replaces what came before.
    pub summary: bool,
    /// What could not be understood of this message, shown in its place; the rest of the list is not affected.
    pub fault: Option<String>,
    /// What it consists of.
    pub parts: Vec<Part>,
}

/// Who speaks in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// A person, or a program on behalf of one.
    User,
    /// The agent.
    Assistant,
    /// A word this version does not know.
    Other(String),
}

/// Why an assistant message ended badly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageError {
    /// The server's name for it, such as `MessageAbortedError` or `APIError`.
    pub name: String,
    /// What it says.
    pub message: String,
}

/// A newest-first window of a session's messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The messages, oldest first.
    pub messages: Vec<Message>,
    /// Leads to older messages; none when the first message of the session is in this page.
    pub older: Option<String>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its id.
    pub id: PartId,
    /// What it is.
    pub body: PartBody,
}

/// What a part is.
#[derive(Clone, Debug, PartialEq)]
pub enum PartBody {
    /// Text of the agent or of a person. While it streams, the server says `""`.
    Text {
        /// The text, Markdown.
        text: String,
        /// Made by the server (an unfolded file, a continue prompt): hidden from people.
        synthetic: bool,
    },
    /// What the model thought.
    Reasoning {
        /// The text, Markdown.
        text: String,
        /// Start, server clock, milliseconds since the epoch.
        started: Option<u64>,
        /// End, server clock, milliseconds since the epoch.
        ended: Option<u64>,
    },
    /// A tool call.
    Tool(Box<ToolPart>),
    /// A file that a person attached.
    File {
        /// Its name.
        name: String,
        /// Its media type.
        mime: String,
        /// Where it is: a `data:` or `file:` address.
        url: String,
    },
    /// Files that a step changed.
    Patch {
        /// Their paths.
        files: Vec<String>,
    },
    /// A mention of an agent.
    Agent {
        /// Its name.
        name: String,
    },
    /// The place where older messages were replaced by a summary.
    Compaction,
    /// The beginning of a step of the model.
    StepStart,
    /// The end of a step of the model.
    StepFinish,
    /// A retry of the provider.
    Retry {
        /// How often it has tried.
        attempt: u32,
        /// What the provider said.
        message: String,
    },
    /// A kind this version does not know; shown by its name.
    Other(String),
}

/// A tool call and its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolPart {
    /// The call as the model named it.
    pub call: Option<CallId>,
    /// The tool, such as `bash`, `edit`, `question`, `task`.
    pub tool: String,
    /// How far it is.
    pub status: ToolStatus,
    /// What the server calls this call, such as `Asked 1 question`.
    pub title: Option<String>,
    /// The arguments, as JSON text with two spaces of indentation.
    pub input: String,
    /// The one argument worth a line: a command, a path, a pattern, an address, a description.
    pub subject: Option<String>,
    /// The directory that a command names to run in, as the model wrote it: absolute, or relative to that of its session.
    pub workdir: Option<String>,
    /// The result for the model, or what a running command has printed so far.
    pub output: Option<String>,
    /// The server has cut the output.
    pub truncated: bool,
    /// Why it failed.
    pub error: Option<String>,
    /// Start, server clock, milliseconds since the epoch.
    pub started: Option<u64>,
    /// End, server clock, milliseconds since the epoch.
    pub ended: Option<u64>,
    /// The change that an edit made, as unified diff.
    pub diff: Option<String>,
    /// The exit code of a command.
    pub exit: Option<i64>,
    /// The questions that a `question` call asks.
    pub questions: Vec<Question>,
    /// What a question was really answered with, one list per question.
    pub answers: Option<Vec<Vec<String>>>,
    /// The session that a `task` call started.
    pub child: Option<SessionId>,
    /// The plan that `todowrite` set.
    pub todos: Vec<Todo>,
}

/// How far a tool call is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolStatus {
    /// The model is still writing the arguments.
    #[default]
    Pending,
    /// It runs, or waits for a person.
    Running,
    /// It has a result.
    Completed,
    /// It failed, or was dismissed, rejected or aborted: [`ToolPart::error`] says which.
    Error,
    /// A word this version does not know; taken for running.
    Other(String),
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done.
    pub content: String,
    /// `pending`, `in_progress`, `completed` or `cancelled`.
    pub status: String,
}

impl Message {
    /// A message without parts of which nothing else is known.
    #[must_use]
    pub fn new(id: MessageId, session: SessionId, role: Role, created: u64) -> Self {
        Self {
            id,
            session,
            role,
            created,
            completed: None,
            error: None,
            finish: None,
            parent: None,
            agent: None,
            model: None,
            cost: None,
            context_tokens: None,
            summary: false,
            fault: None,
            parts: Vec::new(),
        }
    }

    /// The place of this message in its session: the server's own order.
    #[must_use]
    pub fn place(&self) -> (u64, &MessageId) {
        (self.created, &self.id)
    }

    /// True when nothing about this message can change any more, short of its removal.
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self.role {
            Role::User => true,
            Role::Assistant | Role::Other(_) => {
                (self.completed.is_some() || self.fault.is_some())
                    && self.tools().all(|(_, tool)| tool.status.is_final())
            }
        }
    }

    /// Its tool calls, in order.
    pub fn tools(&self) -> impl Iterator<Item = (&PartId, &ToolPart)> {
        self.parts.iter().filter_map(|part| {
            let PartBody::Tool(tool) = &part.body else { return None };
            Some((&part.id, tool.as_ref()))
        })
    }

    /// The tool call that is named so, if this message has it.
    #[must_use]
    pub fn tool(&self, call: &CallId) -> Option<&ToolPart> {
        self.tools()
            .map(|(_, tool)| tool)
            .find(|tool| tool.call.as_ref() == Some(call))
    }

    /// Its visible text, paragraphs joined; empty when there is none.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| {
                let PartBody::Text { text, synthetic: false } = &part.body else {
                    return None;
                };
                (!text.trim().is_empty()).then_some(text.as_str())
            })
            .collect();
        texts.join("\n\n")
    }
}

impl ToolPart {
    /// A call of a tool of which nothing else is known.
    pub fn new(tool: impl Into<String>, status: ToolStatus) -> Self {
        Self {
            tool: tool.into(),
            status,
            ..Self::default()
        }
    }
}

impl ToolStatus {
    /// True for [`ToolStatus::Completed`] and [`ToolStatus::Error`].
    #[must_use]
    pub fn is_final(&self) -> bool {
        match self {
            ToolStatus::Completed | ToolStatus::Error => true,
            ToolStatus::Pending | ToolStatus::Running | ToolStatus::Other(_) => false,
        }
    }
}
