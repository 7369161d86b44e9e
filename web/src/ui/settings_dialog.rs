//! The settings of this device: light or dark, single keys.

use leptos::prelude::*;

use super::dialogs::DialogHead;
use super::key_help::KeySwitch;
use super::theme;
use crate::settings::{Settings, Theme};

const THEMES: [(&str, Option<Theme>); 3] = [
    ("As the system", None),
    ("Light", Some(Theme::Light)),
    ("Dark", Some(Theme::Dark)),
];

/// The settings.
#[component]
pub(crate) fn SettingsDialog() -> impl IntoView {
    let chosen = Settings::open().theme();
    let choices = THEMES.map(|(name, theme)| {
        view! {
            <label class="option">
                <input
                    type="radio"
                    name="theme"
                    prop:checked=chosen == theme
                    on:change=move |_| theme::choose(theme)
                />
                {name}
            </label>
        }
        .into_any()
    });
    view! {
        <div>
            <DialogHead title="Settings" about="kept on this device" />
            <div class="settings">
                <fieldset class="options">
                    <legend class="visually-hidden">"Appearance"</legend>
                    {choices.into_iter().collect_view()}
                </fieldset>
                <KeySwitch />
            </div>
        </div>
    }
    .into_any()
}
