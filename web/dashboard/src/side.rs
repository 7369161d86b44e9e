//! The side bar and the palette.

#[cfg(target_family = "wasm")]
pub(crate) mod header;
#[cfg(target_family = "wasm")]
pub(crate) mod key_switch;
#[cfg(target_family = "wasm")]
pub(crate) mod narrow;
pub mod palette;
#[cfg(target_family = "wasm")]
pub(crate) mod server_choice;
pub mod sidebar;
#[cfg(target_family = "wasm")]
pub(crate) mod theme;
