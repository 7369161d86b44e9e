//! The engine of Switchboard: requests of OpenCode agents meet their answers, once, and provably.
//!
//! [`connect`] returns a [`Handle`], and a future that drives it. Everything else here is what goes in and comes out:
//! the [`model`] of a server, the [`runtime`] that the outside supplies, the [`view`] that callers see.
#![forbid(unsafe_code)]

mod board;
mod cadence;
pub mod completion;
pub mod config;
mod handle;
mod latest;
pub mod ledger;
pub mod model;
mod poll_loop;
pub mod record;
mod rendezvous;
pub mod runtime;
mod seed;
mod session;
pub mod time;
mod transcript;
pub mod view;

pub use board::{AnswerError, PromptError, PromptOptions, RescueError};
pub use config::Config;
pub use handle::{Answering, Closed, Handle, NotStored, PostFailure, Storing, connect};
pub use latest::Views;
