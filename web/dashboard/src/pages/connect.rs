//! The way to a server: which one to begin with, the form, and what to do when it does not work.

pub mod first_step;

#[cfg(target_family = "wasm")]
mod form;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod problem;
#[cfg(target_family = "wasm")]
mod remembered;

#[cfg(target_family = "wasm")]
pub(crate) use form::{AtFirst, ConnectForm};
#[cfg(target_family = "wasm")]
pub(crate) use page::connect_part;
#[cfg(target_family = "wasm")]
pub(crate) use remembered::Remembered;
