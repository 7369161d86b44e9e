//! Prompts that are on their way, or that the server did not take.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::PromptOptions;
use switchboard_core::model::{EntryId, Message, SessionId};
use switchboard_core::view::{PromptState, PromptView};

use super::scene::Scene;
use crate::kit::copy_button::CopyButton;
use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::raw::Raw;
use crate::state::actions::Actions;
use crate::state::store::Store;
use crate::words::{prompt, refusal};

/// The prompts of a session that its timeline does not contain yet.
#[component]
pub(super) fn Sending(session: SessionId) -> impl IntoView {
    let store = expect_context::<Store>();
    let scene = expect_context::<Scene>();
    let prompts = memo(move || {
        scene.messages.with(|messages| {
            store.prompts().with(|prompts| {
                let is_here = |prompt: &&Arc<PromptView>| prompt.session == session && !has_arrived(prompt, messages);
                prompts.iter().filter(is_here).cloned().collect::<Vec<_>>()
            })
        })
    });
    let ids = move || prompts.with(|prompts| prompts.iter().map(|prompt| prompt.entry.clone()).collect::<Vec<_>>());
    view! {
        <For each=ids key=|id| id.clone() let:id>
            <Prompt prompts id />
        </For>
    }
}

/// Whether the timeline shows this prompt itself.
fn has_arrived(prompt: &PromptView, messages: &[Arc<Message>]) -> bool {
    messages.iter().rev().any(|message| message.id == prompt.message)
}

#[component]
fn Prompt(prompts: Memo<Vec<Arc<PromptView>>>, id: EntryId) -> impl IntoView {
    let actions = expect_context::<Actions>();
    let wanted = id.clone();
    let prompt = memo(move || prompts.with(|prompts| prompts.iter().find(|prompt| prompt.entry == wanted).cloned()));
    let text =
        memo(move || prompt.with(|prompt| prompt.as_ref().map(|prompt| prompt.text.clone()).unwrap_or_default()));
    let is_refused = memo(move || {
        prompt.with(|prompt| {
            prompt
                .as_ref()
                .is_some_and(|prompt| matches!(prompt.state, PromptState::NotSent { .. }))
        })
    });
    let raw = memo(move || {
        prompt.with(|prompt| match &prompt.as_ref()?.state {
            PromptState::Sending { problem, .. } => problem.clone(),
            PromptState::NotSent { reason } => refusal::details(reason),
            PromptState::Sent | PromptState::Stored { .. } => None,
        })
    });
    let state = move || prompt.with(|prompt| prompt.as_ref().map(|prompt| state_view(&prompt.state)));
    let again = move |_| {
        if let Some(prompt) = prompt.get_untracked() {
            send_again(actions, &prompt);
        }
    };
    view! {
        <div class="message sending" data-testid="sending-prompt" role="group" aria-label="You">
            <div class="own" dir="auto">{live(move || text.with(|text| prompt::said(text)))}</div>
            <div class="sending-state">
                {live(state)}
                <Raw text=raw />
                <Show when=move || is_refused.get()>
                    <button type="button" class="button button-small" on:click=again>{prompt::AGAIN}</button>
                    <CopyButton text />
                    <button type="button" class="button button-quiet button-small" on:click={
                        let id = id.clone();
                        move |_| actions.discard_prompt(&id)
                    }>"Discard"</button>
                </Show>
            </div>
        </div>
    }
}

/// Sends what the server has not got. Where that begins, the one that was not taken is given up.
fn send_again(actions: Actions, prompt: &PromptView) {
    let is_begun = match &prompt.rescues {
        // The answer of a dead request has one entry: it is replaced.
        Some(request) => return drop(actions.rescue(request)),
        None if prompt.text.is_empty() => actions.start(&prompt.session).is_ok(),
        None => actions
            .prompt(&prompt.session, &prompt.text, PromptOptions::default())
            .is_ok(),
    };
    if is_begun {
        actions.discard_prompt(&prompt.entry);
    }
}

fn state_view(state: &PromptState) -> AnyView {
    let (sign, tone, words) = prompt::state(state);
    view! { <span class=tone.class()><Icon sign />{words}</span> }.into_any()
}
