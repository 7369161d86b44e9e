//! Switchboard in the browser: HTTP, events, storage, tabs, the dashboard and the JavaScript exports.
//!
//! `wire` and `records` are plain Rust and build everywhere; everything else needs a browser.

pub mod records;
#[cfg(feature = "ui")]
pub mod ui;
pub mod wire;
