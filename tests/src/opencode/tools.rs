//! The tools of an agent: what they ask before they act, and what they leave in their part.

use futures::channel::oneshot;
use serde_json::{Map, Value};
use switchboard_core::model::{
    Answers, Ask, Choice, MessageId, PartId, Permission, Question, RequestId, Todo, ToolPart, ToolStatus,
};

use super::ask::Place;
use super::history::Event;
use super::script::ToolCall;
use super::state::{RunEnd, Verdict};
use super::{OpenCode, timing};

const DISMISSED: &str = "The user dismissed this question";
const REJECTED: &str = "The user rejected permission to use this specific tool call.";

const UNAVAILABLE: &str = "Model tried to call unavailable tool 'invalid'. \
    Available tools: bash, edit, glob, grep, read, webfetch, write.";

/// The tools that exist.
const TOOLS: [&str; 10] = [
    "question",
    "bash",
    "write",
    "edit",
    "task",
    "todowrite",
    "read",
    "glob",
    "grep",
    "list",
];
/// Those that ask for nothing before they act.
pub(super) const ASKS_NOTHING: [&str; 4] = ["read", "glob", "grep", "list"];
/// Agents that have the `question` tool: the two that people talk to, and the one whose configuration allows it.
const ASKING_AGENTS: [&str; 3] = ["build", "plan", "general"];

/// How a tool call ended.
enum ToolEnd {
    Completed(Box<ToolPart>),
    Failed(String),
    /// With this error, and the run ends.
    Blocked(String),
}

impl OpenCode {
    /// Runs a tool call to its end. Says why when the run ends with it.
    pub(super) async fn call(&self, place: &Place, call: &ToolCall) -> Option<String> {
        let end = match call.name.as_str() {
            "question" if !ASKING_AGENTS.contains(&place.agent.as_str()) => ToolEnd::Failed(UNAVAILABLE.to_owned()),
            "question" if !call.input.get("questions").is_some_and(Value::is_array) => {
                ToolEnd::Failed("The question tool was called with invalid arguments".to_owned())
            }
            "question" => self.question(place, &call.input).await,
            "bash" => self.bash(place, &call.input).await,
            "write" | "edit" => self.edit(place, &call.input, call.name == "edit").await,
            "task" => self.task(place, &call.input).await,
            "todowrite" => completed(
                "todos",
                ToolPart {
                    todos: todos_of(&call.input),
                    ..ToolPart::default()
                },
            ),
            name if ASKS_NOTHING.contains(&name) => {
                self.pause(timing::TOOL).await;
                completed("1: text", ToolPart::default())
            }
            _ => completed("The arguments provided to the tool are invalid", ToolPart::default()),
        };
        let reason = match &end {
            ToolEnd::Blocked(reason) => Some(reason.clone()),
            ToolEnd::Completed(_) | ToolEnd::Failed(_) => None,
        };
        let now = self.stamp();
        self.change_tool(&place.session, &place.message, &place.part, |tool| {
            tool.ended = Some(now);
            match end {
                ToolEnd::Completed(result) => {
                    tool.status = ToolStatus::Completed;
                    (tool.title, tool.output, tool.answers) = (result.title, result.output, result.answers);
                    (tool.diff, tool.exit, tool.todos) = (result.diff, result.exit, result.todos);
                }
                ToolEnd::Failed(error) | ToolEnd::Blocked(error) => {
                    tool.status = ToolStatus::Error;
                    tool.title = None;
                    tool.error = Some(error);
                }
            }
        });
        reason
    }

    async fn question(&self, place: &Place, input: &Map<String, Value>) -> ToolEnd {
        let questions = questions_of(input);
        let (request, verdict) = self.ask(place, Ask::Questions(questions.clone())).await;
        match verdict {
            Verdict::Answered(answers) => {
                self.deliver(request).await;
                let told: Vec<String> = questions
                    .iter()
                    .enumerate()
                    .map(|(at, question)| format!("\"{}\"=\"{}\"", question.text, told_of(&answers, at)))
                    .collect();
                let title = match questions.len() {
                    1 => "Asked 1 question".to_owned(),
                    several => format!("Asked {several} questions"),
                };
                completed(
                    &format!(
                        "User has answered your questions: {}. You can now continue with the user's answers in mind.",
                        told.join(", ")
                    ),
                    ToolPart {
                        title: Some(title),
                        answers: Some(answers),
                        ..ToolPart::default()
                    },
                )
            }
            Verdict::Dismissed | Verdict::Allowed | Verdict::Rejected { .. } => {
                self.deliver(request).await;
                ToolEnd::Blocked(DISMISSED.to_owned())
            }
        }
    }

