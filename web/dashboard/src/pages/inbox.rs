//! Everything that waits for a person, oldest first, answered in place.

#[cfg(target_family = "wasm")]
mod asked_there;
#[cfg(target_family = "wasm")]
mod away;
#[cfg(target_family = "wasm")]
mod empty;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod request_page;

#[cfg(target_family = "wasm")]
pub(crate) use away::Absence;
#[cfg(target_family = "wasm")]
pub(crate) use page::Inbox;
#[cfg(target_family = "wasm")]
pub(crate) use request_page::RequestPage;
