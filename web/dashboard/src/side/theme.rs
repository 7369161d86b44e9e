//! Light or dark: as the system has it, until a person chooses.

use leptos::prelude::*;
use web_sys::Event;

use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::kit::viewport::media;
use crate::words::control_names::CHANGE_THEME;
use switchboard_browser::device::settings::{Settings, Theme};

/// Tells `www/boot.js`, which colours what is around the page.
const CHANGED: &str = "switchboard:theme";

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
        <button type="button" class="icon-button" aria-label=CHANGE_THEME on:click=change>
            <Icon sign=Sign::Moon />
        </button>
    }
}

/// `www/boot.js` does the same for the theme that was chosen before.
fn show(theme: Option<Theme>) {
    let Some(root) = document().document_element() else {
        return;
    };
    let name = match theme {
        Some(Theme::Light) => "light",
        Some(Theme::Dark) => "dark",
        None => "",
    };
    // Changing an attribute fails only for names that are none.
    let _ = if name.is_empty() {
        root.remove_attribute("data-theme")
    } else {
        root.set_attribute("data-theme", name)
    };
    if let Ok(changed) = Event::new(CHANGED) {
        // Dispatching fails only for an event that is being dispatched.
        let _ = window().dispatch_event(&changed);
    }
}
