//! Sessions and pages of them.

use serde_json::Value;
use switchboard_core::model::{Session, SessionPage};

use super::{SessionCursor, WireError, json};

/// Understands a session, as `GET /session/{id}` and `POST /session` answer it.
///
/// # Errors
/// When it has no id or no directory: nothing can be sent to it then.
pub fn session(body: &str) -> Result<Session, WireError> {
    read(&json::parse(body)?).ok_or(WireError::Missing("session with an id and a directory"))
}

/// Understands a page of the session list, which was asked for as `page`.
///
/// # Errors
/// When it is no list.
pub fn sessions(body: &str, page: Option<&str>) -> Result<SessionPage, WireError> {
    let rows = json::parse_list(body)?;
    let oldest = rows.iter().filter_map(|row| json::count(&row["time"]["updated"])).min();
    Ok(SessionPage {
        sessions: rows.iter().filter_map(read).collect(),
        next: SessionCursor::of(page).next(rows.len(), oldest),
    })
}

fn read(value: &Value) -> Option<Session> {
    let created = json::count(&value["time"]["created"]).unwrap_or(0);
    Some(Session {
        id: json::filled(&value["id"])?.into(),
        directory: json::filled(&value["directory"])?.into(),
        parent: json::filled(&value["parentID"]).map(Into::into),
        title: json::text(&value["title"]).unwrap_or_default(),
        created,
        updated: json::count(&value["time"]["updated"]).unwrap_or(created),
        archived: !value["time"]["archived"].is_null(),
        cost: value["cost"].as_f64(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_cannot_be_sent_to_is_left_out_and_the_others_stay() {
        let body = r#"[{"id":"ses_1"},null,{"id":"ses_2","directory":"/d","time":{"created":5,"archived":9}}]"#;
        let page = sessions(body, None).unwrap();
        assert_eq!(page.next, None);
        assert_eq!(page.sessions.len(), 1);
        assert_eq!(page.sessions[0].id, "ses_2".into());
        assert!(page.sessions[0].archived);
        assert_eq!(page.sessions[0].updated, 5);
    }

    /// R22
    #[test]
    fn a_full_page_leads_to_the_next_one_without_a_word_of_the_server() {
        let row = |time: u64| format!(r#"{{"id":"ses_{time}","directory":"/d","time":{{"updated":{time}}}}}"#);
        let body = |times: std::ops::Range<u64>| {
            let rows: Vec<String> = times.rev().map(row).collect();
            format!("[{}]", rows.join(","))
        };
        let first = sessions(&body(500..600), None).unwrap();
        assert_eq!(first.next.as_deref(), Some("501 200"));
        let last = sessions(&body(450..501), first.next.as_deref()).unwrap();
        assert_eq!(last.next, None);
    }
}
