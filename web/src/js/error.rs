//! Makes JavaScript errors of ours. Their names are stable: `types.d.ts` lists them.

use std::fmt::Display;

use js_sys::Error;
use switchboard_core::{AnswerError, NotStored, PostFailure, PromptError};
use wasm_bindgen::JsValue;

use crate::probe::InvalidAddress;

pub(super) fn invalid_address(reason: InvalidAddress) -> JsValue {
    error("InvalidAddress", reason)
}

pub(super) fn invalid_argument(reason: &str) -> JsValue {
    error("InvalidArgument", reason)
}

/// The board was closed before the call, or while it waited.
pub(super) fn disposed(call: &str) -> JsValue {
    error("Disposed", format_args!("{call}: the board is closed"))
}

pub(super) fn answer(reason: AnswerError) -> JsValue {
    let name = match &reason {
        AnswerError::Unknown(_) => "UnknownRequest",
        AnswerError::Invalid(_) => "InvalidAnswer",
        AnswerError::AlreadySent(_) => "AlreadySent",
        AnswerError::Ended(_) => "RequestEnded",
        AnswerError::Closed => return disposed("answer"),
        _ => "Error",
    };
    error(name, reason)
}

pub(super) fn prompt(reason: PromptError) -> JsValue {
    let name = match &reason {
        PromptError::UnknownSession(_) => "UnknownSession",
        PromptError::Empty => "EmptyPrompt",
        PromptError::Closed => return disposed("prompt"),
        _ => "Error",
    };
    error(name, reason)
}

pub(super) fn not_stored(reason: NotStored) -> JsValue {
    let name = match &reason {
        NotStored::Refused(_) => "Refused",
        NotStored::SessionGone => "UnknownSession",
        NotStored::Closed => return disposed("prompt"),
        _ => "Error",
    };
    error(name, reason)
}

pub(super) fn post(reason: PostFailure) -> JsValue {
    let name = match &reason {
        PostFailure::Refused(_) => "Refused",
        PostFailure::Unauthorized => "Unauthorized",
        PostFailure::InDoubt(_) => "InDoubt",
        PostFailure::Closed => return disposed("abort"),
        _ => "Error",
    };
    error(name, reason)
}

fn error(name: &str, message: impl Display) -> JsValue {
    let error = Error::new(&message.to_string());
    error.set_name(name);
    error.into()
}
