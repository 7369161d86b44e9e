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

/// The plan that a message makes, if it makes one.
#[must_use]
pub fn plan(message: &Message) -> Option<Vec<Todo>> {
    message.parts.iter().rev().find_map(|part| {
        let PartBody::Tool(tool) = &part.body else { return None };
        (!tool.todos.is_empty()).then(|| tool.todos.clone())
    })
}

/// What a message changes, in its order and by the names that it uses. Lines are counted where the edit shows them.
#[must_use]
pub fn changes(message: &Message) -> Vec<FileChange> {
    let mut changes = Vec::new();
    let mut change = |path: &str, diff: &str| {
        let lines = read(diff);
        changes.push(FileChange {
            path: path.to_owned(),
            added: lines.added,
            removed: lines.removed,
        });
    };
    for part in &message.parts {
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
    changes
}

/// Adds the changes of all messages up: one for each file, by its path in `directory`.
#[must_use]
pub fn files<'a>(changes: impl Iterator<Item = &'a FileChange>, directory: &str) -> Vec<FileChange> {
    let mut files: SortedMap<&str, FileChange> = SortedMap::new();
    for change in changes {
        let path = inside(&change.path, directory);
        let file = files.entry(path).or_default();
        path.clone_into(&mut file.path);
        file.added += change.added;
        file.removed += change.removed;
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
    use switchboard_core::model::ToolPart;

    use super::*;
    use crate::fixtures::message;

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
        let changes = changes(&message("msg_1", vec![edit("src/a.rs"), edit("/p/src/a.rs"), patch]));
        assert_eq!(
            files(changes.iter(), "/p"),
            [change("made.txt", 0, 0), change("src/a.rs", 4, 2)]
        );
    }

    #[test]
    fn the_newest_plan_and_the_newest_size_of_the_context_count() {
        let plan_of = |content: &str| {
            PartBody::Tool(Box::new(ToolPart {
                todos: vec![Todo {
                    content: content.to_owned(),
                    status: "pending".to_owned(),
                }],
                ..ToolPart::default()
            }))
        };
        let planning = message("msg_1", vec![plan_of("old"), plan_of("new"), PartBody::StepFinish]);
        assert_eq!(plan(&planning).unwrap()[0].content, "new");
        let told = |tokens| {
            Arc::new(Message {
                context_tokens: tokens,
                ..(*message("msg_2", Vec::new())).clone()
            })
        };
        let messages = [told(Some(5)), told(Some(76_000)), told(Some(0)), told(None)];
        assert_eq!(context_tokens(&messages), Some(76_000));
    }
}
