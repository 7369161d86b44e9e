//! What the event streams of the real server tell, and what they leave out (docs/opencode.md, section 8).

use std::sync::PoisonError;

use serde_json::json;
use switchboard_core::model::{Directory, Message, Prompt, Reply, Request, SessionId};
use switchboard_core::ports::{Fetched, Read, Wake};
use switchboard_tests::scripts::{asks, bash, question, script};
use switchboard_wire::{Event, path_of};

use crate::answers::server;
use crate::process::Real;
use crate::stories::real;
use crate::story::{Story, outcome_of};
use crate::stream::{Heard, Stream};
use crate::subject::Subject;

/// The stream of all directories.
fn stream_of_all(real: &Real) -> Stream {
    Stream::open(real.http(), "/global/event", &real.directory())
}

/// The stream of one directory.
fn stream_of(real: &Real, below: &str) -> Stream {
    let directory = format!("{}{below}", real.directory());
    let directory = Directory::new(directory);
    let list = path_of(&Read::Questions(directory.clone()));
    Stream::open(real.http(), &list.replace("/question", "/event"), &directory)
}

fn is_replied(heard: &Heard, request: &Request) -> bool {
    heard.payload()["properties"]["requestID"] == request.id.as_str()
}

#[test]
fn a_stream_begins_anew_and_repeats_nothing() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("stream", &mut subject);
    let session = story.begin(&asks("Which?"));
    let request = story.until_listed(1).remove(0);
    let mut all = stream_of_all(&real);
    let mut one = stream_of(&real, "");
    for stream in [&all, &one] {
        assert_eq!(stream.heard[0].kind(), "server.connected");
        assert!(stream.heard[0].frame.get("directory").is_none());
    }
    assert_eq!(all.heard[0].event, Some(Event::Wake(Wake::Connected)));
    story.reply(&request, Reply::Dismiss);
    for stream in [&mut all, &mut one] {
        stream.until("the reply", |heard| is_replied(heard, &request));
        assert_eq!(
            stream.told_of(&session),
            ["question.rejected"],
            "what was asked is not repeated"
        );
    }
    let told = all.heard.last().expect("the reply was heard");
    assert_eq!(told.frame["directory"], request.directory.as_str());
    let wake = Wake::Answered(request.directory.clone());
    assert_eq!(told.event, Some(Event::Wake(wake)));
}

/// A stop is no reply: only the session says that it is idle, and says it twice.
#[test]
fn replies_are_told_and_a_stop_is_not() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("replies", &mut subject);
    let mut all = stream_of_all(&real);
    let red = Reply::Answers(vec![vec!["Red".to_owned()]]);
    let asking = || vec![question("Which?")];
    let running = || vec![bash("echo one"), bash("ls")];
    let cases = [
        (asking(), Some(red), vec!["question.asked", "question.replied"]),
        (
            asking(),
            Some(Reply::Dismiss),
            vec!["question.asked", "question.rejected"],
        ),
        (
            running(),
            Some(Reply::Reject { message: None }),
            vec![
                "permission.asked",
                "permission.asked",
                "permission.replied",
                "permission.replied",
            ],
        ),
        (asking(), None, vec!["question.asked", "session.error", "session.idle"]),
        (
            running(),
            None,
            vec!["permission.asked", "permission.asked", "session.error", "session.idle"],
        ),
    ];
    for (tools, reply, mut expected) in cases {
        let count = tools.len();
        let session = story.begin(&script(json!([{ "tools": tools }, { "text": "Done." }])));
        let seen = story.until("its requests", |seen| {
            let own = seen.requests.iter().filter(|request| request.session == session);
            own.count() == count
        });
        let request = seen.requests.iter().find(|request| request.session == session);
        match (reply, request) {
            (Some(reply), Some(request)) => story.reply(request, reply),
            (_, _) => story.abort(&session),
        }
        expected.push("session.idle");
        for _ in expected.iter().filter(|kind| **kind == "session.idle") {
            all.until_told(&session, "session.idle");
        }
        assert_eq!(all.told_of(&session), expected);
    }
}

/// Whatever is kept is told twice, and *busy* several times a step: it wakes nobody more than once.
#[test]
fn what_is_repeated_wakes_nobody() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("repeated", &mut subject);
    let mut all = stream_of_all(&real);
    let steps = json!([{ "tools": [question("Which?")] }, { "text": "Done." }]);
    let session = story.begin(&script(steps));
    let request = story.until_listed(1).remove(0);
    story.reply(&request, Reply::Answers(vec![vec!["Red".to_owned()]]));
    all.until_told(&session, "session.idle");
    let statuses = || {
        let told = all.heard.iter().filter(|heard| heard.is_of(&session));
        told.filter(|heard| heard.kind() == "session.status")
    };
    assert!(statuses().count() > 2);
    assert_eq!(statuses().filter(|heard| heard.event.is_some()).count(), 2);
    let mut copies = all.heard.iter().filter(|heard| heard.kind() == "sync");
    assert!(copies.clone().count() > 0);
    assert!(copies.all(|copy| copy.event.is_none()));
}

