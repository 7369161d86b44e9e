//! The dashboard: an answer desk in the browser.
//!
//! `core` gives a view, `store` writes it into signals in one place, components read them and call back through
//! `actions`. Modules without a browser in them build everywhere, so that their tests run natively.

#![allow(unreachable_pub, reason = "Leptos makes the props of every component public")]

pub mod age;
pub mod colours;
pub mod connect;
pub mod diff;
pub mod excerpt;
#[cfg(test)]
mod fixtures;
pub mod foremost;
pub mod inbox;
pub mod key_name;
pub mod lasting;
pub mod markdown;
pub mod palette;
pub mod refusal;
pub mod request;
pub mod route;
pub mod server_name;
pub mod session_panel;
pub mod session_title;
pub mod sidebar;
pub mod sign;
pub mod state_words;
pub mod timeline;
pub mod tool_card;
pub mod unattended;
pub mod visible;
pub mod why;
pub mod written;

#[cfg(target_family = "wasm")]
mod actions;
#[cfg(target_family = "wasm")]
mod announce;
#[cfg(target_family = "wasm")]
mod app;
#[cfg(target_family = "wasm")]
mod connection;
#[cfg(target_family = "wasm")]
mod connection_bar;
#[cfg(target_family = "wasm")]
mod copy_button;
#[cfg(target_family = "wasm")]
mod demo;
#[cfg(target_family = "wasm")]
mod desk;
#[cfg(target_family = "wasm")]
mod dialogs;
#[cfg(target_family = "wasm")]
mod figures;
#[cfg(target_family = "wasm")]
mod focus;
#[cfg(target_family = "wasm")]
mod growing_text;
#[cfg(target_family = "wasm")]
mod header;
#[cfg(target_family = "wasm")]
mod icons;
#[cfg(target_family = "wasm")]
mod key_help;
#[cfg(target_family = "wasm")]
mod keys;
#[cfg(target_family = "wasm")]
mod location;
#[cfg(target_family = "wasm")]
mod navigation;
#[cfg(target_family = "wasm")]
mod new_session;
#[cfg(target_family = "wasm")]
mod now;
#[cfg(target_family = "wasm")]
mod nowhere;
#[cfg(target_family = "wasm")]
mod open_request;
#[cfg(target_family = "wasm")]
mod prompt_box;
#[cfg(target_family = "wasm")]
mod raw;
#[cfg(target_family = "wasm")]
mod servers;
#[cfg(target_family = "wasm")]
mod session_page;
#[cfg(target_family = "wasm")]
mod sessions;
#[cfg(target_family = "wasm")]
mod settings_dialog;
#[cfg(target_family = "wasm")]
mod sheet;
#[cfg(target_family = "wasm")]
mod shell;
#[cfg(target_family = "wasm")]
mod sight;
#[cfg(target_family = "wasm")]
mod start_session;
#[cfg(target_family = "wasm")]
mod store;
#[cfg(target_family = "wasm")]
mod tab_title;
#[cfg(target_family = "wasm")]
mod theme;
#[cfg(target_family = "wasm")]
mod viewport;
#[cfg(target_family = "wasm")]
mod why_panel;
