//! The form that names a server and signs in.

use std::rc::Rc;

use leptos::html::{Form, Input};
use leptos::prelude::*;

use super::problem::Problem;
use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::viewport::nearest;
use crate::state::connection::Wanted;
use crate::words::connect::{ADDRESS, KEEP};
use switchboard_browser::device::settings::{Keep, Settings};
use switchboard_browser::opencode::http::Credentials;
use switchboard_browser::opencode::probe::{Finding, normalise_address, probe_until_started};
use switchboard_browser::platform::clock::BrowserClock;
use switchboard_browser::platform::task::Task;

/// The user that OpenCode has unless it was started with another one.
const USUAL_USER: &str = "opencode";

/// What the form does before somebody submits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtFirst {
    /// Nothing.
    Wait,
    /// Examines the address, and says what is wrong. It does not connect.
    Examine,
    /// The same, and scrolls to what is found: somebody has asked for it.
    Show,
    /// Examines the address, and connects.
    Connect,
}

/// What an examination has found so far.
#[derive(Clone, Debug, PartialEq)]
struct Found {
    address: String,
    finding: Finding,
    /// The number of the try that follows by itself.
    next_try: Option<u32>,
}

/// Address, user, password. What answers is examined before `on_connect` is called.
#[component]
pub(crate) fn ConnectForm(
    /// The address that is filled in.
    address: String,
    /// The user and password that are filled in. They are for this address alone.
    #[prop(default = None)]
    credentials: Option<Credentials>,
    /// What happens before somebody submits the form.
    at_first: AtFirst,
    /// Called with a server that answers.
    on_connect: Callback<Wanted>,
    /// What stands beside the button.
    children: Children,
) -> impl IntoView {
    let keep = RwSignal::new(is_kept_on_device(&address));
    let user = RwSignal::new(
        credentials
            .as_ref()
            .map(|known| known.username.clone())
            .or_else(|| known_user(&address))
            .unwrap_or_else(|| USUAL_USER.to_owned()),
    );
    let address = RwSignal::new(address);
    let is_filled_in = RwSignal::new(credentials.is_some());
    let password = RwSignal::new(credentials.map(|known| known.password).unwrap_or_default());
    let found = RwSignal::new(None::<Found>);
    let form = NodeRef::<Form>::new();
    let examination = StoredValue::new_local(None::<Task>);
    let is_busy = RwSignal::new(false);
    let stop = move || {
        examination.set_value(None);
        is_busy.set(false);
    };
    let examine = move |connects: bool| {
        stop();
        is_busy.set(true);
        let typed = address.get_untracked();
        let credentials = credentials_of(&user.get_untracked(), &password.get_untracked());
        examination.set_value(Some(Task::spawn(async move {
            let wait = |finding, next| {
                found.set(Some(Found {
                    address: typed.clone(),
                    finding,
                    next_try: Some(next),
                }));
            };
            let clock = Rc::new(BrowserClock::new());
            let finding = probe_until_started(&typed, credentials.clone(), clock, wait).await;
            is_busy.set(false);
            match (&finding, normalise_address(&typed)) {
                (Finding::Fine { .. }, Ok(base)) if connects => on_connect.run(Wanted {
                    base,
                    name: None,
                    credentials,
                    keep: if keep.get_untracked() {
                        Keep::OnDevice
                    } else {
                        Keep::ForTab
                    },
                }),
                (_, _) => {
                    found.set(Some(Found {
                        address: typed,
                        finding,
                        next_try: None,
                    }));
                    if at_first == AtFirst::Show {
                        // It is drawn first.
                        request_animation_frame(move || {
                            if let Some(form) = form.try_get_untracked().flatten() {
                                form.scroll_into_view_with_scroll_into_view_options(&nearest());
                            }
                        });
                    }
                }
            }
        })));
    };
    match at_first {
        AtFirst::Wait => {}
        AtFirst::Examine | AtFirst::Show => examine(false),
        AtFirst::Connect => examine(true),
    }
    let change_address = move |event| {
        address.set(event_target_value(&event));
        // A password that nobody typed here is not for another server.
        if is_filled_in.get_untracked() {
            is_filled_in.set(false);
            password.set(String::new());
        }
    };
    let stop_pressed = move |_| {
        stop();
        found.set(None);
    };
    let wants_password = memo(move || {
        found.with(|found| {
            let finding = found.as_ref().map(|found| &found.finding);
            matches!(finding, Some(Finding::PasswordNeeded | Finding::WrongPassword))
        })
    });
    let is_open = RwSignal::new(false);
    let password_field = NodeRef::<Input>::new();
    effect(move || {
        if wants_password.get() {
            is_open.set(true);
        }
    });
    effect(move || {
        if let Some(field) = password_field.get().filter(|_| wants_password.get()) {
            // Its surroundings are unfolded first. Focusing fails only for elements that are gone.
            request_animation_frame(move || drop(field.focus()));
        }
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        examine(true);
    };
    view! {
        <form class="connect-form" node_ref=form data-testid="connect" on:submit=submit>
            <label class="field">
                <span class="field-label">{ADDRESS}</span>
                <input
                    class="input"
                    type="text"
                    autofocus=true
                    inputmode="url"
                    autocapitalize="off"
                    autocomplete="url"
                    spellcheck="false"
                    prop:value=address
                    on:input=change_address
                />
            </label>
            <details class="connect-password" prop:open=is_open>
                <summary>"Password"</summary>
                <label class="field">
                    <span class="field-label">"User"</span>
                    <input
                        class="input"
                        type="text"
                        autocapitalize="off"
                        autocomplete="username"
                        prop:value=user
                        on:input=move |event| user.set(event_target_value(&event))
                    />
                </label>
                <label class="field">
                    <span class="field-label">"Password"</span>
                    <input
                        node_ref=password_field
                        class="input"
                        type="password"
                        autocomplete="current-password"
                        aria-invalid=move || wants_password.get().then_some("true")
                        prop:value=password
                        on:input=move |event| {
                            is_filled_in.set(false);
                            password.set(event_target_value(&event));
                        }
                    />
                </label>
                <label class="connect-keep">
                    <input
                        type="checkbox"
                        prop:checked=keep
                        on:change=move |event| keep.set(event_target_checked(&event))
                    />
                    {KEEP}
                </label>
            </details>
            {live(move || found.get().map(|Found { address, finding, next_try }| view! { <Problem address finding next_try /> }))}
            <div class="connect-foot">
                <button type="submit" class="button button-primary" aria-busy=move || is_busy.get().then_some("true")>
                    {live(move || if is_busy.get() { "Connecting…" } else { "Connect" })}
                    <kbd aria-hidden="true">"↵"</kbd>
                </button>
                <Show when=move || is_busy.get()>
                    <button type="button" class="button" on:click=stop_pressed>"Stop"</button>
                </Show>
                {children()}
            </div>
        </form>
    }
}

/// Whether the password of this server is kept on this device.
fn is_kept_on_device(address: &str) -> bool {
    normalise_address(address).is_ok_and(|base| Settings::open().keep(&base) == Some(Keep::OnDevice))
}

/// The user who logged in at this server before.
fn known_user(address: &str) -> Option<String> {
    Settings::open().known(&normalise_address(address).ok()?)?.username
}

fn credentials_of(user: &str, password: &str) -> Option<Credentials> {
    (!password.is_empty()).then(|| Credentials {
        username: user.trim().to_owned(),
        password: password.to_owned(),
    })
}
