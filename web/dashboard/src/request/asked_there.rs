//! A question that waits in another process: to be read here, and answered there.

use leptos::prelude::*;
use switchboard_core::Time;
use switchboard_core::model::{Choice, Question, SessionId};
use switchboard_core::view::AskedElsewhere;

use super::question_text::QuestionText;
use crate::kit::erased::{live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::state::elsewhere::asked_by;
use crate::state::servers::Servers;
use crate::words::answering;
use crate::words::state_words;

/// The questions of one call with their options, none of which can be chosen.
#[component]
pub(crate) fn AskedThere(
    session: SessionId,
    asked: AskedElsewhere,
    /// Set when what is shown is old.
    stale: Memo<Option<Time>>,
) -> impl IntoView {
    let now = expect_context::<Now>();
    let servers = expect_context::<Servers>();
    let questions: Vec<_> = asked.questions.iter().map(read_only).collect();
    let words = memo(move || match asked_by(servers, &session, &asked.message) {
        Some(scope) => state_words::runs_on(&scope.connection.name()),
        None => state_words::asked_elsewhere(&asked, stale.get(), now.get()),
    });
    view! {
        <article
            class="request request-card asked-there"
            data-testid="asked-elsewhere"
            aria-label=move || words.read().word.clone()
        >
            <span class="request-sign tone-plain"><Icon sign=Sign::Server /></span>
            <div class="request-body">
                <div class="meta">
                    <p class="meta-who">{live(move || visible(&words.read().word).into_owned())}</p>
                    <p class="meta-state">{live(move || words.read().detail.clone())}</p>
                </div>
                {questions}
                <p class="sheet-text">{answering::ANSWERED_THERE}</p>
            </div>
        </article>
    }
    .into_any()
}

fn read_only(question: &Question) -> AnyView {
    let hint = question
        .multiple
        .then(|| view! { <p class="question-hint">{answering::SEVERAL}</p> });
    let option = |Choice { label, description }: &Choice| {
        let has_lines = description.contains('\n');
        view! {
            <li class="option">
                <span class="option-text">
                    <span class="option-label" dir="auto">{visible(label).into_owned()}</span>
                    " "
                    <span class="option-about" class:lines=has_lines dir="auto">{visible(description).into_owned()}</span>
                </span>
            </li>
        }
        .into_any()
    };
    let options: Vec<_> = question.options.iter().map(option).collect();
    let options = (!options.is_empty()).then(|| view! { <ul class="options">{options}</ul> });
    view! {
        <div class="question">
            <QuestionText text=question.text.clone() />
            {hint}
            {options}
        </div>
    }
    .into_any()
}
