//! The page: connects, then shows the desk.

use leptos::prelude::*;

/// Starts the dashboard in a page of ours. Elsewhere this library is only a library.
#[wasm_bindgen::prelude::wasm_bindgen(start)]
pub(super) fn start() {
    if document().get_element_by_id("boot-script").is_some() {
        mount_to_body(App);
    }
}

#[component]
fn App() -> impl IntoView {
    view! { <main></main> }
}
