//! What fills the main column.

pub mod activity;
pub mod connect;
#[cfg(target_family = "wasm")]
pub(crate) mod connection_bar;
#[cfg(target_family = "wasm")]
pub(crate) mod demo;
pub mod inbox;
#[cfg(target_family = "wasm")]
pub(crate) mod new_session;
#[cfg(target_family = "wasm")]
pub(crate) mod notification_settings;
#[cfg(target_family = "wasm")]
pub(crate) mod nowhere;
pub mod policy_report;
#[cfg(target_family = "wasm")]
pub(crate) mod prompt_box;
#[cfg(target_family = "wasm")]
pub(crate) mod prompt_choice;
#[cfg(target_family = "wasm")]
pub(crate) mod removed;
#[cfg(target_family = "wasm")]
mod server_list;
#[cfg(target_family = "wasm")]
pub(crate) mod servers;
#[cfg(target_family = "wasm")]
pub(crate) mod session_page;
pub mod session_panel;
#[cfg(target_family = "wasm")]
pub(crate) mod sessions;
#[cfg(target_family = "wasm")]
pub(crate) mod settings_dialog;
pub mod workflows;
