//! Messages of the real server that no agent of the simulated one makes: those of other clients, summaries and what
//! rules forbid. What they look like is told by the parsers of the dashboard.

use serde_json::{Value, json};
use switchboard_core::model::{Message, SessionId};
use switchboard_core::ports::{Fetched, Read};
use switchboard_tests::scripts::{bash, question, script};

use crate::answers::server;
use crate::http::Http;
use crate::shape::shape_of;
use crate::story::Story;
use crate::stream::Stream;

const JSON: (&str, &str) = ("content-type", "application/json");

fn call(http: &Http, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let answer = http.send(method, path, &[JSON], &body.to_string()).read();
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

fn messages(story: &mut Story<'_>, session: &SessionId) -> Vec<Message> {
    let read = Read::Messages {
        session: session.clone(),
        directory: story.directory(),
        limit: 50,
        before: None,
    };
    match story.read(&read) {
        Ok(Fetched::Page(page)) => page.messages,
        other => panic!("{session}: {other:?}"),
    }
}

fn says(text: &str) -> String {
    script(json!([{ "text": text }])).to_prompt()
}

/// Waits until this is said and nothing goes on.
fn until_said(story: &mut Story<'_>, session: &SessionId, text: &str) {
    story.until(text, |seen| {
        let seen = seen.sessions.iter().find(|seen| seen.id == *session);
        seen.is_some_and(|seen| !seen.is_running() && seen.messages.iter().any(|message| message.text() == text))
    });
}

/// The messages stay in the list until the next prompt, and are then gone for everybody.
#[test]
fn what_is_reverted_leaves_with_the_next_prompt() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("revert", &mut subject);
    let session = story.create();
    story.prompt(&session, &says("One."));
    until_said(&mut story, &session, "One.");
    let prompt = story.prompt(&session, &says("Two."));
    until_said(&mut story, &session, "Two.");
    let before = shape_of(&messages(&mut story, &session));
    let revert = |verb: &str| {
        let body = json!({ "messageID": prompt.message.as_str() });
        let (status, answer) = call(http, "POST", &format!("/session/{session}/{verb}"), &body);
        (status, answer["revert"]["messageID"] == prompt.message.as_str())
    };
    assert_eq!(revert("revert"), (200, true));
    assert_eq!(shape_of(&messages(&mut story, &session)), before);
    assert_eq!(revert("unrevert"), (200, false));
    assert_eq!(revert("revert"), (200, true));
    let mut all = Stream::open(http, "/global/event", &story.directory());
    story.prompt(&session, &says("Three."));
    all.until_told(&session, "message.removed");
    assert!(all.heard.last().is_some_and(|removed| removed.event.is_some()));
    until_said(&mut story, &session, "Three.");
    let texts: Vec<String> = messages(&mut story, &session).iter().map(Message::text).collect();
    assert_eq!(texts.len(), 4, "{texts:?}");
    assert!(!texts.contains(&"Two.".to_owned()));
}

#[test]
fn a_session_that_works_can_be_renamed_and_forked_and_not_reverted() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("busy", &mut subject);
    let session = story.begin(&script(json!([{ "tools": [question("Which?")] }])));
    story.until_listed(1);
    let prompt = messages(&mut story, &session)[0].id.clone();
    let path = format!("/session/{session}");
    let cases = [
        (
            "POST",
            format!("{path}/revert"),
            json!({ "messageID": prompt.as_str() }),
            409,
        ),
        ("DELETE", format!("{path}/message/{prompt}"), json!({}), 409),
        ("PATCH", path.clone(), json!({ "title": "Another name" }), 200),
        ("POST", format!("{path}/fork"), json!({}), 200),
        ("POST", format!("{path}/share"), json!({}), 500),
        (
            "POST",
            format!("{path}/command"),
            json!({ "command": "none", "arguments": "" }),
            500,
        ),
    ];
    for (method, path, body, expected) in cases {
        assert_eq!(call(http, method, &path, &body).0, expected, "{method} {path}");
    }
    story.abort(&session);
}

#[test]
fn a_summary_is_told_from_an_answer() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("summary", &mut subject);
    let session = story.create();
    story.prompt(&session, &says("One."));
    until_said(&mut story, &session, "One.");
    let body = json!({ "providerID": "stub", "modelID": "scripted" });
    let (status, answer) = call(http, "POST", &format!("/session/{session}/summarize"), &body);
    assert_eq!((status, answer), (200, json!(true)));
    let shapes = shape_of(&messages(&mut story, &session));
    assert_eq!(shapes.len(), 4, "{shapes:#?}");
    assert!(shapes[2].ends_with("| compaction"), "{}", shapes[2]);
    assert!(
        shapes[3].contains("completed, summary | step-start, text"),
        "{}",
        shapes[3]
    );
}

/// The error is followed by a summary and a prompt of the server's own, in the same run.
#[test]
fn a_context_that_is_too_long_is_summarised_and_the_run_goes_on() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("overflow", &mut subject);
    let session = story.create();
    let error =
        json!({ "message": "This model's maximum context length is 8192 tokens", "code": "context_length_exceeded" });
    let step = json!({ "status": 400, "body": { "error": error }, "times": 1 });
    story.prompt(&session, &json!({ "steps": [step] }).to_string());
    story.until("the answer", |seen| {
        let messages = &seen.sessions[0].messages;
        let last = messages.last().is_some_and(|last| last.completed.is_some());
        messages.len() == 6 && last && !seen.sessions[0].is_running()
    });
    let shapes = shape_of(&messages(&mut story, &session));
    assert!(shapes[2].ends_with("| compaction"), "{}", shapes[2]);
    assert!(shapes[3].contains("summary"), "{}", shapes[3]);
    assert!(shapes[4].contains("| synthetic"), "{}", shapes[4]);
}

