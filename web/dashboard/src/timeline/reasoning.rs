//! What the model thought: one quiet line, folded.

use leptos::prelude::*;

use crate::kit::erased::{Show, live};
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::markdown::Markdown;
use crate::words::timeline::thought_for;

/// How long the model thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thought {
    /// It still does.
    GoesOn,
    /// So many milliseconds.
    Ended(u64),
    /// The server does not say how long.
    EndedSomehow,
}

/// What the model thought.
#[component]
pub(super) fn Reasoning(
    /// The text.
    text: Signal<String>,
    /// How long it took so far.
    span: Memo<Thought>,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let label = move || match span.get() {
        Thought::Ended(span) => thought_for(span),
        Thought::EndedSomehow => "Thought".to_owned(),
        Thought::GoesOn => "Thinking".to_owned(),
    };
    view! {
        <div class="reasoning" data-testid="reasoning">
            <button type="button" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>
                <Icon sign=Sign::Dots />
                <span>{live(label)}</span>
                <Icon sign=Signal::derive(move || if open.get() { Sign::ChevronDown } else { Sign::ChevronRight }) />
            </button>
            <Show when=move || open.get()>
                <Markdown text />
            </Show>
        </div>
    }
}
