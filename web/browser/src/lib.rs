//! What the engine needs of a browser: HTTP, event streams, storage, locks and tabs.
//!
//! `formats`, `leadership`, `records` and `share` are plain Rust and build everywhere; everything else needs a browser.

#[cfg(target_family = "wasm")]
pub mod clock;
#[cfg(target_family = "wasm")]
pub mod events;
pub mod formats;
#[cfg(target_family = "wasm")]
pub mod http;
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
