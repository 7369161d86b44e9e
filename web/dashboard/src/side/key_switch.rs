//! The switch for keys that need no Control.

use leptos::prelude::*;

use crate::state::shortcut;

/// Switches single keys on and off.
#[component]
pub(crate) fn KeySwitch() -> impl IntoView {
    view! {
        <label class="switch">
            "Single-key shortcuts"
            <input
                type="checkbox"
                role="switch"
                prop:checked=shortcut::are_on()
                on:change=move |event| shortcut::switch(event_target_checked(&event))
            />
        </label>
    }
    .into_any()
}
