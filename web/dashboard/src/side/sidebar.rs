//! The side bar: where one can go, and every session with its state.

pub mod groups;

#[cfg(target_family = "wasm")]
mod bar;
#[cfg(target_family = "wasm")]
mod tree;

#[cfg(target_family = "wasm")]
pub(crate) use bar::Sidebar;
