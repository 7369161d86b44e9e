//! The question of the browser before a tab is closed or reloaded that holds what its device has not saved.

use leptos::ev::beforeunload;
use leptos::prelude::*;

use crate::state::servers::Servers;

/// Has the browser ask, until the present owner is gone.
pub(crate) fn ask_while_unsaved(servers: Servers) {
    let listener = window_event_listener(beforeunload, move |event| {
        // Asked of the boards themselves: what they show follows a moment later.
        if servers.have_unsaved() {
            event.prevent_default();
            // Browsers of before 2024 look at this alone.
            event.set_return_value("unsaved");
        }
    });
    on_cleanup(move || listener.remove());
}