/// Trap 10
#[test]
fn text_is_told_piece_by_piece_while_it_reads_as_empty() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("deltas", &mut subject);
    let mut all = stream_of_all(&real);
    let is_piece = |heard: &Heard, session: &SessionId| heard.kind() == "message.part.delta" && heard.is_of(session);
    let slow = json!([{ "text": "Hello, this is said slowly.", "chunk": 3, "chunkDelay": 600_000 }]);
    let session = story.begin(&script(slow));
    all.until("a piece", |heard| is_piece(heard, &session));
    let read = Read::Messages {
        session: session.clone(),
        directory: story.directory(),
        limit: 1,
        before: None,
    };
    let Ok(Fetched::Page(page)) = story.read(&read) else {
        panic!("the messages can be read")
    };
    let last = page.messages.last().map(Message::text);
    assert_eq!(last.as_deref(), Some(""));
    story.abort(&session);
    let whole = json!([{ "text": "Hello, this is said slowly.", "chunk": 3 }]);
    let session = story.begin(&script(whole));
    all.until_told(&session, "session.idle");
    let pieces = all.heard.iter().filter(|heard| is_piece(heard, &session));
    let text: String = pieces
        .map(|piece| match &piece.event {
            Some(Event::Preview(preview)) => preview.delta.as_str(),
            other => panic!("no preview: {other:?}"),
        })
        .collect();
    assert_eq!(text, "Hello, this is said slowly.");
}

#[test]
fn a_directory_tells_of_itself_alone() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("one directory", &mut subject);
    let (mut here, mut below) = (stream_of(&real, ""), stream_of(&real, "/below"));
    let directory = format!("{}/below", story.directory());
    let other = story.create_in(&directory.as_str().into(), Some("below"));
    let session = story.create();
    here.until_told(&session, "session.created");
    below.until_told(&other.id, "session.created");
    assert!(!here.heard.iter().any(|heard| heard.is_of(&other.id)));
    story.prompt(&other.id, "Are you there?");
    below.until_told(&other.id, "session.idle");
    assert!(!below.heard.iter().any(|heard| heard.is_of(&session)));
}

/// Trap 1: nothing else tells that the prompt is lost.
#[test]
fn a_prompt_that_is_lost_is_told_as_an_error() {
    let real = server();
    let mut subject = &*real;
    let mut story = Story::new("lost prompt", &mut subject);
    let mut all = stream_of_all(&real);
    let session = story.create();
    let prompt = story.compose("Is anybody there?");
    story.send(
        &session,
        &Prompt {
            agent: Some("nobody".to_owned()),
            ..prompt
        },
    );
    all.until_told(&session, "session.error");
    let told = all.heard.last().expect("the error was heard");
    let wake = Wake::Directory(story.directory(), Some(session.clone()));
    assert_eq!(told.event, Some(Event::Wake(wake)));
}

/// Its requests are gone with it, and nobody is told that they are.
#[test]
fn the_stream_of_a_directory_ends_with_its_instance() {
    let real = real().write().unwrap_or_else(PoisonError::into_inner);
    let mut subject = &*real;
    let mut story = Story::new("disposed stream", &mut subject);
    let session = story.begin(&asks("Which?"));
    story.until_listed(1);
    let (mut all, mut one) = (stream_of_all(&real), stream_of(&real, ""));
    story.dispose();
    assert!(one.until_closed(), "it goes on");
    all.until("the end", |heard| heard.kind() == "server.instance.disposed");
    assert_eq!(all.told_of(&session).first(), Some(&"session.error"));
    assert!(!all.told_of(&session).contains(&"question.rejected"));
    let later = story.create();
    all.until_told(&later, "session.created");
}

/// Trap 6: whoever changes the configuration ends what waits.
#[test]
fn a_change_of_the_configuration_forgets_what_waits() {
    let real = real().write().unwrap_or_else(PoisonError::into_inner);
    let mut subject = &*real;
    let mut story = Story::new("configuration", &mut subject);
    let session = story.begin(&asks("Which?"));
    let request = story.until_listed(1).remove(0);
    let list = path_of(&Read::Questions(story.directory()));
    let change = list.replace("/question", "/config");
    let json = [("content-type", "application/json")];
    assert_eq!(real.http().send("PATCH", &change, &json, "{}").status, 200);
    let seen = story.until("the end", |seen| {
        seen.requests.is_empty() && seen.sessions[0].messages.iter().any(|message| message.error.is_some())
    });
    assert_eq!(seen.sessions[0].id, session);
    assert!(!seen.sessions[0].is_running());
    let posted = story.try_reply(&request, Reply::Dismiss);
    assert_eq!(outcome_of(&posted), "not found");
}
