//! The settings of this device: light or dark, single keys, notifications, what happens when nobody answers; and the way to figures.

use leptos::prelude::*;
use switchboard_core::policy::Policy;

use crate::kit::erased::live;
use crate::kit::focus;
use crate::pages::notification_settings::NotificationSettings;
use crate::parts::part;
use crate::request::policy_choice::PolicyChoice;
use crate::side::header::DialogHead;
use crate::side::key_switch::KeySwitch;
use crate::side::theme;
use crate::state::connection::Connection;
use crate::state::dialogs::Dialogs;
use crate::state::each_server::{about, for_each_server};
use crate::state::policies::Policies;
use crate::state::route::Route;
use crate::state::servers::Servers;
use crate::words::activity::{ABOUT, ALL_AND_FIGURES, TITLE};
use crate::words::settings::KEPT_HERE;
use crate::words::unattended::{self, Scope};
use switchboard_browser::device::settings::{Settings, Theme};

const THEMES: [(&str, Option<Theme>); 3] = [
    ("As the system", None),
    ("Light", Some(Theme::Light)),
    ("Dark", Some(Theme::Dark)),
];

/// The settings.
#[component]
fn SettingsDialog() -> impl IntoView {
    let servers = expect_context::<Servers>();
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
            <DialogHead title="Settings" about=KEPT_HERE />
            <div class="settings">
                <fieldset class="options">
                    <legend class="visually-hidden">"Appearance"</legend>
                    {choices.into_iter().collect_view()}
                </fieldset>
                <KeySwitch />
                {about(servers, servers.first(), || view! { <NotificationSettings /> }.into_any())}
                {for_each_server(servers, || view! { <WhenNobodyAnswers /> }.into_any())}
                <ToActivity />
            </div>
        </div>
    }
    .into_any()
}

part! {
    /// The settings, a part.
    other: settings_part() view! { <SettingsDialog /> }, focus::in_dialog
}

/// The way to the figures.
#[component]
fn ToActivity() -> impl IntoView {
    let dialogs = expect_context::<Dialogs>();
    view! {
        <section class="setting" aria-label=TITLE>
            <h3 class="group-label">{TITLE}</h3>
            <p class="remark">{ABOUT}</p>
            <a class="button" href=Route::Activity.href() on:click=move |_| dialogs.close()>{ALL_AND_FIGURES}</a>
        </section>
    }
    .into_any()
}

/// The policies of the connected server.
#[component]
fn WhenNobodyAnswers() -> impl IntoView {
    let policies = expect_context::<Policies>();
    let chosen = policies.chosen();
    let connection = expect_context::<Connection>();
    view! {
        <section class="setting" aria-label="When nobody answers">
            <h3 class="group-label">"When nobody answers"</h3>
            <p class="remark">{live(move || unattended::about(&connection.name()))}</p>
            <PolicyChoice
                scope=Scope::Questions
                policy=Signal::derive(move || Some(chosen.read().questions.clone()))
                on_change=Callback::new(move |policy: Option<_>| {
                    policies.change(|all| all.questions = policy.unwrap_or_else(Policy::never));
                })
            />
            <PolicyChoice
                scope=Scope::Permissions
                policy=Signal::derive(move || Some(chosen.read().permissions.clone()))
                on_change=Callback::new(move |policy: Option<_>| {
                    policies.change(|all| all.permissions = policy.unwrap_or_else(Policy::never));
                })
            />
        </section>
    }
    .into_any()
}
