//! The palette: finds what waits, sessions and commands by what is typed.

pub mod find;

#[cfg(target_family = "wasm")]
mod list;

#[cfg(target_family = "wasm")]
pub(crate) use list::palette_part;
