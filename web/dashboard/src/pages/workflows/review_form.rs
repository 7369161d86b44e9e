//! Who has to agree: the reviewers, what they look at, and what becomes of what they find.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::workflow::{Material, Review};

use super::check_form::{Begin, Command, Limits, place_of};
use super::field::{Field, focus_first_wrong, said};
use super::page::OpenForm;
use super::reviewers::Reviewers;
use crate::kit::amount::whole;
use crate::kit::erased::{Show, live, memo};
use crate::kit::focus;
use crate::pages::prompt_box::{follow, keep};
use crate::state::servers::ServerScope;
use crate::state::workflows::Kept;
use crate::state::written::Written;
use crate::words::workflows as words;

/// Reviewers at once.
const AT_ONCE_MAX: u64 = 20;

/// What is typed of the material is kept on this device as the message of a session with this id, which no server gives.
fn draft_of_material(session: &SessionId) -> SessionId {
    SessionId::from(format!("{session} material"))
}

/// The form.
#[component]
pub(super) fn ReviewForm(kept: Kept, session: SessionId, form: RwSignal<Option<OpenForm>>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let (directory, is_running) = place_of(scope, &session).unwrap_or_else(|| (Directory::from(""), false));
    let reviewers = Reviewers::of(scope, &directory);
    let command = Command::of(scope, &directory);
    let limits = Limits::new();
    let at_once = RwSignal::new("4".to_owned());
    let material = RwSignal::new(String::new());
    let draft = draft_of_material(&session);
    let written = StoredValue::new(Written::default());
    follow(scope.store, &draft, material, written);
    let actions = scope.actions;
    let typed_for = draft.clone();
    let typed = move |event| {
        material.set(event_target_value(&event));
        keep(actions, &typed_for, material, written);
    };
    // The next review begins without it.
    let close = Callback::new(move |()| {
        actions.draft_prompt(&draft, String::new());
        form.set(None);
    });
    let changes = RwSignal::new(true);
    let about = RwSignal::new(words::CHANGES_AWAITED.to_owned());
    let fixes = RwSignal::new(false);
    let checks = RwSignal::new(false);
    let begin = Begin::new(is_running);
    let is_tried = RwSignal::new(false);
    let problem = RwSignal::new(None::<&'static str>);
    let reading = scope.connection.session_changes(&session, &directory);
    spawn_local(async move {
        about.try_set(match reading.await {
            Ok(read) => words::changes(&read.files),
            Err(error) => words::changes_unread(&error.to_string()),
        });
    });
    let too_many = Signal::derive(move || {
        whole(&at_once.read(), AT_ONCE_MAX)
            .is_none()
            .then_some(words::NO_AT_ONCE)
    });
    let nobody = memo(move || (is_tried.get() && reviewers.are_none_chosen()).then_some(words::NO_REVIEWER));
    let has_check = memo(move || checks.get());
    request_animation_frame(|| focus::first(".loop-form h2"));
    let has_no_material = move || !changes.get() && material.read().trim().is_empty();
    let no_material = memo(move || (is_tried.get() && has_no_material()).then_some(words::NO_MATERIAL));
    let is_loop = memo(move || fixes.get() || checks.get());
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        is_tried.set(true);
        problem.set(None);
        focus_first_wrong(&event);
        let at_once = whole(&at_once.read_untracked(), AT_ONCE_MAX);
        let Some((chosen, at_once)) = reviewers.chosen().zip(at_once) else {
            return;
        };
        let text = command.text.get_untracked();
        let is_blank = checks.get_untracked() && text.trim().is_empty();
        if chosen.is_empty() || untrack(has_no_material) || is_blank {
            return;
        }
        let start = begin.start.get_untracked();
        let goal = match checks.get_untracked() {
            true => limits.goal_with_check(start, &text),
            false => limits.goal(start),
        };
        let Some(mut goal) = goal else { return };
        goal.review = Some(Review {
            reviewers: chosen,
            at_once: usize::try_from(at_once).unwrap_or(1),
            material: Material {
                text: material.get_untracked(),
                changes: changes.get_untracked(),
            },
            fix: fixes.get_untracked(),
        });
        match kept.start(&session, goal) {
            Ok(_) => {
                if checks.get_untracked() {
                    command.remember(&directory);
                }
                close.run(());
            }
            Err(error) => problem.set(Some(words::not_started(&error))),
        }
    };
    view! {
        <form class="loop-form" aria-label="Ask reviewers" novalidate on:submit=submit>
            <h2 tabindex="-1">"Ask reviewers"</h2>
            {reviewers.view()}
            {live(move || nobody.get().map(said))}
            <Field label="At once" value=at_once problem=too_many is_number=true />
            <label class="field">
                <span class="field-label">"What to review"</span>
                <textarea
                    class="input mono loop-material"
                    rows="3"
                    spellcheck="false"
                    placeholder=words::MATERIAL
                    aria-invalid=move || no_material.get().map(|_| "true")
                    prop:value=material
                    on:input=typed
                ></textarea>
                {live(move || no_material.get().map(said))}
            </label>
            <div class="options">
            <label class="option">
                <input
                    type="checkbox"
                    prop:checked=changes
                    on:change=move |event| changes.set(event_target_checked(&event))
                />
                "What this session has changed when the review begins"
            </label>
            </div>
            <p class="remark" role="status">{about}</p>
            <div class="options">
            <label class="option">
                <input type="checkbox" prop:checked=fixes on:change=move |event| fixes.set(event_target_checked(&event)) />
                "Send what they find to the agent and ask again"
            </label>
            <label class="option">
                <input type="checkbox" prop:checked=checks on:change=move |event| checks.set(event_target_checked(&event)) />
                "Let a check pass first: review, fix, check as one loop"
            </label>
            </div>
            <Show when=move || checks.get()>{command.view(is_tried)}</Show>
            <Show when=move || is_loop.get()>{limits.view(has_check)}</Show>
            {begin.view("Now")}
            {live(move || problem.get().map(said))}
            <div class="footer">
                <button type="submit" class="button button-primary">"Start"</button>
                <button type="button" class="button button-quiet" on:click=move |_| close.run(())>"Cancel"</button>
            </div>
        </form>
    }
    .into_any()
}
