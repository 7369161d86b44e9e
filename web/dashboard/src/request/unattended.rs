//! What happens when nobody answers, as a person chooses it.

#[cfg(target_family = "wasm")]
mod choice;
#[cfg(target_family = "wasm")]
mod policies;

#[cfg(target_family = "wasm")]
pub(crate) use choice::PolicyChoice;
#[cfg(target_family = "wasm")]
pub(crate) use policies::Policies;
