//! What the head of a tool card says, and whether the card is open at first.

use std::time::Duration;

use switchboard_core::model::{ToolPart, ToolStatus};

use crate::kit::age::short_span;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::tools::diff::lines::read;
use crate::words::plan;
use crate::words::state_words::Tone;

const EDIT_OPEN_MAX: usize = 12;

/// The head of a tool card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Face {
    /// The sign of its kind.
    pub sign: Sign,
    /// What it is called.
    pub name: String,
    /// What it is about, in one line.
    pub subject: String,
    /// Whether the subject is a command, a path or the like.
    pub is_code: bool,
    /// How many lines an edit added and removed.
    pub counts: Option<(usize, usize)>,
    /// What came of it, in a word or two; empty when that goes without saying.
    pub result: String,
    /// The sign of the result.
    pub result_sign: Option<Sign>,
    /// The colour of the result.
    pub tone: Tone,
    /// How long it took.
    pub span: String,
}

impl Face {
    /// The same of a call that waits for a person.
    #[must_use]
    pub fn waiting(self) -> Self {
        Self {
            result: "waits for you".to_owned(),
            result_sign: None,
            tone: Tone::Plain,
            ..self
        }
    }

    /// The same of a call whose turn has ended without it.
    #[must_use]
    pub fn abandoned(self) -> Self {
        Self {
            result: "never ended".to_owned(),
            result_sign: Some(Sign::SlashCircle),
            tone: Tone::Bad,
            ..self
        }
    }
}

/// What the head says. Paths inside `directory` are shown without it.
#[must_use]
pub fn face(tool: &ToolPart, directory: &str) -> Face {
    let (sign, name) = name(&tool.tool);
    let (result, result_sign, tone) = result(tool);
    Face {
        sign,
        name,
        subject: subject(tool, directory),
        is_code: !matches!(tool.tool.as_str(), "task" | "todowrite" | "question"),
        counts: counts(tool),
        result,
        result_sign,
        tone,
        span: span(tool),
    }
}

/// True for cards that are worth their room without being asked: what runs, what failed, and small edits.
#[must_use]
pub fn is_open_at_first(tool: &ToolPart) -> bool {
    match tool.status {
        ToolStatus::Running | ToolStatus::Other(_) => tool.tool != "question" && tool.tool != "todowrite",
        ToolStatus::Error => ended_by(tool).is_none(),
        ToolStatus::Pending => false,
        ToolStatus::Completed => tool
            .diff
            .as_deref()
            .is_some_and(|diff| read(diff).rows.len() <= EDIT_OPEN_MAX),
    }
}

/// The tool's sign and name: those that OpenCode has, and the name as it is for all others.
fn name(tool: &str) -> (Sign, String) {
    let (sign, name) = match tool {
        "bash" => (Sign::Terminal, "Bash"),
        "edit" => (Sign::FileDiff, "Edit"),
        "write" => (Sign::FileDiff, "Write"),
        "apply_patch" | "patch" | "multiedit" => (Sign::FileDiff, "Edit"),
        "read" => (Sign::Eye, "Read"),
        "list" => (Sign::List, "List"),
        "glob" => (Sign::Search, "Find files"),
        "grep" => (Sign::Search, "Search"),
        "task" => (Sign::Branch, "Sub-agent"),
        "todowrite" | "todoread" => (Sign::List, "Plan"),
        "question" => (Sign::SpeechQuestion, "Question"),
        "webfetch" => (Sign::Server, "Fetch"),
        "invalid" => (Sign::XCircle, "Invalid call"),
        other => return (Sign::Dots, visible(other).into_owned()),
    };
    (sign, name.to_owned())
}

fn subject(tool: &ToolPart, directory: &str) -> String {
    if tool.tool == "todowrite" {
        return plan::in_one_line(&tool.todos);
    }
    if tool.tool == "question" {
        let asked: Vec<&str> = tool.questions.iter().map(|question| question.text.as_str()).collect();
        return visible(&asked.join(" · ")).replace('\n', " ");
    }
    let subject = tool.subject.as_deref().or(tool.title.as_deref()).unwrap_or_default();
    let inside = subject.strip_prefix(directory).and_then(|path| path.strip_prefix('/'));
    let line = inside.filter(|path| !path.is_empty()).unwrap_or(subject).trim();
    visible(line).replace('\n', " ")
}

fn counts(tool: &ToolPart) -> Option<(usize, usize)> {
    let change = read(tool.diff.as_deref()?);
    Some((change.added, change.removed))
}

