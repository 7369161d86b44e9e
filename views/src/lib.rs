//! The part of Leptos that the dashboard uses, with one type for all views and one payload for all signals.
//!
//! Leptos keeps every element, attribute and closure as a type of its own, and every signal once per type of value. In a
//! page of this size, half of the program was copies of the same machinery. Here Leptos's own macros build values of the
//! one type [`View`](prelude::View), and signals are those of `reactive_graph` with their value behind a pointer.
//!
//! Whoever uses this crate names it `leptos`: that is the name that the macros' output asks for. What is here behaves as
//! it does there, so the documentation of Leptos 0.8 holds, and going back is a change of one line in a `Cargo.toml`.

extern crate self as leptos;

mod attribute;
mod browser;
pub mod children;
pub mod component;
mod effect;
pub mod either;
mod element;
pub mod ev;
mod for_each;
pub mod html;
mod into_view;
mod keyed;
mod memo;
mod mount;
mod mounted;
mod node_ref;
mod owner;
mod payload;
pub mod prelude;
mod show;
mod signal;
mod stored;
pub mod task;
mod view;

// What follows is named by the macros alone.
#[doc(hidden)]
pub use leptos_macro::{component, view};
#[doc(hidden)]
pub mod reactive {
    pub mod graph {
        pub use reactive_graph::graph::untrack as untrack_with_diagnostics;
    }
}
#[doc(hidden)]
pub mod tachys;
#[doc(hidden)]
pub use typed_builder;
#[doc(hidden)]
pub use typed_builder_macro;

/// Marks a closure that is written into a view. It is kept as it is.
#[doc(hidden)]
pub fn __as_shared_reactive_fn<T, F: FnMut() -> T>(closure: F) -> F {
    closure
}
