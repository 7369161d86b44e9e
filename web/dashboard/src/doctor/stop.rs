//! Stops the run of a session. It asks once, in place, and names what follows.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::model::SessionId;
use switchboard_core::view::TurnState;

use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::sheet::Sheet;
use crate::kit::sign::Sign;
use crate::state::actions::Actions;
use crate::state::store::Store;
use crate::words::stop::{self, StopWords};

/// The button, while there is something to stop, and its confirmation.
#[component]
pub(crate) fn Stop(
    /// The session.
    id: SessionId,
    /// What it is called.
    words: StopWords,
    /// What is done once the stop is on its way. Defaults to nothing.
    #[prop(default = None)]
    then: Option<Callback<()>>,
) -> impl IntoView {
    let session = expect_context::<Store>().session(id.clone());
    let actions = expect_context::<Actions>();
    let asks = RwSignal::new(false);
    let problem = RwSignal::new(None::<String>);
    let runs = memo(move || session.with(|session| session.as_ref().is_some_and(|session| is_running(&session.state))));
    let waiting = memo(move || {
        session.with(|session| {
            session
                .as_ref()
                .map_or(0, |session| session.waiting + session.waiting_below)
        })
    });
    let stop = Callback::new(move |()| {
        asks.set(false);
        let stopping = actions.abort(&id);
        if let Some(then) = then {
            then.run(());
        }
        spawn_local(async move {
            if let Err(failure) = stopping.await {
                problem.try_set(Some(failure.to_string()));
            }
        });
    });
    view! {
        <Show when=move || runs.get()>
            <button
                class="button"
                type="button"
                aria-keyshortcuts=words.key
                data-opens=words.opens
                aria-expanded=move || asks.get().to_string()
                on:click=move |_| asks.set(true)
            >
                <Icon sign=Sign::Square />
                {words.button}
            </button>
        </Show>
        <Show when=move || asks.get() && runs.get()>
            <Confirmation words waiting asks stop />
        </Show>
        {live(move || problem.get().map(|problem| view! { <p class="session-notice" role="alert">{stop::failed(&problem)}</p> }))}
    }
}

#[component]
fn Confirmation(words: StopWords, waiting: Memo<usize>, asks: RwSignal<bool>, stop: Callback<()>) -> impl IntoView {
    view! {
        <Sheet label=words.question class="session-notice" back_to=vec![format!("[data-opens={}]", words.opens), "#main".to_owned()]>
            <p>{live(move || stop::follows(waiting.get()))}</p>
            <button class="button button-primary" type="button" data-first="" on:click=move |_| stop.run(())>
                {words.confirm}
            </button>
            <button class="button button-quiet" type="button" aria-keyshortcuts="Escape" on:click=move |_| asks.set(false)>
                {words.keep}
            </button>
        </Sheet>
    }
}

fn is_running(state: &TurnState) -> bool {
    match state {
        TurnState::Working
        | TurnState::WaitingForHuman { .. }
        | TurnState::Retrying { .. }
        | TurnState::Stuck { .. } => true,
        // A stop reaches the runs of this server alone.
        TurnState::Unknown | TurnState::Elsewhere { .. } | TurnState::Ended { .. } => false,
    }
}
