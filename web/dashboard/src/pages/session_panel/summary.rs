//! What the messages of a session say about its plan, its files and its context.

use std::sync::Arc;

use switchboard_core::SortedMap;
use switchboard_core::model::{Message, PartBody, Todo};

use crate::tools::diff::lines::read;

/// How many lines of a file were added and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange {
    /// The file, without the directory of the session.
    pub path: String,
    /// New lines.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
}

/// The newest plan; empty when there is none.
#[must_use]
pub fn plan(messages: &[Arc<Message>]) -> Vec<Todo> {
    let plans = messages.iter().rev().flat_map(|message| message.parts.iter().rev());
    plans
        .filter_map(|part| {
            let PartBody::Tool(tool) = &part.body else { return None };
            (!tool.todos.is_empty()).then(|| tool.todos.clone())
        })
        .next()
        .unwrap_or_default()
}

/// The files that these messages changed, by path. Lines are counted where the edit shows them.
#[must_use]
pub fn files(messages: &[Arc<Message>], directory: &str) -> Vec<FileChange> {
    let mut files: SortedMap<String, FileChange> = SortedMap::new();
    let mut change = |path: &str, diff: &str| {
        let path = inside(path, directory);
        let lines = read(diff);
        let file = files.entry(path.to_owned()).or_default();
        path.clone_into(&mut file.path);
        file.added += lines.added;
        file.removed += lines.removed;
    };
    for part in messages.iter().flat_map(|message| &message.parts) {
        match &part.body {
            PartBody::Patch { files } => files.iter().for_each(|path| change(path, "")),
            PartBody::Tool(tool) => {
                if let Some((path, diff)) = tool.subject.as_deref().zip(tool.diff.as_deref()) {
                    change(path, diff);
                }
            }
            PartBody::Text { .. }
            | PartBody::Reasoning { .. }
            | PartBody::File { .. }
            | PartBody::Agent { .. }
            | PartBody::Compaction
            | PartBody::StepStart
            | PartBody::StepFinish
            | PartBody::Retry { .. }
            | PartBody::Other(_) => {}
        }
    }
    files.into_iter().map(|(_, change)| change).collect()
}

fn inside<'a>(path: &'a str, directory: &str) -> &'a str {
    path.strip_prefix(directory)
        .and_then(|path| path.strip_prefix('/'))
        .unwrap_or(path)
}

/// Tokens in the context after the newest step that tells.
#[must_use]
pub fn context_tokens(messages: &[Arc<Message>]) -> Option<u64> {
    messages
        .iter()
        .rev()
        .find_map(|message| message.context_tokens.filter(|tokens| *tokens > 0))
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Part, Role, ToolPart};

    use super::*;

    fn messages(bodies: Vec<PartBody>) -> Vec<Arc<Message>> {
        let part = |(at, body)| Part {
            id: format!("prt_{at}").into(),
            body,
        };
        vec![Arc::new(Message {
            id: "msg_1".into(),
            session: "ses_1".into(),
            role: Role::Assistant,
            created: 0,
            completed: None,
            error: None,
            finish: None,
            parent: None,
            agent: None,
            model: None,
            cost: None,
            context_tokens: Some(76_000),
            summary: false,
            fault: None,
            parts: bodies.into_iter().enumerate().map(part).collect(),
        })]
    }

    #[test]
    fn edits_of_one_file_add_up_whatever_they_call_it() {
        let edit = |path: &str| {
            PartBody::Tool(Box::new(ToolPart {
                subject: Some(path.to_owned()),
                diff: Some("@@ -1,1 +1,2 @@\n-a\n+b\n+c\n".to_owned()),
                ..ToolPart::default()
            }))
        };
        let patch = PartBody::Patch {
            files: vec!["/p/src/a.rs".to_owned(), "/p/made.txt".to_owned()],
        };
        let change = |path: &str, added, removed| FileChange {
            path: path.to_owned(),
            added,
            removed,
        };
        assert_eq!(
            files(&messages(vec![edit("src/a.rs"), edit("/p/src/a.rs"), patch]), "/p"),
            [change("made.txt", 0, 0), change("src/a.rs", 4, 2)]
        );
    }

    #[test]
    fn the_newest_plan_counts() {
        let plan_of = |content: &str| {
            PartBody::Tool(Box::new(ToolPart {
                todos: vec![Todo {
                    content: content.to_owned(),
                    status: "pending".to_owned(),
                }],
                ..ToolPart::default()
            }))
        };
        let messages = messages(vec![plan_of("old"), plan_of("new"), PartBody::StepFinish]);
        assert_eq!(plan(&messages)[0].content, "new");
        assert_eq!(context_tokens(&messages), Some(76_000));
    }
}
