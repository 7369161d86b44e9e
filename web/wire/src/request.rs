//! Questions and permissions that wait.

use serde_json::{Map, Value};
use switchboard_core::model::{Ask, Choice, Directory, Permission, Question, Request, ToolRef};

use super::{WireError, json};

/// Understands `GET /question` of a directory.
///
/// # Errors
/// When it is no list.
pub fn questions(body: &str, directory: &Directory) -> Result<Vec<Request>, WireError> {
    requests(body, directory, |value| Ask::Questions(asked(value)))
}

/// The questions of a request, or of the arguments of a `question` call.
pub(super) fn asked(value: &Value) -> Vec<Question> {
    json::elements(&value["questions"]).iter().map(question).collect()
}

/// Understands `GET /permission` of a directory.
///
/// # Errors
/// When it is no list.
pub fn permissions(body: &str, directory: &Directory) -> Result<Vec<Request>, WireError> {
    requests(body, directory, |value| Ask::Permission(Box::new(permission(value))))
}

/// A request without an id or a session cannot be shown or answered; every other one is kept with what can be read.
fn requests(body: &str, directory: &Directory, ask: impl Fn(&Value) -> Ask) -> Result<Vec<Request>, WireError> {
    let read = |value: &Value| {
        Some(Request {
            id: json::filled(&value["id"])?.into(),
            session: json::filled(&value["sessionID"])?.into(),
            directory: directory.clone(),
            tool: tool(&value["tool"]),
            ask: ask(value),
        })
    };
    Ok(json::parse_list(body)?.iter().filter_map(read).collect())
}

fn tool(value: &Value) -> Option<ToolRef> {
    Some(ToolRef {
        message: json::filled(&value["messageID"])?.into(),
        call: json::filled(&value["callID"])?.into(),
    })
}

fn question(value: &Value) -> Question {
    Question {
        text: json::text(&value["question"]).unwrap_or_default(),
        header: json::text(&value["header"]).unwrap_or_default(),
        options: json::elements(&value["options"]).iter().filter_map(choice).collect(),
        multiple: value["multiple"].as_bool().unwrap_or(false),
        custom: value["custom"].as_bool().unwrap_or(true),
    }
}

fn choice(value: &Value) -> Option<Choice> {
    Some(Choice {
        label: json::filled(&value["label"])?,
        description: json::text(&value["description"]).unwrap_or_default(),
    })
}

fn permission(value: &Value) -> Permission {
    let mut rest = value["metadata"].as_object().cloned().unwrap_or_default();
    Permission {
        kind: json::text(&value["permission"]).unwrap_or_default(),
        patterns: json::texts(&value["patterns"]),
        always: json::texts(&value["always"]),
        command: take_text(&mut rest, "command"),
        file: take_text(&mut rest, "filepath"),
        diff: take_text(&mut rest, "diff"),
        detail: detail(rest),
    }
}

fn take_text(rest: &mut Map<String, Value>, name: &str) -> Option<String> {
    let found = rest.get(name).and_then(json::text)?;
    rest.remove(name);
    Some(found)
}

fn detail(rest: Map<String, Value>) -> String {
    if rest.is_empty() {
        return String::new();
    }
    format!("{:#}", Value::Object(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R18
    #[test]
    fn a_question_takes_one_answer_and_any_text_unless_it_says_otherwise() {
        let body = r#"[{"id":"que_1","sessionID":"ses_1","questions":[
            {"question":"A?"},{"question":"B?","multiple":true,"custom":false,"options":[{"label":"x"},{"label":""},7]}]}]"#;
        let requests = questions(body, &"/d".into()).unwrap();
        let [first, second] = requests[0].questions() else {
            panic!("two questions expected: {requests:?}")
        };
        assert!(!first.multiple && first.custom);
        assert!(second.multiple && !second.custom);
        assert_eq!(second.options.len(), 1);
    }

    #[test]
    fn a_request_is_dropped_only_when_it_cannot_be_answered() {
        let body =
            r#"[{"id":"per_1"},{"sessionID":"ses_1"},{"id":"per_2","sessionID":"ses_2","patterns":"*","tool":{}}]"#;
        let requests = permissions(body, &"/d".into()).unwrap();
        assert_eq!(requests.len(), 1);
        assert_eq!(requests[0].id, "per_2".into());
        assert_eq!(requests[0].tool, None);
    }

    /// R19
    #[test]
    fn everything_that_a_permission_says_is_kept() {
        let body = r#"[{"id":"per_1","sessionID":"ses_1","permission":"webfetch",
            "metadata":{"command":["rm","x"],"url":"https://example.org","filepath":"/f"}}]"#;
        let requests = permissions(body, &"/d".into()).unwrap();
        let permission = requests[0].permission().unwrap();
        assert_eq!(permission.command, None);
        assert_eq!(permission.file.as_deref(), Some("/f"));
        let rest: Value = serde_json::from_str(&permission.detail).unwrap();
        assert_eq!(
            rest,
            serde_json::json!({"command": ["rm", "x"], "url": "https://example.org"})
        );
    }
}
