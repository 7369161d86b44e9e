//! Starts a session: where it works, and what it is told first.

use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::PromptOptions;
use switchboard_core::model::{Directory, SessionId};

use crate::kit::erased::{effect, live, memo};
use crate::kit::focus;
use crate::pages::prompt_box::{follow, keep};
use crate::pages::prompt_choice::PromptChoiceRow;
use crate::parts::part;
use crate::side::header::Header;
use crate::side::server_choice::server_choice;
use crate::side::sidebar::groups::home_relative;
use crate::state::each_server::about;
use crate::state::navigation::Navigation;
use crate::state::prompt_choice::PromptChoice;
use crate::state::route::Route;
use crate::state::servers::{ServerScope, Servers};
use crate::state::start_session::start_session;
use crate::state::written::Written;
use crate::words::start;

/// The draft of a first message is kept as that of a session with this id, which no server gives.
const DRAFT: &str = "new";

/// The page that starts a session.
#[component]
fn NewSession() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let chosen = RwSignal::new(servers.first());
    let text = RwSignal::new(String::new());
    effect(move || {
        if servers.get(chosen.get()).is_none() {
            chosen.set(servers.first());
        }
    });
    view! {
        <Header title="Start a session">""</Header>
        <div class="pane" data-scrolls="main">
            <div class="servers">{server_choice(servers, chosen)}</div>
            {live(move || about(servers, chosen.get(), || view! { <OnServer text /> }.into_any()))}
        </div>
    }
    .into_any()
}

/// What starts a session on the server around it. A text that was written before another server was chosen goes along.
#[component]
fn OnServer(text: RwSignal<String>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let ServerScope { store, actions, .. } = scope;
    let navigation = expect_context::<Navigation>();
    let directories = memo(move || {
        store.sessions().with(|sessions| {
            let mut known: Vec<Directory> = Vec::new();
            for view in sessions {
                if !known.contains(&view.session.directory) {
                    known.push(view.session.directory.clone());
                }
            }
            known
        })
    });
    let field = NodeRef::<Textarea>::new();
    effect(move || {
        if let Some(field) = field.get() {
            // Focusing fails only for elements that are gone.
            let _ = field.focus();
        }
    });
    let typed = RwSignal::new(None::<String>);
    let directory = memo(move || {
        let first = || directories.read().first().map(ToString::to_string);
        typed.get().or_else(first).unwrap_or_default().trim().to_owned()
    });
    let choice = PromptChoice::new();
    let read = move || {
        directory.with(|directory| {
            if is_path(directory) {
                choice.read(&Directory::from(directory.as_str()));
            }
        })
    };
    effect(move || {
        if typed.read().is_none() {
            read();
        }
    });
    let draft = SessionId::from(DRAFT);
    let written = StoredValue::new(Written::default());
    if text.with_untracked(|text| !text.is_empty()) {
        keep(actions, &draft, text, written);
    }
    follow(store, &draft, text, written);
    let kept = draft.clone();
    let typed_text = move |event| {
        text.set(event_target_value(&event));
        keep(actions, &kept, text, written);
    };
    let is_starting = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let missing = memo(move || {
        if directory.read().is_empty() {
            Some(start::NO_DIRECTORY)
        } else if !is_path(&directory.read()) {
            Some(start::NO_PATH)
        } else if text.with(|text| text.trim().is_empty()) {
            Some(start::NO_MESSAGE)
        } else {
            None
        }
    });
    let start = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if missing.get_untracked().is_some() || is_starting.get_untracked() {
            return;
        }
        let directory = Directory::from(directory.get_untracked());
        let options = choice.options(&directory);
        let draft = draft.clone();
        is_starting.set(true);
        problem.set(None);
        spawn_local(async move {
            let started = start_session(actions, directory, text.get_untracked(), options).await;
            is_starting.try_set(false);
            match started {
                Ok(session) => {
                    actions.draft_prompt(&draft, String::new());
                    navigation.go(&scope.session(session));
                }
                Err(error) => drop(problem.try_set(Some(error))),
            }
        });
    };
    let choices = move || {
        let choice = |directory: Directory| {
            view! { <option value=directory.to_string()>{home_relative(&directory)}</option> }.into_any()
        };
        directories.get().into_iter().map(choice).collect::<Vec<_>>()
    };
    view! {
            <form class="servers" on:submit=start>
                <label class="field">
                    <span class="field-label">"Working directory"</span>
                    <input
                        class="input"
                        type="text"
                        list="directories"
                        autocapitalize="off"
                        autocomplete="off"
                        spellcheck="false"
                        prop:value=directory
                        on:input=move |event| typed.set(Some(event_target_value(&event)))
                        on:change=move |_| untrack(read)
                    />
                </label>
                <datalist id="directories">{live(choices)}</datalist>
                <label class="field">
                    <span class="field-label">"First message"</span>
                    <textarea
                        node_ref=field
                        class="input first-message"
                        dir="auto"
                        prop:value=text
                        on:input=typed_text
                    ></textarea>
                </label>
                <PromptChoiceRow choice last=PromptOptions::default() />
                {live(move || problem.get().map(|problem| view! { <p class="notice notice-bad" role="alert">{start::failed(&problem)}</p> }))}
                <div class="footer">
                    <button
                        type="submit"
                        class="button button-primary"
                        aria-describedby="start-missing"
                        disabled=move || missing.read().is_some()
                    >
                        {live(move || if is_starting.get() { "Starting…" } else { "Start" })}
                    </button>
                    <a class="button button-quiet" href=Route::Inbox.href()>"Cancel"</a>
                    <span class="remark" id="start-missing">{missing}</span>
                </div>
            </form>
    }
    .into_any()
}

part! {
    /// The page that starts a session, a part.
    other: new_session_part() view! { <NewSession /> }, focus::heading
}

/// `/work`, `C:\work`, `C:/work`, or a share.
fn is_path(path: &str) -> bool {
    path.starts_with('/')
        || path.starts_with("\\\\")
        || path.get(1..3).is_some_and(|rest| rest == ":\\" || rest == ":/")
}
