//! Messages and windows of them.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;
use switchboard_core::model::{Message, MessageError, ModelRef, Page, Role, SessionId};

use super::part::part;
use super::{WireError, json};

/// Understands `GET /session/{id}/message`. `older` is its `x-next-cursor` header.
///
/// A message that cannot be understood keeps its place and says so in [`Message::fault`].
///
/// # Errors
/// When it is no list.
pub fn page(body: &str, older: Option<&str>) -> Result<Page, WireError> {
    let values = json::parse_list(body)?;
    let mut created = values.iter().find_map(created_of).unwrap_or(0);
    let mut messages = Vec::with_capacity(values.len());
    for value in &values {
        created = created_of(value).unwrap_or(created);
        messages.push(read(value, created));
    }
    Ok(Page {
        messages,
        older: older.map(str::to_owned),
    })
}

/// Understands `GET /session/{id}/message/{messageID}`.
///
/// # Errors
/// When it has no id.
pub fn message(body: &str) -> Result<Message, WireError> {
    let value = json::parse(body)?;
    if json::filled(&value["info"]["id"]).is_none() {
        return Err(WireError::Missing("message with an id"));
    }
    Ok(read(&value, created_of(&value).unwrap_or(0)))
}

fn created_of(value: &Value) -> Option<u64> {
    json::count(&value["info"]["time"]["created"])
}

/// `created` is taken from a neighbour when the message does not tell.
fn read(value: &Value, created: u64) -> Message {
    let info = &value["info"];
    let id = json::filled(&info["id"]);
    let missing = [
        ("id", id.is_none()),
        ("session", json::filled(&info["sessionID"]).is_none()),
        ("role", json::filled(&info["role"]).is_none()),
        ("time", created_of(value).is_none()),
        ("parts", !value["parts"].is_array()),
    ];
    let missing: Vec<&str> = missing
        .iter()
        .filter(|(_, is_missing)| *is_missing)
        .map(|(name, _)| *name)
        .collect();
    Message {
        id: id.unwrap_or_else(|| stand_in(value)).into(),
        session: SessionId::from(json::text(&info["sessionID"]).unwrap_or_default()),
        role: role(&info["role"]),
        created,
        completed: json::count(&info["time"]["completed"]),
        error: error(&info["error"]),
        finish: json::filled(&info["finish"]),
        parent: json::filled(&info["parentID"]).map(Into::into),
        agent: json::filled(&info["agent"]),
        model: model(info).or_else(|| model(&info["model"])),
        cost: info["cost"].as_f64(),
        context_tokens: context_tokens(&info["tokens"]),
        summary: info["summary"] == true,
        fault: (!missing.is_empty()).then(|| format!("this message comes without {}", missing.join(", "))),
        parts: json::elements(&value["parts"])
            .iter()
            .enumerate()
            .map(|(place, value)| part(place, value))
            .collect(),
    }
}

/// An id for a message that has none: the same for the same content.
fn stand_in(value: &Value) -> String {
    let mut hasher = DefaultHasher::new();
    value.to_string().hash(&mut hasher);
    format!("unreadable_{:016x}", hasher.finish())
}

fn role(value: &Value) -> Role {
    match value.as_str() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some(word) => Role::Other(word.to_owned()),
        None => Role::Other("unknown".to_owned()),
    }
}

fn error(value: &Value) -> Option<MessageError> {
    if value.is_null() {
        return None;
    }
    let name = json::filled(&value["name"]).unwrap_or_else(|| "UnknownError".to_owned());
    let message = json::filled(&value["data"]["message"]).or_else(|| json::filled(&value["message"]));
    Some(MessageError {
        message: message.unwrap_or_else(|| name.clone()),
        name,
    })
}

/// A model, named by its two ids.
pub(super) fn model(value: &Value) -> Option<ModelRef> {
    Some(ModelRef {
        provider: json::filled(&value["providerID"])?,
        model: json::filled(&value["modelID"])?,
    })
}

/// Zero until the step is over: then nothing is known.
fn context_tokens(tokens: &Value) -> Option<u64> {
    let parts = [
        &tokens["input"],
        &tokens["output"],
        &tokens["reasoning"],
        &tokens["cache"]["read"],
        &tokens["cache"]["write"],
    ];
    let sum = || parts.into_iter().filter_map(json::count).sum();
    Some(json::count(&tokens["total"]).unwrap_or_else(sum)).filter(|total| *total > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = r#"{"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":7}},"parts":[]}"#;

    /// R15
    #[test]
    fn one_bad_message_keeps_its_place_and_hides_nobody() {
        let late = GOOD.replace("msg_1", "msg_2").replace('7', "9");
        let body = format!(r#"[{GOOD},{{"info":{{"id":"msg_x","role":7}}}},"nonsense",{late}]"#);
        let page = page(&body, None).unwrap();
        let told: Vec<(u64, bool)> = page
            .messages
            .iter()
            .map(|message| (message.created, message.fault.is_some()))
            .collect();
        assert_eq!(told, [(7, false), (7, true), (7, true), (9, false)]);
        assert_eq!(page.messages[1].id, "msg_x".into());
        assert_eq!(
            page.messages[1].fault.as_deref(),
            Some("this message comes without session, role, time, parts")
        );
        assert!(page.messages.is_sorted_by_key(|message| message.created));
    }

    #[test]
    fn a_message_without_an_id_is_the_same_one_when_read_again() {
        let read_twice = [r#"["a","b"]"#, r#"["b"]"#].map(|body| page(body, None).unwrap().messages);
        assert_eq!(read_twice[0][1].id, read_twice[1][0].id);
        assert_ne!(read_twice[0][0].id, read_twice[0][1].id);
    }

    #[test]
    fn a_role_and_an_error_of_a_newer_version_are_kept() {
        let body = r#"{"info":{"id":"m","role":"narrator","error":{"name":"OddError"},"tokens":{"input":2,"cache":{"read":3}}}}"#;
        let message = message(body).unwrap();
        assert_eq!(message.role, Role::Other("narrator".to_owned()));
        assert_eq!(message.error.unwrap().message, "OddError");
        assert_eq!(message.context_tokens, Some(5));
    }
}
