//! Draws the panel.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::model::{SessionId, Todo};
use switchboard_core::policy::Policy;
use switchboard_core::view::SessionView;

use super::summary::{FileChange, changes, context_tokens, files, plan};
use crate::doctor::Examined;
use crate::kit::copy_button::CopyButton;
use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::pages::policy_report::PolicyReport;
use crate::request::policy_choice::PolicyChoice;
use crate::state::policies::Policies;
use crate::state::servers::ServerScope;
use crate::state::store::{Store, in_messages};
use crate::tools::diff::Counts;
use crate::tools::tool_card::Plan;
use crate::words::cost::{dollars, thousands};
use crate::words::plan::done_of;
use crate::words::session_title::session_title;
use crate::words::state_words;
use crate::words::unattended::{Scope, TITLE};

/// What a session is up to.
#[component]
pub(crate) fn SessionPanel(
    /// The session.
    id: SessionId,
    /// Set to close the panel where it covers the page.
    toggled: RwSignal<bool>,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let session = store.session(id.clone());
    let messages = store.messages(id.clone());
    let plans = in_messages(messages, plan);
    let todos = memo(move || plans.with(|plans| plans.iter().rev().flatten().next().cloned().unwrap_or_default()));
    let directory = memo(move || {
        session.with(|session| {
            session
                .as_ref()
                .map(|session| session.session.directory.to_string())
                .unwrap_or_default()
        })
    });
    let by_message = in_messages(messages, changes);
    let changes =
        memo(move || directory.with(|directory| by_message.with(|changes| files(changes.iter().flatten(), directory))));
    let context = memo(move || messages.with(|messages| context_tokens(messages)));
    let children = children(store, id.clone());
    let now = expect_context::<Now>();
    let read = memo(move || {
        let read = store.server().read().read?;
        Some(state_words::read_ago(read, now.get()))
    });
    view! {
        <aside class="panel" id="session-panel" aria-label="Session">
            <h2>"Session"<span>{read}</span></h2>
            <button class="button button-quiet panel-close" type="button" on:click=move |_| toggled.set(false)>
                "Close"
            </button>
            <Examined id=id.clone() />
            <PlanSection todos />
            <FilesSection changes />
            <ChildrenSection children />
            <CostSection session children context />
            <UnattendedSection id />
            <AboutSection session />
        </aside>
    }
}

fn children(store: Store, id: SessionId) -> Memo<Vec<Arc<SessionView>>> {
    memo(move || {
        store.sessions().with(|sessions| {
            let is_child = |view: &&Arc<SessionView>| view.session.parent.as_ref() == Some(&id);
            sessions.iter().filter(is_child).cloned().collect()
        })
    })
}

#[component]
fn PlanSection(todos: Memo<Vec<Todo>>) -> impl IntoView {
    let done = move || done_of(&todos.read());
    view! {
        <Show when=move || todos.with(|todos| !todos.is_empty())>
            <section class="panel-part">
                <h3 class="group-label">"Plan" <span>{live(done)}</span></h3>
                <Plan todos />
            </section>
        </Show>
    }
}

#[component]
fn FilesSection(changes: Memo<Vec<FileChange>>) -> impl IntoView {
    let file = |change: FileChange| {
        let is_counted = change.added + change.removed > 0;
        view! {
            <li>
                <Icon sign=Sign::FileDiff />
                <span class="panel-path" dir="ltr">{visible(&change.path).into_owned()}</span>
                {is_counted.then(|| view! { <Counts added=change.added removed=change.removed /> })}
            </li>
        }
    };
    view! {
        <Show when=move || changes.with(|changes| !changes.is_empty())>
            <section class="panel-part">
                <h3 class="group-label">"Files changed" <span>{live(move || changes.with(Vec::len))}</span></h3>
                <ul class="panel-list">{live(move || changes.get().into_iter().map(file).collect::<Vec<_>>())}</ul>
            </section>
        </Show>
    }
}

#[component]
fn ChildrenSection(children: Memo<Vec<Arc<SessionView>>>) -> impl IntoView {
    let now = expect_context::<Now>();
    let scope = expect_context::<ServerScope>();
    let child = move |view: Arc<SessionView>| {
        let words = state_words::session(&view, now.get());
        let title = session_title(&view.session.title);
        view! {
            <li class=words.tone.class()>
                <Icon sign=words.sign />
                <a href=scope.session(view.session.id.clone()).href() dir="auto">{title}</a>
                <span>{words.word}</span>
            </li>
        }
    };
    view! {
        <Show when=move || children.with(|children| !children.is_empty())>
            <section class="panel-part">
                <h3 class="group-label">"Sub-agents" <span>{live(move || children.with(Vec::len))}</span></h3>
                <ul class="panel-list">{live(move || children.get().into_iter().map(child).collect::<Vec<_>>())}</ul>
            </section>
        </Show>
    }
}

#[component]
fn CostSection(
    session: Memo<Option<Arc<SessionView>>>,
    children: Memo<Vec<Arc<SessionView>>>,
    context: Memo<Option<u64>>,
) -> impl IntoView {
    let own = move || session.with(|session| dollars(session.as_ref()?.session.cost));
    let below =
        move || children.with(|children| dollars(Some(children.iter().filter_map(|child| child.session.cost).sum())));
    let tokens = move || context.get().map(thousands);
    let is_known = memo(move || own().is_some() || below().is_some() || tokens().is_some());
    view! {
        <section class="panel-part" hidden=move || !is_known.get()>
            <h3 class="group-label">"Cost"</h3>
            <dl class="facts">
                {live(move || figure("This session", own()))}
                {live(move || figure("Sub-agents", below()))}
                {live(move || figure("Context", tokens()))}
            </dl>
        </section>
    }
}

/// What happens to requests of this session that nobody answers.
#[component]
fn UnattendedSection(id: SessionId) -> impl IntoView {
    let policies = expect_context::<Policies>();
    let (of, of_report) = (id.clone(), id.clone());
    let policy = Signal::derive(move || policies.chosen().read().sessions.get(&of).cloned());
    let change = move |policy: Option<Policy>| {
        policies.change(|all| match policy {
            Some(policy) => drop(all.sessions.insert(id.clone(), policy)),
            None => drop(all.sessions.remove(&id)),
        });
    };
    view! {
        <section class="panel-part">
            <h3 class="group-label">{TITLE}</h3>
            <PolicyChoice scope=Scope::Session policy on_change=Callback::new(change) />
            <PolicyReport session=Some(of_report) />
        </section>
    }
    .into_any()
}

#[component]
fn AboutSection(session: Memo<Option<Arc<SessionView>>>) -> impl IntoView {
    let directory =
        move || session.with(|session| Some(visible(session.as_ref()?.session.directory.as_str()).into_owned()));
    let agent = move || session.with(|session| Some(visible(session.as_ref()?.agent.as_deref()?).into_owned()));
    let id = move || session.with(|session| Some(session.as_ref()?.session.id.to_string()));
    view! {
        <section class="panel-part">
            <h3 class="group-label">"About"</h3>
            <dl class="facts">
                {live(move || figure("Agent", agent()))}
                {live(move || figure("Directory", directory()))}
                {live(move || figure("Id", id()))}
            </dl>
            <CopyButton text=Signal::derive(move || id().unwrap_or_default()) label="Copy id" />
        </section>
    }
}

fn figure(name: &'static str, value: Option<String>) -> impl IntoView {
    value.map(|value| view! { <dt>{name}</dt> <dd>{value}</dd> })
}
