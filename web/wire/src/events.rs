//! Server events: each becomes a wake, a preview, or nothing. Never a fact.

use serde_json::Value;
use switchboard_core::SortedMap;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::ports::{Preview, Wake};

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
        let frame = serde_json::from_str::<Value>(frame).ok()?;
        let payload = &frame["payload"];
        let (kind, properties) = (payload["type"].as_str()?, &payload["properties"]);
        if kind == "server.connected" {
            self.running.clear();
            return Some(Event::Wake(Wake::Connected));
        }
        if kind == "message.part.delta" {
            return preview(properties).map(Event::Preview);
        }
        let directory = Directory::from(frame["directory"].as_str()?);
        let session = properties["sessionID"].as_str().map(SessionId::from);
        let is_worth_a_refresh = match kind {
            "question.asked" | "question.replied" | "question.rejected" | "permission.asked" | "permission.replied" => {
                return Some(Event::Wake(Wake::Request(directory)));
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
    fn what_is_not_understood_wakes_nobody() {
        let mut events = EventReader::default();
        let sync = r#"{"directory":"/d","payload":{"type":"sync","syncEvent":{"type":"session.updated.1"}}}"#;
        let heartbeat = r#"{"payload":{"id":"e","type":"server.heartbeat","properties":{}}}"#;
        let without_directory = r#"{"payload":{"id":"e","type":"session.updated","properties":{}}}"#;
        let text_part = frame(
            "message.part.updated",
            r#"{"sessionID":"ses_1","part":{"type":"text"}}"#,
        );
        let unknown = frame("catalog.updated", "{}");
        let odd = frame("session.status", r#"{"sessionID":7}"#);
        for frame in [sync, heartbeat, without_directory, &text_part, &unknown, &odd, "{", ""] {
            assert_eq!(events.read(frame), None, "{frame}");
        }
    }

    #[test]
    fn a_plan_a_tool_and_a_question_wake_their_directory() {
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
        assert_eq!(asked, Some(Event::Wake(Wake::Request("/d".into()))));
    }
}
