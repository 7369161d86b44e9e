//! The engine of Switchboard: requests of OpenCode agents meet their answers, once, and provably.
#![forbid(unsafe_code)]
