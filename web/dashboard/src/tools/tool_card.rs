//! A tool call: what is called, how far it is, and on request what went in and came out.

pub mod face;

#[cfg(target_family = "wasm")]
mod body;
#[cfg(target_family = "wasm")]
mod card;
#[cfg(target_family = "wasm")]
mod output;

#[cfg(target_family = "wasm")]
pub(crate) use body::Plan;
#[cfg(target_family = "wasm")]
pub(crate) use card::ToolCard;
