//! A question card: one question, or several as tabs; nothing is sent in parts.

use leptos::prelude::*;
use switchboard_core::model::Reply;

use super::card::Card;
use super::changed::Changed;
use super::dismiss::Dismiss;
use super::footer::Aside;
use super::options::Options;
use super::question_text::QuestionText;
use super::refused::Refused;
use super::shape::Place;
use super::suggestion::Suggestion;
use super::tabs::Tabs;
use crate::kit::erased::{Show, live, memo};
use crate::kit::visible::visible;
use crate::state::form::{Form, Sheet};
use crate::words::{answering, request_title};

/// The questions of a request, and the buttons under them.
#[component]
pub(crate) fn Questions(card: Card) -> impl IntoView {
    let asks = memo(move || card.form.read().sheet == Some(Sheet::Dismiss));
    view! {
        <Suggestion card />
        <QuestionForm card />
        <Changed card />
        <Refused card />
        {live(move || {
            if asks.get() {
                view! { <Dismiss card /> }.into_any()
            } else {
                view! { <Footer card /> }.into_any()
            }
        })}
    }
}

/// The fields alone: also for a dead question that can still be answered by a message.
#[component]
pub(crate) fn QuestionForm(card: Card) -> impl IntoView {
    let count = card.request().questions().len();
    let tab = memo(move || card.form.read().tab);
    let tabs = (count > 1).then(|| view! { <Tabs card /> });
    view! {
        {tabs}
        {live(move || {
            let place = tab.get();
            let request = card.request();
            let question = request.questions().get(place)?.clone();
            let hint = answering::hint(&question);
            Some(view! {
                <div
                    class="question"
                    id=panel_id(card, place)
                    role=(count > 1).then_some("tabpanel")
                    aria-labelledby=(count > 1).then(|| tab_id(card, place))
                >
                    <QuestionText text=question.text.clone() />
                    {hint.map(|hint| view! { <p class="question-hint">{hint}</p> })}
                    <Options card place question />
                </div>
            })
        })}
    }
}

/// The id of the panel of a question, for its tab.
pub(crate) fn panel_id(card: Card, place: usize) -> String {
    format!("panel-{}-{place}", card.prefix())
}

/// The id of the tab of a question, for its panel.
pub(crate) fn tab_id(card: Card, place: usize) -> String {
    format!("tab-{}-{place}", card.prefix())
}

#[component]
fn Footer(card: Card) -> impl IntoView {
    let primary = memo(move || Primary::of(&card.form.read()));
    let press = move |_| match primary.get_untracked() {
        Primary::Send { .. } => {
            let answers = card.form.with_untracked(Form::answers);
            card.send(Reply::Answers(answers));
        }
        Primary::Next { place, .. } => card.form.update(|form| form.tab = place),
        Primary::Missing(_) => {}
    };
    let has_back = memo(move || card.place != Place::Page && card.form.read().tab > 0);
    let summary = move || {
        let form = card.form.read();
        let several = form.count() > 1 && form.open_count() == 0;
        several.then(|| view! { <p class="summary" dir="auto">{visible(&Reply::Answers(form.answers()).summary()).into_owned()}</p> })
    };
    let back = move |_| card.form.update(|form| form.tab = form.tab.saturating_sub(1));
    let more = move || {
        let form = card.form.read();
        let open = form.open_count();
        (form.count() > 1 && open > 0).then(|| answering::more_to_answer(open))
    };
    view! {
        {live(summary)}
        <div class="footer">
            <button
                type="button"
                class="button button-primary"
                disabled=move || matches!(*primary.read(), Primary::Missing(_)) || card.is_changed.get()
                aria-disabled=card.held()
                aria-keyshortcuts=card.key("Enter")
                on:click=press
            >
                <span class="button-label" dir="auto">{live(move || primary.read().label())}</span>
                <kbd aria-hidden="true">"↵"</kbd>
            </button>
            <Show when=move || has_back.get()>
                <button type="button" class="button button-quiet" on:click=back>"Back"</button>
            </Show>
            <button
                type="button"
                class="button button-quiet dismiss"
                aria-keyshortcuts=card.key("X")
                data-opens="dismiss"
                disabled=card.is_changed
                on:click=move |_| card.form.update(|form| form.sheet = Some(Sheet::Dismiss))
            >
                "Dismiss…"
            </button>
            <Aside card>{live(more)}</Aside>
        </div>
    }
}

/// What the one big button does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Primary {
    Send { label: String },
    Next { place: usize, header: String },
    Missing(&'static str),
}

impl Primary {
    fn of(form: &Form) -> Self {
        let questions = form.request.questions();
        match form.next_open() {
            Some(place) if place != form.tab => Primary::Next {
                place,
                header: request_title::header(questions, place),
            },
            Some(place) => Primary::Missing(questions.get(place).map(answering::missing).unwrap_or_default()),
            None => Primary::Send {
                label: answering::send(&form.answers(), form.gives_own(0)),
            },
        }
    }

    fn label(&self) -> String {
        match self {
            Primary::Send { label } => label.clone(),
            Primary::Next { header, .. } => format!("Next: {header}"),
            Primary::Missing(label) => (*label).to_owned(),
        }
    }
}
