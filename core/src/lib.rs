//! The engine of Switchboard: requests of OpenCode agents meet their answers, once, and provably.
#![forbid(unsafe_code)]

mod cadence;
pub mod completion;
pub mod config;
pub mod ledger;
pub mod model;
pub mod record;
mod rendezvous;
pub mod runtime;
mod seed;
pub mod time;
mod transcript;
pub mod view;
