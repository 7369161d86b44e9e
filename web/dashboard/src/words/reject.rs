//! What a rejection does to the run, and what else is rejected with it.

use switchboard_core::model::Request;

use crate::kit::age::count;

/// The name of the field for a message.
pub const TELL_WHY: &str = "Tell the agent why, or what to do instead";

/// Whether the run stops also with a message: it was asked, without a call, whether it may go on (docs/opencode.md §2).
#[must_use]
pub fn stops_in_any_case(request: &Request) -> bool {
    request.tool.is_none()
}

/// What follows while nothing else of the session waits.
#[must_use]
pub fn follows(request: &Request) -> &'static str {
    if stops_in_any_case(request) {
        "The run stops, with or without a message."
    } else {
        "With a message the run goes on. Without one the run stops."
    }
}

/// Sends the message.
pub const WITH_MESSAGE: &str = "Reject with this message";

/// Why the message cannot be sent yet.
pub const NO_MESSAGE: &str = "Write a message first";

/// Sends no message.
pub const STOP: &str = "Reject and stop the run";

/// Rejects what else waits, too.
pub const STOP_ALL: &str = "Reject all and stop the run";

/// What follows while other requests of the session wait.
#[must_use]
pub fn others_follow(others: usize) -> String {
    if others == 1 {
        return "Its 1 other pending request is rejected, too, and the run stops, with or without a message."
            .to_owned();
    }
    let others = count(others, "other pending request");
    format!("Its {others} are rejected, too, and the run stops, with or without a message.")
}

/// Leads to the others instead.
#[must_use]
pub fn answer_others(others: usize) -> &'static str {
    if others == 1 {
        "Answer the other one first"
    } else {
        "Answer the others first"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_rejected_too_is_counted() {
        assert!(others_follow(1).starts_with("Its 1 other pending request is rejected, too,"));
        assert!(others_follow(2).starts_with("Its 2 other pending requests are rejected, too,"));
        assert_eq!(
            [1, 2].map(answer_others),
            ["Answer the other one first", "Answer the others first"]
        );
    }
}
