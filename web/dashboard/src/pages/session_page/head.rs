//! The head of a session: its title, how it stands, where it is, and the way to stop it.

use leptos::prelude::*;
use switchboard_core::model::SessionId;

use crate::doctor::Stop;
use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::viewport::{PANEL_FITS, media};
use crate::kit::visible::visible;
use crate::pages::workflows::OpenForm;
use crate::side::sidebar::groups::home_relative;
use crate::state::elsewhere::session_words;
use crate::state::navigation::Navigation;
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::words::control_names::SESSION_PANEL;
use crate::words::session_title::session_title;
use crate::words::state_words::Words;
use crate::words::stop;
use crate::words::workflows::{ASK_REVIEWERS, KEEP_GOING, TAB};

/// The head.
#[component]
pub(super) fn Head(
    /// The session.
    id: SessionId,
    /// Whether the panel is shown where it is hidden at first, or hidden where it is shown.
    panel_toggled: RwSignal<bool>,
    /// Whether the checks are shown in place of the timeline.
    is_checks: Memo<bool>,
    /// Which form is open there.
    form: RwSignal<Option<OpenForm>>,
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
    let servers = expect_context::<Servers>();
    let here = expect_context::<ServerScope>().key;
    let words = memo(move || session.with(|session| Some(session_words(servers, here, session.as_ref()?, now.get()))));
    view! {
        <header class="session-head">
            <h1 dir="auto" title=title>{title}</h1>
            {live(move || words.get().map(state_view))}
            <span class="session-directory" dir="ltr" title=full_directory>{directory}</span>
            <Stop id=id.clone() words=stop::RUN />
            <Show when=move || !is_checks.get()>
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
            </Show>
            {tabs(id, is_checks, form)}
        </header>
    }
}

/// The two pages of a session, and what opens a form on the second one.
fn tabs(id: SessionId, is_checks: Memo<bool>, form: RwSignal<Option<OpenForm>>) -> AnyView {
    let scope = expect_context::<ServerScope>();
    let navigation = expect_context::<Navigation>();
    let checks = scope.checks(id.clone());
    let checks_address = checks.href();
    let opener = move |which: OpenForm, name: &'static str| {
        let checks = checks.clone();
        let open = move |_| {
            form.set(Some(which));
            if !is_checks.get_untracked() {
                navigation.go(&checks);
            }
        };
        view! { <button type="button" class="button" data-opens=which.key() on:click=open>{name}</button> }.into_any()
    };
    view! {
        <div class="session-views">
            <nav class="session-tabs" aria-label="This session">
                <a href=scope.session(id).href() aria-current=move || (!is_checks.get()).then_some("page")>"Timeline"</a>
                <a href=checks_address aria-current=move || is_checks.get().then_some("page")>{TAB}</a>
            </nav>
            <div class="session-loops">{opener(OpenForm::Check, KEEP_GOING)}{opener(OpenForm::Review, ASK_REVIEWERS)}</div>
        </div>
    }
    .into_any()
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
