//! What may be chosen for one question: radio buttons or checkboxes, and an answer of one's own.

use leptos::prelude::*;
use switchboard_core::model::Question;

use super::card::Card;
use super::own_answer::OwnAnswer;
use crate::kit::erased::memo;
use crate::kit::visible::visible;

/// The keys of the first options.
pub(super) const KEYS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

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
            <legend class="visually-hidden" dir="auto">{visible(&question.text).into_owned()}</legend>
            {rows}
            {own}
        </fieldset>
    }
}

#[component]
fn OptionRow(card: Card, place: usize, question: Question, option: usize) -> impl IntoView {
    let choice = question.options.get(option)?;
    let (label, description) = (
        visible(&choice.label).into_owned(),
        visible(&choice.description).into_owned(),
    );
    let has_lines = description.contains('\n');
    let about = (!description.is_empty()).then(|| format!("about-{}-{place}-{option}", card.prefix()));
    let chosen = memo(move || card.form.read().is_chosen(place, option));
    let (kind, name) = control(card, place, &question);
    let key = KEYS.get(option).copied();
    let choose = move |_| card.fill(|form| form.choose(place, option));
    Some(view! {
        <label class="option" class:chosen=chosen>
            <input
                type=kind
                name=name
                prop:checked=chosen
                aria-label=label.clone()
                aria-describedby=about.clone()
                aria-keyshortcuts=key.map(|key| card.key(key))
                on:change=choose
            />
            <span class="option-text">
                <span class="option-label" dir="auto">{label}</span>
                " "
                <span class="option-about" class:lines=has_lines id=about dir="auto">{description}</span>
            </span>
            {key.map(|key| view! { <kbd aria-hidden="true">{key}</kbd> })}
        </label>
    })
}

/// The kind of control that chooses an option of this question, and the name its group has.
pub(crate) fn control(card: Card, place: usize, question: &Question) -> (&'static str, String) {
    let kind = if question.multiple { "checkbox" } else { "radio" };
    (kind, format!("choice-{}-{place}", card.prefix()))
}
