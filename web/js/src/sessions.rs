//! What is said to sessions: new ones, prompts, follow-ups.

use std::pin::pin;

use futures::future::{Either, select};
use js_sys::{Function, Promise};
use switchboard_core::{FollowUpError, FollowUpOptions, FollowingUp, Handle};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

use super::board::Board;
use super::error;
use super::given::Given;
use super::plain::plain;
use super::signal::{aborted, unless_aborted};
use super::turn::TurnShape;

#[wasm_bindgen]
impl Board {
    /// Makes a session. Resolves with its id.
    #[wasm_bindgen(js_name = createSession, unchecked_return_type = "Promise<string>")]
    pub fn create_session(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CreateSessionOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let given = Given::new("createSession", options);
            let signal = given.live_signal()?;
            let directory = given.needed_text("directory")?.into();
            Ok((
                self.handle("createSession")?
                    .create_session(&directory, given.text("title")?),
                signal,
            ))
        };
        self.promise(begin(), async |(creating, signal)| {
            let session = unless_aborted(signal, creating).await?;
            let session = session.map_err(|reason| error::post("createSession", reason))?;
            Ok(session.as_str().into())
        })
    }

    /// Prompts a session. Resolves with the id of the message when the server shows it.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn prompt(
        &self,
        #[wasm_bindgen(js_name = "sessionId")] session: String,
        text: String,
        #[wasm_bindgen(unchecked_optional_param_type = "PromptOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let given = Given::new("prompt", options);
            let signal = given.live_signal()?;
            let storing = self
                .handle("prompt")?
                .prompt(&session.into(), &text, given.prompt_options()?);
            Ok((storing.map_err(error::prompt)?, signal))
        };
        self.promise(begin(), async |(storing, signal)| {
            let message = unless_aborted(signal, storing).await?;
            let message = message.map_err(|reason| error::not_stored("prompt", reason))?;
            Ok(message.as_str().into())
        })
    }

    /// Prompts a session, and waits for its reply.
    #[wasm_bindgen(js_name = promptForReply, unchecked_return_type = "Promise<TurnReply>")]
    pub fn prompt_for_reply(
        &self,
        #[wasm_bindgen(js_name = "sessionId")] session: String,
        text: String,
        #[wasm_bindgen(unchecked_optional_param_type = "ReplyOptions")] options: JsValue,
    ) -> Promise {
        let given = Given::new("promptForReply", options);
        let begin = || {
            let waiting = Wait::read(&given)?;
            let reply = self
                .handle_for_reply()?
                .prompt_for_reply(&session.into(), &text, &waiting.options);
            Ok((reply, waiting))
        };
        self.promise(begin(), async |(reply, waiting)| waiting.end_of(reply).await)
    }

    /// The same for a text that a program made: what is longer than 102,400 bytes is cut.
    #[wasm_bindgen(js_name = followUp, unchecked_return_type = "Promise<TurnReply>")]
    pub fn follow_up(
        &self,
        #[wasm_bindgen(js_name = "sessionId")] session: String,
        message: String,
        #[wasm_bindgen(unchecked_optional_param_type = "ReplyOptions")] options: JsValue,
    ) -> Promise {
        let given = Given::new("followUp", options);
        let begin = || {
            let waiting = Wait::read(&given)?;
            let reply = self
                .handle_for_reply()?
                .follow_up(&session.into(), &message, &waiting.options);
            Ok((reply, waiting))
        };
        self.promise(begin(), async |(reply, waiting)| waiting.end_of(reply).await)
    }

    /// Stops the run of a session. Resolves when the server has said yes, which is before the run has ended. A stop that was lost
    /// is repeated while the same run goes on; it rejects with the code `"InDoubt"` where what runs by then may be a later run, which
    /// is left alone.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn abort(
        &self,
        #[wasm_bindgen(js_name = "sessionId")] session: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("abort", options).live_signal()?;
            Ok((self.handle("abort")?.abort(&session.into()), signal))
        };
        self.promise(begin(), async |(stopping, signal)| {
            let stopped = unless_aborted(signal, stopping).await?;
            stopped.map_err(|reason| error::post("abort", reason))?;
            Ok(JsValue::UNDEFINED)
        })
    }
}

impl Board {
    /// What waits for a reply; a closed board says so in the words that callers know.
    pub(super) fn handle_for_reply(&self) -> Result<Handle, JsValue> {
        let server = self.open_server();
        let server = server.ok_or_else(|| error::follow_up(FollowUpError::Disposed))?;
        Ok(server.handle().clone())
    }
}

/// How a caller waits for a reply.
struct Wait {
    options: FollowUpOptions,
    signal: Option<AbortSignal>,
    on_aborted: Option<Function>,
}

impl Wait {
    fn read(given: &Given) -> Result<Self, JsValue> {
        Ok(Self {
            signal: given.live_signal()?,
            options: reply_options(given)?,
            on_aborted: given.function("onAborted")?,
        })
    }

    async fn end_of(self, reply: FollowingUp) -> Result<JsValue, JsValue> {
        let Some(signal) = &self.signal else {
            return shown(reply.await);
        };
        let canceller = reply.canceller();
        match select(pin!(aborted(signal)), reply).await {
            Either::Left((reason, reply)) => {
                if let Some(canceller) = canceller {
                    canceller.cancel();
                }
                if let (Err(FollowUpError::Cancelled { sent }), Some(tell)) = (reply.await, &self.on_aborted) {
                    tell.call1(&JsValue::UNDEFINED, &error::sent_of(sent))?;
                }
                Err(reason)
            }
            Either::Right((reply, _)) => shown(reply),
        }
    }
}

/// How a reply is to be waited for.
pub(super) fn reply_options(given: &Given) -> Result<FollowUpOptions, JsValue> {
    let usual = FollowUpOptions::default();
    Ok(FollowUpOptions {
        timeout: given.time_out("timeout")?.or(usual.timeout),
        stop: given.is_set("stop")?,
        prompt: given.prompt_options()?,
    })
}

fn shown(reply: Result<switchboard_core::TurnReply, FollowUpError>) -> Result<JsValue, JsValue> {
    plain(&TurnShape::from(&reply.map_err(error::follow_up)?))
}
