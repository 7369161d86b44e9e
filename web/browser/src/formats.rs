//! Reads and writes the rules of completion. Plain Rust; the results are core's.

mod config;

pub use config::{InvalidConfig, read_config, write_config};
