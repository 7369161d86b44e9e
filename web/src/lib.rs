//! Switchboard in the browser: HTTP, events, storage, tabs, the dashboard and the JavaScript exports.
//!
//! `wire` is plain Rust and builds everywhere; everything else needs a browser.

#[cfg(feature = "ui")]
pub mod ui;
