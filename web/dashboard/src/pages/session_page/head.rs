//! The head of a session: its title, how it stands, where it is, and the way to stop it.

use leptos::prelude::*;
use switchboard_core::model::SessionId;

use crate::doctor::Stop;
use crate::kit::erased::{live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::viewport::{PANEL_FITS, media};
use crate::kit::visible::visible;
use crate::side::sidebar::groups::home_relative;
use crate::state::store::Store;
use crate::words::control_names::SESSION_PANEL;
use crate::words::session_title::session_title;
use crate::words::state_words::{self, Words};
use crate::words::stop;

/// The head.
#[component]
pub(super) fn Head(
    /// The session.
    id: SessionId,
    /// Whether the panel is shown where it is hidden at first, or hidden where it is shown.
    panel_toggled: RwSignal<bool>,
) -> impl IntoView {
    let session = expect_context::<Store>().session(id.clone());
    let now = expect_context::<Now>();
    let has_room = media(PANEL_FITS);
    let title = memo(move || {
        session.with(|session| {
            session
                .as_ref()
                .map(|session| session_title(&session.session.title))
                .unwrap_or_default()
        })
    });
    let directory = memo(move || {
        session.with(|session| {
            session
                .as_ref()
                .map(|session| visible(&home_relative(&session.session.directory)).into_owned())
        })
    });
    let full_directory = memo(move || {
        session.with(|session| {
            session
                .as_ref()
                .map(|session| visible(session.session.directory.as_str()).into_owned())
        })
    });
    let words = memo(move || session.with(|session| Some(state_words::session(session.as_ref()?, now.get()))));
    view! {
        <header class="session-head">
            <h1 dir="auto" title=title>{title}</h1>
            {live(move || words.get().map(state_view))}
            <span class="session-directory" dir="ltr" title=full_directory>{directory}</span>
            <Stop id words=stop::RUN />
            <button
                class="icon-button session-details"
                type="button"
                aria-label=SESSION_PANEL
                title=SESSION_PANEL
                aria-keyshortcuts="T"
                aria-controls="session-panel"
                aria-expanded=move || (has_room.get() != panel_toggled.get()).to_string()
                on:click=move |_| panel_toggled.update(|toggled| *toggled = !*toggled)
            >
                <Icon sign=Sign::Dots />
            </button>
        </header>
    }
}

fn state_view(words: Words) -> impl IntoView {
    view! {
        <span class=format!("session-state {}", words.tone.class()) data-testid="session-state" data-state=words.key>
            <Icon sign=words.sign />
            <span class="session-word">{words.word}</span>
            <span class="session-detail">{words.detail}</span>
        </span>
    }
}
