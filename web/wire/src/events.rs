//! Server events: each becomes a wake, a preview, or nothing. Never a fact.

use serde_json::Value;
use switchboard_core::SortedMap;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::ports::{Preview, Wake};

/// The kind of an event that brings streaming text.
const TEXT: &str = "message.part.delta";

/// The kind of an event that repeats another one.
const COPY: &str = "sync";

/// What an event is good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A refresh is worth while.
    Wake(Wake),
    /// Text streams.
    Preview(Preview),
}

/// Reads the frames of one stream of `/global/event`.
///
/// It remembers which sessions are said to run: the server repeats that several times a step, and only a change is a
/// reason to refresh.
#[derive(Debug, Default)]
pub struct EventReader {
    running: SortedMap<SessionId, String>,
}

impl EventReader {
    /// Reads the data of one frame. A frame that cannot be understood gives nothing.
    pub fn read(&mut self, frame: &str) -> Option<Event> {
        if kind_of(frame) == Some(COPY) {
            return None;
        }
        let frame = serde_json::from_str::<Value>(frame).ok()?;
        let payload = &frame["payload"];
        let (kind, properties) = (payload["type"].as_str()?, &payload["properties"]);
        if kind == "server.connected" {
            self.running.clear();
            return Some(Event::Wake(Wake::Connected));
        }
        if kind == "server.heartbeat" {
            return Some(Event::Wake(Wake::Alive));
        }
        if kind == TEXT {
            return preview(properties).map(Event::Preview);
        }
        let directory = Directory::from(frame["directory"].as_str()?);
        let session = properties["sessionID"].as_str().map(SessionId::from);
        let is_worth_a_refresh = match kind {
            "question.asked" => return Some(Event::Wake(Wake::Question(directory))),
            "permission.asked" => return Some(Event::Wake(Wake::Permission(directory))),
            "question.replied" | "question.rejected" | "permission.replied" => {
                return Some(Event::Wake(Wake::Answered(directory)));
            }
            "session.status" => self.has_changed(session.as_ref()?, properties["status"]["type"].as_str()?),
            "message.part.updated" => properties["part"]["type"] == "tool",
            "session.created" | "session.updated" | "session.deleted" | "session.idle" | "session.error"
            | "session.compacted" | "message.removed" | "todo.updated" => true,
            _ => false,
        };
        is_worth_a_refresh.then_some(Event::Wake(Wake::Directory(directory, session)))
    }

    /// Sessions that are not held are idle, as in the status map.
    fn has_changed(&mut self, session: &SessionId, status: &str) -> bool {
        if status == "idle" {
            return self.running.remove(session).is_some();
        }
        self.running.insert(session.clone(), status.to_owned()).as_deref() != Some(status)
    }
}

