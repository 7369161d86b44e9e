//! A request whose answer is on its way or has arrived, in full: what was said, and how far it is.

use leptos::prelude::*;
use switchboard_core::view::RequestState;

use super::card::Card;
use super::meta_line::{MetaLine, StateMark};
use crate::kit::erased::{Show, live, memo};
use crate::kit::now::time_of_day;
use crate::kit::raw::Raw;
use crate::kit::visible::visible;
use crate::state::connection::Connection;
use crate::words::progress::sentence_of;
use crate::words::request_title;
use crate::words::said::lines;

/// How much of what was decided about is quoted.
const SUBJECT: usize = 120;

/// The question, the answer and how far it is.
#[component]
pub(crate) fn ProgressCard(card: Card) -> impl IntoView {
    let said = memo(move || lines(&card.view.read()));
    let is_failing = memo(move || matches!(card.view.read().state, RequestState::Sending { problem: Some(_), .. }));
    let raw = memo(move || {
        let view = card.view.read();
        let RequestState::Sending { problem, .. } = &view.state else {
            return None;
        };
        problem.clone()
    });
    view! {
        <MetaLine card><StateMark card /></MetaLine>
        <h2 class="question-text" dir="auto">{visible(&request_title::heading(&card.request())).into_owned()}</h2>
        {subject(card)}
        {live(move || said.get().into_iter().map(|(who, text)| view! { <Said who text remark="" /> }).collect_view())}
        <div class="progress">
            <Sentence card />
            <Show when=move || is_failing.get()>
                <button type="button" class="button" on:click=move |_| card.actions.try_now()>"Try now"</button>
            </Show>
            <Raw text=raw />
        </div>
    }
}

/// The command, file or pattern that was decided about, on one line.
fn subject(card: Card) -> Option<AnyView> {
    let subject = request_title::subject(&card.request());
    let shown = visible(&request_title::shortened(&subject, SUBJECT)).into_owned();
    (!shown.is_empty()).then(|| view! { <p class="progress-subject"><code dir="ltr">{shown}</code></p> }.into_any())
}

/// An answer in its box: who gave it or which question it answers, what it is, what became of it.
#[component]
pub(crate) fn Said(
    #[prop(into)] who: String,
    text: String,
    remark: &'static str,
    #[prop(optional)] is_draft: bool,
) -> impl IntoView {
    let who = (!who.is_empty()).then(|| view! { <span class="said-who" dir="auto">{who}</span> });
    view! {
        <p class="said" class:said-draft=is_draft data-testid="said">
            {who}
            <span class="said-text" dir="auto">{visible(&text).into_owned()}</span>
            <span class="said-remark">{remark}</span>
        </p>
    }
}

/// How far the answer is, in a sentence.
#[component]
pub(crate) fn Sentence(card: Card) -> impl IntoView {
    let sentence = memo(move || {
        let server = expect_context::<Connection>().name();
        sentence_of(&card.view.read(), &server, card.now.get(), &|time| {
            time_of_day(time, false)
        })
    });
    live(move || {
        sentence.get().map(|sentence| {
            let tone = card.words.read_untracked().tone.class();
            view! {
                <p class="progress-text"><strong class=tone>{sentence.strong}</strong>" "{sentence.rest}</p>
            }
        })
    })
}
