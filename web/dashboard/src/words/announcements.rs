//! What screen readers say when something has happened.

use switchboard_core::Time;
use switchboard_core::view::RequestView;

use crate::words::progress::sentence_of;
use crate::words::request_title;
use crate::words::session_title::session_title;
use crate::words::time_out::TimeOut;

/// Something to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A new request. Several are only counted.
    New(String),
    /// What became of an answer, or of the time for one.
    Step(String),
}

/// What is said when a request comes, or when its answer takes a step: `was` and `is` are keys of its states. None when
/// that is nothing to speak of.
#[must_use]
pub fn step(view: &RequestView, was: Option<&str>, is: &str, server: &str, now: Time) -> Option<Message> {
    if was == Some(is) {
        return None;
    }
    match (was, is) {
        (None, "waiting") => {
            let session = view
                .origin
                .last()
                .map_or_else(|| "a session".to_owned(), |session| session_title(&session.title));
            let kind = if view.request.permission().is_some() {
                "permission request"
            } else {
                "question"
            };
            let name = request_title::name(&view.request);
            Some(Message::New(format!("New {kind} from {session}: {name}")))
        }
        (Some(_), "sending" | "sent" | "answered" | "elsewhere" | "dismissed") => {
            let sentence = sentence_of(view, server, now, &|_| String::new())?;
            Some(Message::Step(format!("{} {}", sentence.strong, sentence.rest)))
        }
        _ => None,
    }
}

/// What is said when the time of a request reaches another stage.
#[must_use]
pub fn time_out(view: &RequestView, time_out: &TimeOut) -> Message {
    Message::Step(format!("{}: {}", request_title::name(&view.request), time_out.words()))
}

/// Several messages in one.
#[must_use]
pub fn in_one(messages: &[Message]) -> String {
    let (mut new, mut said) = (Vec::new(), Vec::new());
    for message in messages {
        match message {
            Message::New(text) => new.push(text.clone()),
            Message::Step(text) => said.push(text.clone()),
        }
    }
    if new.len() > 1 {
        said.push(format!("{} new requests", new.len()));
    } else {
        said.append(&mut new);
    }
    said.join(" ")
}

/// What is said of answers that did not arrive, each named by what was asked.
#[must_use]
pub fn not_arrived(questions: &[String]) -> String {
    format!("Your answer did not arrive: {}", questions.join(" · "))
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Ask, Permission};
    use switchboard_core::view::RequestState;

    use super::*;
    use crate::fixtures::asking;

    #[test]
    fn several_new_requests_are_only_counted() {
        let new = |name: &str| Message::New(format!("New question from atlas: {name}"));
        let sent = Message::Step("Sent.".to_owned());
        assert_eq!(in_one(&[new("a"), sent.clone()]), "Sent. New question from atlas: a");
        assert_eq!(in_one(&[new("a"), sent, new("b")]), "Sent. 2 new requests");
    }

    #[test]
    fn a_request_is_announced_when_it_comes_and_when_its_answer_goes_on() {
        let permission = Permission {
            kind: "bash".to_owned(),
            command: Some("ls".to_owned()),
            ..Permission::default()
        };
        let ask = || Ask::Permission(Box::new(permission.clone()));
        let said = |state, was, is| step(&asking("per_1", ask(), state), was, is, "atlas", Time(3_000));
        assert_eq!(
            said(RequestState::Waiting, None, "waiting"),
            Some(Message::New(
                "New permission request from a session: Run this command? ls".to_owned()
            ))
        );
        let sent = RequestState::Sent { at: Time(0) };
        let Some(Message::Step(text)) = said(sent.clone(), Some("sending"), "sent") else {
            panic!("nothing is said of a step");
        };
        assert!(text.starts_with("Sent, not confirmed. The server took it 3 s ago."));
        assert_eq!(said(sent.clone(), Some("sent"), "sent"), None);
        assert_eq!(said(sent, None, "sent"), None);
    }
}
