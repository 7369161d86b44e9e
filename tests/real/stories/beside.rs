//! Another OpenCode process on the same data: what a server shows of its runs.

use serde_json::json;
use switchboard_core::model::{Message, Role, ToolStatus};
use switchboard_core::ports::{Fetched, Read};
use switchboard_tests::scripts::{question, script};

use super::{asks, blue, check_alone, first};
use crate::observer::Seen;
use crate::story::{Story, outcome_of};

/// Whether the first session shows a call that runs.
fn runs_call(seen: &Seen) -> bool {
    let mut tools = seen.sessions[0].messages.iter().flat_map(Message::tools);
    tools.any(|(_, tool)| tool.status == ToolStatus::Running)
}

/// R24: messages are shared, status and requests are not
#[test]
fn what_another_process_runs_is_idle_here_and_asks_nothing() {
    check_alone("beside", |story| {
        let steps = json!([{ "tools": [question("Which?")] }, { "text": "Done there." }]);
        let session = story.begin_beside(&script(steps));
        let seen = story.until("the call", runs_call);
        story.tell("runs here", seen.sessions[0].is_running().to_string());
        story.tell("asks here", seen.requests.len().to_string());
        story.until_so("the question there", |story| !story.questions_beside().is_empty());
        let request = first(story.questions_beside());
        let mut calls = seen.sessions[0].messages.iter().flat_map(Message::tools);
        let shows = calls.any(|(_, tool)| tool.questions == request.questions());
        story.tell("the messages show what is asked", shows.to_string());
        story.abort(&session);
        let here = story.try_reply(&request, blue());
        story.tell("a reply to it here", outcome_of(&here));
        let there = story.reply_beside(&request, blue());
        story.tell("a reply to it there", outcome_of(&there));
        story.until("the end", |seen| {
            let messages = &seen.sessions[0].messages;
            messages
                .last()
                .is_some_and(|last| last.completed.is_some() && last.text() == "Done there.")
        });
        story.kill_beside();
    });
}

/// R24: nothing that a server says afterwards tells a run that was cut off from one that goes on in another process
#[test]
fn a_process_that_is_killed_leaves_its_runs_as_they_are() {
    check_alone("beside, killed", |story| {
        story.begin_beside(&asks("Which?"));
        story.until("the call", runs_call);
        story.begin_beside(&script(json!([{ "text": "Late.", "delay": 600_000 }])));
        story.until("both", |seen| {
            let open = |messages: &[Message]| messages.iter().any(|message| message.role == Role::Assistant);
            seen.sessions.len() == 2 && seen.sessions.iter().all(|session| open(&session.messages))
        });
        story.kill_beside();
    });
}

/// R24: a stop there does not move the session; its message says so
#[test]
fn a_run_that_is_stopped_there_moves_nothing_but_its_message() {
    check_alone("beside, stopped", |story| {
        let session = story.begin_beside(&asks("Which?"));
        story.until("the call", runs_call);
        story.until_so("the question there", |story| !story.questions_beside().is_empty());
        let updated = |story: &mut Story<'_>| {
            let read = Read::Session {
                session: session.clone(),
                directory: story.directory(),
            };
            match story.read(&read) {
                Ok(Fetched::Session(found)) => found.updated,
                other => panic!("{other:?}"),
            }
        };
        let before = updated(story);
        story.abort_beside(&session);
        story.until("the end", |seen| {
            let last = seen.sessions[0].messages.last();
            last.is_some_and(|last| last.completed.is_some())
        });
        let has_moved = updated(story) != before;
        story.tell("has moved", has_moved.to_string());
        story.kill_beside();
    });
}
