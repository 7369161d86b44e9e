//! `<Show>`: something that is shown only at times.

use leptos_macro::component;

use crate::children::{ChildrenFn, ViewFn};
use crate::into_view::IntoView;
use crate::memo::Memo;
use crate::signal::Read;

/// Shows its children as long as a function says so.
#[allow(unreachable_pub, reason = "the macro makes a builder that nobody names")]
#[component]
pub fn Show<When>(
    /// Says whether to show them.
    when: When,
    /// What is shown instead. Defaults to nothing.
    #[prop(optional, into)]
    fallback: ViewFn,
    /// What is shown.
    children: ChildrenFn,
) -> impl IntoView
where
    When: Fn() -> bool + 'static,
{
    let is_shown = Memo::new(move |_| when());
    move || if is_shown.get() { children() } else { fallback.run() }
}
