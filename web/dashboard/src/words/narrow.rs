//! What is said where a list shows a part of what the servers have.

/// What the control chooses.
pub const SHOW: &str = "Show";

/// Shows all there is.
pub const SHOW_ALL: &str = "Show all";

/// Nothing waits in what is shown.
pub const EMPTY: &str = "Nobody waits for you here";

/// In place of sessions.
pub const NO_SESSION: &str = "There is no session here.";

/// Everything, of one server or of several.
#[must_use]
pub fn everything(servers: usize) -> &'static str {
    if servers > 1 { "All servers" } else { "All directories" }
}

/// One choice: a server, a directory of one, or a directory of all.
#[must_use]
pub fn choice(server: Option<&str>, directory: Option<&str>, servers: usize) -> String {
    match (server, directory) {
        (Some(server), Some(directory)) => format!("{server} · {directory}"),
        (Some(only), None) => only.to_owned(),
        (None, Some(directory)) if servers > 1 => format!("{directory} on all servers"),
        (None, Some(only)) => only.to_owned(),
        (None, None) => everything(servers).to_owned(),
    }
}

/// How much of what waits is not shown.
#[must_use]
pub fn elsewhere(requests: usize) -> String {
    match requests {
        1 => "1 waits elsewhere.".to_owned(),
        several => format!("{several} wait elsewhere."),
    }
}

/// How much of a whole is shown.
#[must_use]
pub fn of_all(shown: usize, all: &str) -> String {
    format!("{shown} of {all}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_names_its_server_where_there_are_several() {
        for (server, directory, servers, said) in [
            (None, None, 1, "All directories"),
            (None, Some("~/atlas"), 1, "~/atlas"),
            (None, None, 3, "All servers"),
            (Some("build-01"), None, 3, "build-01"),
            (Some("build-01"), Some("~/atlas"), 3, "build-01 · ~/atlas"),
            (None, Some("~/atlas"), 3, "~/atlas on all servers"),
        ] {
            assert_eq!(choice(server, directory, servers), said);
        }
    }

    #[test]
    fn what_waits_elsewhere_is_counted() {
        assert_eq!([1, 2].map(elsewhere), ["1 waits elsewhere.", "2 wait elsewhere."]);
    }
}