    async fn bash(&self, place: &Place, input: &Map<String, Value>) -> ToolEnd {
        let command = text_of(input, "command");
        let workdir = text_of(input, "workdir");
        if workdir.starts_with('/') && !workdir.starts_with(place.directory.as_str()) {
            let pattern = format!("{workdir}/*");
            let permission = Permission {
                kind: "external_directory".to_owned(),
                patterns: vec![pattern.clone()],
                always: vec![pattern],
                ..Permission::default()
            };
            if let Some(refused) = self.ask_permission(place, permission).await {
                return refused;
            }
        }
        let parts = commands_of(&command);
        let permission = Permission {
            kind: "bash".to_owned(),
            always: parts.iter().map(|part| format!("{} *", name_of(part))).collect(),
            patterns: parts,
            command: Some(command.clone()),
            ..Permission::default()
        };
        if let Some(refused) = self.ask_permission(place, permission).await {
            return refused;
        }
        self.pause(timing::TOOL).await;
        completed(
            &format!("ran {command}"),
            ToolPart {
                exit: Some(0),
                ..ToolPart::default()
            },
        )
    }

    /// Writes or edits a file. Only an edit leaves the change in its part.
    async fn edit(&self, place: &Place, input: &Map<String, Value>, is_edit: bool) -> ToolEnd {
        let path = text_of(input, "filePath");
        let below = path.strip_prefix(place.directory.as_str());
        let file = below.map_or(path.as_str(), |below| below.trim_start_matches('/'));
        let diff = format!("--- {path}\n+++ {path}\n@@ -1 +1 @@\n+{}\n", text_of(input, "content"));
        let permission = Permission {
            kind: "edit".to_owned(),
            patterns: vec![file.to_owned()],
            always: vec!["*".to_owned()],
            diff: Some(diff.clone()),
            file: Some(path),
            ..Permission::default()
        };
        if let Some(refused) = self.ask_permission(place, permission).await {
            return refused;
        }
        self.pause(timing::TOOL).await;
        completed(
            "Wrote file successfully.",
            ToolPart {
                diff: is_edit.then_some(diff),
                ..ToolPart::default()
            },
        )
    }

    /// Waits until it is allowed; otherwise says how the call ends.
    async fn ask_permission(&self, place: &Place, permission: Permission) -> Option<ToolEnd> {
        let (request, verdict) = self.ask(place, Ask::Permission(Box::new(permission))).await;
        self.deliver(request).await;
        match verdict {
            Verdict::Allowed => None,
            Verdict::Rejected {
                message: Some(message),
                ends_run,
            } => {
                let error = rejection(Some(&message));
                Some(if ends_run {
                    ToolEnd::Blocked(error)
                } else {
                    ToolEnd::Failed(error)
                })
            }
            Verdict::Rejected { message: None, .. } | Verdict::Dismissed | Verdict::Answered(_) => {
                Some(ToolEnd::Blocked(rejection(None)))
            }
        }
    }

    /// The moment between a reply that was taken and the agent having it. A crash here loses it (docs/opencode.md,
    /// trap 2).
    pub(super) async fn deliver(&self, request: RequestId) {
        self.pause(timing::REPLY).await;
        self.tell(Event::Delivered { request });
    }

