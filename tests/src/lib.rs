//! The simulated world: a clock that stands still, a network that fails, and an OpenCode that behaves as the real one.
#![forbid(unsafe_code)]

pub mod clock;
pub mod executor;
pub mod opencode;
pub mod random;
