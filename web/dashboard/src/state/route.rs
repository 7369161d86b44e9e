//! Addresses inside the page: the part behind `#`.

use std::fmt::Display;

use switchboard_core::model::{RequestId, SessionId};

/// Something of a server, as an address names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Of<I> {
    /// The server, by its name in addresses; none for the one that the page was opened with.
    pub server: Option<String>,
    /// What it is there.
    pub id: I,
}

/// A place in the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// `#/inbox`: everything that waits.
    Inbox,
    /// `#/inbox/<request>` or `#/s/<server>/inbox/<request>`: the inbox with this request open; on a phone a page of its
    /// own.
    Request(Of<RequestId>),
    /// `#/sessions`: all sessions.
    Sessions,
    /// `#/session/<session>` or `#/s/<server>/session/<session>`: one session.
    Session(Of<SessionId>),
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
        let (server, inside) = match path.strip_prefix("s/").and_then(|rest| rest.split_once('/')) {
            Some((server, inside)) if is_id(server) => (Some(server.to_owned()), inside),
            Some(_) | None => (None, path),
        };
        match inside.split_once('/') {
            Some(("inbox", id)) if is_id(id) => Route::Request(Of { server, id: id.into() }),
            Some(("session", id)) if is_id(id) => Route::Session(Of { server, id: id.into() }),
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
            Route::Request(of) => of.href("inbox"),
            Route::Sessions => "#/sessions".to_owned(),
            Route::Session(of) => of.href("session"),
            Route::New => "#/new".to_owned(),
            Route::Servers => "#/servers".to_owned(),
            Route::Activity => "#/activity".to_owned(),
        }
    }
}

impl<I: Display> Of<I> {
    fn href(&self, kind: &str) -> String {
        let Self { server, id } = self;
        match server {
            Some(server) => format!("#/s/{server}/{kind}/{id}"),
            None => format!("#/{kind}/{id}"),
        }
    }
}

/// Ids of a server are letters, digits and underscores, and so is its name in addresses; nothing else is looked up.
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
            Route::Request(Of {
                server: None,
                id: "que_1".into(),
            }),
            Route::Request(Of {
                server: Some("build-01".to_owned()),
                id: "que_1".into(),
            }),
            Route::Sessions,
            Route::Session(Of {
                server: None,
                id: "ses_a-B".into(),
            }),
            Route::Session(Of {
                server: Some("localhost-4096".to_owned()),
                id: "ses_a-B".into(),
            }),
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
            ("#/s/a/session/", Route::Unknown),
            ("#/s/<a>/session/b", Route::Unknown),
            ("#/s/a/sessions", Route::Unknown),
            ("#/session/<b>", Route::Unknown),
            ("#/inbox/<b>", Route::Unknown),
            ("#/else", Route::Unknown),
        ] {
            assert_eq!(Route::parse(hash), route, "{hash}");
        }
    }
}
