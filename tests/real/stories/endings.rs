//! Endings: how the last message of a run looks.

use serde_json::{Value, json};
use switchboard_core::model::Message;
use switchboard_tests::scripts::script;

use super::check;

/// C6
#[test]
fn each_ending_of_a_model_has_a_form_of_its_own() {
    let steps: [(&str, Value); 6] = [
        ("stop", json!([{ "text": "All of it." }])),
        ("nothing", json!([{ "text": "" }])),
        ("thoughts", json!([{ "reasoning": "I wonder." }])),
        ("length", json!([{ "text": "Half of", "finish": "length" }])),
        ("filter", json!([{ "text": "Half of", "finish": "content_filter" }])),
        (
            "unknown",
            json!([{ "text": "One.", "finish": null }, { "text": "Two." }]),
        ),
    ];
    check("endings", |story| {
        for (name, steps) in &steps {
            story.begin(&script(steps.clone()));
            story.until(name, |seen| {
                let last = seen.sessions.last().and_then(|session| session.messages.last());
                last.is_some_and(|last| last.completed.is_some())
            });
            story.until_idle();
        }
    });
}

#[test]
fn a_refusal_of_the_provider_ends_the_run() {
    check("provider", |story| {
        for status in [400, 401, 403] {
            story.begin(&script(json!([{ "status": status }])));
            story.until("the error", |seen| {
                let last = seen.sessions.last().and_then(|session| session.messages.last());
                last.is_some_and(|last| last.error.is_some())
            });
        }
    });
}

#[test]
fn an_overloaded_provider_is_asked_again() {
    check("retry", |story| {
        story.begin(&script(json!([{ "text": "At last.", "status": 429, "times": 1 }])));
        story.until("the answer", |seen| {
            let mut messages = seen.sessions[0].messages.iter();
            messages.any(|message| message.text() == "At last.")
        });
        story.until_idle();
    });
}

#[test]
fn a_stop_between_two_tries_leaves_no_error() {
    check("stop of tries", |story| {
        let refused = json!([{ "text": "Never said.", "status": 503, "headers": { "retry-after": "600" } }]);
        let session = story.begin(&script(refused));
        story.until("the pause", |seen| {
            let status = &seen.sessions[0].status;
            matches!(status, Some(switchboard_core::model::Status::Retry { .. }))
        });
        story.abort(&session);
        story.until("the end", |seen| {
            let last = seen.sessions[0].messages.last();
            last.is_some_and(|last| last.completed.is_some())
        });
    });
}

#[test]
fn tools_that_ask_nobody() {
    let todos = json!([{ "content": "Think", "status": "in_progress", "priority": "high" }]);
    let calls = [
        json!({ "name": "todowrite", "input": { "todos": todos } }),
        json!({ "name": "read", "input": { "filePath": "notes.md" } }),
        json!({ "name": "juggle", "input": { "balls": 3 } }),
        json!({ "name": "question", "input": { "questions": "none" } }),
        json!({ "name": "question", "input": { "questions": [] } }),
    ];
    check("tools", |story| {
        for call in &calls {
            story.begin(&script(json!([{ "tools": [call] }, { "text": "Done." }])));
            story.until("the end", |seen| {
                let messages = seen.sessions.last().map(|session| session.messages.as_slice());
                let last = messages.unwrap_or_default().last();
                last.is_some_and(|last| last.text() == "Done.") || !seen.requests.is_empty()
            });
            story.until("idle", |seen| {
                let tools = |messages: &[Message]| messages.iter().flat_map(Message::tools).count();
                !seen.requests.is_empty()
                    || seen
                        .sessions
                        .iter()
                        .all(|session| !session.is_running() && tools(&session.messages) > 0)
            });
        }
    });
}
