//! The first page: what this is, one field, and the command that starts a server.

use leptos::prelude::*;

use super::form::{AtFirst, ConnectForm};
use super::remembered::Remembered;
use crate::kit::copy_button::CopyButton;
use crate::kit::erased::live;
use crate::kit::focus;
use crate::kit::icons::{Icon, Mark};
use crate::kit::sign::Sign;
use crate::pages::demo::Introduced;
use crate::parts::part;
use crate::state::connection::Wanted;
use crate::words::connect;
use switchboard_browser::opencode::http::Credentials;

/// The first page.
#[component]
fn ConnectPage(
    /// The address that is filled in.
    address: String,
    /// The user and password that are filled in.
    credentials: Option<Credentials>,
    /// What happens before somebody submits the form.
    at_first: AtFirst,
    /// True while the server of this page has not said yet which server it introduces.
    is_expected: RwSignal<bool>,
    /// Called with a server that answers.
    on_connect: Callback<Wanted>,
) -> impl IntoView {
    let introduced = expect_context::<Introduced>();
    let command = start_command();
    let copied = command.clone();
    let demo = move || {
        let demo = introduced.get()?;
        let name = connect::introduced(&demo.base(), !demo.prompts.is_empty());
        Some(view! {
            <span class="connect-aside">{connect::NO_SERVER}</span>
            <button type="button" class="button" on:click=move |_| on_connect.run(demo.wanted())>{name}</button>
        })
    };
    let expected = move || {
        is_expected.get().then(|| {
            view! {
                <p class="connect-note" role="status">
                    <Icon sign=Sign::Arc />
                    {connect::STARTING}
                </p>
            }
        })
    };
    view! {
        <main class="connect">
            <div class="connect-column">
                <Mark lit=true />
                <h1 class="connect-title">{connect::TITLE}</h1>
                <p class="connect-lead">{connect::LEAD}</p>
                <ConnectForm address credentials at_first on_connect>{live(demo)}</ConnectForm>
                {live(expected)}
                <Remembered connected=Vec::new() on_connect />
                <h2 class="group-label">{connect::HOW_TO_START}</h2>
                <p class="connect-command"><code>{command}</code><CopyButton text=copied /></p>
                <p class="connect-note">
                    <Icon sign=Sign::Lock />
                    {connect::GOES_NOWHERE_ELSE}
                </p>
            </div>
        </main>
    }
}

part! {
    /// The first page, a part.
    connect: connect_part(
        address: String,
        credentials: Option<Credentials>,
        at_first: AtFirst,
        is_expected: RwSignal<bool>,
        on_connect: Callback<Wanted>,
    ) view! { <ConnectPage address credentials at_first is_expected on_connect /> }, focus::nowhere
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
