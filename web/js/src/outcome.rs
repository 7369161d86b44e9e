//! How a request ended, or why something was not sent, as a plain object.

use serde::Serialize;
use switchboard_core::Unresolved;
use switchboard_core::model::{ElsewhereAnswer, GoneReason, NotSentReason, Outcome, Refusal};
use wasm_bindgen::JsValue;

use super::error;
use super::plain::plain;

/// How a request ended, or that nobody answered it in time.
pub(super) fn to_js(end: Result<Outcome, Unresolved>) -> Result<JsValue, JsValue> {
    match &end {
        Ok(outcome) => plain(&OutcomeShape::from(outcome)),
        Err(Unresolved::TimedOut) => plain(&OutcomeShape::TimedOut),
        Err(Unresolved::Closed) => Err(error::disposed("answer")),
    }
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum OutcomeShape<'a> {
    Confirmed { note: Option<&'a str> },
    AnsweredElsewhere { answer: ElsewhereShape<'a> },
    Dismissed,
    Gone { reason: GoneShape<'a> },
    Cancelled { by_us: bool },
    TimedOut,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(super) enum ElsewhereShape<'a> {
    Answers { answers: &'a [Vec<String>] },
    Allowed,
    Rejected,
    Unknown,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum GoneShape<'a> {
    Restarted,
    Stopped { by_us: bool },
    SessionDeleted,
    MessageRemoved,
    Failed { message: &'a str },
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub(super) enum NotSentShape<'a> {
    Refused { status: u16, message: Option<&'a str> },
    Changed,
    TooOld,
    AgeUnknown,
    AlwaysDelayed,
    NotStored,
    SessionDeleted,
    Other,
}

impl<'a> From<&'a Outcome> for OutcomeShape<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        match outcome {
            Outcome::Confirmed { note } => Self::Confirmed { note: note.as_deref() },
            Outcome::AnsweredElsewhere(answer) => Self::AnsweredElsewhere { answer: answer.into() },
            Outcome::Dismissed => Self::Dismissed,
            Outcome::Gone(reason) => Self::Gone { reason: reason.into() },
            Outcome::Cancelled { by_us } => Self::Cancelled { by_us: *by_us },
        }
    }
}

impl<'a> From<&'a ElsewhereAnswer> for ElsewhereShape<'a> {
    fn from(answer: &'a ElsewhereAnswer) -> Self {
        match answer {
            ElsewhereAnswer::Answers(answers) => Self::Answers { answers },
            ElsewhereAnswer::Allowed => Self::Allowed,
            ElsewhereAnswer::Rejected => Self::Rejected,
            ElsewhereAnswer::Unknown => Self::Unknown,
        }
    }
}

impl<'a> From<&'a GoneReason> for GoneShape<'a> {
    fn from(reason: &'a GoneReason) -> Self {
        match reason {
            GoneReason::Restarted => Self::Restarted,
            GoneReason::Stopped { by_us } => Self::Stopped { by_us: *by_us },
            GoneReason::SessionDeleted => Self::SessionDeleted,
            GoneReason::MessageRemoved => Self::MessageRemoved,
            GoneReason::Failed(message) => Self::Failed { message },
        }
    }
}

impl<'a> From<&'a NotSentReason> for NotSentShape<'a> {
    fn from(reason: &'a NotSentReason) -> Self {
        match reason {
            NotSentReason::Refused(Refusal { status, message }) => Self::Refused {
                status: *status,
                message: message.as_deref(),
            },
            NotSentReason::Changed => Self::Changed,
            NotSentReason::TooOld => Self::TooOld,
            NotSentReason::AgeUnknown => Self::AgeUnknown,
            NotSentReason::AlwaysDelayed => Self::AlwaysDelayed,
            NotSentReason::NotStored => Self::NotStored,
            NotSentReason::SessionDeleted => Self::SessionDeleted,
            NotSentReason::Other(_) => Self::Other,
        }
    }
}
