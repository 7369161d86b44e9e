//! Carries the workflows of a server on, whichever page is shown.

use leptos::prelude::*;

use crate::parts::part;
use crate::state::servers::ServerScope;
use crate::words::workflows::ended;

part! {
    /// Carries the workflows on, a part.
    workflows: workflow_runner_part() view! { <Runner /> }, || {}
}

/// Carries them on until its owner is gone, and shows nothing.
#[component]
fn Runner() -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    scope.loops.follow(scope.connection, ended);
}
