//! The status map: which sessions run.

use serde_json::Value;
use switchboard_core::SortedMap;
use switchboard_core::model::{SessionId, Status};

use super::{WireError, json};

/// Understands `GET /session/status`. A session that is said to be idle is left out, as the server does.
///
/// # Errors
/// When it is no map.
pub fn statuses(body: &str) -> Result<SortedMap<SessionId, Status>, WireError> {
    let value = json::parse(body)?;
    let Value::Object(map) = value else {
        return Err(WireError::Kind {
            found: json::kind(&value),
            expected: "a map",
        });
    };
    let running = map.iter().filter(|(_, value)| value["type"] != "idle");
    Ok(running
        .map(|(id, value)| (SessionId::from(id.as_str()), status(value)))
        .collect())
}

fn status(value: &Value) -> Status {
    match value["type"].as_str() {
        Some("busy") => Status::Busy,
        Some("retry") => Status::Retry {
            attempt: json::count(&value["attempt"])
                .and_then(|tries| tries.try_into().ok())
                .unwrap_or(0),
            message: json::text(&value["message"]).unwrap_or_default(),
            next: json::count(&value["next"]),
        },
        Some(word) => Status::Other(word.to_owned()),
        None => Status::Other("unknown".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_not_known_is_kept_and_idle_is_absent() {
        let running = statuses(r#"{"a":{"type":"busy"},"b":{"type":"dreaming"},"c":7,"d":{"type":"idle"}}"#);
        let expected = [
            ("a".into(), Status::Busy),
            ("b".into(), Status::Other("dreaming".to_owned())),
            ("c".into(), Status::Other("unknown".to_owned())),
        ];
        assert_eq!(running, Ok(SortedMap::from(expected)));
    }
}
