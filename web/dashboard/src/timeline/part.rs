//! One part of a message, by its kind.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::model::{Message, Part, PartBody, PartId, RequestId, Role, ToolPart};

use super::anchor::Anchor;
use super::attachment::Attachment;
use super::diagnosed::Diagnosed;
use super::own_text::{Piece, pieces};
use super::reasoning::{Reasoning, Thought};
use super::scene::Scene;
use crate::kit::erased::{Show, live, memo};
use crate::kit::excerpt::{ShowMore, excerpt};
use crate::kit::visible::visible;
use crate::markdown::Markdown;
use crate::request::{AskedThere, Place, RequestCard};
use crate::tools::tool_card::ToolCard;
use crate::words::timeline;

/// How much of a prompt is shown at first, in bytes.
const PROMPT_SHOWN_MAX: usize = 4 * 1024;

/// A part. Its kind never changes, its content may.
#[component]
pub(super) fn PartView(message: ArcRwSignal<Arc<Message>>, id: PartId) -> impl IntoView {
    let is_own = message.with_untracked(|message| message.role == Role::User);
    let body = message.with_untracked(|message| find(message, &id).map(|part| part.body.clone()));
    match body? {
        PartBody::Text { synthetic: true, .. }
        | PartBody::StepStart
        | PartBody::StepFinish
        | PartBody::Patch { .. } => None,
        PartBody::Text { .. } if is_own => Some(own_text(streaming(message, id))),
        PartBody::Text { .. } => {
            let grows = message.with_untracked(|message| !message.is_final());
            Some(agent_text(streaming(message, id), grows))
        }
        PartBody::Reasoning { .. } => {
            let span = {
                let (message, id) = (message.clone(), id.clone());
                memo(move || message.with(|message| thought(message, &id)))
            };
            Some(view! { <Reasoning text=streaming(message, id) span /> }.into_any())
        }
        PartBody::Tool(tool) => Some(view! { <Tool message id first=*tool /> }.into_any()),
        PartBody::File { name, mime, url } => Some(view! { <Attachment name mime url /> }.into_any()),
        PartBody::Agent { name } => {
            Some(view! { <span class="chip">"@" {visible(&name).into_owned()}</span> }.into_any())
        }
        PartBody::Compaction => Some(view! { <p class="compaction">{timeline::COMPACTED}</p> }.into_any()),
        PartBody::Retry { attempt, message } => {
            let said = timeline::failed_try(attempt, &visible(&message));
            Some(view! { <p class="aside">{said}</p> }.into_any())
        }
        PartBody::Other(kind) => {
            let said = timeline::unknown_part(&visible(&kind));
            Some(view! { <p class="aside">{said}</p> }.into_any())
        }
    }
}

/// A tool call and the requests that it has asked. While a question waits, here or in another process, its card stands for the
/// call.
#[component]
fn Tool(message: ArcRwSignal<Arc<Message>>, id: PartId, first: ToolPart) -> impl IntoView {
    let scene = expect_context::<Scene>();
    let newest = scene.is_newest_command(id.clone());
    let place = Anchor::Part(id.clone());
    let waits = scene.waits_at(place.clone());
    let abandoned = scene.is_abandoned(id.clone());
    let stands_for_call = first.tool == "question";
    let is_asked = scene.is_asked_at(place.clone());
    let asked_there = scene.asked_elsewhere(id.clone());
    let tool = Memo::new(move |before: Option<&ToolPart>| {
        message.with(|message| match find(message, &id).map(|part| &part.body) {
            Some(PartBody::Tool(tool)) => (**tool).clone(),
            Some(_) | None => before.cloned().unwrap_or_default(),
        })
    });
    view! {
        <Show when=move || !(stands_for_call && (is_asked.get() || asked_there.read().is_some()))>
            <ToolCard tool directory=scene.directory newest waits abandoned />
        </Show>
        {live(move || asked_there.get().map(|asked| view! { <AskedThere session=scene.session.get_value() asked stale=scene.stale /> }))}
        <Diagnosed at=place />
    }
}

/// Requests in the timeline.
#[component]
pub(super) fn Requests(requests: Memo<Vec<RequestId>>) -> impl IntoView {
    view! {
        <For each=move || requests.get() key=|id| id.clone() let:id>
            <RequestCard id place=Place::Timeline />
        </For>
    }
}

/// The text of a part: what the server has, or what streams while that is ahead.
fn streaming(message: ArcRwSignal<Arc<Message>>, id: PartId) -> Signal<String> {
    let scene = expect_context::<Scene>();
    memo(move || {
        let (stored, is_final) = message.with(|message| {
            let stored = find(message, &id).map(text_of).unwrap_or_default();
            (stored.to_owned(), message.is_final())
        });
        if is_final {
            stored
        } else {
            scene.preview(&id, &stored).unwrap_or(stored)
        }
    })
    .into()
}

fn agent_text(text: Signal<String>, grows: bool) -> AnyView {
    view! {
        <Show when=move || text.with(|text| !text.trim().is_empty())>
            <Markdown text grows />
        </Show>
    }
    .into_any()
}

fn own_text(text: Signal<String>) -> AnyView {
    let shown = RwSignal::new(PROMPT_SHOWN_MAX);
    let content = move || {
        text.with(|text| {
            let shown = excerpt(text, shown.get()).trim_end();
            pieces(shown).into_iter().map(piece_view).collect::<Vec<_>>()
        })
    };
    view! {
        <div class="own" dir="auto">
            {live(content)}
            <ShowMore text shown />
        </div>
    }
    .into_any()
}

fn piece_view(piece: Piece) -> AnyView {
    match piece {
        Piece::Text(text) => text.into_any(),
        Piece::Strong(text) => view! { <strong>{text}</strong> }.into_any(),
        Piece::Code(code) => view! { <code>{code}</code> }.into_any(),
    }
}

fn find<'a>(message: &'a Message, id: &PartId) -> Option<&'a Part> {
    message.parts.iter().find(|part| part.id == *id)
}

fn text_of(part: &Part) -> &str {
    let (PartBody::Text { text, .. } | PartBody::Reasoning { text, .. }) = &part.body else {
        return "";
    };
    text
}

fn thought(message: &Message, id: &PartId) -> Thought {
    match find(message, id).map(|part| &part.body) {
        Some(PartBody::Reasoning {
            started: Some(started),
            ended: Some(ended),
            ..
        }) => Thought::Ended(ended.saturating_sub(*started)),
        Some(_) | None if message.is_final() => Thought::EndedSomehow,
        Some(_) | None => Thought::GoesOn,
    }
}
