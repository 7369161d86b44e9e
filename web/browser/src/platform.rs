//! What a page and a worker give: time, tasks, locks, notifications, and whether a person looks.

#[cfg(target_family = "wasm")]
pub mod clock;
#[cfg(target_family = "wasm")]
pub mod locks;
#[cfg(target_family = "wasm")]
pub mod notifications;
#[cfg(target_family = "wasm")]
pub mod page;
pub mod permission;
#[cfg(target_family = "wasm")]
pub mod sound;
#[cfg(target_family = "wasm")]
pub mod task;
