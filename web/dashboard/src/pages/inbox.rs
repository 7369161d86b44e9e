//! Everything that waits for a person, oldest first, answered in place.

pub mod today;

#[cfg(target_family = "wasm")]
mod empty;
#[cfg(target_family = "wasm")]
mod log;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod request_page;

#[cfg(target_family = "wasm")]
pub(crate) use log::Log;
#[cfg(target_family = "wasm")]
pub(crate) use page::Inbox;
#[cfg(target_family = "wasm")]
pub(crate) use request_page::RequestPage;
