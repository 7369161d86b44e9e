//! Questions and permissions, as they are listed.

use switchboard_core::model::{Ask, Choice, Permission, Question, Request, ToolRef};
use switchboard_wire as wire;

use crate::fixture::recorded;

fn questions(file: &str) -> Vec<Request> {
    wire::questions(&recorded(file), &"/home/user/project".into()).expect(file)
}

fn permission(file: &str) -> Permission {
    let body = format!("[{}]", recorded(file));
    let requests = wire::permissions(&body, &"/home/user/project".into()).expect(file);
    requests[0].permission().expect("a permission").clone()
}

fn choice(label: &str, description: &str) -> Choice {
    Choice {
        label: label.to_owned(),
        description: description.to_owned(),
    }
}

#[test]
fn a_question_is_understood_in_full() {
    let expected = Request {
        id: "que_1ffd35eae0015sVzWtxdFLagkY".into(),
        session: "ses_e002ce275ffei25adQZpGQkXMC".into(),
        directory: "/home/user/project".into(),
        tool: Some(ToolRef {
            message: "msg_1ffd32f60001I9ipKQ4WmYMDgG".into(),
            call: "call_000001".into(),
        }),
        ask: Ask::Questions(vec![Question {
            text: "Which colour?".to_owned(),
            header: "Colour".to_owned(),
            options: vec![choice("Red", "warm"), choice("Blue", "cool")],
            multiple: false,
            custom: true,
        }]),
    };
    assert_eq!(questions("question-list.json"), [expected]);
}

/// R10
#[test]
fn two_questions_of_one_message_are_two_requests() {
    let requests = questions("question-list-parallel.json");
    assert_eq!(requests.len(), 2);
    let [first, second] = [&requests[0], &requests[1]].map(|request| request.tool.clone().expect("a tool"));
    assert_eq!(first.message, second.message);
    assert_ne!(first.call, second.call);
    assert_ne!(requests[0].id, requests[1].id);
}

#[test]
fn a_sub_agents_question_names_the_sub_agents_session() {
    let requests = questions("question-list-subagent.json");
    assert_eq!(requests[0].session, "ses_e00231789ffeK1tObHUGYB0EbL".into());
}

/// R19
#[test]
fn a_permission_shows_its_command_and_what_always_would_allow() {
    let requests = wire::permissions(&recorded("permission-list.json"), &"/d".into()).expect("a list");
    let expected = Permission {
        kind: "bash".to_owned(),
        patterns: vec!["echo hi".to_owned()],
        always: vec!["echo *".to_owned()],
        command: Some("echo hi".to_owned()),
        ..Permission::default()
    };
    assert_eq!(requests[0].permission(), Some(&expected));
}

/// R19
#[test]
fn a_permission_to_edit_shows_the_file_and_the_change() {
    for (file, change) in [
        ("permission-edit-new-file.json", "+one"),
        ("permission-edit-change.json", "-two\n+three"),
    ] {
        let permission = permission(file);
        assert_eq!(permission.kind, "edit");
        assert_eq!(permission.file.as_deref(), Some("/home/user/project/hello.txt"));
        let diff = permission.diff.expect("a diff");
        assert!(diff.contains(change), "{file}: {diff}");
        assert_eq!(permission.detail, "");
    }
}
