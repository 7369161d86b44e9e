//! The tabs that show one server: one of them leads, and what it reads is shown to all.

#[cfg(target_family = "wasm")]
mod attention;
#[cfg(target_family = "wasm")]
mod channel;
pub mod leadership;
#[cfg(target_family = "wasm")]
mod member;
pub mod share;

#[cfg(target_family = "wasm")]
pub use attention::Attention;
#[cfg(target_family = "wasm")]
pub use channel::{Channel, Life, Message};
#[cfg(target_family = "wasm")]
pub use member::{TabEvent, Tabs};
