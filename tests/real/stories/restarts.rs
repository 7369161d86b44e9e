//! Restarts and disposals: what is forgotten.

use serde_json::json;
use switchboard_core::model::{Message, Reply};
use switchboard_core::ports::Posted;
use switchboard_tests::scripts::{bash, question, script};

use super::{asks, blue, check_alone, first, says, sub_agent};
use crate::story::outcome_of;

#[test]
fn a_restart_orphans_a_question() {
    check_alone("restart", |story| {
        story.begin(&script(json!([{ "tools": [question("Which?")] }])));
        let request = first(story.until_listed(1));
        story.restart();
        let late = story.try_reply(&request, blue());
        assert!(matches!(late, Posted::NotFound(_)), "{late:?}");
    });
}

#[test]
fn an_orphan_stays_one_when_its_session_goes_on() {
    check_alone("restart and go on", |story| {
        let session = story.begin(&script(json!([{ "tools": [question("Which?")] }])));
        story.until_listed(1);
        story.restart();
        story.prompt(&session, &script(json!([{ "text": "Another run." }])).to_prompt());
        story.until("the other run", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.last().is_some_and(|last| last.text() == "Another run.")
        });
        story.until_idle();
    });
}

/// One restart for everything that a killed server leaves open.
#[test]
fn a_restart_leaves_open_what_was_open() {
    check_alone("open ends", |story| {
        let slow = json!([{ "text": "Hello, this takes long.", "chunk": 5, "chunkDelay": 600_000 }]);
        let asking = story.begin(&script(json!([{ "tools": [bash("echo one")] }])));
        story.until_listed(1);
        let queued = story.begin(&asks("Which?"));
        story.until_listed(2);
        story.prompt(&queued, "and another thing");
        story.begin(&sub_agent());
        let requests = story.until_listed(3);
        story.begin(&script(slow));
        story.until("the text", |seen| {
            let streams = |messages: &[Message]| messages.iter().any(|message| message.parts.len() == 2);
            seen.sessions.iter().all(|session| streams(&session.messages))
        });
        story.restart();
        for request in &requests {
            let reply = if request.permission().is_some() {
                Reply::Once
            } else {
                blue()
            };
            let late = story.try_reply(request, reply);
            story.tell("a late reply", outcome_of(&late));
        }
        story.prompt(&asking, &says("Another run.").to_prompt());
        story.until("the other run", |seen| {
            let messages = &seen.sessions[0].messages;
            messages.last().is_some_and(|last| last.text() == "Another run.")
        });
    });
}

#[test]
fn what_is_always_allowed_is_forgotten() {
    check_alone("forgotten", |story| {
        let twice = script(json!([{ "tools": [bash("seq 4")] }, { "tools": [bash("seq 5")] }, { "text": "Done." }]));
        story.begin(&twice);
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Always);
        story.until_idle();
        story.dispose();
        story.begin(&twice);
        let request = first(story.until_listed(1));
        story.reply(&request, Reply::Reject { message: None });
        story.until_idle();
    });
}

#[test]
fn a_disposed_instance_forgets_its_questions_and_closes_their_calls() {
    check_alone("disposed", |story| {
        story.begin(&asks("Which?"));
        let request = first(story.until_listed(1));
        story.dispose();
        story.until("the end of the call", |seen| {
            let mut tools = seen.sessions[0].messages.iter().flat_map(Message::tools);
            tools.any(|(_, tool)| tool.status.is_final())
        });
        let late = story.try_reply(&request, blue());
        story.tell("a late reply", outcome_of(&late));
    });
}
