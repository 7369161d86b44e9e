//! Starts a session: where it works, and what it is told first.

use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::model::Directory;

use super::actions::Actions;
use super::header::Header;
use super::navigation::Navigation;
use super::route::Route;
use super::sidebar::groups::home_relative;
use super::start_session::start_session;
use super::store::Store;

/// The page that starts a session.
#[component]
pub(crate) fn NewSession() -> impl IntoView {
    let store = expect_context::<Store>();
    let actions = expect_context::<Actions>();
    let navigation = expect_context::<Navigation>();
    let directories = Memo::new(move |_| {
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
    Effect::new(move || {
        if let Some(field) = field.get() {
            // Focusing fails only for elements that are gone.
            let _ = field.focus();
        }
    });
    let chosen = RwSignal::new(None::<String>);
    let text = RwSignal::new(String::new());
    let is_starting = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let start = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let first = || directories.read_untracked().first().map(ToString::to_string);
        let Some(directory) = chosen.get_untracked().or_else(first) else {
            return;
        };
        if is_starting.get_untracked() || text.with_untracked(|text| text.trim().is_empty()) {
            return;
        }
        is_starting.set(true);
        problem.set(None);
        spawn_local(async move {
            let started = start_session(actions, directory.into(), text.get_untracked()).await;
            is_starting.try_set(false);
            match started {
                Ok(session) => navigation.go(&Route::Session(session)),
                Err(error) => drop(problem.try_set(Some(error))),
            }
        });
    };
    let choices = move || {
        let directories = directories.get().into_iter();
        directories
            .map(|directory| {
                view! { <option value=directory.to_string()>{home_relative(&directory)}</option> }.into_any()
            })
            .collect::<Vec<_>>()
    };
    let can_start = move || text.with(|text| !text.trim().is_empty()) && !directories.read().is_empty();
    view! {
        <Header title="Start a session">""</Header>
        <div class="pane" data-scrolls="main">
            <form class="servers" on:submit=start>
                <label class="field">
                    <span class="field-label">"Where it works"</span>
                    <select class="input" on:change=move |event| chosen.set(Some(event_target_value(&event)))>{choices}</select>
                </label>
                <label class="field">
                    <span class="field-label">"What it is told first"</span>
                    <textarea
                        node_ref=field
                        class="input"
                        rows="4"
                        dir="auto"
                        prop:value=text
                        on:input=move |event| text.set(event_target_value(&event))
                    ></textarea>
                </label>
                {move || problem.get().map(|problem| view! { <p class="notice notice-bad" role="alert">"Not started: "{problem}</p> })}
                <div class="footer">
                    <button type="submit" class="button button-primary" disabled=move || !can_start()>
                        {move || if is_starting.get() { "Starting…" } else { "Start" }}
                    </button>
                    <a class="button button-quiet" href=Route::Inbox.href()>"Cancel"</a>
                </div>
            </form>
        </div>
    }
    .into_any()
}
