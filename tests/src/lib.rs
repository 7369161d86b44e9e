//! The simulated world: a clock that stands still, a network that fails, and an OpenCode that behaves as the real one.
#![forbid(unsafe_code)]

pub mod clock;
pub mod executor;
mod neighbours;
pub mod network;
pub mod opencode;
pub mod other_client;
pub mod random;
pub mod scripts;
pub mod sim;
pub mod store;
pub mod tab;
pub mod watch;
pub mod workflows;
pub mod world;
