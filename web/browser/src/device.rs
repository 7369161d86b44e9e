//! What is kept on this device: the ledger of a server, what happened there, and a person's settings.

pub mod activity;
pub mod notification_settings;
pub mod records;
pub mod server_list;
#[cfg(target_family = "wasm")]
pub mod settings;
#[cfg(target_family = "wasm")]
pub mod storage;
