//! Permissions: whom a reply frees, whom it takes along.

use std::time::Duration;

use serde_json::{Value, json};
use switchboard_core::model::{Message, Reply, Request};
use switchboard_tests::scripts::{bash, bash_outside, read, script};

use super::{check, check_alone, first, until_stopped};
use crate::story::{Story, outcome_of};

#[test]
fn a_permission_is_given_once() {
    check("permission once", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo hi")] }, { "tools": [bash("echo hi")] }, { "text": "Done." }]),
        ));
        for step in 1..=2 {
            let is_it = |seen: &[Message]| seen.iter().flat_map(Message::tools).count() == step;
            let seen = story.until("a permission", |seen| {
                seen.requests.len() == 1 && is_it(&seen.sessions[0].messages)
            });
            story.reply(&first(seen.requests), Reply::Once);
        }
        story.until_idle();
    });
}

/// Such a request names no call.
#[test]
fn a_run_that_calls_the_same_three_times_asks_whether_it_may_go_on() {
    let again = || script(json!([{ "tools": [read(), read(), read()] }, { "text": "Done." }]));
    check("loop allowed", |story| {
        story.begin(&again());
        let request = first(story.until_listed(1));
        story.tell("its call", format!("{:?}", request.tool));
        story.reply(&request, Reply::Once);
        story.until_idle();
    });
    check("loop stopped", |story| {
        let session = story.begin(&again());
        let request = first(story.until_listed(1));
        story.abort(&session);
        until_stopped(story);
        let late = story.try_reply(&request, Reply::Once);
        story.tell("a late reply", outcome_of(&late));
    });
}

/// A rejection that comes while the calls still read leaves them now completed, now aborted; a later one aborts them.
const UNTIL_READ: Duration = Duration::from_millis(500);

#[test]
fn a_run_that_may_not_go_on_ends_with_the_words_of_the_rejection() {
    for message in [None, Some("Read something else.".to_owned())] {
        check("loop rejected", |story| {
            story.begin(&script(
                json!([{ "tools": [read(), read(), read()] }, { "text": "Never said." }]),
            ));
            let request = first(story.until_listed(1));
            let read = story.now() + UNTIL_READ;
            story.until_so("the calls have read", |story| story.now() >= read);
            story.reply(
                &request,
                Reply::Reject {
                    message: message.clone(),
                },
            );
            story.until("the end", |seen| {
                let last = seen.sessions[0].messages.last();
                last.is_some_and(|last| last.completed.is_some())
            });
        });
    }
}

#[test]
fn a_rejected_permission_ends_the_run() {
    check("permission rejected", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo one"), bash("ls")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(&requests[0], Reply::Reject { message: None });
        story.until_idle();
    });
}

#[test]
fn a_permission_rejected_with_a_message_lets_the_run_go_on() {
    check("rejected with message", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo one")] }, { "text": "Understood." }]),
        ));
        let request = first(story.until_listed(1));
        story.reply(
            &request,
            Reply::Reject {
                message: Some("use printf instead".to_owned()),
            },
        );
        story.until_idle();
    });
}

#[test]
fn a_message_with_a_rejection_is_in_vain_when_others_wait() {
    check("rejected among others", |story| {
        story.begin(&script(
            json!([{ "tools": [bash("echo one"), bash("ls")] }, { "text": "Never said." }]),
        ));
        let requests = story.until_listed(2);
        story.reply(
            &requests[0],
            Reply::Reject {
                message: Some("use printf instead".to_owned()),
            },
        );
        story.until_idle();
    });
}

#[test]
fn one_call_asks_for_two_permissions() {
    check("two permissions", |story| {
        story.begin(&script(
            json!([{ "tools": [bash_outside("ls -d /usr/share")] }, { "text": "Done." }]),
        ));
        for kind in ["external_directory", "bash"] {
            let is_it = |request: &Request| request.permission().is_some_and(|permission| permission.kind == kind);
            let seen = story.until(kind, |seen| seen.requests.iter().any(is_it));
            story.reply(&first(seen.requests), Reply::Once);
        }
        story.until_idle();
    });
}

