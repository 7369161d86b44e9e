//! Addresses inside the page: the part behind `#`.

use std::fmt::Display;

use switchboard_core::model::{RequestId, SessionId};

use crate::words::server_name::is_address_name;

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
    /// `#/session/<session>/checks` or `#/s/<server>/session/<session>/checks`: what checks and reviews a session.
    Checks(Of<SessionId>),
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
    /// Reads what stands behind `#`, up to a query. Nothing there is the inbox.
    #[must_use]
    pub fn parse(hash: &str) -> Route {
        let (path, _) = hash.split_once('?').unwrap_or((hash, ""));
        let path = path.trim_start_matches('#').trim_matches('/');
        let (server, inside) = match path.strip_prefix("s/").and_then(|rest| rest.split_once('/')) {
            Some((server, inside)) if is_address_name(server) => (Some(server.to_owned()), inside),
            Some(_) | None => (None, path),
        };
        match inside.split_once('/') {
            Some(("inbox", id)) if is_id(id) => Route::Request(Of { server, id: id.into() }),
            Some(("session", id)) if is_id(id) => Route::Session(Of { server, id: id.into() }),
            Some(("session", rest)) => match rest.strip_suffix("/checks") {
                Some(id) if is_id(id) => Route::Checks(Of { server, id: id.into() }),
                Some(_) | None => Route::Unknown,
            },
            _ if path == "sessions" => Route::Sessions,
            _ if path == "new" => Route::New,
            _ if path == "servers" => Route::Servers,
            _ if path == "activity" => Route::Activity,
            _ if path.is_empty() || path == "inbox" => Route::Inbox,
            _ => Route::Unknown,
        }
    }

    /// Whether it shows what all servers have, and can be narrowed by a query.
    #[must_use]
    pub fn is_list(&self) -> bool {
        matches!(self, Route::Inbox | Route::Sessions | Route::Activity)
    }

    /// The address, with its `#`.
    #[must_use]
    pub fn href(&self) -> String {
        match self {
            Route::Inbox | Route::Unknown => "#/inbox".to_owned(),
            Route::Request(of) => of.href("inbox"),
            Route::Sessions => "#/sessions".to_owned(),
            Route::Session(of) => of.href("session"),
            Route::Checks(of) => format!("{}/checks", of.href("session")),
            Route::New => "#/new".to_owned(),
            Route::Servers => "#/servers".to_owned(),
            Route::Activity => "#/activity".to_owned(),
        }
    }

    /// The same place with the name of its server; none for a place that names one, or has none.
    #[must_use]
    pub fn naming(self, name: &str) -> Option<Route> {
        fn of<I>(of: Of<I>, name: &str) -> Option<Of<I>> {
            let server = Some(name.to_owned());
            of.server.is_none().then_some(Of { server, ..of })
        }
        match self {
            Route::Request(id) => of(id, name).map(Route::Request),
            Route::Session(id) => of(id, name).map(Route::Session),
            Route::Checks(id) => of(id, name).map(Route::Checks),
            Route::Inbox | Route::Sessions | Route::New | Route::Servers | Route::Activity | Route::Unknown => None,
        }
    }

    /// The session whose page it is.
    #[must_use]
    pub fn session(&self) -> Option<&Of<SessionId>> {
        match self {
            Route::Session(of) | Route::Checks(of) => Some(of),
            Route::Inbox
            | Route::Request(_)
            | Route::Sessions
            | Route::New
            | Route::Servers
            | Route::Activity
            | Route::Unknown => None,
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

/// Ids of a server are letters, digits, hyphens and underscores; nothing else is looked up.
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
                server: Some("localhost:4096".to_owned()),
                id: "ses_a-B".into(),
            }),
            Route::Checks(Of {
                server: None,
                id: "ses_1".into(),
            }),
            Route::Checks(Of {
                server: Some("build-01".to_owned()),
                id: "ses_1".into(),
            }),
            Route::New,
            Route::Servers,
            Route::Activity,
        ] {
            assert_eq!(Route::parse(&route.href()), route);
        }
    }

    #[test]
    fn a_place_that_names_no_server_can_be_given_its_name() {
        for (hash, named) in [
            ("#/session/ses_1", Some("#/s/build-01/session/ses_1")),
            ("#/session/ses_1/checks", Some("#/s/build-01/session/ses_1/checks")),
            ("#/inbox/que_1", Some("#/s/build-01/inbox/que_1")),
            ("#/s/laptop/session/ses_1", None),
            ("#/inbox", None),
        ] {
            let place = Route::parse(hash).naming("build-01");
            assert_eq!(place.map(|place| place.href()).as_deref(), named, "{hash}");
        }
    }

    #[test]
    fn no_address_is_the_inbox_and_a_strange_one_is_no_place() {
        for (hash, route) in [
            ("", Route::Inbox),
            ("#", Route::Inbox),
            ("#/", Route::Inbox),
            ("#/inbox/", Route::Inbox),
            ("#/sessions?server=a&directory=%2Fb%2Fc", Route::Sessions),
            ("#/?server=a", Route::Inbox),
            ("#/session/", Route::Unknown),
            ("#/session/a/b", Route::Unknown),
            ("#/session//checks", Route::Unknown),
            ("#/session/a/checks/b", Route::Unknown),
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
