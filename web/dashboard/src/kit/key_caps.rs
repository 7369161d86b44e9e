//! Keys as they are printed on a keyboard.

use leptos::prelude::*;

/// Key caps, with the words between them. `Control` is the key that a keyboard has for commands.
pub(crate) fn caps(keys: &str) -> Vec<AnyView> {
    keys.split(' ')
        .map(|key| match key {
            "then" | "to" => format!(" {key} ").into_any(),
            "Control" => view! { <kbd>{if is_mac() { "⌘" } else { "Ctrl" }}</kbd> }.into_any(),
            key => view! { <kbd>{key.to_owned()}</kbd> }.into_any(),
        })
        .collect()
}

/// Whether the keyboard is one of Apple's.
fn is_mac() -> bool {
    let platform = window().navigator().platform().unwrap_or_default();
    ["Mac", "iP"].iter().any(|name| platform.starts_with(name))
}
