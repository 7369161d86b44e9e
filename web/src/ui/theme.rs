//! Light, dark, or as the system has it.

use leptos::prelude::*;

use super::icons::Icon;
use super::sign::Sign;

/// Changes between light and dark.
#[component]
pub(crate) fn ThemeButton() -> impl IntoView {
    view! { <button type="button" class="icon-button" aria-label="Light or dark"><Icon sign=Sign::Moon /></button> }
}
