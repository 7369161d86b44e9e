//! What the browser or the server says of a failure, folded: it is for those who look for the cause.

use leptos::prelude::*;

use crate::kit::erased::{Show, memo};

/// A failure in the words of the browser or the server; nothing where there are none.
#[component]
pub(crate) fn Raw(
    /// The words.
    #[prop(into)]
    text: Signal<Option<String>>,
) -> impl IntoView {
    let is_there = memo(move || text.with(|text| text.as_ref().is_some_and(|text| !text.is_empty())));
    view! {
        <Show when=move || is_there.get()>
            <details class="raw"><summary>"Details"</summary><code dir="auto">{text}</code></details>
        </Show>
    }
}
