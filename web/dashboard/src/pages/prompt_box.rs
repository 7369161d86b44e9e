//! The prompt box. What is typed is kept on this device at once, and sent only on demand.

use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;
use switchboard_core::model::{Message, Role, SessionId};
use switchboard_core::view::TurnState;
use switchboard_core::{List, PromptOptions};

use crate::kit::erased::{effect, live, memo};
use crate::pages::prompt_choice::PromptChoiceRow;
use crate::state::actions::Actions;
use crate::state::elsewhere::runs_elsewhere;
use crate::state::prompt_choice::PromptChoice;
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::state::written::Written;
use crate::words::prompt;

const ROWS_MAX: usize = 10;

/// Writes to the agent of a session.
#[component]
pub(crate) fn PromptBox(
    /// The session.
    id: SessionId,
) -> impl IntoView {
    let store = expect_context::<Store>();
    let actions = expect_context::<Actions>();
    let field = NodeRef::<Textarea>::new();
    let text = RwSignal::new(String::new());
    let problem = RwSignal::new(None::<String>);
    let written = StoredValue::new(Written::default());
    follow(store, &id, text, written);
    let session = store.session(id.clone());
    let choice = PromptChoice::new();
    let directory = memo(move || session.with(|session| Some(session.as_ref()?.session.directory.clone())));
    let entered = RwSignal::new(0_u32);
    effect(move || {
        // The field may be entered before it is known where the session works.
        if entered.get() > 0
            && let Some(directory) = directory.get()
        {
            choice.read(&directory);
        }
    });
    let messages = store.messages(id.clone());
    let last = memo(move || messages.with(last_named));
    let (servers, here) = (expect_context::<Servers>(), expect_context::<ServerScope>().key);
    let note = memo(move || {
        let session = session.get()?;
        match &session.state {
            TurnState::Elsewhere { certain } => {
                let is_known = *certain || runs_elsewhere(servers, here, &session).is_some();
                Some(prompt::beside(is_known))
            }
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. }
            | TurnState::Ended { .. } => None,
        }
    });
    let waits = memo(move || {
        session.with(|session| {
            session
                .as_ref()
                .is_some_and(|session| session.waiting + session.waiting_below > 0)
        })
    });
    let kept_for = id.clone();
    let typed = move |event| {
        text.set(event_target_value(&event));
        problem.set(None);
        keep(actions, &kept_for, text, written);
    };
    let send = Callback::new(move |()| {
        if text.with_untracked(|text| text.trim().is_empty()) {
            focus(field);
            return;
        }
        let options = directory.get_untracked().map(|directory| choice.options(&directory));
        match text.with_untracked(|text| actions.prompt(&id, text, options.unwrap_or_default())) {
            Ok(_) => {
                text.set(String::new());
                keep(actions, &id, text, written);
            }
            Err(error) => problem.set(Some(error.to_string())),
        }
    });
    let pressed = move |event: KeyboardEvent| {
        let sends = event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) && !event.is_composing();
        if sends {
            event.prevent_default();
            send.run(());
        } else if event.key() == "Escape"
            && let Some(field) = field.get_untracked()
        {
            // Leaving a field fails only for elements that are gone.
            let _ = field.blur();
        }
    };
    let rows = move || {
        text.with(|text| text.split('\n').count())
            .clamp(1, ROWS_MAX)
            .to_string()
    };
    view! {
        <div class="prompt" data-testid="prompt-box" role="group" aria-label="Message">
            <div class="prompt-box">
                <textarea
                    node_ref=field
                    rows=rows
                    dir="auto"
                    aria-label="Message the agent"
                    aria-keyshortcuts="P"
                    aria-describedby="prompt-note"
                    placeholder="Message the agent…"
                    prop:value=text
                    on:input=typed
                    on:focus=move |_| entered.update(|times| *times += 1)
                    on:keydown=pressed
                ></textarea>
                <button class="button prompt-send" type="button" aria-keyshortcuts="Control+Enter" on:click=move |_| send.run(())>
                    {live(move || if waits.get() { "Queue" } else { "Send" })}
                </button>
            </div>
            <PromptChoiceRow choice last />
            <p class="prompt-note" id="prompt-note">
                {live(move || waits.get().then_some(prompt::QUEUED).or(note.get()))}
            </p>
            {live(move || problem.get().map(|problem| view! { <p class="prompt-problem" role="alert">{prompt::failed(&problem)}</p> }))}
        </div>
    }
}

/// Which agent and which model the last prompt named.
fn last_named(messages: &List<Message>) -> PromptOptions {
    let last = messages.iter().rev().find(|message| message.role == Role::User);
    last.map_or_else(PromptOptions::default, |last| PromptOptions {
        agent: last.agent.clone(),
        model: last.model.clone(),
    })
}

/// Keeps what is typed on this device.
pub(crate) fn keep(actions: Actions, id: &SessionId, text: RwSignal<String>, written: StoredValue<Written<String>>) {
    let text = text.get_untracked();
    written.update_value(|written| written.write(text.clone()));
    actions.draft_prompt(id, text);
}

/// Takes up what was typed before, or is typed in another tab. Drafts are read from the device while the page opens, so
/// one may come after the first contact with the server.
pub(crate) fn follow(store: Store, id: &SessionId, text: RwSignal<String>, written: StoredValue<Written<String>>) {
    let kept = store.prompt_draft(id.clone());
    effect(move || {
        let kept = kept.get().unwrap_or_default();
        let is_foreign = written.try_update_value(|written| written.observe(&kept));
        if is_foreign == Some(true) && *text.read_untracked() != kept {
            text.set(kept);
        }
    });
}

fn focus(field: NodeRef<Textarea>) {
    if let Some(field) = field.get_untracked() {
        // Focusing fails only for elements that are gone.
        let _ = field.focus();
    }
}
