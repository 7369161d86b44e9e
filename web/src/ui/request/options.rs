//! What may be chosen for one question: radio buttons or checkboxes, and an answer of one's own.

use leptos::prelude::*;
use switchboard_core::model::Question;

use super::card::Card;
use super::own_answer::OwnAnswer;

/// Only the first so many options have a key.
pub(super) const KEYS: usize = 9;

/// The options of a question.
#[component]
pub(crate) fn Options(card: Card, place: usize, question: Question) -> impl IntoView {
    let rows: Vec<_> = (0..question.options.len())
        .map(|option| {
            let question = question.clone();
            view! { <OptionRow card place question option /> }
        })
        .collect();
    let own = question.custom.then(|| {
        let question = question.clone();
        view! { <OwnAnswer card place question /> }
    });
    view! {
        <fieldset class="options">
            <legend class="visually-hidden" dir="auto">{question.text}</legend>
            {rows}
            {own}
        </fieldset>
    }
}

#[component]
fn OptionRow(card: Card, place: usize, question: Question, option: usize) -> impl IntoView {
    let choice = question.options[option].clone();
    let about = (!choice.description.is_empty()).then(|| format!("about-{}-{place}-{option}", card.id()));
    let label = choice.label.clone();
    let chosen = Memo::new(move |_| card.form.read().fields[place].chosen.contains(&label));
    let (kind, name) = control(card, place, &question);
    let key = (option < KEYS).then(|| (option + 1).to_string());
    let label = choice.label.clone();
    let choose = move |_| card.fill(|form| form.choose(place, &question, &label));
    view! {
        <label class="option" class:chosen=chosen>
            <input
                type=kind
                name=name
                prop:checked=chosen
                aria-label=choice.label.clone()
                aria-describedby=about.clone()
                aria-keyshortcuts=key.clone()
                on:change=choose
            />
            <span class="option-text">
                <span class="option-label" dir="auto">{choice.label}</span>
                " "
                <span class="option-about" id=about dir="auto">{choice.description}</span>
            </span>
            {key.map(|key| view! { <kbd aria-hidden="true">{key}</kbd> })}
        </label>
    }
}

/// The kind of control that chooses an option of this question, and the name its group has.
pub(crate) fn control(card: Card, place: usize, question: &Question) -> (&'static str, String) {
    let kind = if question.multiple { "checkbox" } else { "radio" };
    (kind, format!("choice-{}-{place}", card.id()))
}
