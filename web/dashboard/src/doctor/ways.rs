//! What repairs a finding, each with what follows from it.

use std::pin::Pin;

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::PromptOptions;
use switchboard_core::model::{RequestId, SessionId};

use super::finding::Cause;
use super::notice::Doctor;
use super::stop::Stop;
use crate::kit::copy_button::CopyButton;
use crate::kit::erased::live;
use crate::kit::focus;
use crate::state::actions::Actions;
use crate::words::doctor::{self as words, Way};
use crate::words::stop::{self, StopWords};

/// What a repair says when it did not work.
type Repairing = Pin<Box<dyn Future<Output = Result<(), String>>>>;

/// The repairs of the finding, and the findings to be copied.
#[component]
pub(crate) fn Ways(doctor: Doctor, id: SessionId) -> impl IntoView {
    let ways = move || doctor.cause.get().map(|cause| ways(doctor, &id, &cause));
    view! {
        <div class="doctor-ways" role="group" aria-label="Repairs" data-testid="repairs">
            {live(ways)}
            <CopyButton text=Signal::derive(move || doctor.report()) label="Copy the findings" />
        </div>
    }
    .into_any()
}

fn ways(doctor: Doctor, id: &SessionId, cause: &Cause) -> AnyView {
    let actions = expect_context::<Actions>();
    let of = id.clone();
    let prompt = move |text: &'static str| -> Repairing {
        let storing = actions.prompt(&of, text, PromptOptions::default());
        Box::pin(async move {
            storing
                .map_err(|error| error.to_string())?
                .await
                .map(drop)
                .map_err(|error| error.to_string())
        })
    };
    match cause {
        Cause::SubAgentAsks(_) => {
            let below = doctor.chain().pop();
            let below = below.map(|session| stop_row(words::STOP_SUB_AGENT, session.id, stop::SUB_AGENT, None));
            let all = stop_row(words::STOP_ALL, id.clone(), stop::ALL, None);
            view! { {below} {all} }.into_any()
        }
        // Its card is the repair.
        Cause::Forgotten(_) => ().into_any(),
        Cause::Interrupted => repair_row(words::SEND_CONTINUE, "button-primary", move || prompt(words::CONTINUE)),
        // Nothing that begins a second run is offered where one goes on.
        Cause::Elsewhere { certain, asks } => {
            let there = if *asks { words::ANSWER_THERE } else { words::GO_ON_THERE };
            let there = row(there, ().into_any());
            let here = (!certain).then(|| repair_row(words::CONTINUE_HERE, "", move || prompt(words::CONTINUE)));
            view! { {there} {here} }.into_any()
        }
        Cause::RunsElsewhere(server) => {
            let place = untrack(|| doctor.scope_of(*server)).map(|scope| scope.session(id.clone()).href());
            let name = doctor.name_of(*server);
            let link =
                place.map(|href| view! { <a class="button button-primary" href=href>{words::open_on(&name)}</a> });
            row(words::OPEN_THERE, link.into_any())
        }
        Cause::NoText => repair_row(words::SUMMARY, "button-primary", move || prompt(words::SUM_UP)),
        Cause::NotStarted => {
            let id = id.clone();
            repair_row(words::START, "button-primary", move || start(actions, &id))
        }
        Cause::Ghost(request) => {
            let request = request.clone();
            repair_row(words::CLEAR, "button-primary", move || clear(actions, &request))
        }
        Cause::Retrying => {
            let then = choose_model(doctor, actions, id.clone());
            let change = stop_row(words::CHANGE_MODEL, id.clone(), stop::MODEL, Some(then));
            view! { {row(words::WAIT, ().into_any())} {change} }.into_any()
        }
        Cause::Silent { runs_tool } => {
            let show = runs_tool.then(|| {
                let show = |_| focus::first("[data-status=running] > .tool-head");
                let button = view! { <button type="button" class="button" on:click=show>"Show it"</button> };
                row(words::SHOW_TOOL, button.into_any())
            });
            let stop = stop_row(words::STOP, id.clone(), stop::SILENT, None);
            view! { {show} {stop} }.into_any()
        }
    }
}

fn start(actions: Actions, id: &SessionId) -> Repairing {
    let storing = actions.start(id);
    Box::pin(async move {
        storing
            .map_err(|error| error.to_string())?
            .await
            .map(drop)
            .map_err(|error| error.to_string())
    })
}

fn clear(actions: Actions, request: &RequestId) -> Repairing {
    let clearing = actions.clear_ghost(request);
    Box::pin(async move { clearing.await.map_err(|error| error.to_string()) })
}

/// Leaves “continue” in the message field, where the model is chosen, unless something stands there.
fn choose_model(doctor: Doctor, actions: Actions, id: SessionId) -> Callback<()> {
    let draft = doctor.store.prompt_draft(id.clone());
    Callback::new(move |()| {
        if draft.with_untracked(Option::is_none) {
            actions.draft_prompt(&id, words::CONTINUE.to_owned());
        }
        focus::first(".prompt textarea");
    })
}

/// A way with its control.
fn row(way: Way, control: AnyView) -> AnyView {
    view! {
        <div class="doctor-way">
            <p><span>{way.name}</span>{way.follows}</p>
            {control}
        </div>
    }
    .into_any()
}

fn stop_row(way: Way, id: SessionId, words: StopWords, then: Option<Callback<()>>) -> AnyView {
    row(way, view! { <Stop id words then /> }.into_any())
}

/// The way that repairs it. It is pressed once: what follows shows in the session, or why nothing does.
fn repair_row(way: Way, rank: &'static str, repair: impl Fn() -> Repairing + Send + 'static) -> AnyView {
    let is_pressed = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let press = move |_| {
        if is_pressed.get_untracked() {
            return;
        }
        is_pressed.set(true);
        problem.set(None);
        let repairing = repair();
        spawn_local(async move {
            if let Err(said) = repairing.await {
                problem.try_set(Some(said));
                is_pressed.try_set(false);
            }
        });
    };
    let control = view! {
        <button
            type="button"
            class=format!("button {rank}")
            aria-disabled=move || is_pressed.get().then_some("true")
            on:click=press
        >
            {live(move || if is_pressed.get() { words::SENDING } else { way.name })}
        </button>
        {live(move || problem.get().map(|problem| view! { <p class="session-notice" role="alert">{words::failed(&problem)}</p> }))}
    };
    // The button has its name.
    row(Way { name: "", ..way }, control.into_any())
}
