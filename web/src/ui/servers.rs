//! The connection as a page: the server, how it is, and the way to another one.

use leptos::prelude::*;

use super::header::Header;

/// The server.
#[component]
pub(crate) fn Servers() -> impl IntoView {
    view! { <Header title="Server">""</Header> }
}
