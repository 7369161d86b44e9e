//! The line over a question: who asks, where, what kind it is, how old what is shown is.

use leptos::prelude::*;
use switchboard_core::view::{RequestState, RequestView};

use super::card::Card;
use super::shape::Place;
use crate::kit::erased::{live, memo};
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::state::connection::Connection;
use crate::state::servers::Servers;
use crate::words::request_title;
use crate::words::session_title::session_title;
use crate::words::state_words::{Words, as_of};

/// Who asks, where, and what kind of request it is; what belongs on the right comes in as children.
#[component]
pub(crate) fn MetaLine(
    card: Card,
    /// Whether the request is folded to a row.
    #[prop(optional)]
    folded: bool,
    children: Children,
) -> impl IntoView {
    let who = match card.place {
        Place::Inbox => who(card, folded),
        Place::Page => view! { <span>{live(move || page_kind(card))}</span> }.into_any(),
        Place::Timeline => asker(card),
    };
    let stale = memo(move || card.view.read().stale.map(|since| as_of(since, card.now.get())));
    view! {
        <div class="meta" data-testid="request-meta">
            <p class="meta-who">
                {who}
                {live(move || stale.get().map(|age| view! { {dot()}<span class="meta-kind"><Icon sign=Sign::Clock />{age}</span> }))}
            </p>
            {children()}
        </div>
    }
    .into_any()
}

/// Session, directory or parent, kind.
fn who(card: Card, folded: bool) -> AnyView {
    let servers = expect_context::<Servers>();
    let connection = expect_context::<Connection>();
    let request = card.request();
    let origin = memo(move || card.view.read().origin.clone());
    let (sign, kind) = request_title::kind(&request, origin.read_untracked().len() > 1);
    let session = move || origin.read().last().map(|session| session_title(&session.title));
    let directory = request_title::directory_name(&request.directory).to_owned();
    let place = move || {
        let origin = origin.read();
        let parent = origin.iter().rev().nth(1).filter(|_| folded);
        parent.map_or_else(|| directory.clone(), |parent| session_title(&parent.title))
    };
    view! {
        <span class="meta-session" dir="auto">{live(session)}</span>
        <span class="meta-quiet" aria-hidden="true">"/"</span>
        <span class="meta-place" dir="auto" title=request.directory.to_string()>{live(place)}</span>
        {live(move || servers.are_several().then(|| view! {
            {dot()}<span class="meta-place" dir="auto">{connection.name()}</span>
        }))}
        <span class="meta-quiet meta-kind" aria-hidden="true">"·"</span>
        <span class="meta-kind"><Icon sign />{kind}</span>
    }
    .into_any()
}

/// On a page of its own the head names the session.
fn page_kind(card: Card) -> String {
    let request = card.request();
    let count = request.questions().len();
    if count > 1 && takes_an_answer(&card.view.read()) {
        format!("· {}", request_title::numbered(card.form.read().tab, count))
    } else {
        let is_sub_agent = card.view.read().origin.len() > 1;
        format!(
            "· {}",
            request_title::kind(&request, is_sub_agent).1.to_ascii_lowercase()
        )
    }
}

/// In a timeline it is clear where it is asked.
fn asker(card: Card) -> AnyView {
    let request = card.request();
    let is_sub_agent = card.view.read_untracked().origin.len() > 1;
    // Of several questions each is named by its tab, and once they are answered, by its answer.
    let header = memo(move || {
        let request = card.request();
        let questions = request.questions();
        let is_one = questions.len() == 1;
        let question = questions.get(card.form.read().tab)?;
        let is_named = !question.header.trim().is_empty() && (is_one || takes_an_answer(&card.view.read()));
        is_named.then(|| visible(&question.header).into_owned())
    });
    view! {
        <span class="meta-kind">
            <Icon sign=request_title::kind(&request, is_sub_agent).0 />
            {request_title::asker(is_sub_agent)}
        </span>
        {live(move || header.get().map(|header| view! { {dot()}<span class="meta-header" dir="auto">{header}</span> }))}
    }
    .into_any()
}

/// Whether its questions can be answered, here or by a message.
fn takes_an_answer(view: &RequestView) -> bool {
    let by_message = view.reply.is_none() && view.rescue.is_some();
    view.state.is_waiting() || (by_message && matches!(view.state, RequestState::Gone { .. }))
}

fn dot() -> AnyView {
    view! { <span class="meta-quiet" aria-hidden="true">"·"</span> }.into_any()
}

/// The state of the request in a word, and what follows from it.
#[component]
pub(crate) fn StateMark(card: Card, #[prop(optional)] only_detail: bool) -> impl IntoView {
    view! {
        <p class="meta-state">
            <span data-testid="request-state" class:visually-hidden=only_detail>{live(move || card.words.read().word.clone())}</span>
            <span>{live(move || detail(&card.words.read()))}</span>
        </p>
    }
    .into_any()
}

/// What follows the word: a time after *waiting* belongs to it, all else is another remark.
fn detail(words: &Words) -> String {
    match words.detail.as_str() {
        "" => String::new(),
        detail if words.key == "waiting" => format!(" {detail}"),
        detail => format!(" · {detail}"),
    }
}
