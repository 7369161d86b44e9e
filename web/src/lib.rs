//! Switchboard in the browser: HTTP, events, storage, tabs, the dashboard and the JavaScript exports.
//!
//! `formats`, `leadership`, `records` and `share` are plain Rust and build everywhere; everything else needs a browser.

#[cfg(target_family = "wasm")]
pub mod clock;
#[cfg(target_family = "wasm")]
pub mod events;
pub mod formats;
#[cfg(target_family = "wasm")]
pub mod http;
#[cfg(all(target_family = "wasm", feature = "js"))]
pub mod js;
pub mod leadership;
#[cfg(target_family = "wasm")]
pub mod locks;
#[cfg(target_family = "wasm")]
pub mod probe;
mod record;
pub mod records;
#[cfg(target_family = "wasm")]
pub mod server;
#[cfg(target_family = "wasm")]
pub mod settings;
pub mod share;
#[cfg(target_family = "wasm")]
pub mod storage;
#[cfg(target_family = "wasm")]
pub mod tabs;
#[cfg(target_family = "wasm")]
pub mod task;
#[cfg(feature = "ui")]
pub mod ui;
