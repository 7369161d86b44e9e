//! What the keys do.

use leptos::prelude::*;

use crate::kit::focus;
use crate::kit::key_caps::caps;
use crate::parts::part;
use crate::side::header::DialogHead;
use crate::side::key_switch::KeySwitch;
use crate::words::keys::{GROUPS, NEVER_GRANTS, WHEN};

/// The help.
#[component]
fn KeyHelp() -> impl IntoView {
    let groups = GROUPS.map(|(name, keys)| {
        let rows: Vec<AnyView> = keys
            .iter()
            .map(|(does, keys)| view! { <li>{*does}<span class="caps">{caps(keys)}</span></li> }.into_any())
            .collect();
        view! { <section><h3 class="group-label">{name}</h3><ul>{rows}</ul></section> }.into_any()
    });
    view! {
        <div class="dialog-wide">
            <DialogHead title="Keyboard" about=WHEN />
            <div class="key-help">{groups.into_iter().collect_view()}</div>
            <footer class="dialog-foot">{NEVER_GRANTS}<KeySwitch /></footer>
        </div>
    }
    .into_any()
}

part! {
    /// The help, a part.
    other: key_help_part() view! { <KeyHelp /> }, focus::in_dialog
}
