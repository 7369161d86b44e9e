//! The way to an OpenCode server: its HTTP API, its events, and what an address leads to.

pub mod events;
pub mod http;
pub mod probe;
