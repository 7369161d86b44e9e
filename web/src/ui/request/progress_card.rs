//! A request whose answer is on its way or has arrived, in full: what was said, and how far it is.

use leptos::prelude::*;
use switchboard_core::view::RequestState;

use super::card::Card;
use super::meta_line::{MetaLine, StateMark};
use super::progress::sentence_of;
use super::said::who;
use super::title;
use crate::ui::now::time_of_day;
use crate::ui::raw::Raw;

/// The question, the answer and how far it is.
#[component]
pub(crate) fn ProgressCard(card: Card) -> impl IntoView {
    let reply = Memo::new(move |_| {
        let view = card.view.read();
        Some((who(&view), view.reply.as_ref()?.summary()))
    });
    let is_failing =
        Memo::new(move |_| matches!(card.view.read().state, RequestState::Sending { problem: Some(_), .. }));
    let raw = Memo::new(move |_| {
        let view = card.view.read();
        let RequestState::Sending { problem, .. } = &view.state else {
            return None;
        };
        problem.clone()
    });
    view! {
        <MetaLine card><StateMark card /></MetaLine>
        <h2 class="question-text" dir="auto">{title::question(&card.request())}</h2>
        {move || reply.get().map(|(who, text)| view! { <Said who text remark="" /> })}
        <div class="progress">
            <Sentence card />
            <Show when=move || is_failing.get()>
                <button type="button" class="button" on:click=move |_| card.actions.try_now()>"Try now"</button>
            </Show>
            <Raw text=raw />
        </div>
    }
}

/// An answer in its box: who gave it, what it is, what became of it.
#[component]
pub(crate) fn Said(
    who: &'static str,
    text: String,
    remark: &'static str,
    #[prop(optional)] is_draft: bool,
) -> impl IntoView {
    view! {
        <p class="said" class:said-draft=is_draft>
            <span class="said-who">{who}</span>
            <span class="said-text" dir="auto">{text}</span>
            <span class="said-remark">{remark}</span>
        </p>
    }
}

/// How far the answer is, in a sentence.
#[component]
pub(crate) fn Sentence(card: Card) -> impl IntoView {
    let sentence = Memo::new(move |_| {
        let server = card.desk.server_name();
        sentence_of(&card.view.read(), &server, card.now.get(), &|time| {
            time_of_day(time, false)
        })
    });
    move || {
        sentence.get().map(|sentence| {
            let tone = card.words.read_untracked().tone.class();
            view! {
                <p class="progress-text"><strong class=tone>{sentence.strong}</strong>" "{sentence.rest}</p>
            }
        })
    }
}
