//! What was said to a request, by a person or a time-out, in a few words.

use switchboard_core::model::Reply;
use switchboard_core::view::{RequestState, RequestView};

use super::title::shortened;

/// How much of an answer is quoted.
const QUOTED: usize = 60;

/// Who said it: a person here, or a policy for them.
#[must_use]
pub fn who(view: &RequestView) -> &'static str {
    if view.by_policy { "The time-out" } else { "You" }
}

/// What was said to a request, as a sentence without an end: `You answered “sqlx”`.
#[must_use]
pub fn said(view: &RequestView) -> String {
    let Some(reply) = &view.reply else {
        return match &view.state {
            RequestState::Dismissed { .. } => "Dismissed elsewhere".to_owned(),
            RequestState::Waiting
            | RequestState::Sending { .. }
            | RequestState::Sent { .. }
            | RequestState::Answered { .. }
            | RequestState::AnsweredElsewhere { .. }
            | RequestState::NotSent { .. }
            | RequestState::Gone { .. } => String::new(),
        };
    };
    let who = who(view);
    match reply {
        Reply::Answers(_) => format!("{who} answered “{}”", shortened(&reply.summary(), QUOTED)),
        Reply::Dismiss => format!("{who} dismissed it"),
        Reply::Once => "You allowed it once".to_owned(),
        Reply::Always => "You allowed it always".to_owned(),
        Reply::Reject { message: None } => format!("{who} rejected it"),
        Reply::Reject { message: Some(message) } => format!("You rejected it: “{}”", shortened(message, QUOTED)),
    }
}
