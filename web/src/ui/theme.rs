//! Light or dark: as the system has it, until a person chooses.

use leptos::prelude::*;

use super::icons::Icon;
use super::sign::Sign;
use super::viewport::media;
use crate::settings::{Settings, Theme};

/// Shows the theme that was chosen before.
pub(crate) fn restore() {
    show(Settings::open().theme());
}

/// Shows this theme from now on; none is as the system has it.
pub(crate) fn choose(theme: Option<Theme>) {
    Settings::open().set_theme(theme);
    show(theme);
}

/// Changes between light and dark.
#[component]
pub(crate) fn ThemeButton() -> impl IntoView {
    let system_is_dark = media("(prefers-color-scheme: dark)");
    let change = move |_| {
        let is_dark = Settings::open()
            .theme()
            .map_or(system_is_dark.get_untracked(), |theme| theme == Theme::Dark);
        let theme = if is_dark { Theme::Light } else { Theme::Dark };
        choose(Some(theme));
    };
    view! {
        <button type="button" class="icon-button" aria-label="Change between light and dark" on:click=change>
            <Icon sign=Sign::Moon />
        </button>
    }
}

fn show(theme: Option<Theme>) {
    let Some(root) = document().document_element() else {
        return;
    };
    let name = match theme {
        Some(Theme::Light) => "light",
        Some(Theme::Dark) => "dark",
        None => return drop(root.remove_attribute("data-theme")),
    };
    drop(root.set_attribute("data-theme", name));
}
