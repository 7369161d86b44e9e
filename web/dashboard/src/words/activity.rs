//! What is said of what happened.

use std::time::Duration;

use switchboard_browser::device::activity::KEPT_MAX;
use switchboard_core::ports::ReadError;

use crate::kit::age::{count, short_span};

/// The title of its page.
pub const TITLE: &str = "Activity";

/// Leads to its page.
pub const ALL: &str = "All activity";

/// Leads to its page from where figures are looked for.
pub const ALL_AND_FIGURES: &str = "All activity and figures";

/// What its page is for.
pub const ABOUT: &str = "What was asked, how it ended, and how long it took";

/// In place of a list that is empty.
pub const EMPTY: &str = "Nothing has happened yet. What agents ask, how it is answered and when the server cannot be reached is listed here.";

/// In place of a list in which the filter leaves nothing.
pub const NOTHING_LEFT: &str = "Nothing of it is left by this filter.";

/// Ends the filter.
pub const SHOW_ALL: &str = "Show everything";

/// How the chart is read.
pub const CHART: &str = "The dot is the median; 95 % are within the line.";

/// Beyond the limit of what is waited for an answer.
pub const TIME_IS_UP: &str = "Time is up, and nobody has answered";

/// What is kept, and for how long.
#[must_use]
pub fn kept() -> String {
    format!(
        "Kept on this device for 30 days, the last {KEPT_MAX} of each server. Runs are listed while the server has their session."
    )
}

/// How much there is, or is left by the filter.
#[must_use]
pub fn listed(shown: usize, all: usize) -> String {
    match all {
        1 if shown == all => "1 entry".to_owned(),
        all if shown == all => format!("{all} entries"),
        all => format!("{shown} of {all} entries"),
    }
}

/// The figures of one of several servers.
#[must_use]
pub fn figures_title(server: &str) -> String {
    format!("Figures of {server}")
}

/// Of how many requests the figures are.
#[must_use]
pub fn figures_of(requests: usize, server: &str) -> String {
    format!("{} of {server} in the last 30 days", count(requests, "request"))
}

const ASKED: &str = "Asked: ";

/// A request was asked.
#[must_use]
pub fn asked(request: &str) -> String {
    format!("{ASKED}{request}")
}

/// The request of a text that [`asked`] has written.
#[must_use]
pub fn request_asked(text: &str) -> Option<&str> {
    text.strip_prefix(ASKED)
}

/// Nobody waits for an answer any more, and why.
#[must_use]
pub fn gone(is_permission: bool, why: &str) -> String {
    let what = if is_permission { "request" } else { "question" };
    format!("The {what} is gone. {why}")
}

/// The server could not be read.
#[must_use]
pub fn outage(error: &ReadError) -> String {
    let what = if matches!(error, ReadError::Unreachable(_)) {
        "cannot be reached".to_owned()
    } else if *error == ReadError::TimedOut {
        "does not answer in time".to_owned()
    } else {
        error.to_string()
    };
    format!("Connection lost: the server {what}")
}

/// How long after it was asked a request was seen here.
#[must_use]
pub fn seen_after(span: Duration) -> String {
    format!("seen after {}", short_span(span))
}

/// How an outage ended, if it has.
#[must_use]
pub fn back(after: Option<Duration>) -> String {
    after.map_or_else(
        || "not back yet".to_owned(),
        |span| format!("back after {}", short_span(span)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_counted_and_a_filter_says_of_how_many() {
        assert_eq!(
            [listed(1, 1), listed(2, 2), listed(0, 2)],
            ["1 entry", "2 entries", "0 of 2 entries"]
        );
    }
}
