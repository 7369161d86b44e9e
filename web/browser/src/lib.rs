//! What the engine needs of a browser: HTTP, event streams, storage, locks and tabs.
//!
//! `formats`, `device::notification_settings`, `device::records`, `device::server_list`, `platform::permission`, `tabs::leadership` and
//! `tabs::share` are plain Rust and build everywhere; everything else needs a browser.

mod codec;
pub mod device;
pub mod formats;
#[cfg(target_family = "wasm")]
pub mod opencode;
pub mod platform;
#[cfg(target_family = "wasm")]
pub mod server;
pub mod tabs;
