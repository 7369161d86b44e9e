//! Addresses inside the page: the part behind `#`.

use switchboard_core::model::{RequestId, SessionId};

/// A place in the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// `#/inbox`: everything that waits.
    Inbox,
    /// `#/inbox/<request>`: the inbox with this request open; on a phone a page of its own.
    Request(RequestId),
    /// `#/sessions`: all sessions.
    Sessions,
    /// `#/session/<session>`: one session.
    Session(SessionId),
    /// `#/new`: starting a session.
    New,
    /// `#/servers`: the connection.
    Servers,
    /// `#/activity`: what happened.
    Activity,
    /// An address of no place.
    Unknown,
}

impl Route {
    /// Reads what stands behind `#`. Nothing there is the inbox.
    #[must_use]
    pub fn parse(hash: &str) -> Route {
        let path = hash.trim_start_matches('#').trim_matches('/');
        match path.split_once('/') {
            Some(("inbox", id)) if is_id(id) => Route::Request(id.into()),
            Some(("session", id)) if is_id(id) => Route::Session(id.into()),
            _ if path == "sessions" => Route::Sessions,
            _ if path == "new" => Route::New,
            _ if path == "servers" => Route::Servers,
            _ if path == "activity" => Route::Activity,
            _ if path.is_empty() || path == "inbox" => Route::Inbox,
            _ => Route::Unknown,
        }
    }

    /// The address, with its `#`.
    #[must_use]
    pub fn href(&self) -> String {
        match self {
            Route::Inbox | Route::Unknown => "#/inbox".to_owned(),
            Route::Request(id) => format!("#/inbox/{id}"),
            Route::Sessions => "#/sessions".to_owned(),
            Route::Session(id) => format!("#/session/{id}"),
            Route::New => "#/new".to_owned(),
            Route::Servers => "#/servers".to_owned(),
            Route::Activity => "#/activity".to_owned(),
        }
    }
}

/// Ids of the server are letters, digits and underscores; nothing else is looked up.
fn is_id(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_an_address_that_leads_back_to_it() {
        for route in [
            Route::Inbox,
            Route::Request("que_1".into()),
            Route::Sessions,
            Route::Session("ses_a-B".into()),
            Route::New,
            Route::Servers,
            Route::Activity,
        ] {
            assert_eq!(Route::parse(&route.href()), route);
        }
    }

    #[test]
    fn no_address_is_the_inbox_and_a_strange_one_is_no_place() {
        for (hash, route) in [
            ("", Route::Inbox),
            ("#", Route::Inbox),
            ("#/", Route::Inbox),
            ("#/inbox/", Route::Inbox),
            ("#/session/", Route::Unknown),
            ("#/session/a/b", Route::Unknown),
            ("#/session/<b>", Route::Unknown),
            ("#/inbox/<b>", Route::Unknown),
            ("#/else", Route::Unknown),
        ] {
            assert_eq!(Route::parse(hash), route, "{hash}");
        }
    }
}
