//! One message.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::model::{Message, MessageError, Role};

use super::part::PartView;
use crate::kit::erased::{Show, live, memo};
use crate::kit::visible::visible;
use crate::words::timeline;

/// A message with its parts.
#[component]
pub(super) fn MessageView(message: ArcRwSignal<Arc<Message>>) -> impl IntoView {
    let id = message.with_untracked(|message| message.id.to_string());
    let (role, speaker) = message.with_untracked(|message| speaker(&message.role));
    let parts = {
        let message = message.clone();
        memo(move || message.with(|message| message.parts.iter().map(|part| part.id.clone()).collect::<Vec<_>>()))
    };
    let fault = memo_of(&message, |message| message.fault.clone());
    let error = memo_of(&message, |message| message.error.clone());
    let is_cut = memo_of(&message, |message| message.finish.as_deref() == Some("length"));
    view! {
        <div
            class="message"
            data-testid="message"
            data-message-id=id
            data-role=role
            role="group"
            aria-label=speaker
        >
            <For each=move || parts.get() key=|id| id.clone() let:id>
                <PartView message=message.clone() id />
            </For>
            {live(move || fault.get().map(|fault| view! { <p class="fault">{timeline::fault(&fault)}</p> }))}
            {live(move || error.get().map(error_view))}
            <Show when=move || is_cut.get()>
                <p class="aside">{timeline::CUT_OFF}</p>
            </Show>
        </div>
    }
}

fn memo_of<T: Clone + PartialEq + Send + Sync + 'static>(
    message: &ArcRwSignal<Arc<Message>>,
    read: impl Fn(&Message) -> T + Send + Sync + 'static,
) -> Memo<T> {
    let message = message.clone();
    memo(move || message.with(|message| read(message)))
}

fn speaker(role: &Role) -> (&'static str, &'static str) {
    match role {
        Role::User => ("user", "You"),
        Role::Assistant => ("assistant", "Agent"),
        Role::Other(_) => ("other", "Somebody else"),
    }
}

/// Somebody's Stop is no fault of the agent.
fn error_view(error: MessageError) -> AnyView {
    if error.name == "MessageAbortedError" {
        return view! { <p class="aside">{timeline::STOPPED}</p> }.into_any();
    }
    let said = visible(&error.message).into_owned();
    view! {
        <p class="message-error">
            <strong>{visible(&error.name).into_owned()}</strong>
            " "
            {said}
        </p>
    }
    .into_any()
}
