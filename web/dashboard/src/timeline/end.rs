//! What stands after the last message.

use leptos::prelude::*;
use switchboard_core::model::SessionId;
use switchboard_core::view::Link;

use super::anchor::Anchor;
use super::diagnosed::Diagnosed;
use super::scene::Scene;
use super::sending::Sending;
use crate::kit::erased::{Show, live, memo};
use crate::kit::raw::Raw;
use crate::markdown::Markdown;
use crate::state::store::Store;
use crate::words::timeline::{READING_NEWER, UNREADABLE};

/// The reply of a turn that ended without text, requests without a place of their own, and prompts on their way.
#[component]
pub(super) fn End(session: SessionId) -> impl IntoView {
    let scene = expect_context::<Scene>();
    let fallback = memo(move || scene.timeline.with(|timeline| timeline.as_ref()?.fallback.clone()));
    // While the whole server cannot be read the connection bar says so.
    let store = expect_context::<Store>();
    let problem = memo(move || {
        let is_live = store.server().read().link == Link::Live;
        let problem = scene.timeline.with(|timeline| timeline.as_ref()?.problem.clone());
        problem.filter(|_| is_live)
    });
    let is_behind = memo(move || {
        scene
            .timeline
            .with(|timeline| timeline.as_ref().is_some_and(|timeline| timeline.catching_up))
    });
    view! {
        {live(move || fallback.get().map(|text| view! { <div class="fallback" data-testid="fallback"><Markdown text /></div> }))}
        <Diagnosed at=Anchor::End />
        <Show when=move || is_behind.get()>
            <p class="aside">{READING_NEWER}</p>
        </Show>
        <Show when=move || problem.with(Option::is_some)>
            <div class="message-error">{UNREADABLE} <Raw text=problem /></div>
        </Show>
        <Sending session />
    }
}
