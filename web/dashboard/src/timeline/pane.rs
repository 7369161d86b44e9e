//! The timeline in its pane: the newest page first, older ones when they are scrolled to.

use leptos::html::Div;
use leptos::prelude::*;
use switchboard_core::model::SessionId;
use switchboard_core::view::Older;

use super::beyond::Pills;
use super::end::End;
use super::find::Find;
use super::observe::in_sight;
use super::scene::Scene;
use super::scroll::Scroll;
use crate::kit::erased::{Show, effect, memo};
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
    let scroll = Scroll::new(scene.asking());
    let above = NodeRef::<Div>::new();
    show_messages(scene, scroll);
    load_older(scene, scroll, above);
    let is_read = memo(move || scene.timeline.with(Option::is_some));
    let is_loading = memo(move || scene.older() == Older::Loading);
    view! {
        <div class="timeline-frame">
            <div
                class="timeline-pane"
                data-scrolls="main"
                node_ref=scroll.pane
                tabindex="-1"
                on:click=move |event| scroll.pressed(&event)
            >
                <div class="timeline" node_ref=scroll.content data-testid="timeline" role="log" aria-live="off" aria-label="Messages">
                    <div class="timeline-above" node_ref=above>
                        <Show when=move || is_loading.get()>
                            <p class="aside">{READING_OLDER}</p>
                        </Show>
                    </div>
                    <Show when=move || !is_read.get()>
                        <Bars />
                    </Show>
                    <div class="timeline-rows" node_ref=scroll.rows.list></div>
                    <End session />
                </div>
            </div>
            <Pills scroll />
            <Find scroll />
        </div>
    }
}

/// Keeps the rows up to date. What comes in above moves nothing; what comes in below is announced.
fn show_messages(scene: Scene, scroll: Scroll) {
    effect(move || {
        if scroll.rows.list.get().is_some() {
            scene.messages.with(|messages| scroll.show(messages));
        }
    });
    Effect::new(move |streamed: Option<usize>| {
        let streams = scene
            .previews()
            .with(|previews| previews.values().map(|text| text.len()).sum());
        if streamed.is_some_and(|before| streams > before) {
            scroll.grown();
        }
        streams
    });
}

/// Asks for older messages while the beginning of what is held is near.
fn load_older(scene: Scene, scroll: Scroll, above: NodeRef<Div>) {
    let actions = expect_context::<Actions>();
    let sight = RwSignal::new(None::<ReadSignal<bool>>);
    effect(move || {
        if let Some((above, scroller)) = above.get().zip(scroll.scroller()) {
            sight.set(Some(in_sight(&above, &scroller, OLDER_MARGIN)));
        }
    });
    let is_wanted = memo(move || {
        let is_near = sight.get().is_some_and(|near| near.get());
        is_near && scene.older() == Older::Available
    });
    effect(move || {
        if is_wanted.get() {
            actions.load_older();
        }
    });
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