/// What is allowed stays allowed for the other stories: nothing else uses this command.
#[test]
fn always_frees_what_it_covers() {
    check("always", |story| {
        story.begin(&script(json!([
            { "tools": [bash("printf one"), bash("printf two"), bash("ls")] },
            { "tools": [bash("printf three")] },
            { "text": "Done." }
        ])));
        let requests = story.until_listed(3);
        story.reply(&requests[0], Reply::Always);
        let left = first(story.until_listed(1));
        story.reply(&left, Reply::Once);
        story.until_idle();
    });
}

#[test]
fn always_holds_for_new_requests_of_all_sessions_and_frees_none_that_waits_elsewhere() {
    check("always elsewhere", |story| {
        let one = story.begin(&script(json!([{ "tools": [bash("seq 1")] }, { "text": "Done." }])));
        let other = story.begin(&script(
            json!([{ "tools": [bash("seq 2")] }, { "tools": [bash("seq 3")] }, { "text": "Done." }]),
        ));
        let requests = story.until_listed(2);
        let of = |session| requests.iter().find(|request| request.session == session);
        story.reply(of(one).expect("both ask"), Reply::Always);
        let left = first(story.until_listed(1));
        assert_eq!(left.session, other);
        story.reply(&left, Reply::Once);
        story.until_idle();
    });
}

#[test]
fn a_command_of_several_parts_is_asked_for_by_its_parts() {
    let commands = [
        "date && hostname",
        "git status --short",
        "npm run build --silent",
        "uname -a | wc -l; date",
    ];
    check("patterns", |story| {
        for command in commands {
            story.begin(&script(
                json!([{ "tools": [bash(command)] }, { "text": "Never said." }]),
            ));
            let request = first(story.until_listed(1));
            story.reply(&request, Reply::Reject { message: None });
            story.until_idle();
        }
    });
}

/// A step lists all files that changed while it went on, so this is played alone.
#[test]
fn a_file_is_written_after_a_permission_to_edit() {
    check_alone("edit", |story| {
        let path = format!("{}/story.txt", story.directory());
        let write = json!({ "name": "write", "input": { "filePath": path, "content": "one\n" } });
        let edit = json!({ "name": "edit", "input": { "filePath": path, "oldString": "one", "newString": "two" } });
        story.begin(&script(
            json!([{ "tools": [write] }, { "tools": [edit] }, { "text": "Done." }]),
        ));
        for step in 1..=2 {
            let is_it = |seen: &[Message]| seen.iter().flat_map(Message::tools).count() == step;
            let seen = story.until("a permission", |seen| {
                seen.requests.len() == 1 && is_it(&seen.sessions[0].messages)
            });
            let request = first(seen.requests);
            let permission = request.permission().expect("it asks for a permission");
            let has_diff = permission.diff.as_ref().is_some_and(|diff| diff.contains("@@"));
            story.tell(
                "the permission",
                format!("of {:?}, with a diff: {has_diff}", permission.file),
            );
            story.reply(&request, Reply::Once);
        }
        story.until_idle();
    });
}

/// A session that was stopped while it asked, and asks again with this. Returns the ghost.
fn ghost_beside(story: &mut Story<'_>, live: Value) -> Request {
    let session = story.begin(&script(json!([{ "tools": [bash("echo one")] }])));
    let ghost = first(story.until_listed(1));
    story.abort(&session);
    until_stopped(story);
    story.prompt(&session, &script(live).to_prompt());
    story.until_listed(2);
    ghost
}

/// The live permission of the same session is rejected with the ghost.
#[test]
fn rejecting_a_ghost_rejects_what_lives() {
    check("ghost rejected", |story| {
        let ghost = ghost_beside(
            story,
            json!([{ "tools": [bash("echo two")] }, { "text": "Never said." }]),
        );
        story.reply(&ghost, Reply::Reject { message: None });
        story.until_idle();
    });
}

#[test]
fn allowing_a_ghost_leaves_what_lives() {
    check("allowed ghost", |story| {
        let ghost = ghost_beside(story, json!([{ "tools": [bash("echo two")] }, { "text": "Done." }]));
        story.reply(&ghost, Reply::Once);
        let live = first(story.until_listed(1));
        story.reply(&live, Reply::Once);
        story.until_idle();
    });
}
