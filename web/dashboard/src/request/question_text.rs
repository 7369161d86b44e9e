//! The text of a question as it was written, its first paragraph as the heading.

use leptos::prelude::*;

use super::lead::split;
use crate::kit::visible::visible;

/// The text of a question.
#[component]
pub(crate) fn QuestionText(text: String) -> impl IntoView {
    let shown = visible(text.trim());
    let (lead, rest) = split(&shown);
    let rest = (!rest.is_empty()).then(|| view! { <span class="question-rest" dir="auto">{rest.to_owned()}</span> });
    let is_alone = rest.is_none();
    view! {
        <h2 class="question-text">
            <span class="question-lead" class:only=is_alone dir="auto">{lead.to_owned()}</span>
            {rest}
        </h2>
    }
    .into_any()
}
