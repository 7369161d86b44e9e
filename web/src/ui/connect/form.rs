//! The form that names a server and signs in.

use std::rc::Rc;
use std::time::Duration;

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local_scoped_with_cancellation;
use switchboard_core::runtime::Clock;

use super::problem::Problem;
use crate::clock::BrowserClock;
use crate::http::Credentials;
use crate::probe::{Finding, normalise_address, probe};
use crate::settings::Keep;

/// A server that is only starting is asked again after so long.
const AGAIN: Duration = Duration::from_secs(2);
/// The user that OpenCode has unless it was started with another one.
const USUAL_USER: &str = "opencode";

/// A server that answers, and how to sign in there.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Its normalised address.
    pub(crate) base: String,
    /// What it is called, where it has a name.
    pub(crate) name: Option<String>,
    /// User and password, if it wants them.
    pub(crate) credentials: Option<Credentials>,
    /// How long to keep the password.
    pub(crate) keep: Keep,
}

/// Address, user, password. What answers is examined before `on_connect` is called.
#[component]
pub(crate) fn ConnectForm(
    /// The address that is filled in.
    address: String,
    /// Examines the address at once, with these credentials.
    #[prop(default = None)]
    at_once: Option<Option<Credentials>>,
    /// Called with a server that answers.
    on_connect: Callback<Wanted>,
    /// What stands beside the button.
    children: Children,
) -> impl IntoView {
    let address = RwSignal::new(address);
    let known = at_once.clone().flatten();
    let user = RwSignal::new(
        known
            .as_ref()
            .map_or_else(|| USUAL_USER.to_owned(), |known| known.username.clone()),
    );
    let password = RwSignal::new(known.map(|known| known.password).unwrap_or_default());
    let keep = RwSignal::new(false);
    let is_busy = RwSignal::new(false);
    let finding = RwSignal::new(None::<(String, Finding)>);
    let examine = move || {
        if is_busy.get_untracked() {
            return;
        }
        is_busy.set(true);
        let typed = address.get_untracked();
        let credentials = credentials(&user.get_untracked(), &password.get_untracked());
        spawn_local_scoped_with_cancellation(async move {
            let clock: Rc<dyn Clock> = Rc::new(BrowserClock::new());
            let found = loop {
                let found = probe(&typed, credentials.clone(), Rc::clone(&clock)).await;
                if found != Finding::Starting {
                    break found;
                }
                finding.set(Some((typed.clone(), found)));
                clock.sleep_until(clock.now() + AGAIN).await;
            };
            is_busy.set(false);
            match (&found, normalise_address(&typed)) {
                (Finding::Fine { .. }, Ok(base)) => on_connect.run(Wanted {
                    base,
                    name: None,
                    credentials,
                    keep: if keep.get_untracked() {
                        Keep::OnDevice
                    } else {
                        Keep::ForTab
                    },
                }),
                (_, _) => finding.set(Some((typed, found))),
            }
        });
    };
    if at_once.is_some() {
        examine();
    }
    let wants_password = Memo::new(move |_| {
        matches!(
            finding.get(),
            Some((_, Finding::PasswordNeeded | Finding::WrongPassword))
        )
    });
    let is_open = RwSignal::new(false);
    let password_field = NodeRef::<Input>::new();
    Effect::new(move || {
        if wants_password.get() {
            is_open.set(true);
        }
    });
    Effect::new(move || {
        if let Some(field) = password_field.get().filter(|_| wants_password.get()) {
            // Its surroundings are unfolded first. Focusing fails only for elements that are gone.
            request_animation_frame(move || drop(field.focus()));
        }
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        examine();
    };
    view! {
        <form class="connect-form" data-testid="connect" on:submit=submit>
            <label class="field">
                <span class="field-label">"Address of an OpenCode server"</span>
                <input
                    class="input"
                    type="text"
                    autofocus=true
                    inputmode="url"
                    autocapitalize="off"
                    autocomplete="url"
                    spellcheck="false"
                    prop:value=address
                    on:input=move |event| address.set(event_target_value(&event))
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
                        on:input=move |event| password.set(event_target_value(&event))
                    />
                </label>
                <label class="connect-keep">
                    <input
                        type="checkbox"
                        prop:checked=keep
                        on:change=move |event| keep.set(event_target_checked(&event))
                    />
                    "Keep on this device"
                </label>
            </details>
            {move || finding.get().map(|(typed, finding)| view! { <Problem address=typed finding /> })}
            <div class="connect-foot">
                <button type="submit" class="button button-primary" aria-busy=move || is_busy.get().then_some("true")>
                    {move || if is_busy.get() { "Connecting…" } else { "Connect" }}
                    <kbd aria-hidden="true">"↵"</kbd>
                </button>
                {children()}
            </div>
        </form>
    }
}

fn credentials(user: &str, password: &str) -> Option<Credentials> {
    (!password.is_empty()).then(|| Credentials {
        username: user.trim().to_owned(),
        password: password.to_owned(),
    })
}
