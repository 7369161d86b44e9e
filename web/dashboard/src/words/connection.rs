//! What is wrong with the connection, and what that means for answers.

use std::time::Duration;

use switchboard_core::ports::StoreError;

use crate::kit::age::{age, count};
use crate::words::progress::Sentence;
use crate::words::unsaved;

/// Leads to what an examination of the server finds.
pub const WHAT_IS_WRONG: &str = "What is wrong?";

const KEPT: &str = "Answers are kept and sent later.";

fn sentence(strong: String, rest: String) -> Sentence {
    Sentence { strong, rest }
}

/// The server has said nothing for so long; what is shown is from then, a time of day.
#[must_use]
pub fn stale(server: &str, silence: Duration, shown: &str) -> Sentence {
    sentence(
        format!("No news from {server} for {}.", age(silence)),
        format!("You see {shown}. {KEPT}"),
    )
}

/// The server cannot be reached since a time of day.
#[must_use]
pub fn offline(server: &str, since: &str) -> Sentence {
    sentence(format!("{server} is offline since {since}."), KEPT.to_owned())
}

/// The server wants a password, or another one.
#[must_use]
pub fn password(server: &str) -> Sentence {
    sentence(
        format!("{server} wants a password."),
        "Nothing is lost: answers wait to be sent.".to_owned(),
    )
}

/// A directory cannot be read while others can; what is shown of it is from then, a time of day.
#[must_use]
pub fn unreadable(directory: &str, shown: Option<&str>) -> Sentence {
    let seen = shown.map_or_else(
        || "Nothing of it has been read yet.".to_owned(),
        |shown| format!("You see {shown}."),
    );
    sentence(format!("{directory} cannot be read."), format!("{seen} {KEPT}"))
}

/// Follows the last directory that is named.
#[must_use]
pub fn and_more(directories: usize) -> String {
    format!(" And {directories} more.")
}

/// Follows the servers whose trouble is told.
#[must_use]
pub fn more_servers(servers: usize) -> String {
    format!("And {} more in trouble.", count(servers, "server"))
}

/// Leads to all of them.
pub const SEE_SERVERS: &str = "See the servers";

/// Nothing is kept on this device.
#[must_use]
pub fn unsaved(error: &StoreError) -> Sentence {
    sentence(
        "Drafts and answers are not kept on this device.".to_owned(),
        format!("{} Keep this tab open until they are sent.", unsaved::sentence(error)),
    )
}

/// Another version of the page has left so many entries unfinished on this device.
#[must_use]
pub fn foreign(entries: usize) -> Sentence {
    let kept = match entries {
        1 => "1 answer or message on this device was".to_owned(),
        several => format!("{several} answers or messages on this device were"),
    };
    sentence(
        format!("{kept} written by another version of this page."),
        "This one does not send what it cannot read. Nothing is lost: reload to get the newest version.".to_owned(),
    )
}

/// When the server is asked again.
#[must_use]
pub fn next_try(rest: Duration) -> String {
    format!("next try in {}", age(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_version_left_is_counted() {
        let said = [1, 2].map(|entries| foreign(entries).strong);
        assert_eq!(
            said,
            [
                "1 answer or message on this device was written by another version of this page.",
                "2 answers or messages on this device were written by another version of this page.",
            ]
        );
    }

    #[test]
    fn what_is_shown_of_a_directory_is_told_with_its_time() {
        let said = [None, Some("14:02")].map(|shown| unreadable("~/atlas", shown).rest);
        assert_eq!(
            said,
            [
                "Nothing of it has been read yet. Answers are kept and sent later.",
                "You see 14:02. Answers are kept and sent later.",
            ]
        );
    }
}
