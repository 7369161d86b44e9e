//! The first page: what this is, one field, and the command that starts a server.

use leptos::prelude::*;

use super::form::{ConnectForm, Wanted};
use super::remembered::Remembered;
use crate::http::Credentials;
use crate::ui::copy_button::CopyButton;
use crate::ui::icons::{Icon, Mark};
use crate::ui::sign::Sign;

/// The first page.
#[component]
pub(crate) fn ConnectPage(
    /// The address that is filled in.
    address: String,
    /// Examines the address at once, with these credentials.
    at_once: Option<Option<Credentials>>,
    /// Connects to the demo of the server of this page, where there is one.
    demo: Option<Callback<()>>,
    /// Called with a server that answers.
    on_connect: Callback<Wanted>,
) -> impl IntoView {
    let command = start_command();
    let copied = command.clone();
    let demo = demo.map(|demo| {
        view! {
            <span class="connect-aside">"No server yet?"</span>
            <button type="button" class="button" on:click=move |_| demo.run(())>"Try the demo"</button>
        }
    });
    view! {
        <main class="connect">
            <div class="connect-column">
                <Mark lit=true />
                <h1 class="connect-title">"The answer desk for your OpenCode agents"</h1>
                <p class="connect-lead">
                    "Every question and permission of every session, in one place, answered with one key. An answer you give \
                    arrives, or you are told why it did not."
                </p>
                <ConnectForm address at_once on_connect>{demo}</ConnectForm>
                <Remembered on_connect />
                <h2 class="group-label">"To start a server that lets this page in"</h2>
                <p class="connect-command"><code>{command}</code><CopyButton text=copied /></p>
                <p class="connect-note">
                    <Icon sign=Sign::Lock />
                    "This page talks to your servers directly, with nothing in between. Addresses, drafts and answers are kept \
                    on this device."
                </p>
            </div>
        </main>
    }
}

/// OpenCode lets in pages from localhost by itself.
fn start_command() -> String {
    let origin = window().location().origin().unwrap_or_default();
    let is_let_in = ["http://localhost:", "http://127.0.0.1:"]
        .iter()
        .any(|known| origin.starts_with(known));
    if is_let_in {
        "opencode serve".to_owned()
    } else {
        format!("opencode serve --cors {origin}")
    }
}