fn result(tool: &ToolPart) -> (String, Option<Sign>, Tone) {
    match &tool.status {
        ToolStatus::Pending => ("being written".to_owned(), Some(Sign::Arc), Tone::Plain),
        ToolStatus::Running => ("running".to_owned(), Some(Sign::Arc), Tone::Plain),
        ToolStatus::Other(word) => (visible(word).into_owned(), Some(Sign::Arc), Tone::Plain),
        ToolStatus::Completed => match tool.exit {
            Some(0) => ("exit 0".to_owned(), Some(Sign::Tick), Tone::Ok),
            Some(code) => (format!("exit {code}"), Some(Sign::X), Tone::Bad),
            None => (String::new(), None, Tone::Plain),
        },
        ToolStatus::Error => match ended_by(tool) {
            Some(word) => (word.to_owned(), Some(Sign::X), Tone::Plain),
            None => ("failed".to_owned(), Some(Sign::XCircle), Tone::Bad),
        },
    }
}

/// How a person ended the call, if one did: the server says so in the words of its error.
fn ended_by(tool: &ToolPart) -> Option<&'static str> {
    let error = tool.error.as_deref()?;
    [
        ("dismissed this question", "dismissed"),
        ("rejected permission", "rejected"),
        ("Tool execution aborted", "stopped"),
        ("Task cancelled", "stopped"),
    ]
    .into_iter()
    .find_map(|(said, word)| error.contains(said).then_some(word))
}

/// How long it took; empty while it runs, and for calls that took no time worth telling.
fn span(tool: &ToolPart) -> String {
    match (tool.started, tool.ended) {
        (Some(started), Some(ended)) if ended >= started + 100 => short_span(Duration::from_millis(ended - started)),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::Todo;

    use super::*;

    fn tool(name: &str, status: ToolStatus) -> ToolPart {
        ToolPart {
            tool: name.to_owned(),
            status,
            ..ToolPart::default()
        }
    }

    #[test]
    fn a_command_says_how_it_ended_and_how_long_it_took() {
        let bash = ToolPart {
            subject: Some("cargo test\u{202E}".to_owned()),
            exit: Some(101),
            started: Some(1_000),
            ended: Some(9_100),
            ..tool("bash", ToolStatus::Completed)
        };
        let face = face(&bash, "/p");
        assert_eq!(
            (
                face.name.as_str(),
                face.subject.as_str(),
                face.result.as_str(),
                face.tone,
                face.span.as_str()
            ),
            ("Bash", "cargo test‹U+202E›", "exit 101", Tone::Bad, "8.1 s")
        );
    }

    #[test]
    fn paths_are_told_from_the_directory_of_the_session() {
        let read = |path: &str| {
            let tool = ToolPart {
                subject: Some(path.to_owned()),
                ..tool("read", ToolStatus::Completed)
            };
            face(&tool, "/code/app").subject
        };
        assert_eq!(read("/code/app/src/lib.rs"), "src/lib.rs");
        assert_eq!(read("/code/application"), "/code/application");
        assert_eq!(read("/etc/passwd"), "/etc/passwd");
    }

    #[test]
    fn a_plan_is_told_in_one_line() {
        let todo = |content: &str, status: &str| Todo {
            content: content.to_owned(),
            status: status.to_owned(),
        };
        let plan = ToolPart {
            todos: vec![
                todo("read", "completed"),
                todo("write", "in_progress"),
                todo("test", "pending"),
            ],
            ..tool("todowrite", ToolStatus::Completed)
        };
        assert_eq!(face(&plan, "/p").subject, "3 steps, 1 done, now: write");
    }

    #[test]
    fn what_a_person_ended_has_not_failed() {
        let error = |said: &str| ToolPart {
            error: Some(said.to_owned()),
            ..tool("question", ToolStatus::Error)
        };
        let dismissed = error("The user dismissed this question");
        assert_eq!(
            (face(&dismissed, "/").result.as_str(), is_open_at_first(&dismissed)),
            ("dismissed", false)
        );
        let failed = error("file not found");
        assert_eq!(
            (face(&failed, "/").result.as_str(), is_open_at_first(&failed)),
            ("failed", true)
        );
    }

    #[test]
    fn small_edits_are_open_and_large_ones_are_not() {
        let edit = |lines: usize| {
            let diff = format!("@@ -0,0 +1,{lines} @@\n{}", "+x\n".repeat(lines));
            is_open_at_first(&ToolPart {
                diff: Some(diff),
                ..tool("edit", ToolStatus::Completed)
            })
        };
        assert!(edit(12));
        assert!(!edit(13));
    }

    #[test]
    fn an_unknown_tool_is_called_by_its_name() {
        assert_eq!(face(&tool("my_mcp_tool", ToolStatus::Running), "/").name, "my_mcp_tool");
    }
}
