//! The timeline in its pane: the newest page first, older ones when they are scrolled to.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use switchboard_core::model::SessionId;
use switchboard_core::view::Older;

use super::beyond::Pills;
use super::end::End;
use super::message::MessageView;
use super::observe::in_sight;
use super::rows::{self, Row};
use super::scene::Scene;
use super::scroll::Scroll;
use crate::state::actions::Actions;
use crate::state::store::Store;
use crate::words::timeline::{READING, READING_OLDER};

/// So far above the first message older ones are asked for.
const OLDER_MARGIN: &str = "1200px 0px 0px 0px";

/// The messages of a session.
#[component]
pub(crate) fn TimelinePane(session: SessionId) -> impl IntoView {
    let scene = Scene::new(expect_context::<Store>(), &session);
    provide_context(scene);
    let scroll = Scroll::new();
    let above = NodeRef::<Div>::new();
    let rows = RwSignal::new(Vec::<Row>::new());
    show_messages(scene, scroll, rows);
    load_older(scene, scroll, above);
    let is_read = Memo::new(move |_| scene.timeline.with(Option::is_some));
    let is_loading = Memo::new(move |_| older(scene) == Older::Loading);
    view! {
        <div class="timeline-frame">
            <div
                class="timeline-pane"
                data-scrolls="main"
                node_ref=scroll.pane
                tabindex="-1"
                on:click=move |_| scroll.pressed()
            >
                <div class="timeline" node_ref=scroll.content data-testid="timeline" role="log" aria-live="off" aria-label="Messages">
                    <div class="timeline-above" node_ref=above>
                        <Show when=move || is_loading.get()>
                            <p class="aside">{READING_OLDER}</p>
                        </Show>
                    </div>
                    <Show when=move || is_read.get() fallback=Bars>
                        <For each=move || rows.get() key=|row| row.id.clone() let:row>
                            <MessageView row />
                        </For>
                    </Show>
                    <End session />
                </div>
            </div>
            <Pills scroll />
        </div>
    }
}

/// Keeps the rows up to date. What comes in above moves nothing; what comes in below is announced.
fn show_messages(scene: Scene, scroll: Scroll, rows: RwSignal<Vec<Row>>) {
    Effect::new(move |streamed: Option<usize>| {
        scene.timeline.with(|timeline| {
            let messages = timeline.as_ref().map_or(&[][..], |timeline| &timeline.messages);
            let (first, last) = rows.with_untracked(|rows| {
                let shown = |row: &Row| row.message.get_untracked();
                (rows.first().map(|row| row.id.clone()), rows.last().map(shown))
            });
            let is_same_end = match (&last, messages.last()) {
                (Some(shown), Some(message)) => Arc::ptr_eq(shown, message),
                (shown, message) => shown.is_none() && message.is_none(),
            };
            if first.as_ref() == messages.first().map(|message| &message.id) {
                rows::update(rows, messages);
            } else {
                scroll.hold_place(|| rows::update(rows, messages));
            }
            let streams = timeline
                .as_ref()
                .map_or(0, |timeline| timeline.previews.values().map(|text| text.len()).sum());
            if !is_same_end || streamed.is_some_and(|before| streams > before) {
                scroll.grown();
            }
            streams
        })
    });
}

/// Asks for older messages while the beginning of what is held is near.
fn load_older(scene: Scene, scroll: Scroll, above: NodeRef<Div>) {
    let actions = expect_context::<Actions>();
    let sight = RwSignal::new(None::<ReadSignal<bool>>);
    Effect::new(move || {
        if let Some((above, scroller)) = above.get().zip(scroll.scroller()) {
            sight.set(Some(in_sight(&above, &scroller, OLDER_MARGIN)));
        }
    });
    let is_wanted = Memo::new(move |_| {
        let is_near = sight.get().is_some_and(|near| near.get());
        is_near && older(scene) == Older::Available
    });
    Effect::new(move || {
        if is_wanted.get() {
            actions.load_older();
        }
    });
}

fn older(scene: Scene) -> Older {
    scene
        .timeline
        .with(|timeline| timeline.as_ref().map_or(Older::Unknown, |timeline| timeline.older))
}

/// What stands in for messages that are not read yet.
#[component]
fn Bars() -> impl IntoView {
    view! {
        <div class="bars" role="status">
            <span class="visually-hidden">{READING}</span>
            <div></div>
            <div></div>
            <div></div>
        </div>
    }
}
