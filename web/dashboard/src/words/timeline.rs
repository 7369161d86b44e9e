//! What is said between the messages of a session.

use std::time::Duration;

use crate::kit::age::age;

/// In place of messages, to a screen reader.
pub const READING: &str = "The messages are being read.";

/// Above the first message.
pub const READING_OLDER: &str = "Older messages are being read.";

/// Below the last message.
pub const READING_NEWER: &str = "Newer messages are being read.";

/// Below the last message.
pub const UNREADABLE: &str = "The messages cannot be read.";

/// In place of older messages.
pub const COMPACTED: &str = "Older messages were replaced by a summary";

/// Below a message.
pub const CUT_OFF: &str = "Cut off: the model reached its limit of tokens.";

/// Below a message whose run a person has stopped.
pub const STOPPED: &str = "Stopped here.";

/// In place of messages that come into the page when they are scrolled to, to a screen reader.
#[must_use]
pub fn not_drawn(count: usize) -> String {
    match count {
        1 => "1 more message".to_owned(),
        count => format!("{count} more messages"),
    }
}

/// In place of a message.
#[must_use]
pub fn fault(fault: &str) -> String {
    format!("This message cannot be shown: {fault}")
}

/// In place of a part of a message.
#[must_use]
pub fn unknown_part(kind: &str) -> String {
    format!("A part of a kind that this version does not show: {kind}")
}

/// The provider was asked in vain.
#[must_use]
pub fn failed_try(attempt: u32, message: &str) -> String {
    format!("Try {attempt} failed: {message}")
}

/// How many milliseconds the model thought, at least a second.
#[must_use]
pub fn thought_for(milliseconds: u64) -> String {
    format!("Thought for {}", age(Duration::from_millis(milliseconds.max(1000))))
}

/// What a request out of sight is called: a new one, or one that was seen before.
#[must_use]
pub fn out_of_sight(is_new: bool, kind: &str, name: &str) -> String {
    let verb = if is_new { "New" } else { "Waiting" };
    format!("{verb} {kind}: {name}")
}

/// How many more are out of sight.
#[must_use]
pub fn and_more(others: usize) -> String {
    format!("and {others} more")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thought_takes_less_than_a_second() {
        assert_eq!([40, 61_000].map(thought_for), ["Thought for 1 s", "Thought for 1 min"]);
    }
}
