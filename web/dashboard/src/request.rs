//! One request: what is asked, the controls to answer it, and what becomes of the answer.

pub mod alike;
pub mod change;
pub mod lead;
pub mod shape;
pub mod why;
#[cfg(target_family = "wasm")]
pub(crate) mod why_panel;

#[cfg(target_family = "wasm")]
mod always;
#[cfg(target_family = "wasm")]
mod asked_there;
#[cfg(target_family = "wasm")]
mod card;
#[cfg(target_family = "wasm")]
mod changed;
#[cfg(target_family = "wasm")]
mod crumbs;
#[cfg(target_family = "wasm")]
mod dead;
#[cfg(target_family = "wasm")]
mod dismiss;
#[cfg(target_family = "wasm")]
mod footer;
#[cfg(target_family = "wasm")]
mod line;
#[cfg(target_family = "wasm")]
mod meta_line;
#[cfg(target_family = "wasm")]
mod open;
#[cfg(target_family = "wasm")]
mod options;
#[cfg(target_family = "wasm")]
mod own_answer;
#[cfg(target_family = "wasm")]
mod permission;
#[cfg(target_family = "wasm")]
pub(crate) mod policy_choice;
#[cfg(target_family = "wasm")]
mod progress_card;
#[cfg(target_family = "wasm")]
mod question_text;
#[cfg(target_family = "wasm")]
mod questions;
#[cfg(target_family = "wasm")]
mod quick;
#[cfg(target_family = "wasm")]
mod refused;
#[cfg(target_family = "wasm")]
mod reject;
#[cfg(target_family = "wasm")]
mod row;
#[cfg(target_family = "wasm")]
mod subject;
#[cfg(target_family = "wasm")]
mod suggestion;
#[cfg(target_family = "wasm")]
mod tabs;
#[cfg(target_family = "wasm")]
mod time_out_line;

#[cfg(target_family = "wasm")]
pub(crate) use asked_there::AskedThere;
#[cfg(target_family = "wasm")]
pub(crate) use card::{Card, RequestCard, card};
#[cfg(target_family = "wasm")]
pub(crate) use shape::Place;
