//! The page beside the timeline: the checks on one side, the reviewers on the other.

use std::mem;
use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::model::SessionId;
use switchboard_core::workflow::{Stop, Workflow};

use super::check_form::CheckForm;
use super::checks::Checks;
use super::review_form::ReviewForm;
use super::reviews::Reviews;
use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::focus;
use crate::parts::part;
use crate::state::servers::ServerScope;
use crate::state::store::shared;
use crate::state::turns::{next_in_turn, whose_turn};
use crate::state::workflows::Kept;
use crate::words::workflows as words;

/// Which form is open on the page of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenForm {
    /// What has to pass.
    Check,
    /// Who has to agree.
    Review,
}

impl OpenForm {
    /// What tells it from the other one in the document.
    pub(crate) fn key(self) -> &'static str {
        match self {
            OpenForm::Check => "check",
            OpenForm::Review => "review",
        }
    }
}

part! {
    /// What checks and reviews a session, a part.
    workflows: workflows_part(id: SessionId, form: RwSignal<Option<OpenForm>>) view! { <Page id form /> }, || {}
}

/// The class of what scrolls.
const PANE: &str = "loops";

/// A loop, which has changed when another object is found.
pub(super) type Loop = Memo<Option<Arc<Workflow>>>;

#[component]
fn Page(id: SessionId, form: RwSignal<Option<OpenForm>>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    live(move || match scope.loops.kept() {
        Some(kept) => loops(kept, id.clone(), form),
        None => view! { <p class="part-loading" role="status">{words::LOADING}</p> }.into_any(),
    })
}

fn loops(kept: Kept, id: SessionId, form: RwSignal<Option<OpenForm>>) -> AnyView {
    // The one that goes on, or else the newest.
    let newest = move |id: SessionId, is_it: fn(&Workflow) -> bool| -> Loop {
        shared(move || {
            let list = kept.list().read();
            let turn = whose_turn(&list, &id).filter(|workflow| is_it(workflow));
            let mut mine = list.iter().filter(|workflow| workflow.session == id).rev();
            turn.or_else(|| mine.find(|workflow| is_it(workflow))).cloned()
        })
    };
    let checked = newest(id.clone(), |workflow| workflow.goal.has_rounds());
    let reviewed = newest(id.clone(), |workflow| workflow.goal.review.is_some());
    let running = newest(id.clone(), |workflow| workflow.end.is_none());
    let open = newest(id.clone(), Workflow::is_open);
    let mine = id.clone();
    let next = shared(move || next_in_turn(&kept.list().read(), &mine).cloned());
    let in_turn = move || {
        let next = next.get()?;
        let words = words::next_in_turn(&next);
        let stop = (next.stop != Some(Stop::Now)).then(|| {
            let stop = move |_| kept.stop(&next.id, Stop::Now);
            view! { <button type="button" class="button" on:click=stop>"Stop the other one"</button> }
        });
        Some(view! { <div class="notice loop-end"><p role="status">{words}</p>{stop}</div> }.into_any())
    };
    let is_empty = memo(move || checked.read().is_none() && reviewed.read().is_none() && form.get().is_none());
    let unsaved = move || {
        let words = kept.unsaved().get()?;
        open.read().as_ref()?;
        Some(view! { <p class="notice loop-unsaved" role="status">{words}</p> }.into_any())
    };
    let stop = move |stop: Stop| {
        if let Some(workflow) = &*running.read_untracked() {
            kept.stop(&workflow.id, stop);
        }
    };
    let unread = move || {
        let words = kept.unread().get()?;
        Some(view! { <p class="notice loop-unsaved" role="status">{words}</p> }.into_any())
    };
    let stops = memo(move || running.read().as_ref().and_then(|workflow| workflow.stop));
    let has_rounds = memo(move || {
        running
            .read()
            .as_ref()
            .is_some_and(|workflow| workflow.goal.has_rounds())
    });
    let is_held = StoredValue::new(false);
    let last_form = StoredValue::new(None);
    effect(move || {
        // What was pressed may be gone with what it did.
        open.track();
        running.track();
        stops.track();
        next.track();
        let opened_by = last_form
            .try_update_value(|last| mem::replace(last, form.get()))
            .flatten();
        if is_held.get_value() {
            let opener = opened_by.map(|form: OpenForm| format!("[data-opens={}]", form.key()));
            focus::back_to(opener.into_iter().chain([format!(".{PANE}")]).collect());
        }
    });
    view! {
        <div
            class=format!("pane {PANE}")
            data-scrolls="main"
            role="region"
            aria-label=words::PANE
            tabindex="0"
            on:focusin=move |_| is_held.set_value(true)
        >
            {live(unread)}
            {live(unsaved)}
            {live(in_turn)}
            <Show when=move || running.read().is_some()>
                <div class="loop-stops">
                    <p class="remark" role="status">
                        {live(move || stops.get().map(words::stops))}
                    </p>
                    <Show when=move || has_rounds.get()>
                        <button
                            type="button"
                            class="button"
                            disabled=move || stops.get().is_some()
                            on:click=move |_| stop(Stop::AfterRound)
                        >
                            "Stop after this round"
                        </button>
                    </Show>
                    <button
                        type="button"
                        class="button"
                        disabled=move || stops.get() == Some(Stop::Now)
                        on:click=move |_| stop(Stop::Now)
                    >
                        "Stop now"
                    </button>
                </div>
            </Show>
            {live(move || match form.get() {
                None => ().into_any(),
                Some(OpenForm::Check) => view! { <CheckForm kept session=id.clone() form /> }.into_any(),
                Some(OpenForm::Review) => view! { <ReviewForm kept session=id.clone() form /> }.into_any(),
            })}
            <Show when=move || is_empty.get()>
                <div class="empty">
                    <h2 class="empty-title">{words::NOTHING}</h2>
                    <p class="empty-text">{words::WHAT_THEY_DO}</p>
                </div>
            </Show>
            <div class="loop-columns">
                {section(checked, move |workflow| view! { <Checks kept workflow /> }.into_any())}
                {section(reviewed, move |workflow| view! { <Reviews kept workflow /> }.into_any())}
            </div>
        </div>
    }
    .into_any()
}

/// What shows a loop, made anew only for another loop.
fn section(newest: Loop, show: impl Fn(Memo<Arc<Workflow>>) -> AnyView + Send + Sync + 'static) -> AnyView {
    let id = memo(move || newest.read().as_ref().map(|workflow| workflow.id.clone()));
    live(move || {
        id.get()?;
        let first = newest.get_untracked()?;
        let last = StoredValue::new(first);
        let workflow = Memo::new_with_compare(
            move |_| {
                if let Some(workflow) = newest.get() {
                    last.set_value(workflow);
                }
                last.get_value()
            },
            |old, new| match (old, new) {
                (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
                (Some(_), None) | (None, Some(_)) | (None, None) => true,
            },
        );
        Some(show(workflow))
    })
    .into_any()
}
