//! What policies are about to do and have done, each with the way to undo it while there is one.

pub mod done;

#[cfg(target_family = "wasm")]
mod report;

#[cfg(target_family = "wasm")]
pub(crate) use report::PolicyReport;
