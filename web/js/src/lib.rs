//! The door for JavaScript: converts and delegates, nothing else.
//!
//! Its types are in `types.d.ts`. A call that fails rejects with a real `Error` whose `name` says which; one that is
//! aborted rejects with the reason of its signal, and what was sent goes on its way. Spans are milliseconds.

#![cfg(target_family = "wasm")]

mod board;
mod deferred;
mod drafts;
mod effects;
mod error;
mod figures;
mod given;
mod iterator;
mod log;
mod object;
mod outcome;
mod output;
mod plain;
mod procedures;
mod promise;
mod rendezvous;
mod request;
mod session;
mod sessions;
mod signal;
mod snapshots;
mod storage;
mod timeline;
mod turn;
mod unattended;
mod view;

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use given::Given;
use promise::promise;
use storage::GivenStore;
use switchboard_browser::opencode::http::{Credentials, Fetch};
use switchboard_browser::opencode::probe::normalise_address;
use switchboard_browser::server::{Outside, Server, ServerConfig};
use view::ServerPlace;

pub use board::Board;
pub use deferred::DeferredTracker;
pub use effects::EffectQueue;
pub use iterator::EngineIterator;
pub use output::{CompletionDetector, rules_of, usual_config};
pub use rendezvous::Rendezvous;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// The name of a user whose server was told none.
const USERNAME: &str = "opencode";

/// Connects to one OpenCode server. Resolves at once: whether the server can be reached is in the view, and it is tried
/// again until the board is closed.
#[wasm_bindgen(unchecked_return_type = "Promise<Board>")]
pub fn connect(#[wasm_bindgen(unchecked_param_type = "ConnectOptions")] options: JsValue) -> Promise {
    promise(async move { open(&Given::new("connect", options)).map(JsValue::from) })
}

/// An address as the `baseUrl` of its server has it: two that are equal then are the same server.
#[wasm_bindgen(js_name = normaliseAddress)]
pub fn normalised(#[wasm_bindgen(js_name = "baseUrl")] address: &str) -> Result<String, JsValue> {
    normalise_address(address).map_err(error::invalid_address)
}

fn open(options: &Given) -> Result<Board, JsValue> {
    let signal = options.live_signal()?;
    let address = options.text("baseUrl")?.unwrap_or_default();
    let base = normalise_address(&address).map_err(error::invalid_address)?;
    let name = options.text("name")?.unwrap_or_else(|| base.clone());
    let unattended = match options.inner("unattended")? {
        Some(policies) => unattended::policies(&policies)?,
        None => unattended::alike(options.time_out("requestTimeout")?),
    };
    let config = ServerConfig {
        credentials: credentials(options)?,
        directory: options.text("directory")?.map(Into::into),
        unattended,
        log: options.field("log")?.is_truthy(),
        storage_lost: Rc::new(|_| ()),
        base,
    };
    let outside = outside(options, &config.base, &name)?;
    let place = ServerPlace {
        name,
        base: config.base.clone(),
    };
    let board = Board::new(Rc::new(Server::connect_over(config, outside)), place);
    if let Some(signal) = signal {
        board.close_on(signal);
    }
    Ok(board)
}

fn credentials(options: &Given) -> Result<Option<Credentials>, JsValue> {
    let username = options.text("username")?.unwrap_or_else(|| USERNAME.to_owned());
    let password = options.text("password")?;
    Ok(password.map(|password| Credentials { username, password }))
}

fn outside(options: &Given, base: &str, name: &str) -> Result<Outside, JsValue> {
    let storage = options.field("storage")?;
    if !storage.is_undefined() && !storage.is_object() {
        return Err(options.wrong("storage", "a LedgerStorage"));
    }
    Ok(Outside {
        fetch: options.function("fetch")?.map(Fetch::over).unwrap_or_default(),
        log: log::sink(options, name)?,
        store: storage
            .is_object()
            .then(|| Rc::new(GivenStore::new(base, storage.unchecked_into())) as Rc<_>),
    })
}
