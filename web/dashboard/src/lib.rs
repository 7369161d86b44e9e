//! The dashboard: an answer desk in the browser.
//!
//! `core` gives a view, `store` writes it into signals in one place, components read them and call back through
//! `actions`. Modules without a browser in them build everywhere, so that their tests run natively.

#![allow(unreachable_pub, reason = "Leptos makes the props of every component public")]

#[cfg(target_family = "wasm")]
mod app;
pub mod doctor;
#[cfg(test)]
mod fixtures;
pub mod kit;
pub mod markdown;
pub mod pages;
#[cfg(target_family = "wasm")]
mod parts;
pub mod request;
pub mod side;
pub mod state;
pub mod timeline;
pub mod tools;
pub mod words;
