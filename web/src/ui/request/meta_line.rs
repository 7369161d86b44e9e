//! The line over a question: who asks, where, what kind it is, how old what is shown is.

use leptos::prelude::*;

use super::card::{Card, Place};
use super::title;
use crate::ui::icons::Icon;
use crate::ui::sign::Sign;
use crate::ui::state_words::as_of;

/// Who asks, where, and what kind of request it is; what belongs on the right comes in as children.
#[component]
pub(crate) fn MetaLine(card: Card, children: Children) -> impl IntoView {
    let request = card.request();
    let is_sub_agent = card.view.read_untracked().origin.len() > 1;
    let (sign, kind) = title::kind(&request, is_sub_agent);
    let directory = title::directory_name(&request.directory).to_owned();
    let full_directory = request.directory.to_string();
    let origin = Memo::new(move |_| card.view.read().origin.clone());
    let session = move || {
        origin
            .read()
            .last()
            .map_or_else(String::new, |session| session.title.clone())
    };
    let stale = Memo::new(move |_| card.view.read().stale.map(|since| as_of(since, card.now.get())));
    let header = request
        .questions()
        .first()
        .map(|question| question.header.clone())
        .unwrap_or_default();
    let who = match card.place {
        Place::Inbox | Place::Page => view! {
            <span class="meta-session" dir="auto">{session}</span>
            <span class="meta-quiet" aria-hidden="true">"/"</span>
            <span class="meta-directory" title=full_directory>{directory}</span>
            <span class="meta-quiet meta-kind" aria-hidden="true">"·"</span>
            <span class="meta-kind"><Icon sign />{kind}</span>
        }
        .into_any(),
        Place::Timeline => view! {
            <span class="meta-kind"><Icon sign />{if is_sub_agent { "A sub-agent asks" } else { "The agent asks" }}</span>
            <Show when={let named = !header.is_empty(); move || named}>
                <span class="meta-quiet" aria-hidden="true">"·"</span>
            </Show>
            <span class="meta-directory" dir="auto">{header}</span>
        }
        .into_any(),
    };
    view! {
        <div class="meta">
            <p class="meta-who">
                {who}
                {move || stale.get().map(|age| view! {
                    <span class="meta-quiet" aria-hidden="true">"·"</span>
                    <span class="meta-kind"><Icon sign=Sign::Clock />{age}</span>
                })}
            </p>
            {children()}
        </div>
    }
}

/// The state of the request in a word, and what follows from it.
#[component]
pub(crate) fn StateMark(card: Card, #[prop(optional)] only_detail: bool) -> impl IntoView {
    view! {
        <p class="meta-state">
            <span data-testid="request-state" class:visually-hidden=only_detail>{move || card.words.read().word.clone()}</span>
            " "
            <span>{move || card.words.read().detail.clone()}</span>
        </p>
    }
}
