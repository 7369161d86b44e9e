//! Beside a session: its plan, the files it changed, its sub-agents and what it cost.

pub mod summary;

#[cfg(target_family = "wasm")]
mod panel;

#[cfg(target_family = "wasm")]
pub(crate) use panel::SessionPanel;
