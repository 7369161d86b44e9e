//! Parts of messages.

use serde_json::Value;
use switchboard_core::model::{Part, PartBody};

use super::json;
use super::tool::tool;

/// Reads the part at this place of its message. One that cannot be understood is kept by its name.
pub(super) fn part(place: usize, value: &Value) -> Part {
    let id = json::filled(&value["id"]).unwrap_or_else(|| format!("part_{place}"));
    Part {
        id: id.into(),
        body: body(value),
    }
}

fn body(value: &Value) -> PartBody {
    let text = || json::text(&value["text"]).unwrap_or_default();
    match value["type"].as_str() {
        Some("text") => PartBody::Text {
            text: text(),
            synthetic: value["synthetic"] == true,
        },
        Some("reasoning") => PartBody::Reasoning {
            text: text(),
            started: json::count(&value["time"]["start"]),
            ended: json::count(&value["time"]["end"]),
        },
        Some("tool") => PartBody::Tool(Box::new(tool(value))),
        Some("file") => file(value),
        Some("patch") => PartBody::Patch {
            files: json::texts(&value["files"]),
        },
        Some("agent") => PartBody::Agent {
            name: json::text(&value["name"]).unwrap_or_default(),
        },
        Some("compaction") => PartBody::Compaction,
        Some("step-start") => PartBody::StepStart,
        Some("step-finish") => PartBody::StepFinish,
        Some("retry") => retry(value),
        Some(kind) => PartBody::Other(kind.to_owned()),
        None => PartBody::Other("unreadable".to_owned()),
    }
}

fn file(value: &Value) -> PartBody {
    let mime = json::text(&value["mime"]).unwrap_or_default();
    let name = json::filled(&value["filename"]).or_else(|| json::filled(&value["source"]["path"]));
    PartBody::File {
        name: name.unwrap_or_else(|| mime.clone()),
        mime,
        url: json::text(&value["url"]).unwrap_or_default(),
    }
}

fn retry(value: &Value) -> PartBody {
    let error = &value["error"];
    let message = json::filled(&error["data"]["message"]).or_else(|| json::filled(&error["name"]));
    PartBody::Retry {
        attempt: json::count(&value["attempt"])
            .and_then(|tries| tries.try_into().ok())
            .unwrap_or(0),
        message: message.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_is_not_known_is_kept_by_its_name() {
        let cases = [
            (r#"{"id":"p","type":"hologram","text":"x"}"#, "hologram"),
            (r#"{"id":"p"}"#, "unreadable"),
            ("null", "unreadable"),
        ];
        for (text, name) in cases {
            let value = json::parse(text).unwrap();
            assert_eq!(part(0, &value).body, PartBody::Other(name.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_text_with_a_field_of_another_kind_is_still_a_text() {
        let value = json::parse(r#"{"type":"text","text":"hello","synthetic":"yes","time":[]}"#).unwrap();
        let read = part(3, &value);
        assert_eq!(read.id, "part_3".into());
        assert_eq!(
            read.body,
            PartBody::Text {
                text: "hello".to_owned(),
                synthetic: false
            }
        );
    }
}
