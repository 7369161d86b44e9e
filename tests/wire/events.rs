//! Streams of server events.

use switchboard_core::ports::Wake;
use switchboard_wire::{Event, EventReader, Frames};

use crate::fixture::{names, recorded};

/// What a stream tells, when it comes in pieces of this size.
fn heard(stream: &str, piece: usize) -> Vec<String> {
    let mut frames = Frames::default();
    let mut reader = EventReader::default();
    stream
        .as_bytes()
        .chunks(piece)
        .flat_map(|bytes| frames.push(bytes))
        .filter_map(|frame| reader.read(&frame))
        .map(|event| match event {
            Event::Wake(Wake::Connected) => "connected".to_owned(),
            Event::Wake(Wake::Question(directory)) => format!("question {directory}"),
            Event::Wake(Wake::Permission(directory)) => format!("permission {directory}"),
            Event::Wake(Wake::Answered(directory)) => format!("answered {directory}"),
            Event::Wake(Wake::Directory(directory, _)) => format!("directory {directory}"),
            Event::Wake(Wake::Alive) => "alive".to_owned(),
            Event::Wake(Wake::Lost | Wake::Focus | Wake::Ledger) => panic!("no server says this"),
            Event::Preview(preview) => format!("text {:?}", preview.delta),
        })
        .collect()
}

/// The stream of one directory, as the stream of all directories would show it.
fn in_directory(file: &str) -> String {
    recorded(file)
        .lines()
        .map(|line| match line.strip_prefix("data: ") {
            Some(payload) => format!(r#"data: {{"directory":"/d","payload":{payload}}}"#) + "\n",
            None => "\n".to_owned(),
        })
        .collect()
}

fn count(heard: &[String], what: &str) -> usize {
    heard.iter().filter(|event| event.starts_with(what)).count()
}

#[test]
fn a_question_wakes_its_directory_twice_and_its_run_a_few_times() {
    let stream = recorded("sse-global-event-question.txt");
    let all = heard(&stream, 1 << 20);
    assert_eq!(all[0], "connected");
    assert_eq!(count(&all, "question /home/user/project"), 1);
    assert_eq!(count(&all, "answered /home/user/project"), 1);
    let frames = stream.lines().filter(|line| line.starts_with("data:")).count();
    assert!(all.len() < frames / 3, "{} events of {frames} frames", all.len());
}

#[test]
fn a_stream_tells_the_same_wherever_it_is_cut() {
    for file in names("sse-event-", ".txt") {
        let stream = in_directory(&file);
        let whole = heard(&stream, stream.len());
        assert!(whole.contains(&"connected".to_owned()), "{file}");
        for piece in [1, 7, 64, 1000] {
            assert_eq!(heard(&stream, piece), whole, "{file} in pieces of {piece}");
        }
    }
}

#[test]
fn permissions_are_requests_and_text_is_only_a_preview() {
    let all = heard(&in_directory("sse-event-permission.txt"), 100);
    assert_eq!(count(&all, "permission /d"), 1);
    assert_eq!(count(&all, "answered /d"), 1);
    assert_eq!(count(&all, "text"), 2);
    assert!(all.contains(&"text \"Ran \"".to_owned()));
}

#[test]
fn after_an_abort_something_wakes_when_the_message_is_final() {
    let all = heard(&in_directory("sse-event-abort-while-asking.txt"), 100);
    let end: Vec<&str> = all.iter().rev().take(2).map(String::as_str).collect();
    assert_eq!(
        end,
        ["answered /d", "directory /d"],
        "the second idle, then the rejection of the ghost"
    );
}

#[test]
fn a_retry_and_a_plan_wake_their_directory() {
    for (file, word) in [
        ("sse-event-retry.txt", "\"retry\""),
        ("sse-event-todo.txt", "todo.updated"),
    ] {
        let stream = in_directory(file);
        let (before, rest) = stream.split_at(stream.find(word).expect(word));
        let line = rest.find('\n').expect("a line end") + 2;
        let until = before.len() + line;
        assert_eq!(
            heard(&stream[..until], 100).len(),
            heard(before, 100).len() + 1,
            "{file}"
        );
    }
}
