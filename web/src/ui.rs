//! The dashboard: an answer desk in the browser.
//!
//! `core` gives a view, `store` writes it into signals in one place, components read them and call back through
//! `actions`. Modules without a browser in them build everywhere, so that their tests run natively.

pub mod age;
pub mod diff;
pub mod excerpt;
pub mod markdown;
pub mod request;
pub mod route;
pub mod session_panel;
pub mod sign;
pub mod state_words;
pub mod timeline;
pub mod tool_card;
pub mod visible;

#[cfg(target_family = "wasm")]
mod app;
#[cfg(target_family = "wasm")]
mod copy_button;
#[cfg(target_family = "wasm")]
mod prompt_box;
#[cfg(target_family = "wasm")]
mod session_page;
#[cfg(target_family = "wasm")]
mod store;
