//! Notifications in the settings: the button that asks for them, and when and of what there are some.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::notification_settings::{QuietHours, read_minute, write_minute};
use switchboard_browser::platform::permission::Permission;
use switchboard_browser::platform::{notifications, sound};
use switchboard_core::List;
use switchboard_core::model::Directory;
use switchboard_core::view::SessionView;

use crate::kit::erased::{Show, live, memo};
use crate::kit::visible::visible;
use crate::state::connection::Connection;
use crate::state::each_server::for_each_server;
use crate::state::notification_choices::{NotificationChoices, following_permission};
use crate::state::servers::Servers;
use crate::state::store::Store;
use crate::words::notifications::{ABOUT, QUIET, SOUND, refusal};
use crate::words::request_title::directory_name;

/// Notifications. What holds for every server is read and written with that around this.
#[component]
pub(crate) fn NotificationSettings() -> impl IntoView {
    let choices = expect_context::<NotificationChoices>();
    let permission = following_permission();
    let is_on = memo(move || choices.settings().is_on);
    let tells = memo(move || is_on.get() && permission.get() == Permission::Granted);
    let is_asked = memo(move || permission.get() != Permission::NotAsked);
    let turn_on = move |_| {
        spawn_local(async move {
            let answer = notifications::ask().await;
            // The dialog may be closed by then.
            permission.try_set(answer);
            choices.change(|settings| settings.is_on = answer == Permission::Granted);
        });
    };
    let turn_off = move |_| choices.change(|settings| settings.is_on = false);
    let words = move || {
        let refused = refusal(permission.get()).filter(|_| is_asked.get() || is_on.get());
        refused.or((!tells.get()).then_some(ABOUT))
    };
    let button = move || {
        if tells.get() {
            view! { <button type="button" class="button" on:click=turn_off>"Turn off"</button> }.into_any()
        } else {
            view! { <button type="button" class="button" on:click=turn_on>"Turn on notifications"</button> }.into_any()
        }
    };
    view! {
        <section class="setting" aria-label="Notifications">
            <div class="setting-foot">
                <h3 class="group-label">"Notifications"</h3>
                {live(button)}
            </div>
            <p class="remark" role="status">{live(words)}</p>
            <Show when=move || tells.get()><Choices choices /></Show>
        </section>
    }
    .into_any()
}

/// When and of what there are notifications.
#[component]
fn Choices(choices: NotificationChoices) -> impl IntoView {
    let servers = expect_context::<Servers>();
    let has_sound = move |is_on: bool| {
        choices.change(|settings| settings.has_sound = is_on);
        if is_on {
            sound::play();
        }
    };
    let is_quiet = memo(move || choices.settings().quiet.is_on);
    let quiet = move |is_on: bool| choices.change(|settings| settings.quiet.is_on = is_on);
    view! {
        <Switch
            name="Sound".to_owned()
            is_on=Signal::derive(move || choices.settings().has_sound)
            on_change=Callback::new(has_sound)
        />
        <p class="remark">{SOUND}</p>
        <Switch
            name="Quiet hours".to_owned()
            is_on=is_quiet.into()
            on_change=Callback::new(quiet)
        />
        <Show when=move || is_quiet.get()>
            <div class="policy" role="group" aria-label="Quiet hours">
                <Hour name="From" choices of=|quiet| &mut quiet.from />
                <Hour name="To" choices of=|quiet| &mut quiet.to />
                <p class="remark">{QUIET}</p>
            </div>
        </Show>
        {for_each_server(servers, muting)}
    }
    .into_any()
}

/// Switches a server on and off, and its directories.
fn muting() -> AnyView {
    let choices = expect_context::<NotificationChoices>();
    let store = expect_context::<Store>();
    let server = untrack(|| expect_context::<Connection>().name());
    let is_muted = memo(move || choices.muted().is_server_muted);
    let mute = move |is_on: bool| choices.change_muted(|muted| muted.is_server_muted = !is_on);
    let directories = memo(move || {
        let mut directories = choices.muted().directories;
        store.sessions().with(|sessions: &List<SessionView>| {
            directories.extend(sessions.iter().map(|view| view.session.directory.clone()));
        });
        directories.sort();
        directories.dedup();
        directories
    });
    view! {
        <Switch
            name=format!("Requests of {server}")
            is_on=Signal::derive(move || !is_muted.get())
            on_change=Callback::new(mute)
        />
        <Show when=move || !is_muted.get()>
            <details>
                <summary>"Directories"</summary>
                <For each=move || directories.get() key=Clone::clone let:directory>
                    <DirectorySwitch choices directory />
                </For>
            </details>
        </Show>
    }
    .into_any()
}

/// Switches a directory on and off.
#[component]
fn DirectorySwitch(choices: NotificationChoices, directory: Directory) -> impl IntoView {
    let name = visible(directory_name(&directory)).into_owned();
    let read = directory.clone();
    let is_on = Signal::derive(move || !choices.muted().directories.contains(&read));
    let set = move |is_on: bool| choices.change_muted(|muted| muted.set(&directory, !is_on));
    view! { <Switch name is_on on_change=Callback::new(set) /> }
}

/// Something that is on or off.
#[component]
fn Switch(name: String, is_on: Signal<bool>, on_change: Callback<bool>) -> impl IntoView {
    view! {
        <label class="switch">
            <span dir="auto">{name}</span>
            <input
                type="checkbox"
                role="switch"
                prop:checked=move || is_on.get()
                on:change=move |event| on_change.run(event_target_checked(&event))
            />
        </label>
    }
    .into_any()
}

/// One end of the quiet hours. A field that is not filled changes nothing.
#[component]
fn Hour(name: &'static str, choices: NotificationChoices, of: fn(&mut QuietHours) -> &mut u16) -> impl IntoView {
    let shown = move || write_minute(*of(&mut choices.settings().quiet));
    let change = move |event| {
        if let Some(minute) = read_minute(&event_target_value(&event)) {
            choices.change(|settings| *of(&mut settings.quiet) = minute);
        }
    };
    view! {
        <label>
            {name}
            <input type="time" class="input" prop:value=shown on:change=change />
        </label>
    }
    .into_any()
}
