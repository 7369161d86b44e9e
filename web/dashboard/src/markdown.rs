//! Shows the Markdown of agents, as views and never as HTML.

pub mod tree;

#[cfg(target_family = "wasm")]
mod growing;
#[cfg(target_family = "wasm")]
mod view;

#[cfg(target_family = "wasm")]
pub(crate) use view::Markdown;
