//! The settings of this device: light or dark, single keys, notifications, what happens when nobody answers; and the way to figures.

use leptos::prelude::*;
use switchboard_core::model::SessionId;
use switchboard_core::policy::Policy;

use crate::kit::erased::{Show, live, memo};
use crate::kit::focus;
use crate::pages::notification_settings::NotificationSettings;
use crate::pages::policy_report::PolicyReport;
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
use crate::state::servers::{ServerScope, Servers};
use crate::words::activity::{ABOUT, ALL_AND_FIGURES, TITLE};
use crate::words::session_title::session_title;
use crate::words::settings::KEPT_HERE;
use crate::words::unattended::{self, Scope, TITLE as TITLE_OF_POLICIES};
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
                <WhenNobodyAnswers servers />
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

/// The policies of all servers.
#[component]
fn WhenNobodyAnswers(servers: Servers) -> impl IntoView {
    view! {
        <section class="setting" aria-label=TITLE_OF_POLICIES>
            <h3 class="group-label">{TITLE_OF_POLICIES}</h3>
            <p class="remark">{unattended::ABOUT}</p>
            {for_each_server(servers, || view! { <OfServer /> }.into_any())}
        </section>
    }
    .into_any()
}

/// The policies of one server, and what they do.
#[component]
fn OfServer() -> impl IntoView {
    let policies = expect_context::<Policies>();
    let servers = expect_context::<Servers>();
    let chosen = policies.chosen();
    let connection = expect_context::<Connection>();
    let name = memo(move || connection.name());
    view! {
        <div class="setting-server" role="group" aria-label=name>
            <Show when=move || servers.are_several()><h4 class="policy-server" dir="auto">{name}</h4></Show>
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
            <SingleSessions />
            <PolicyReport session=None />
        </div>
    }
    .into_any()
}

/// The sessions for which something else is chosen.
#[component]
fn SingleSessions() -> impl IntoView {
    let chosen = expect_context::<Policies>().chosen();
    let sessions = memo(move || chosen.read().sessions.keys().cloned().collect::<Vec<_>>());
    live(move || {
        let rows = sessions.get().into_iter().map(single_session).collect::<Vec<_>>();
        (!rows.is_empty()).then(|| {
            view! {
                <div class="policy-sessions" role="group" aria-label=unattended::SESSIONS>
                    <h4 class="group-label">{unattended::SESSIONS}</h4>
                    <ul>{rows}</ul>
                </div>
            }
        })
    })
}

fn single_session(id: SessionId) -> AnyView {
    let policies = expect_context::<Policies>();
    let dialogs = expect_context::<Dialogs>();
    let scope = expect_context::<ServerScope>();
    let session = scope.store.session(id.clone());
    let title = memo(move || session.with(|session| Some(session_title(&session.as_ref()?.session.title))));
    let href = scope.session(id.clone()).href();
    let shown = move || match title.get() {
        Some(title) => {
            let href = href.clone();
            view! { <a href=href dir="auto" on:click=move |_| dialogs.close()>{title}</a> }.into_any()
        }
        None => unattended::UNKNOWN_SESSION.into_any(),
    };
    let of = id.clone();
    let summary = move || {
        let chosen = policies.chosen().read();
        chosen.sessions.get(&of).map(unattended::summary)
    };
    let as_for_all = move |_| policies.change(|all| drop(all.sessions.remove(&id)));
    view! {
        <li>
            <p>{live(shown)}</p>
            <p class="remark" dir="auto">{live(summary)}</p>
            <button type="button" class="button" on:click=as_for_all>{unattended::AS_FOR_ALL}</button>
        </li>
    }
    .into_any()
}