    async fn task(&self, place: &Place, input: &Map<String, Value>) -> ToolEnd {
        let title = text_of(input, "description");
        let agent = text_of(input, "subagent_type");
        let child_title = format!("{title} (@{agent} subagent)");
        let child = self
            .add_session(&place.directory, Some(place.session.clone()), &child_title)
            .id;
        self.change_tool(&place.session, &place.message, &place.part, |tool| {
            tool.child = Some(child.clone());
            tool.title = Some(title.clone());
        });
        let (message, part) = (MessageId::new(self.id("msg")), PartId::new(self.id("prt")));
        self.add_user(&child, message.clone(), part, &text_of(input, "prompt"));
        self.address(&child, &message, Some(&agent), None);
        let (done, ended) = oneshot::channel();
        self.begin_run(&child, timing::BUSY, Some(done));
        match ended.await {
            Ok(RunEnd::Finished(text)) => completed(
                &format!("<task id=\"{child}\" state=\"completed\">\n<task_result>\n{text}\n</task_result>\n</task>"),
                ToolPart {
                    title: Some(title),
                    ..ToolPart::default()
                },
            ),
            Ok(RunEnd::Blocked(reason)) => ToolEnd::Failed(format!("Subagent failed (task_id: {child}): {reason}")),
            Ok(RunEnd::Aborted) | Err(oneshot::Canceled) => ToolEnd::Failed("Task cancelled".to_owned()),
        }
    }
}

/// The words of a rejection.
pub(super) fn rejection(message: Option<&str>) -> String {
    match message {
        Some(message) => format!(
            "{} with the following feedback: {message}",
            REJECTED.trim_end_matches('.')
        ),
        None => REJECTED.to_owned(),
    }
}

/// What becomes of a call of a tool that does not exist: a call of the tool `invalid`, and the agent goes on.
pub(super) fn existing(call: &ToolCall) -> ToolCall {
    if TOOLS.contains(&call.name.as_str()) {
        return call.clone();
    }
    let input = [("tool".to_owned(), call.name.clone().into())];
    ToolCall {
        name: "invalid".to_owned(),
        input: input.into_iter().collect(),
    }
}

/// What the model is told of the answer to one question.
fn told_of(answers: &Answers, at: usize) -> String {
    match answers.get(at) {
        Some(given) if !given.is_empty() => given.join(", "),
        Some(_) | None => "Unanswered".to_owned(),
    }
}

/// The commands that a line of shell consists of.
fn commands_of(line: &str) -> Vec<String> {
    let commands = line.split(['&', '|', ';']).map(str::trim);
    commands
        .filter(|command| !command.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The words of a command that name what it does: a program, for some with a subcommand.
fn name_of(command: &str) -> String {
    let count = match command.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["npm", "run", ..] => 3,
        ["git" | "npm" | "cargo", ..] => 2,
        _ => 1,
    };
    let words: Vec<&str> = command.split_whitespace().take(count).collect();
    words.join(" ")
}

/// The argument worth a line.
pub(super) fn subject_of(call: &ToolCall) -> Option<String> {
    let names = ["command", "filePath", "description", "pattern", "tool"];
    names
        .map(|name| text_of(&call.input, name))
        .into_iter()
        .find(|text| !text.is_empty())
}

fn completed(output: &str, part: ToolPart) -> ToolEnd {
    ToolEnd::Completed(Box::new(ToolPart {
        output: Some(output.to_owned()),
        ..part
    }))
}

pub(super) fn questions_of(input: &Map<String, Value>) -> Vec<Question> {
    list_of(input, "questions")
        .iter()
        .filter_map(Value::as_object)
        .map(question_of)
        .collect()
}

fn question_of(question: &Map<String, Value>) -> Question {
    let options = list_of(question, "options")
        .iter()
        .filter_map(Value::as_object)
        .map(|option| Choice {
            label: text_of(option, "label"),
            description: text_of(option, "description"),
        });
    Question {
        text: text_of(question, "question"),
        header: text_of(question, "header"),
        options: options.collect(),
        multiple: question.get("multiple").and_then(Value::as_bool).unwrap_or(false),
        custom: question.get("custom").and_then(Value::as_bool).unwrap_or(true),
    }
}

fn todos_of(input: &Map<String, Value>) -> Vec<Todo> {
    let todos = list_of(input, "todos").iter().filter_map(Value::as_object);
    todos
        .map(|todo| Todo {
            content: text_of(todo, "content"),
            status: text_of(todo, "status"),
        })
        .collect()
}

fn list_of<'a>(input: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    input.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn text_of(input: &Map<String, Value>, name: &str) -> String {
    input.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
