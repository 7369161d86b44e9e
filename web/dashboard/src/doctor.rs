//! The doctor: why a session neither works nor is done, and what repairs it.

pub mod checked;
pub mod finding;
pub mod report;

#[cfg(target_family = "wasm")]
mod examined;
#[cfg(target_family = "wasm")]
mod notice;
#[cfg(target_family = "wasm")]
mod stop;
#[cfg(target_family = "wasm")]
mod ways;

#[cfg(target_family = "wasm")]
pub(crate) use examined::Examined;
#[cfg(target_family = "wasm")]
pub(crate) use notice::{Doctor, Notice};
#[cfg(target_family = "wasm")]
pub(crate) use stop::Stop;
#[cfg(target_family = "wasm")]
pub(crate) use ways::Ways;
