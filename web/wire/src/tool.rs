//! Tool calls and their results.

use serde_json::Value;
use switchboard_core::model::{Answers, Todo, ToolPart, ToolStatus};

use super::json;
use super::request::asked;

/// The arguments worth a line, the most telling first.
const SUBJECTS: [&str; 11] = [
    "command",
    "filePath",
    "pattern",
    "url",
    "query",
    "path",
    "description",
    "name",
    "file",
    "prompt",
    "tool",
];

/// Reads a tool part.
pub(super) fn tool(part: &Value) -> ToolPart {
    let state = &part["state"];
    let (input, metadata) = (&state["input"], &state["metadata"]);
    let name = json::text(&part["tool"]).unwrap_or_default();
    ToolPart {
        call: json::filled(&part["callID"]).map(Into::into),
        status: status(&state["status"]),
        title: json::filled(&state["title"]),
        input: arguments(state),
        subject: SUBJECTS.into_iter().find_map(|argument| json::filled(&input[argument])),
        workdir: json::filled(&input["workdir"]),
        output: json::text(&state["output"]).or_else(|| json::text(&metadata["output"])),
        truncated: metadata["truncated"] == true,
        error: json::filled(&state["error"]),
        started: json::count(&state["time"]["start"]),
        ended: json::count(&state["time"]["end"]),
        diff: json::filled(&metadata["diff"]),
        exit: metadata["exit"].as_i64(),
        questions: if name == "question" { asked(input) } else { Vec::new() },
        answers: answers(&metadata["answers"]),
        child: json::filled(&metadata["sessionId"])
            .filter(|_| name == "task")
            .map(Into::into),
        todos: if name == "todowrite" {
            todos(input, metadata)
        } else {
            Vec::new()
        },
        tool: name,
    }
}

fn status(value: &Value) -> ToolStatus {
    match value.as_str() {
        Some("pending") => ToolStatus::Pending,
        Some("running") => ToolStatus::Running,
        Some("completed") => ToolStatus::Completed,
        Some("error") => ToolStatus::Error,
        Some(word) => ToolStatus::Other(word.to_owned()),
        None => ToolStatus::Other("unknown".to_owned()),
    }
}

/// While the model still writes them, the arguments are raw text.
fn arguments(state: &Value) -> String {
    match &state["input"] {
        Value::Object(input) if !input.is_empty() => format!("{:#}", state["input"]),
        Value::Object(_) | Value::Null => json::text(&state["raw"]).unwrap_or_default(),
        Value::String(text) => text.clone(),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_)) => other.to_string(),
    }
}

/// All lists or none: half an answer would be taken for another one.
fn answers(value: &Value) -> Option<Answers> {
    let list = |value: &Value| {
        value
            .as_array()?
            .iter()
            .map(json::text)
            .collect::<Option<Vec<String>>>()
    };
    value.as_array()?.iter().map(list).collect()
}

fn todos(input: &Value, metadata: &Value) -> Vec<Todo> {
    let set = [metadata, input]
        .into_iter()
        .find_map(|place| place["todos"].as_array());
    let todo = |value: &Value| {
        Some(Todo {
            content: json::filled(&value["content"])?,
            status: json::text(&value["status"]).unwrap_or_default(),
        })
    };
    set.into_iter().flatten().filter_map(todo).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(state: &str) -> ToolPart {
        tool(
            &json::parse(&format!(
                r#"{{"type":"tool","tool":"bash","callID":"c","state":{state}}}"#
            ))
            .unwrap(),
        )
    }

    #[test]
    fn a_running_command_shows_what_it_has_printed_so_far() {
        let running = read(r#"{"status":"running","input":{"command":"ls"},"metadata":{"output":"a\n"}}"#);
        assert_eq!(running.output.as_deref(), Some("a\n"));
        assert_eq!(running.subject.as_deref(), Some("ls"));
        let done = read(r#"{"status":"completed","output":"a\nb\n","metadata":{"output":"a\n","exit":2}}"#);
        assert_eq!(done.output.as_deref(), Some("a\nb\n"));
        assert_eq!(done.exit, Some(2));
    }

    #[test]
    fn a_command_names_the_directory_that_it_runs_in() {
        let there = read(r#"{"status":"running","input":{"command":"ls","workdir":"/srv"}}"#);
        assert_eq!(there.workdir.as_deref(), Some("/srv"));
        assert_eq!(read(r#"{"status":"running","input":{"command":"ls"}}"#).workdir, None);
    }

    #[test]
    fn arguments_that_are_still_being_written_are_shown_as_they_are() {
        assert_eq!(
            read(r#"{"status":"pending","input":{},"raw":"{\"comm"}"#).input,
            "{\"comm"
        );
        assert_eq!(
            read(r#"{"status":"running","input":{"command":"ls"}}"#).input,
            "{\n  \"command\": \"ls\"\n}"
        );
    }

    #[test]
    fn answers_that_cannot_be_read_whole_are_not_known() {
        assert_eq!(
            read(r#"{"metadata":{"answers":[["Blue"],[]]}}"#).answers,
            Some(vec![vec!["Blue".to_owned()], vec![]])
        );
        assert_eq!(read(r#"{"metadata":{"answers":[["Blue"],[7]]}}"#).answers, None);
        assert_eq!(
            read(r#"{"status":"asleep"}"#).status,
            ToolStatus::Other("asleep".to_owned())
        );
    }
}
