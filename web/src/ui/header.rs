//! The head of the main column: the title of the page, and what there is to say about it.

use leptos::prelude::*;

/// The one `h1` of a page, with words beside it.
#[component]
pub(crate) fn Header(title: &'static str, children: Children) -> impl IntoView {
    view! {
        <header class="header">
            <h1 class="header-title">{title}</h1>
            {children()}
        </header>
    }
}
