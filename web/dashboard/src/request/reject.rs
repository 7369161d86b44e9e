//! Forbidding: with a word for the agent or without, and what that does to the run.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use switchboard_core::model::Reply;

use super::card::Card;
use super::dismiss::KeepWaiting;
use crate::kit::erased::{live, memo};
use crate::kit::sheet::Sheet;
use crate::state::desk::Desk;
use crate::state::shortcut;
use crate::words::reject;

/// The form of a rejection.
#[component]
pub(crate) fn Reject(card: Card) -> impl IntoView {
    let others = memo(move || card.view.read().others);
    live(move || match others.get() {
        0 => view! { <RejectAlone card /> }.into_any(),
        others => view! { <RejectAll card others /> }.into_any(),
    })
}

/// Nothing else of the session waits: a word lets the run go on, unless it was asked whether that may go on.
#[component]
fn RejectAlone(card: Card) -> impl IntoView {
    let has_word = memo(move || card.form.read().word().is_some());
    let with_word = move || {
        let message = card.form.read_untracked().word();
        if message.is_some() {
            card.send(Reply::Reject { message });
        }
    };
    let key_pressed = move |event: KeyboardEvent| {
        if shortcut::sends_text(&event) {
            event.prevent_default();
            with_word();
        }
    };
    view! {
        <Sheet label="Reject?" back_to=card.back_to("reject")>
            <Word card on_key=key_pressed />
            <p class="sheet-text">{reject::follows(&card.request())}</p>
            <div class="footer">
                <button
                    type="button"
                    class="button button-primary"
                    disabled=move || !has_word.get() || card.is_changed.get()
                    aria-disabled=card.held()
                    title=move || (!has_word.get()).then_some(reject::NO_MESSAGE)
                    on:click=move |_| with_word()
                >
                    {reject::WITH_MESSAGE}<kbd aria-hidden="true">"↵"</kbd>
                </button>
                <button
                    type="button"
                    class="button button-quiet button-bad"
                    disabled=card.is_changed
                    aria-disabled=card.held()
                    on:click=move |_| card.send(Reply::Reject { message: None })
                >
                    {reject::STOP}
                </button>
                <KeepWaiting card />
            </div>
        </Sheet>
    }
}

/// Other permissions of the session wait: they are rejected, too, and the run stops in any case.
#[component]
fn RejectAll(card: Card, others: usize) -> impl IntoView {
    let desk = expect_context::<Desk>();
    let answer_others = move |_| {
        card.form.update(|form| form.sheet = None);
        desk.choose_other(card.server, &card.request());
    };
    let send = move |_| {
        let message = card.form.read_untracked().word();
        card.send(Reply::Reject { message });
    };
    view! {
        <Sheet label="Reject?" back_to=card.back_to("reject")>
            <Word card on_key=|_| () />
            <p class="sheet-text">{reject::others_follow(others)}</p>
            <div class="footer">
                <button type="button" class="button button-primary" on:click=answer_others>{reject::answer_others(others)}</button>
                <button
                    type="button"
                    class="button button-quiet button-bad"
                    disabled=card.is_changed
                    aria-disabled=card.held()
                    on:click=send
                >
                    {reject::STOP_ALL}
                </button>
                <KeepWaiting card />
            </div>
        </Sheet>
    }
}

/// The word for the agent.
#[component]
fn Word(card: Card, on_key: impl FnMut(KeyboardEvent) + 'static) -> impl IntoView {
    let text = memo(move || card.form.read().own(0).to_owned());
    view! {
        <label class="field">
            <span class="field-label">{reject::TELL_WHY}</span>
            <textarea
                data-first=""
                class="input"
                rows="1"
                dir="auto"
                prop:value=text
                on:input=move |event| card.fill(|form| form.type_word(event_target_value(&event)))
                on:keydown=on_key
            ></textarea>
        </label>
    }
}
