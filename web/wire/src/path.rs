//! Where things are read: the path and query of each read.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use switchboard_core::model::Directory;
use switchboard_core::ports::Read;

use super::SessionCursor;

/// Sessions asked for where there are no pages: as many as a project may have.
const SESSIONS_OF_ONE_PROJECT: u32 = 10_000;

/// What is written as it is: the characters of ids.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.');

/// The path and query of a read, from the root of the server.
#[must_use]
pub fn path_of(read: &Read) -> String {
    match read {
        Read::Health => "/global/health".to_owned(),
        Read::Directories => "/project".to_owned(),
        Read::Sessions { since, page } => {
            let SessionCursor { before, limit } = SessionCursor::of(page.as_deref());
            let time = |time: Option<u64>| time.map(|time| time.to_string());
            let pairs = [("start", time(*since)), ("cursor", time(before))];
            with_query(&format!("/experimental/session?limit={limit}"), pairs)
        }
        Read::Session { session, directory } => {
            in_directory(&format!("/session/{}", escaped(session.as_str())), directory)
        }
        Read::Questions(directory) => in_directory("/question", directory),
        Read::Permissions(directory) => in_directory("/permission", directory),
        Read::Status(directory) => in_directory("/session/status", directory),
        Read::Messages {
            session,
            directory,
            limit,
            before,
        } => {
            let list = in_directory(&format!("/session/{}/message", escaped(session.as_str())), directory);
            with_query(&format!("{list}&limit={limit}"), [("before", before.clone())])
        }
        Read::Message {
            session,
            directory,
            message,
        } => {
            let (session, message) = (escaped(session.as_str()), escaped(message.as_str()));
            in_directory(&format!("/session/{session}/message/{message}"), directory)
        }
    }
}

/// The path and query of the session list of a server that cannot list those of all its projects.
#[must_use]
pub fn path_of_one_project(since: Option<u64>) -> String {
    let list = format!("/session?limit={SESSIONS_OF_ONE_PROJECT}");
    with_query(&list, [("start", since.map(|since| since.to_string()))])
}

/// The path with its directory as a query.
pub(super) fn in_directory(path: &str, directory: &Directory) -> String {
    format!("{path}?directory={}", escaped(directory.as_str()))
}

/// A text as a segment of a path or a value of a query.
pub(super) fn escaped(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

/// The path with more values in its query.
pub(super) fn with_query<const N: usize>(path: &str, pairs: [(&str, Option<String>); N]) -> String {
    let mut path = path.to_owned();
    for (name, value) in pairs {
        if let Some(value) = value {
            path.push_str(&format!("&{name}={}", escaped(&value)));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_and_cursors_cannot_change_the_path() {
        let read = Read::Messages {
            session: "ses_1/../x".into(),
            directory: "/a b/ä&c?d#e".into(),
            limit: 20,
            before: Some("eyJ=+/".to_owned()),
        };
        assert_eq!(
            path_of(&read),
            "/session/ses_1%2F..%2Fx/message?directory=%2Fa%20b%2F%C3%A4%26c%3Fd%23e&limit=20&before=eyJ%3D%2B%2F"
        );
    }

    #[test]
    fn a_page_of_the_session_list_names_what_is_wanted() {
        let first = Read::Sessions {
            since: None,
            page: None,
        };
        assert_eq!(path_of(&first), "/experimental/session?limit=100");
        let later = Read::Sessions {
            since: Some(5),
            page: Some("179 200".to_owned()),
        };
        assert_eq!(path_of(&later), "/experimental/session?limit=200&start=5&cursor=179");
        assert_eq!(path_of_one_project(Some(5)), "/session?limit=10000&start=5");
    }
}
