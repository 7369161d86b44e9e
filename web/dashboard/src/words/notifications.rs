//! What notifications say, and what is said about them.

use switchboard_browser::platform::permission::Permission;
use switchboard_core::view::RequestView;

use crate::kit::visible::visible;
use crate::words::request_title::{question, shortened};
use crate::words::session_title::session_title;

/// So much of a question is in a notification, in characters. The system cuts it where it wants.
const BODY_MAX: usize = 240;

/// So many sessions are named in one notification.
const NAMED_MAX: usize = 3;

/// Beside the button that turns them on.
pub const ABOUT: &str = "A notification tells of each new request while you look at something else.";

/// Below the switch of the sound.
pub const SOUND: &str = "A browser plays no sound in a page that nobody has clicked since it was loaded.";

/// Below the quiet hours.
pub const QUIET: &str = "What still waits when they end is told then.";

/// Why nothing is told although a person wants to be told, and what to do about it.
#[must_use]
pub fn refusal(permission: Permission) -> Option<&'static str> {
    Some(match permission {
        Permission::Granted => return None,
        Permission::NotAsked => {
            "Notifications are on, but the browser has withdrawn its permission. Turn them on again in the settings: the \
             browser will ask you."
        }
        Permission::Refused => {
            "The browser blocks notifications of this page. Allow them in its site settings, which the sign beside the \
             address opens."
        }
        Permission::Insecure => {
            "Browsers allow notifications only over HTTPS and on localhost. Open this page at such an address."
        }
        Permission::Unsupported => {
            "This browser shows no notifications of pages. The title of the tab still counts what waits."
        }
    })
}

/// The title and the text of a notification about these requests, the oldest first.
///
/// A permission is named by its kind alone: locked screens show it, too.
#[must_use]
pub fn notification(requests: &[&RequestView]) -> (String, String) {
    let session = |view: &&RequestView| {
        let session = view.origin.last();
        session.map_or_else(|| "A session".to_owned(), |session| session_title(&session.title))
    };
    match requests {
        [request] => {
            let question = question(&request.request);
            (
                format!("{} asks", session(request)),
                shortened(&visible(&question), BODY_MAX),
            )
        }
        several => {
            let mut names = several.iter().map(session).collect::<Vec<_>>();
            names.dedup();
            let more = names.len().saturating_sub(NAMED_MAX);
            names.truncate(NAMED_MAX);
            let more = if more == 0 {
                String::new()
            } else {
                format!(" and {more} more")
            };
            (
                format!("{} requests wait", several.len()),
                format!("{}{more}", names.join(", ")),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::{Ask, Permission, Question};
    use switchboard_core::view::{RequestState, SessionRef};

    use super::*;
    use crate::fixtures::asking;

    fn asked(session: &str, ask: Ask) -> RequestView {
        let mut view = asking("a", ask, RequestState::Waiting);
        view.origin = vec![SessionRef {
            id: "ses_1".into(),
            title: session.to_owned(),
        }];
        view
    }

    fn questions(text: &str) -> Ask {
        Ask::Questions(vec![Question::new(text, "", Vec::new())])
    }

    #[test]
    fn a_notification_names_the_session_and_the_question() {
        let view = asked("Move sessions to Postgres", questions("Which database?\u{202E}"));
        let (title, body) = notification(&[&view]);
        assert_eq!(title, "Move sessions to Postgres asks");
        assert_eq!(body, "Which database?‹U+202E›");
    }

    #[test]
    fn a_permission_is_named_by_its_kind_alone() {
        let permission = Permission {
            kind: "bash".to_owned(),
            command: Some("cat ~/.netrc".to_owned()),
            ..Permission::default()
        };
        let view = asked("Deploy", Ask::Permission(Box::new(permission)));
        assert_eq!(notification(&[&view]).1, "Run this command?");
    }

    #[test]
    fn several_requests_are_told_at_once() {
        let views = ["A", "A", "B", "C", "D"].map(|session| asked(session, questions("?")));
        let told = notification(&views.each_ref());
        assert_eq!(told, ("5 requests wait".to_owned(), "A, B, C and 1 more".to_owned()));
    }
}