/// Returns the session whose text streams in a frame, without parsing the frame; none for every other frame.
///
/// A server streams all sessions to everybody, and parsing a frame costs far more than this look at it.
#[must_use]
pub fn streaming_session(frame: &str) -> Option<&str> {
    if kind_of(frame) != Some(TEXT) {
        return None;
    }
    let (_, session) = frame.split_once(r#""sessionID":""#)?;
    session.split('"').next()
}

/// The first `type` in a frame. That is the one of the payload: what comes before are strings, and quotes in strings are
/// escaped.
fn kind_of(frame: &str) -> Option<&str> {
    let (_, kind) = frame.split_once(r#""type":""#)?;
    kind.split('"').next()
}

fn preview(properties: &Value) -> Option<Preview> {
    (properties["field"] == "text").then_some(())?;
    Some(Preview {
        session: properties["sessionID"].as_str()?.into(),
        message: properties["messageID"].as_str()?.into(),
        part: properties["partID"].as_str()?.into(),
        delta: properties["delta"].as_str()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(kind: &str, properties: &str) -> String {
        format!(
            r#"{{"directory":"/d","project":"p","payload":{{"id":"e","type":"{kind}","properties":{properties}}}}}"#
        )
    }

    fn status(word: &str) -> String {
        frame(
            "session.status",
            &format!(r#"{{"sessionID":"ses_1","status":{{"type":"{word}"}}}}"#),
        )
    }

    #[test]
    fn a_status_that_is_only_repeated_wakes_nobody() {
        let mut events = EventReader::default();
        let woken: Vec<bool> = ["busy", "busy", "retry", "busy", "idle", "idle", "busy"]
            .iter()
            .map(|word| events.read(&status(word)).is_some())
            .collect();
        assert_eq!(woken, [true, false, true, true, true, false, true]);
    }

    #[test]
    fn a_heartbeat_is_a_sign_of_life() {
        let heartbeat = r#"{"payload":{"id":"e","type":"server.heartbeat","properties":{}}}"#;
        assert_eq!(EventReader::default().read(heartbeat), Some(Event::Wake(Wake::Alive)));
    }

    #[test]
    fn what_is_not_understood_wakes_nobody() {
        let mut events = EventReader::default();
        let sync = r#"{"directory":"/d","payload":{"type":"sync","syncEvent":{"type":"session.updated.1"}}}"#;
        let without_directory = r#"{"payload":{"id":"e","type":"session.updated","properties":{}}}"#;
        let text_part = frame(
            "message.part.updated",
            r#"{"sessionID":"ses_1","part":{"type":"text"}}"#,
        );
        let unknown = frame("catalog.updated", "{}");
        let odd = frame("session.status", r#"{"sessionID":7}"#);
        for frame in [sync, without_directory, &text_part, &unknown, &odd, "{", ""] {
            assert_eq!(events.read(frame), None, "{frame}");
        }
    }

    #[test]
    fn text_is_told_by_its_session_before_it_is_parsed() {
        let said = r#"quoted: \"type\":\"message.part.delta\",\"sessionID\":\"ses_2\""#;
        let properties =
            format!(r#"{{"sessionID":"ses_1","messageID":"m","partID":"p","field":"text","delta":"{said}"}}"#);
        let delta = frame("message.part.delta", &properties);
        assert_eq!(streaming_session(&delta), Some("ses_1"));
        assert!(EventReader::default().read(&delta).is_some());
        let forged = r#"{"sessionID":"ses_1","metadata":{"type":"message.part.delta","sessionID":"ses_2"}}"#;
        let asked = frame("permission.asked", forged);
        let connected = r#"{"payload":{"type":"server.connected","properties":{}}}"#;
        for frame in [&asked, connected, "{", ""] {
            assert_eq!(streaming_session(frame), None, "{frame}");
        }
        let wake = Event::Wake(Wake::Permission("/d".into()));
        assert_eq!(EventReader::default().read(&asked), Some(wake));
    }

    #[test]
    fn a_plan_a_tool_a_question_and_its_answer_wake_their_directory() {
        let mut events = EventReader::default();
        let tool = frame(
            "message.part.updated",
            r#"{"sessionID":"ses_1","part":{"type":"tool"}}"#,
        );
        let directory = |session: &str| Some(Event::Wake(Wake::Directory("/d".into(), Some(session.into()))));
        assert_eq!(events.read(&tool), directory("ses_1"));
        assert_eq!(
            events.read(&frame("todo.updated", r#"{"sessionID":"ses_2"}"#)),
            directory("ses_2")
        );
        let asked = events.read(&frame("question.asked", r#"{"id":"que_1","sessionID":"ses_1"}"#));
        assert_eq!(asked, Some(Event::Wake(Wake::Question("/d".into()))));
        let wanted = events.read(&frame("permission.asked", r#"{"id":"per_1","sessionID":"ses_1"}"#));
        assert_eq!(wanted, Some(Event::Wake(Wake::Permission("/d".into()))));
        let replied = events.read(&frame(
            "question.replied",
            r#"{"requestID":"que_1","sessionID":"ses_1"}"#,
        ));
        assert_eq!(replied, Some(Event::Wake(Wake::Answered("/d".into()))));
    }
}