#[test]
fn files_and_agents_unfold_into_text_that_nobody_wrote() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("files", &mut subject);
    let session = story.create();
    let parts = json!([
        { "type": "file", "mime": "text/plain", "filename": "notes.txt", "url": "data:text/plain;base64,aGVsbG8=" },
        { "type": "agent", "name": "general" },
        { "type": "text", "text": says("Seen.") },
    ]);
    let path = format!("/session/{session}/prompt_async");
    assert_eq!(call(http, "POST", &path, &json!({ "parts": parts })).0, 204);
    until_said(&mut story, &session, "Seen.");
    let shape = shape_of(&messages(&mut story, &session)).remove(0);
    for part in [
        "synthetic “Called the Read tool",
        "synthetic “hello”",
        "file notes.txt",
        "agent general",
    ] {
        assert!(shape.contains(part), "{part}: {shape}");
    }
    assert_eq!(messages(&mut story, &session)[0].text(), says("Seen."));
}

/// Without ids of its own a part that is sent twice is there twice; a prompt without parts is answered all the same.
#[test]
fn a_note_waits_for_a_prompt() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("note", &mut subject);
    let session = story.create();
    let id = story.compose("note").message;
    let path = format!("/session/{session}/prompt_async");
    let note = json!({ "noReply": true, "messageID": id.as_str(), "parts": [{ "type": "text", "text": "note" }] });
    for count in 1..=2 {
        assert_eq!(call(http, "POST", &path, &note).0, 204);
        let seen = story.until("the note", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.iter().any(|message| message.parts.len() == count)
        });
        assert!(!seen.sessions[0].is_running());
        assert_eq!(seen.sessions[0].messages.len(), 1);
    }
    assert_eq!(call(http, "POST", &path, &json!({ "parts": [] })).0, 204);
    story.until("the answer", |seen| {
        let last = seen.sessions[0].messages.last();
        seen.sessions[0].messages.len() == 3 && last.is_some_and(|last| last.completed.is_some())
    });
}

/// A tool that one prompt switches off stays off; so do the rules of a session.
#[test]
fn rules_of_a_session_hold_for_all_its_prompts() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("rules", &mut subject);
    let asks = |text: &str| script(json!([{ "tools": [question("Which?")] }, { "text": text }])).to_prompt();
    let session = story.create();
    let first = json!({ "tools": { "question": false }, "parts": [{ "type": "text", "text": asks("One.") }] });
    let path = format!("/session/{session}/prompt_async");
    assert_eq!(call(http, "POST", &path, &first).0, 204);
    until_said(&mut story, &session, "One.");
    story.prompt(&session, &asks("Two."));
    until_said(&mut story, &session, "Two.");
    for (action, state) in [("allow", "bash completed"), ("deny", "invalid completed")] {
        let rules = json!([{ "permission": "bash", "pattern": "*", "action": action }]);
        let (_, made) = call(
            http,
            "POST",
            "/session",
            &json!({ "title": "rules", "permission": rules }),
        );
        let session = SessionId::from(made["id"].as_str().unwrap_or_default());
        let runs = script(json!([{ "tools": [bash("echo ruled")] }, { "text": action }]));
        story.prompt(&session, &runs.to_prompt());
        let mut all = Stream::open(http, "/global/event", &story.directory());
        while !messages(&mut story, &session)
            .iter()
            .any(|message| message.text() == action)
        {
            all.until("something", |heard| heard.is_of(&session));
        }
        let shapes = shape_of(&messages(&mut story, &session)).join("\n");
        assert!(shapes.contains(state), "{action}: {shapes}");
    }
}

/// The plan, and the changes: those of a session are never told, those of a turn are.
#[test]
fn the_plan_of_a_session_can_be_read_by_itself() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("plan", &mut subject);
    let todos = json!([{ "content": "Think", "status": "in_progress", "priority": "high" }]);
    let call_of = json!({ "name": "todowrite", "input": { "todos": todos } });
    let session = story.begin(&script(json!([{ "tools": [call_of] }, { "text": "Planned." }])));
    until_said(&mut story, &session, "Planned.");
    let read = |what: &str| call(http, "GET", &format!("/session/{session}/{what}"), &Value::Null);
    assert_eq!(read("todo"), (200, todos));
    assert_eq!(read("diff"), (200, json!([])));
}

/// Lists of one project have no cursor: what is not asked for by number is not told.
#[test]
fn sessions_are_found_by_their_title_and_without_their_children() {
    let real = server();
    let (http, mut subject) = (real.http(), &*real);
    let mut story = Story::new("search", &mut subject);
    let directory = story.directory();
    let parent = story.create_in(&directory, Some("A Peculiar title")).id;
    let child = json!({ "title": "a peculiar child", "parentID": parent.as_str() });
    assert_eq!(call(http, "POST", "/session", &child).0, 200);
    for list in ["/session", "/experimental/session"] {
        for (query, expected) in [
            ("search=PECULIAR", 2),
            ("search=peculiar&roots=true", 1),
            ("search=nowhere", 0),
        ] {
            let (status, found) = call(http, "GET", &format!("{list}?{query}"), &Value::Null);
            assert_eq!(
                (status, found.as_array().map(Vec::len)),
                (200, Some(expected)),
                "{list}?{query}"
            );
        }
    }
}
