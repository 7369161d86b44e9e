//! The door for JavaScript: converts and delegates, nothing else.
//!
//! Its types are in `js/types.d.ts`. A call that fails rejects with a real `Error` whose `name` says which; one that is
//! aborted rejects with the reason of its signal, and what was sent goes on its way.

mod error;
mod given;
mod outcome;
mod request;
mod session;
mod signal;
mod view;
mod views;

use std::rc::Rc;

use js_sys::Promise;
use switchboard_core::PromptOptions;
use switchboard_core::unattended::{Policy, Then, Unattended};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{future_to_promise, spawn_local};

use crate::http::Credentials;
use crate::probe::normalise_address;
use crate::server::{Server, ServerConfig};
use given::{Given, TimeOut};
use signal::unless_aborted;
use views::ViewIterator;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("js/types.d.ts");

/// The name of a user whose server was told none.
const USERNAME: &str = "opencode";

/// Connects to one OpenCode server. Resolves at once: whether the server can be reached is in the view, and it is tried
/// again until the board is closed.
#[wasm_bindgen(unchecked_return_type = "Promise<Board>")]
pub fn connect(#[wasm_bindgen(unchecked_param_type = "ConnectOptions")] options: JsValue) -> Promise {
    future_to_promise(async move { open(&Given::new("connect", options)).map(JsValue::from) })
}

fn open(options: &Given) -> Result<Board, JsValue> {
    let signal = options.live_signal()?;
    let address = options.text("baseUrl")?.unwrap_or_default();
    let base = normalise_address(&address).map_err(error::invalid_address)?;
    let username = options.text("username")?;
    let credentials = options.text("password")?.map(|password| Credentials {
        username: username.unwrap_or_else(|| USERNAME.to_owned()),
        password,
    });
    let server = Rc::new(Server::connect(ServerConfig {
        base,
        credentials,
        directory: options.text("directory")?.map(Into::into),
        unattended: unattended(options.time_out("requestTimeout")?),
        log: options.is_set("log")?,
        superseded: Rc::new(|| ()),
    }));
    if let Some(signal) = signal {
        let server = Rc::downgrade(&server);
        spawn_local(async move {
            let _reason = signal::aborted(&signal).await;
            if let Some(server) = server.upgrade() {
                server.close();
            }
        });
    }
    Ok(Board { server })
}

/// All requests alike; a time-out leaves them answerable.
fn unattended(time_out: TimeOut) -> Unattended {
    let after = match time_out {
        TimeOut::Usual => return Unattended::default(),
        TimeOut::Never => None,
        TimeOut::After(span) => Some(span),
    };
    let policy = Policy {
        after,
        then: Then::Leave,
    };
    Unattended {
        questions: policy.clone(),
        permissions: policy,
        ..Unattended::default()
    }
}

/// One server, and everything that waits there for a person.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Board {
    server: Rc<Server>,
}

#[wasm_bindgen]
impl Board {
    /// What is known now.
    #[wasm_bindgen(unchecked_return_type = "View")]
    pub fn view(&self) -> Result<JsValue, JsValue> {
        view::to_js(&self.server.handle().view())
    }

    /// The present view, and the newest one whenever it has changed. A slow reader skips views.
    #[wasm_bindgen(unchecked_return_type = "AsyncIterableIterator<View>")]
    pub fn views(&self) -> ViewIterator {
        ViewIterator::new(Rc::clone(&self.server))
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
            let answering = self.server.handle().answer(&request.into(), reply);
            Ok((answering.map_err(error::answer)?, signal))
        };
        self.promise(begin(), async |(answering, signal)| {
            outcome::to_js(unless_aborted(signal, answering).await?)
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
            let choices = PromptOptions {
                agent: given.text("agent")?,
                model: given.model()?,
            };
            let storing = self.server.handle().prompt(&session.into(), &text, choices);
            Ok((storing.map_err(error::prompt)?, signal))
        };
        self.promise(begin(), async |(storing, signal)| {
            let message = unless_aborted(signal, storing).await?;
            Ok(message.map_err(error::not_stored)?.as_str().into())
        })
    }

    /// Stops the run of a session. Resolves when the server has said yes, which is before the run has ended.
    #[wasm_bindgen(unchecked_return_type = "Promise<void>")]
    pub fn abort(
        &self,
        #[wasm_bindgen(js_name = "sessionId")] session: String,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Promise {
        let begin = || {
            let signal = Given::new("abort", options).live_signal()?;
            Ok((self.server.handle().abort(&session.into()), signal))
        };
        self.promise(begin(), async |(stopping, signal)| {
            unless_aborted(signal, stopping).await?.map_err(error::post)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Ends everything; twice is fine. What was not delivered is kept where storage is to be had.
    pub fn close(&self) {
        self.server.close();
    }

    /// The server lives for as long as somebody waits for something.
    fn promise<T: 'static>(
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
