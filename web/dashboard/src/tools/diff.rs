//! Shows a change to files.

pub mod lines;

#[cfg(target_family = "wasm")]
mod view;

#[cfg(target_family = "wasm")]
pub(crate) use view::{Counts, Diff};
