//! A request that ended without our answer: the text is kept, and there is a way out.

use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::model::{ElsewhereAnswer, Reply};
use switchboard_core::view::{RequestState, RequestView};

use super::card::Card;
use super::meta_line::{MetaLine, StateMark};
use super::progress_card::{Said, Sentence};
use super::questions::QuestionForm;
use super::refused::Refused;
use crate::kit::copy_button::CopyButton;
use crate::kit::erased::{live, memo};
use crate::kit::sheet::Sheet;
use crate::kit::visible::visible;
use crate::state::desk::kept_fields;
use crate::words::said::{is_of_another_tab, who};
use crate::words::session_title::session_title;
use crate::words::{answering, request_title};

/// A discarded text can be brought back for so long.
const UNDO: Duration = Duration::from_secs(10);

/// What was taken, what was typed, why it did not arrive, and what can be done now.
#[component]
pub(crate) fn Dead(card: Card) -> impl IntoView {
    let taken = memo(move || taken(&card.view.read()));
    let own = memo(move || own_text(&card.view.read()));
    let was_sent = memo(move || own_reply(&card.view.read()).is_some());
    let can_answer = memo(move || {
        let view = card.view.read();
        view.reply.is_none() && view.rescue.is_some() && matches!(view.state, RequestState::Gone { .. })
    });
    let answer = move || {
        if can_answer.get() {
            return view! { <QuestionForm card /> }.into_any();
        }
        let question = visible(&request_title::heading(&card.request())).into_owned();
        let own = own.get().map(|text| {
            let (who, remark) = if was_sent.get() {
                (who(&card.view.read()), "not delivered")
            } else {
                ("Your draft", "not sent")
            };
            let is_draft = !was_sent.get();
            view! { <Said who text remark is_draft /> }
        });
        view! {
            <h2 class="question-text" dir="auto">{question}</h2>
            {live(move || taken.get().map(|text| view! { <Said who="Taken" text remark="" /> }))}
            {own}
        }
        .into_any()
    };
    view! {
        <MetaLine card><StateMark card /></MetaLine>
        {live(answer)}
        <Sentence card />
        <WayOut card />
    }
}

fn taken(view: &RequestView) -> Option<String> {
    let RequestState::AnsweredElsewhere {
        answer: ElsewhereAnswer::Answers(answers),
        ..
    } = &view.state
    else {
        return None;
    };
    Some(Reply::Answers(answers.clone()).summary())
}

/// What was sent by this tab.
fn own_reply(view: &RequestView) -> Option<&Reply> {
    view.reply.as_ref().filter(|_| !is_of_another_tab(view))
}

fn own_text(view: &RequestView) -> Option<String> {
    let draft = || {
        let answers = kept_fields(view)?.iter().map(|field| field.answer()).collect();
        Some(Reply::Answers(answers).summary())
    };
    own_reply(view).map(Reply::summary).or_else(draft)
}

/// The buttons: as a message, copied, or given up.
#[component]
fn WayOut(card: Card) -> impl IntoView {
    let rescue = memo(move || card.view.read().rescue.clone());
    let own = memo(move || own_text(&card.view.read()));
    let is_discarded = RwSignal::new(false);
    let pending = StoredValue::new(None::<TimeoutHandle>);
    let discard_now = move || card.actions.discard(&card.request().id);
    let discard = move |_| {
        is_discarded.set(true);
        pending.set_value(set_timeout_with_handle(discard_now, UNDO).ok());
    };
    let take_back = move || {
        let timeout = pending.try_update_value(Option::take).flatten();
        timeout.map(|timeout| timeout.clear()).is_some()
    };
    on_cleanup(move || {
        if take_back() {
            discard_now();
        }
    });
    let undo = move |_| {
        take_back();
        is_discarded.set(false);
    };
    let send = move |_| {
        if card.desk.is_guarded() {
            return;
        }
        if let Err(error) = card.actions.rescue(&card.request().id) {
            card.problem.set(Some(error.to_string()));
        }
    };
    live(move || {
        if is_discarded.get() {
            return view! {
                <Sheet label="Discarded" class="progress-text" back_to=card.back_to("discard")>
                    "Discarded. "
                    <button type="button" class="link undo" data-first="" on:click=undo>"Undo"</button>
                </Sheet>
            }
            .into_any();
        }
        let message = rescue.get().map(|rescue| {
            let is_correction = matches!(card.view.read_untracked().state, RequestState::AnsweredElsewhere { .. });
            let elsewhere = (rescue.to.id != card.request().session).then(
                || view! { <p class="question-hint">{answering::GOES_TO}<strong dir="auto">{session_title(&rescue.to.title)}</strong>"."</p> },
            );
            let quote = rescue
                .complete
                .then(|| view! { <blockquote class="quote" dir="auto">{rescue.text}</blockquote> });
            view! {
                {quote}
                {elsewhere}
                <button
                    type="button"
                    class="button button-primary"
                    disabled=!rescue.complete
                    title=(!rescue.complete).then_some("Answer first")
                    aria-keyshortcuts=card.key("M")
                    aria-disabled=card.held()
                    on:click=send
                >
                    {answering::rescue(is_correction)}<kbd aria-hidden="true">"M"</kbd>
                </button>
            }
        });
        view! {
            <Refused card />
            <div class="footer footer-dead">
                {message}
                {live(move || own.get().map(|text| view! { <CopyButton text key=Signal::derive(card.key("C")) /> }))}
                <button type="button" class="button button-quiet" data-opens="discard" on:click=discard>"Discard"</button>
            </div>
        }
        .into_any()
    })
}
