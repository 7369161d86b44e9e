//! A request, folded: one line to read, and the quick ways to answer it.

use leptos::prelude::*;
use switchboard_core::model::Ask;
use switchboard_core::view::RequestState;

use super::card::Card;
use super::lead::split;
use super::meta_line::{MetaLine, StateMark};
use super::quick::{Quick, is_readable};
use super::time_out_line::TimeOutLine;
use crate::kit::erased::live;
use crate::kit::viewport::IsPhone;
use crate::kit::visible::visible;
use crate::state::open_request::OpenRequest;
use crate::tools::diff::{Counts, lines};
use crate::words::answering::HAS_CHANGED;
use crate::words::refusal;
use crate::words::request_title;

/// A request, folded.
#[component]
pub(crate) fn Row(card: Card) -> impl IntoView {
    let opens = expect_context::<OpenRequest>();
    let is_phone = expect_context::<IsPhone>();
    let problem = move || {
        let RequestState::NotSent { reason } = &card.view.read().state else {
            return None;
        };
        Some(view! { <p class="row-problem">{refusal::sentence(reason)}</p> })
    };
    let is_whole = card.request().permission().is_some_and(is_readable);
    view! {
        <div class="row" class:row-whole=is_whole on:click=move |_| opens.open(&card.key_of_request())>
            <div class="row-text">
                <MetaLine card folded=true><StateMark card only_detail=true /></MetaLine>
                <h2 class="row-question">
                    <button type="button" class="row-open" dir="auto">{live(move || question(card, is_phone.get()))}</button>
                </h2>
                {live(move || command(card).filter(|_| is_phone.get()))}
                {live(problem)}
                <TimeOutLine card />
                {live(move || card.is_changed.get().then(|| view! { <p class="row-problem">{HAS_CHANGED}</p> }))}
            </div>
            <Quick card />
        </div>
    }
}

/// A command as it would run.
fn command(card: Card) -> Option<AnyView> {
    let request = card.request();
    let command = request
        .permission()
        .filter(|permission| is_readable(permission))?
        .command
        .clone()?;
    Some(view! { <pre class="command" dir="ltr">{visible(&command).into_owned()}</pre> }.into_any())
}

fn question(card: Card, is_phone: bool) -> AnyView {
    let request = card.request();
    match &request.ask {
        Ask::Questions(questions) => {
            let more = request_title::other_headers(questions)
                .map(|text| view! { <span class="row-more">{visible(&text).into_owned()}</span> });
            let text = request_title::question(&request);
            let (lead, rest) = split(text.trim());
            let shown = if lead.is_empty() { rest } else { lead };
            view! { {visible(shown).into_owned()}{more} }.into_any()
        }
        Ask::Permission(permission) if is_phone && is_readable(permission) => {
            request_title::question(&request).into_any()
        }
        Ask::Permission(permission) => {
            let subject = request_title::subject(&request);
            let is_short = is_phone && permission.diff.is_some();
            let shown = if is_short {
                request_title::last_part(&subject).to_owned()
            } else {
                subject
            };
            let subject = visible(&shown).into_owned();
            let changed = permission.diff.as_deref().map(|diff| {
                let change = lines::read(diff);
                view! { " "<Counts added=change.added removed=change.removed /> }
            });
            let verb = request_title::verb(permission).to_owned();
            view! { {verb}" "<code class="row-subject" dir="ltr">{subject}</code>{changed} }.into_any()
        }
    }
}
