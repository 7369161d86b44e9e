//! A request whose answer is on its way, folded to one line.

use leptos::prelude::*;
use switchboard_core::model::Reply;
use switchboard_core::view::{RequestState, RequestView};

use super::card::Card;
use super::meta_line::StateMark;
use super::title::shortened;
use crate::ui::session_title::session_title;

/// How much of an answer the line quotes.
const QUOTED: usize = 60;

/// Session, what was said, and how far it is.
#[component]
pub(crate) fn Line(card: Card) -> impl IntoView {
    let session = move || {
        card.view
            .read()
            .origin
            .last()
            .map(|session| session_title(&session.title))
    };
    let said = Memo::new(move |_| said(&card.view.read()));
    view! {
        <div class="line">
            <p class="line-text">
                <span class="line-session" dir="auto">{session}</span>
                " "
                <span class="line-said" dir="auto">{said}</span>
            </p>
            <StateMark card />
        </div>
    }
}

/// What was said to a request, as a sentence without an end: `You answered “sqlx”`.
pub(crate) fn said(view: &RequestView) -> String {
    let Some(reply) = &view.reply else {
        return match &view.state {
            RequestState::Dismissed { .. } => "Dismissed elsewhere".to_owned(),
            RequestState::Waiting
            | RequestState::Sending { .. }
            | RequestState::Sent { .. }
            | RequestState::Answered { .. }
            | RequestState::AnsweredElsewhere { .. }
            | RequestState::NotSent { .. }
            | RequestState::Gone { .. } => String::new(),
        };
    };
    match reply {
        Reply::Answers(_) => format!("You answered “{}”", shortened(&reply.summary(), QUOTED)),
        Reply::Dismiss => "You dismissed it".to_owned(),
        Reply::Once => "You allowed it once".to_owned(),
        Reply::Always => "You allowed it always".to_owned(),
        Reply::Reject { message: None } => "You rejected it".to_owned(),
        Reply::Reject { message: Some(message) } => format!("You rejected it: “{}”", shortened(message, QUOTED)),
    }
}
