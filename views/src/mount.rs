//! Shows a view on the page.

use any_spawner::Executor;
use reactive_graph::owner::Owner;

use crate::browser::document;
use crate::into_view::IntoView;

/// Shows what a component returns, for as long as the page is there.
pub fn mount_to_body<V: IntoView>(component: impl FnOnce() -> V) {
    // It fails only when it was done before.
    drop(Executor::init_wasm_bindgen());
    let owner = Owner::new();
    let content = owner.with(|| component().into_view().build());
    if let Some(body) = document().body() {
        content.mount(&body, None);
    }
    std::mem::forget((owner, content));
}
