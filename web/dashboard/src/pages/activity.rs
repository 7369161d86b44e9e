//! What happened, with a person and without one: recorded, listed, and as files.

pub mod chart;
pub mod filter;
pub mod lines;

#[cfg(target_family = "wasm")]
mod figures;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod recorder;
#[cfg(target_family = "wasm")]
mod rows;
#[cfg(target_family = "wasm")]
mod today;

#[cfg(target_family = "wasm")]
pub(crate) use page::activity_part;
#[cfg(target_family = "wasm")]
pub(crate) use recorder::recorder_part;
#[cfg(target_family = "wasm")]
pub(crate) use today::today_part;
