//! What stands beside a request: what led to it, what its buttons do, how long it waits.

use switchboard_core::Time;
use switchboard_core::model::{Permission, Request};

use crate::kit::visible::visible;
use crate::words::answering::REACH;
use crate::words::cost::{dollars, thousands};
use crate::words::reject::stops_in_any_case;
use crate::words::request_title::{self, Allowance};

/// The name of the panel.
pub const CONTEXT: &str = "Context of the request";

/// In place of the agent's words.
pub const SAID_NOTHING: &str = "The agent said nothing before it.";

/// In place of the agent's words.
pub const NOT_READ: &str = "Its messages have not been read yet.";

/// Over what the buttons do.
pub const BUTTONS: &str = "What the buttons do";

/// What *once* allows.
#[must_use]
pub fn once(permission: &Permission) -> &'static str {
    match permission.kind.as_str() {
        "edit" => "this edit only",
        "bash" => "this command only",
        _ => "this call only",
    }
}

/// What *always* allows; none when the server offers nothing.
#[must_use]
pub fn always(permission: &Permission) -> Option<String> {
    let allowance = request_title::always(permission)?;
    let what = match &allowance {
        Allowance::Everything(words) => (*words).into(),
        Allowance::Patterns(patterns) => visible(patterns),
    };
    Some(format!("{what}, {REACH}"))
}

/// What a rejection does while so many other requests of the session wait.
#[must_use]
pub fn reject(request: &Request, others: usize) -> &'static str {
    if others > 0 {
        "stops the run and rejects its other pending requests"
    } else if stops_in_any_case(request) {
        "stops the run"
    } else {
        "stops the run, unless you add a message"
    }
}

/// At which times of day it was asked and first seen here.
#[must_use]
pub fn asked(asked: &str, seen: &str) -> String {
    format!("{asked}, seen {seen}")
}

/// What ends the waiting: a person, the reply of a policy at a time of day, or before that the time of the reviewer that asks.
#[must_use]
pub fn waits_until(replies: Option<Time>, reviewer: Option<Time>, clock: &dyn Fn(Time) -> String) -> String {
    match (replies, reviewer) {
        (_, Some(at)) if replies.is_none_or(|replies| at < replies) => {
            format!("you answer, or {}, when this reviewer is stopped", clock(at))
        }
        (Some(at), _) => format!("you answer, or {}", clock(at)),
        (None, _) => "you answer (no time-out)".to_owned(),
    }
}

/// What the run has cost so far; none while nothing is known of it.
#[must_use]
pub fn so_far(cost: Option<f64>, context_tokens: Option<u64>) -> Option<String> {
    let context = context_tokens.map(|tokens| format!("context {}", thousands(tokens)));
    let parts: Vec<String> = dollars(cost).into_iter().chain(context).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cost_and_context_are_told_as_far_as_they_are_known() {
        assert_eq!(
            so_far(Some(0.31), Some(76_000)).as_deref(),
            Some("$0.31 · context 76k tokens")
        );
        assert_eq!(so_far(Some(0.001), Some(500)).as_deref(), Some("context 1k tokens"));
        assert_eq!(so_far(None, None), None);
    }

    /// R5, C5
    #[test]
    fn a_request_waits_until_what_comes_first() {
        let clock = |time: Time| format!("14:0{}", time.0);
        let until =
            |replies: Option<u64>, reviewer: Option<u64>| waits_until(replies.map(Time), reviewer.map(Time), &clock);
        let stopped = "you answer, or 14:03, when this reviewer is stopped";
        assert_eq!(until(None, None), "you answer (no time-out)");
        assert_eq!(until(None, Some(3)), stopped);
        assert_eq!(until(Some(5), Some(3)), stopped);
        assert_eq!(until(Some(2), Some(3)), "you answer, or 14:02");
        assert_eq!(until(Some(2), None), "you answer, or 14:02");
    }

    #[test]
    fn always_says_how_far_it_reaches() {
        let permission = Permission {
            kind: "bash".to_owned(),
            always: vec!["ls *".to_owned()],
            ..Permission::default()
        };
        assert_eq!(
            always(&permission).as_deref(),
            Some("ls *, in every session of this directory, until the server restarts")
        );
    }
}
