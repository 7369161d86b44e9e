//! The last row of the options: an answer in one's own words. Typing chooses it.

use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;
use switchboard_core::model::Question;

use super::card::Card;
use super::options::{KEYS, control};
use crate::kit::erased::memo;
use crate::state::shortcut;
use crate::words::answering::CHOOSE_OWN;

/// The row of one's own answer.
#[component]
pub(crate) fn OwnAnswer(card: Card, place: usize, question: Question) -> impl IntoView {
    let field = NodeRef::<Textarea>::new();
    let chosen = memo(move || card.form.read().is_own_chosen(place));
    let text = memo(move || card.form.read().own(place).to_owned());
    let (kind, name) = control(card, place, &question);
    let digit = KEYS.get(question.options.len()).copied();
    let keys = digit.map_or_else(|| "W".to_owned(), |digit| format!("W {digit}"));
    let typed = move |event| card.fill(|form| form.type_own(place, event_target_value(&event)));
    let choose = move |event| {
        card.fill(|form| form.choose_own(place, event_target_checked(&event)));
        if let Some(field) = field.get_untracked() {
            // Focusing fails only for elements that are gone.
            let _ = field.focus();
        }
    };
    let key_pressed = move |event: KeyboardEvent| {
        if shortcut::sends_text(&event) {
            event.prevent_default();
            shortcut::press_enter(card.desk, &event);
        }
    };
    view! {
        <div class="option option-own" class:chosen=chosen>
            <label class="own-choice">
                <input type=kind name=name prop:checked=chosen aria-label=CHOOSE_OWN on:change=choose />
            </label>
            <textarea
                node_ref=field
                class="own-answer"
                rows="1"
                aria-label="Your own answer"
                aria-keyshortcuts=move || card.is_open.get().then(|| keys.clone())
                placeholder="Your own answer…"
                dir="auto"
                prop:value=text
                on:input=typed
                on:keydown=key_pressed
            ></textarea>
            <kbd aria-hidden="true">{digit.unwrap_or("W")}</kbd>
        </div>
    }
}
