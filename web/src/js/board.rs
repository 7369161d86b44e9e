//! One server, and everything that waits there for a person.

use std::rc::Rc;

use futures::StreamExt;
use js_sys::Promise;
use switchboard_core::Handle;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::given::{self, Given};
use super::iterator::BoardIterator;
use super::signal::unless_aborted;
use super::{credentials, error, figures, outcome, unattended, view};
use crate::server::Server;

/// One server, and everything that waits there for a person.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Board {
    pub(super) server: Rc<Server>,
}

impl Board {
    pub(super) fn new(server: Rc<Server>) -> Self {
        Self { server }
    }

    pub(super) fn handle(&self) -> &Handle {
        self.server.handle()
    }

    /// The server lives for as long as somebody waits for something.
    pub(super) fn promise<T: 'static>(
        &self,
        begun: Result<T, JsValue>,
        end: impl AsyncFnOnce(T) -> Result<JsValue, JsValue> + 'static,
    ) -> Promise {
        let server = Rc::clone(&self.server);
        future_to_promise(async move {
            let result = end(begun?).await;
            drop(server);
            result
        })
    }
}

#[wasm_bindgen]
impl Board {
    /// What is known now.
    #[wasm_bindgen(unchecked_return_type = "View")]
    pub fn view(&self) -> Result<JsValue, JsValue> {
        view::to_js(&self.handle().view())
    }

    /// The present view, and the newest one whenever it has changed. A slow reader skips views.
    #[wasm_bindgen(unchecked_return_type = "AsyncIterableIterator<View>")]
    pub fn views(&self) -> BoardIterator {
        BoardIterator::new(&self.server, self.handle().views().map(|view| view::to_js(&view)))
    }

    /// Answers a request. Resolves when the request has ended, with how.
    #[wasm_bindgen(unchecked_return_type = "Promise<Outcome>")]
    pub fn answer(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_param_type = "Reply")] reply: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("answer", options).live_signal()?;
            let reply = given::reply(&reply)?;
            let answering = self.handle().answer(&request.into(), reply);
            Ok((answering.map_err(|reason| error::answer("answer", reason))?, signal))
        };
        self.promise(begin(), async |(answering, signal)| {
            outcome::to_js(unless_aborted(signal, answering).await?)
        })
    }

    /// Waits for the end of a request without answering it. Resolves with how it ended.
    #[wasm_bindgen(unchecked_return_type = "Promise<Outcome>")]
    pub fn wait(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("wait", options).live_signal()?;
            let waiting = self.handle().wait(&request.into());
            Ok((waiting.map_err(|reason| error::answer("wait", reason))?, signal))
        };
        self.promise(begin(), async |(waiting, signal)| {
            outcome::to_js(unless_aborted(signal, waiting).await?)
        })
    }

    /// Sends the answer of a dead question as a message that quotes it. Resolves with the id of the message when the server
    /// shows it.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn rescue(
        &self,
        #[wasm_bindgen(js_name = "requestId")] request: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("rescue", options).live_signal()?;
            let storing = self.handle().rescue(&request.into());
            Ok((storing.map_err(error::rescue)?, signal))
        };
        self.promise(begin(), async |(storing, signal)| {
            let message = unless_aborted(signal, storing).await?;
            let message = message.map_err(|reason| error::not_stored("rescue", reason))?;
            Ok(message.as_str().into())
        })
    }

    /// Gives up the text of a request that has ended or was refused.
    pub fn discard(&self, #[wasm_bindgen(js_name = "requestId")] request: String) {
        self.handle().discard(&request.into());
    }

    /// Gives up a prompt that was not taken.
    #[wasm_bindgen(js_name = discardPrompt)]
    pub fn discard_prompt(&self, entry: String) {
        self.handle().discard_prompt(&entry.into());
    }

    /// Sets what happens to requests that nobody answers.
    #[wasm_bindgen(js_name = setUnattended)]
    pub fn set_unattended(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Unattended")] policies: JsValue,
    ) -> Result<(), JsValue> {
        let policies = unattended::policies(&Given::new("setUnattended", policies))?;
        self.handle().set_unattended(policies);
        Ok(())
    }

    /// Keeps the default answer from being given: the request stays as it is.
    #[wasm_bindgen(js_name = stopCountdown)]
    pub fn stop_countdown(&self, #[wasm_bindgen(js_name = "requestId")] request: String) {
        self.handle().stop_countdown(&request.into());
    }

    /// When each request of the last 30 days was asked, seen, answered, accepted and confirmed, and by whom.
    #[wasm_bindgen(unchecked_return_type = "Figures")]
    pub fn figures(&self) -> Result<JsValue, JsValue> {
        figures::to_js(self.handle().figures())
    }

    /// Gives another name and password. What waits for them goes on at once.
    #[wasm_bindgen(js_name = setCredentials)]
    pub fn set_credentials(
        &self,
        #[wasm_bindgen(unchecked_param_type = "CredentialOptions")] options: JsValue,
    ) -> Result<(), JsValue> {
        self.server
            .set_credentials(credentials(&Given::new("setCredentials", options))?);
        Ok(())
    }

    /// Reads everything at once.
    #[wasm_bindgen(js_name = tryNow)]
    pub fn try_now(&self) {
        self.handle().try_now();
    }

    /// Ends everything; twice is fine. Resolves when what was said before is kept, 2 s later at most. What was not
    /// delivered goes on with the next connection.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn close(&self) -> Promise {
        self.server.close();
        let ended = self.server.ended();
        future_to_promise(async move {
            ended.await;
            Ok(JsValue::UNDEFINED)
        })
    }
}
