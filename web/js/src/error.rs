//! Makes JavaScript errors of ours. Their names are stable: `types.d.ts` lists them.

use std::fmt::Display;

use js_sys::{Error, Reflect};
use switchboard_core::ports::ReadError;
use switchboard_core::{
    AnswerError, DispatchError, FindError, FollowUpError, NotStored, PostFailure, PromptError, RescueError, ShellError,
    WasSent,
};
use wasm_bindgen::JsValue;

use switchboard_browser::opencode::probe::InvalidAddress;

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

pub(super) fn answer(call: &str, reason: AnswerError) -> JsValue {
    let name = match &reason {
        AnswerError::Unknown(_) => "UnknownRequest",
        AnswerError::Invalid(_) => "InvalidAnswer",
        AnswerError::Changed(_) => "RequestChanged",
        AnswerError::AlreadySent(_) => "AlreadySent",
        AnswerError::Ended(_) => "RequestEnded",
        AnswerError::Closed => return disposed(call),
        _ => "Error",
    };
    error(name, reason)
}

pub(super) fn find(call: &str, id: impl Display, reason: FindError) -> JsValue {
    let name = match &reason {
        FindError::Unread {
            error: ReadError::Unauthorized,
            ..
        } => "Unauthorized",
        FindError::Unread { .. } => "NotConnected",
        FindError::Closed => return disposed(call),
        _ => "Error",
    };
    error(name, format_args!("{id} was not found, and {reason}"))
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

pub(super) fn rescue(reason: RescueError) -> JsValue {
    let name = match &reason {
        RescueError::NotDead(_)
        | RescueError::Permission
        | RescueError::Answered(_)
        | RescueError::NoAnswer
        | RescueError::NoSession => "NotRescuable",
        RescueError::AlreadySent => "AlreadySent",
        RescueError::Closed => return disposed("rescue"),
        _ => "Error",
    };
    error(name, reason)
}

pub(super) fn not_stored(call: &str, reason: NotStored) -> JsValue {
    let name = match &reason {
        NotStored::Refused(_) => "Refused",
        NotStored::SessionGone => "UnknownSession",
        NotStored::Closed => return disposed(call),
        _ => "Error",
    };
    error(name, reason)
}

pub(super) fn post(call: &str, reason: PostFailure) -> JsValue {
    let name = match &reason {
        PostFailure::Refused(_) => "Refused",
        PostFailure::Unauthorized => "Unauthorized",
        PostFailure::InDoubt(_) => "InDoubt",
        PostFailure::Closed => return disposed(call),
        _ => "Error",
    };
    error(name, reason)
}

pub(super) fn follow_up(reason: FollowUpError) -> JsValue {
    match reason {
        FollowUpError::NotConnected => error("NotConnected", reason),
        FollowUpError::NotTaken(reason) => prompt(reason),
        FollowUpError::Refused(_) => error("Refused", reason),
        FollowUpError::SessionGone => error("UnknownSession", reason),
        FollowUpError::Disposed => error("Disposed", reason),
        FollowUpError::TimedOut { sent, ref text } => {
            let (told, text) = (sent_of(sent), JsValue::from(text));
            with(error("TimedOut", reason), &[("sent", told), ("text", text)])
        }
        FollowUpError::Cancelled { .. } | _ => error("Error", reason),
    }
}

pub(super) fn dispatch(reason: DispatchError) -> JsValue {
    match reason {
        DispatchError::NotCreated(failure) => post("dispatch", failure),
        DispatchError::NoReply(reason) => follow_up(reason),
        _ => error("Error", reason),
    }
}

pub(super) fn shell(reason: ShellError) -> JsValue {
    match reason {
        ShellError::NotCreated(failure) => post("shell", failure),
        ShellError::Refused(_) => error("Refused", reason),
        ShellError::InDoubt(_) | ShellError::Interrupted { .. } | ShellError::Unread { .. } => error("InDoubt", reason),
        ShellError::TimedOut { ref output } => {
            let output = JsValue::from(output);
            with(error("TimedOut", reason), &[("text", output)])
        }
        ShellError::Closed => error("Disposed", reason),
        ShellError::Stopped { .. } | ShellError::NoShell | _ => error("Error", reason),
    }
}

pub(super) fn sent_of(sent: WasSent) -> JsValue {
    JsValue::from_str(match sent {
        WasSent::Yes => "yes",
        WasSent::No => "no",
        WasSent::Unknown => "unknown",
    })
}

/// What was thrown, in words.
pub(super) fn words_of(thrown: &JsValue) -> String {
    let message = Reflect::get(thrown, &"message".into()).ok();
    message
        .and_then(|message| message.as_string())
        .or_else(|| thrown.as_string())
        .unwrap_or_else(|| "it failed without a word".to_owned())
}

fn error(name: &str, message: impl Display) -> JsValue {
    let error = Error::new(&message.to_string());
    error.set_name(name);
    error.into()
}

fn with(error: JsValue, properties: &[(&str, JsValue)]) -> JsValue {
    for (name, value) in properties {
        Reflect::set(&error, &(*name).into(), value).expect("an error takes any property");
    }
    error
}
