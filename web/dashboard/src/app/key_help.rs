//! What the keys do.

use leptos::prelude::*;

use crate::kit::key_caps::caps;
use crate::side::header::DialogHead;
use crate::side::key_switch::KeySwitch;

/// A group of keys: its name, and what each does. `then` and `to` stand between keys.
type Group = (&'static str, &'static [(&'static str, &'static str)]);

const GROUPS: [Group; 4] = [
    (
        "Move",
        &[
            ("Next, previous request", "J K"),
            ("Inbox", "G then I"),
            ("All sessions", "G then S"),
            ("Open the session", "O"),
            ("Back", "["),
            ("This help", "?"),
            ("Command palette", "Control K"),
        ],
    ),
    (
        "Questions",
        &[
            ("Choose an option", "1 to 9"),
            ("Write your own answer", "W"),
            ("Send, or next question", "↵"),
            ("Question before, after", "← →"),
            ("Dismiss…", "X"),
            ("Gone: send it as a message", "M"),
            ("Copy the answer", "C"),
        ],
    ),
    (
        "Session",
        &[
            ("Start a session", "N"),
            ("Write a message", "P"),
            ("Send the message", "Control ↵"),
            ("Show, hide the side panel", "T"),
            ("Stop the run…", "Shift S"),
        ],
    ),
    (
        "Permissions",
        &[
            ("Allow once", "A"),
            ("Always allow…", "Shift A"),
            ("Reject…", "R"),
            ("Show the whole diff", "D"),
            ("Close without deciding", "Esc"),
        ],
    ),
];

/// The help.
#[component]
pub(crate) fn KeyHelp() -> impl IntoView {
    let groups = GROUPS.map(|(name, keys)| {
        let rows: Vec<AnyView> = keys
            .iter()
            .map(|(does, keys)| view! { <li>{*does}<span class="caps">{caps(keys)}</span></li> }.into_any())
            .collect();
        view! { <section><h3 class="group-label">{name}</h3><ul>{rows}</ul></section> }.into_any()
    });
    view! {
        <div class="dialog-wide">
            <DialogHead title="Keyboard" about="single keys work when no text field has the focus" />
            <div class="key-help">{groups.into_iter().collect_view()}</div>
            <footer class="dialog-foot">"Enter never grants a permission."<KeySwitch /></footer>
        </div>
    }
    .into_any()
}
