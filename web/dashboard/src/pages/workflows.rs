//! What checks and reviews a session until it is right.

#[cfg(target_family = "wasm")]
mod check_form;
#[cfg(target_family = "wasm")]
mod checks;
#[cfg(target_family = "wasm")]
mod field;
#[cfg(target_family = "wasm")]
mod json_file;
#[cfg(target_family = "wasm")]
mod page;
#[cfg(target_family = "wasm")]
mod review_form;
#[cfg(target_family = "wasm")]
mod reviewers;
#[cfg(target_family = "wasm")]
mod reviews;
#[cfg(target_family = "wasm")]
mod rules;
#[cfg(target_family = "wasm")]
mod runner;

#[cfg(target_family = "wasm")]
pub(crate) use page::{OpenForm, workflows_part};
#[cfg(target_family = "wasm")]
pub(crate) use runner::workflow_runner_part;
