//! Damaged answers: never a panic, and never more lost than what is damaged.

use serde_json::{Value, json};
use switchboard_core::ports::Read;
use switchboard_wire as wire;

use crate::fixture::{names, recorded};

/// One read of each kind.
fn reads() -> [Read; 9] {
    [
        Read::Health,
        Read::Directories,
        Read::Sessions {
            since: None,
            page: None,
        },
        Read::Session {
            session: "ses_1".into(),
            directory: "/d".into(),
        },
        Read::Questions("/d".into()),
        Read::Permissions("/d".into()),
        Read::Status("/d".into()),
        Read::Messages {
            session: "ses_1".into(),
            directory: "/d".into(),
            limit: 20,
            before: None,
        },
        Read::Message {
            session: "ses_1".into(),
            directory: "/d".into(),
            message: "msg_1".into(),
        },
    ]
}

#[test]
fn a_truncated_answer_is_an_error_to_every_reader() {
    for file in names("", ".json") {
        let body = recorded(&file);
        let body = body.trim_end();
        let step = (body.len() / 12).max(1);
        for end in (0..body.len()).step_by(step).filter(|end| body.is_char_boundary(*end)) {
            for read in reads() {
                assert!(
                    wire::decode(&read, &body[..end], None).is_err(),
                    "{file} up to {end} as {read:?}"
                );
            }
        }
    }
}

/// R15
#[test]
fn a_ruined_message_changes_none_of_its_neighbours() {
    for file in names("messages-", ".json") {
        let Value::Array(values) = serde_json::from_str(&recorded(&file)).expect("a list") else {
            panic!("{file} is no list")
        };
        let whole = wire::page(&recorded(&file), None).expect("a page").messages;
        for place in 0..values.len() {
            for ruin in [
                Value::Null,
                json!("text"),
                json!({"info": [], "parts": {}}),
                json!([[]]),
            ] {
                let mut ruined = values.clone();
                ruined[place] = ruin;
                let page = wire::page(&Value::Array(ruined).to_string(), None).expect("a page");
                assert_eq!(page.messages.len(), whole.len());
                assert!(page.messages[place].fault.is_some(), "{file}, message {place}");
                let mut mended = page.messages;
                mended[place] = whole[place].clone();
                assert_eq!(mended, whole, "{file}, message {place}");
            }
        }
    }
}

/// R15
#[test]
fn a_ruined_field_costs_no_more_than_its_own_part() {
    let body = recorded("messages-question-answered.json");
    let whole = wire::page(&body, None).expect("a page").messages;
    let values: Value = serde_json::from_str(&body).expect("JSON");
    for (message, value) in values.as_array().expect("a list").iter().enumerate() {
        for (place, part) in value["parts"].as_array().expect("parts").iter().enumerate() {
            for field in part.as_object().expect("a part").keys() {
                let mut ruined = values.clone();
                ruined[message]["parts"][place][field] = json!([7]);
                let messages = wire::page(&ruined.to_string(), None).expect("a page").messages;
                let mut mended = messages;
                mended[message].parts[place] = whole[message].parts[place].clone();
                assert_eq!(mended, whole, "{field} of part {place} of message {message}");
            }
        }
    }
}
