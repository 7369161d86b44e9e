//! The messages of the open session, with its requests where they were asked.

pub mod anchor;
pub mod follow;
pub mod own_text;
pub mod search;
pub mod window;

#[cfg(target_family = "wasm")]
mod attachment;
#[cfg(target_family = "wasm")]
mod beyond;
#[cfg(target_family = "wasm")]
mod diagnosed;
#[cfg(target_family = "wasm")]
mod end;
#[cfg(target_family = "wasm")]
mod find;
#[cfg(target_family = "wasm")]
mod found;
#[cfg(target_family = "wasm")]
mod message;
#[cfg(target_family = "wasm")]
mod observe;
#[cfg(target_family = "wasm")]
mod pane;
#[cfg(target_family = "wasm")]
mod part;
#[cfg(target_family = "wasm")]
mod reasoning;
#[cfg(target_family = "wasm")]
mod rows;
#[cfg(target_family = "wasm")]
mod scene;
#[cfg(target_family = "wasm")]
mod scroll;
#[cfg(target_family = "wasm")]
mod sending;

#[cfg(target_family = "wasm")]
pub(crate) use observe::on_resize;
#[cfg(target_family = "wasm")]
pub(crate) use pane::TimelinePane;
