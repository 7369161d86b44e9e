//! The engine of Switchboard: requests of OpenCode agents meet their answers, once, and provably.
#![forbid(unsafe_code)]

pub mod completion;
pub mod ledger;
pub mod model;
pub mod runtime;
pub mod time;
pub mod view;
