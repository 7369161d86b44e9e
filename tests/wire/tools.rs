//! Tool calls at every stage.

use switchboard_core::model::{Choice, Message, PartBody, Question, ToolPart, ToolStatus};
use switchboard_wire as wire;

use crate::fixture::recorded;
use crate::messages::{message, page};

/// The only call of this tool in these messages.
fn call_of(tool: &str, messages: &[Message]) -> ToolPart {
    let calls: Vec<&ToolPart> = messages
        .iter()
        .flat_map(Message::tools)
        .map(|(_, part)| part)
        .filter(|part| part.tool == tool)
        .collect();
    assert_eq!(calls.len(), 1, "{tool}");
    calls[0].clone()
}

/// The question that most recorded calls ask.
fn colour() -> Question {
    let options = vec![Choice::new("Red", "warm"), Choice::new("Blue", "cool")];
    Question::new("Which colour?", "Colour", options)
}

/// The tool part in a file that holds parts alone.
fn part_alone(file: &str) -> ToolPart {
    let body = format!(r#"{{"info":{{"id":"msg_1"}},"parts":{}}}"#, recorded(file));
    let message = wire::message(&body).expect(file);
    let PartBody::Tool(tool) = &message.parts[0].body else {
        panic!("{file}: no tool part")
    };
    tool.as_ref().clone()
}

/// R2, R24
#[test]
fn a_waiting_question_is_a_running_call_also_when_its_server_has_forgotten_it() {
    for file in [
        "message-question-pending.json",
        "message-question-orphan-after-restart.json",
    ] {
        let call = call_of("question", &[message(file)]);
        assert_eq!(call.status, ToolStatus::Running, "{file}");
        assert_eq!(call.answers, None);
        assert_eq!(call.questions, [colour()], "{file}");
        assert!(call.started.is_some() && call.ended.is_none());
    }
}

/// R4
#[test]
fn what_was_really_answered_stands_in_the_call() {
    let answered = call_of("question", &page("messages-question-answered.json").messages);
    assert_eq!(answered.status, ToolStatus::Completed);
    assert_eq!(answered.answers, Some(vec![vec!["Blue".to_owned()]]));
    let several = part_alone("question-multi-answered-part.json");
    let lists: Vec<String> = several
        .answers
        .expect("answers")
        .iter()
        .map(|list| list.join("+"))
        .collect();
    assert_eq!(lists, ["Red", "Cheese+Olives", "Yes"]);
    assert_eq!(several.title.as_deref(), Some("Asked 3 questions"));
}

/// R2
#[test]
fn a_dismissed_and_an_aborted_question_say_why_they_ended() {
    let cases = [
        ("messages-question-rejected.json", "The user dismissed this question"),
        ("messages-ghost-after-abort.json", "Tool execution aborted"),
    ];
    for (file, reason) in cases {
        let call = call_of("question", &page(file).messages);
        assert_eq!(call.status, ToolStatus::Error, "{file}");
        assert_eq!(call.error.as_deref(), Some(reason));
    }
}

#[test]
fn a_command_shows_what_it_was_printed_and_its_exit_code() {
    let call = part_alone("tool-bash-completed.json");
    let command = "for i in 1 2 3 4 5 6; do echo line$i; sleep 0.5; done";
    assert_eq!(call.subject.as_deref(), Some(command));
    assert_eq!(call.exit, Some(0));
    assert!(call.output.expect("output").ends_with("line6\n"));
    assert!(call.input.contains("\n  \"command\": "), "{}", call.input);
}

#[test]
fn an_edit_shows_its_file_and_its_change() {
    let call = call_of("edit", &page("messages-edit.json").messages);
    assert_eq!(call.subject.as_deref(), Some("hello.txt"));
    assert!(call.diff.expect("a diff").contains("-two\n+three"));
    let messages = page("messages-edit.json").messages;
    let files = messages.iter().flat_map(|message| &message.parts).find_map(|part| {
        let PartBody::Patch { files } = &part.body else {
            return None;
        };
        Some(files.clone())
    });
    assert_eq!(files, Some(vec!["/home/user/project/hello.txt".to_owned()]));
}

/// C7
#[test]
fn a_task_names_the_session_that_it_started() {
    let running = call_of("task", &[message("message-subagent-parent-running.json")]);
    assert_eq!(running.status, ToolStatus::Running);
    assert_eq!(running.child, Some("ses_e00231789ffeK1tObHUGYB0EbL".into()));
    assert_eq!(running.subject.as_deref(), Some("child asks"));
    let done = call_of("task", &page("messages-subagent-parent-done.json").messages);
    assert_eq!(done.status, ToolStatus::Completed);
    assert_eq!(done.child, running.child);
}

#[test]
fn a_tool_that_does_not_exist_is_named() {
    let call = call_of("invalid", &page("messages-invalid-tool.json").messages);
    assert_eq!(call.subject.as_deref(), Some("nosuchtool"));
}

#[test]
fn a_plan_is_read_from_the_call_that_set_it() {
    let todos = recorded("todo.json");
    let body = format!(
        r#"{{"info":{{"id":"msg_1"}},"parts":[{{"type":"tool","tool":"todowrite","state":{{"input":{{"todos":{todos}}}}}}}]}}"#
    );
    let call = call_of("todowrite", &[wire::message(&body).expect("a message")]);
    let plan: Vec<(&str, &str)> = call
        .todos
        .iter()
        .map(|todo| (todo.content.as_str(), todo.status.as_str()))
        .collect();
    assert_eq!(
        plan,
        [("first", "completed"), ("second", "in_progress"), ("third", "pending")]
    );
}
