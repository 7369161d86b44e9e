//! What has to pass: the command, how often it is tried, and what is sent back.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::settings::Settings;
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::view::TurnState;
use switchboard_core::workflow::{Check, Goal, Start};

use super::field::{Bounds, Field, focus_first_wrong, said};
use super::page::OpenForm;
use crate::kit::amount::{timeout, whole};
use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::suggest::suggest;
use crate::pages::prompt_box::keep;
use crate::state::servers::ServerScope;
use crate::state::workflows::Kept;
use crate::state::written::Written;
use crate::words::workflows as words;

/// Rounds at most.
const ROUNDS_MAX: u64 = 50;

/// What is typed of the command is kept on this device as the message of a session with this id, which no server gives.
fn draft_of_command(session: &SessionId) -> SessionId {
    SessionId::from(format!("{session} check"))
}

/// The command of a check, with what is suggested for the directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Command {
    pub(super) text: RwSignal<String>,
    pub(super) field: NodeRef<Input>,
    suggested: RwSignal<Vec<String>>,
    /// Under which id it is kept while it is typed.
    draft: StoredValue<Option<SessionId>>,
    written: StoredValue<Written<String>>,
    scope: ServerScope,
}

impl Command {
    /// What last checked the directory, else the first suggestion.
    pub(super) fn of(scope: ServerScope, directory: &Directory) -> Self {
        let base = scope.connection.base();
        let remembered = Settings::open().check_command(&base, directory);
        let command = Self {
            text: RwSignal::new(remembered.unwrap_or_default()),
            field: NodeRef::new(),
            suggested: RwSignal::new(Vec::new()),
            draft: StoredValue::new(None),
            written: StoredValue::default(),
            scope,
        };
        let reading = scope.connection.suggested_checks(directory);
        spawn_local(async move {
            // Without suggestions a person types the command.
            let suggested = reading.await.unwrap_or_default();
            if let Some(first) = suggested.first() {
                suggest(
                    command.text,
                    first,
                    command
                        .field
                        .try_get_untracked()
                        .flatten()
                        .as_deref()
                        .map(AsRef::as_ref),
                );
            }
            command.suggested.try_set(suggested);
        });
        command
    }

    /// Keeps what is typed on this device, and shows what was typed before.
    fn keep_as(self, draft: SessionId) {
        let kept = self.scope.store.prompt_draft(draft.clone());
        self.draft.set_value(Some(draft));
        effect(move || {
            let kept = kept.get().unwrap_or_default();
            let is_foreign = self.written.try_update_value(|written| written.observe(&kept));
            if is_foreign == Some(true) && !kept.is_empty() {
                self.text.set(kept);
            }
        });
    }

    /// Takes what a person types or chooses.
    fn take(self, text: String) {
        self.text.set(text);
        if let Some(draft) = self.draft.get_value() {
            keep(self.scope.actions, &draft, self.text, self.written);
        }
    }

    /// Remembers it for the directory.
    pub(super) fn remember(self, directory: &Directory) {
        let base = self.scope.connection.base();
        Settings::open().set_check_command(&base, directory, self.text.read_untracked().trim());
    }

    /// The field, and a button for each suggestion.
    pub(super) fn view(self, is_tried: RwSignal<bool>) -> AnyView {
        let text = self.text;
        let problem = memo(move || (is_tried.get() && text.read().trim().is_empty()).then_some(words::NO_COMMAND));
        let suggestions = move || {
            let other = |suggested: &String| *suggested != *text.read();
            let suggested: Vec<String> = self
                .suggested
                .read()
                .iter()
                .filter(|each| other(each))
                .cloned()
                .collect();
            let button = |suggested: String| {
                let typed = suggested.clone();
                view! {
                    <button type="button" class="button button-quiet mono" on:click=move |_| self.take(typed.clone())>
                        {suggested}
                    </button>
                }
                .into_any()
            };
            suggested.into_iter().map(button).collect_view()
        };
        view! {
            <label class="field">
                <span class="field-label">"Check command"</span>
                <input
                    node_ref=self.field
                    class="input mono"
                    type="text"
                    dir="ltr"
                    autocapitalize="off"
                    autocomplete="off"
                    spellcheck="false"
                    aria-invalid=move || problem.get().map(|_| "true")
                    prop:value=text
                    on:input=move |event| self.take(event_target_value(&event))
                />
                {live(move || problem.get().map(said))}
            </label>
            <div class="suggestions">{live(suggestions)}</div>
            <p class="remark">{words::NO_INPUT}</p>
        }
        .into_any()
    }
}

/// Where a session works, and whether its agent does.
pub(super) fn place_of(scope: ServerScope, session: &SessionId) -> Option<(Directory, bool)> {
    scope.store.sessions().with_untracked(|sessions| {
        let view = sessions.iter().find(|view| view.session.id == *session)?;
        let is_running = !matches!(
            view.state,
            TurnState::Unknown | TurnState::Elsewhere { certain: false } | TurnState::Ended { .. }
        );
        Some((view.session.directory.clone(), is_running))
    })
}

/// When a loop begins: at once, or later, which is chosen where the agent works.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    pub(super) start: RwSignal<Start>,
    at_once: Start,
    /// The later one, and its label.
    later: (Start, &'static str),
}

impl Begin {
    pub(super) fn new(is_running: bool) -> Self {
        let (at_once, later) = match is_running {
            true => (Start::Now, (Start::AfterRun, "When the agent has finished")),
            // An agent that has begun while the form was open is not disturbed.
            false => (Start::AfterRun, (Start::AfterReply, "After the agent's next reply")),
        };
        Self {
            start: RwSignal::new(Start::AfterRun),
            at_once,
            later,
        }
    }

    pub(super) fn view(self, label_at_once: &'static str) -> AnyView {
        let radio = |value: Start, label: &'static str| {
            view! {
                <label class="option">
                    <input
                        type="radio"
                        name="loop-begin"
                        prop:checked=move || self.start.get() == value
                        on:change=move |_| self.start.set(value)
                    />
                    {label}
                </label>
            }
            .into_any()
        };
        let (later, label) = self.later;
        view! {
            <fieldset class="loop-begin">
                <legend class="field-label">"Begin"</legend>
                <div class="options">{radio(self.at_once, label_at_once)} {radio(later, label)}</div>
            </fieldset>
        }
        .into_any()
    }
}

/// The limits of a loop: rounds, the time-out of the check, budgets, and the message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) rounds: RwSignal<String>,
    timeout: RwSignal<String>,
    template: RwSignal<String>,
    bounds: Bounds,
}

impl Limits {
    pub(super) fn new() -> Self {
        let template = Goal::new(Start::Now).template;
        Self {
            rounds: RwSignal::new("5".to_owned()),
            timeout: RwSignal::new("600".to_owned()),
            template: RwSignal::new(template),
            bounds: Bounds::new(),
        }
    }

    /// A goal without anything to do; none when a field is wrong.
    pub(super) fn goal(self, start: Start) -> Option<Goal> {
        let mut goal = Goal::new(start);
        goal.rounds = u32::try_from(whole(&self.rounds.read_untracked(), ROUNDS_MAX)?).ok()?;
        goal.budget = untrack(|| self.bounds.budget())?;
        Some(goal)
    }

    /// A goal with the check of this command; none when a field is wrong.
    pub(super) fn goal_with_check(self, start: Start, command: &str) -> Option<Goal> {
        let mut goal = self.goal(start)?;
        goal.check = Some(Check {
            command: command.trim().to_owned(),
            timeout: timeout(&self.timeout.read_untracked())?,
        });
        goal.template = self.template.get_untracked();
        goal.template.contains("{output}").then_some(goal)
    }

    /// The fields: with those of a check, or only those of a loop.
    pub(super) fn view(self, has_check: Memo<bool>) -> AnyView {
        let rounds = Signal::derive(move || {
            whole(&self.rounds.read(), ROUNDS_MAX)
                .is_none()
                .then_some(words::NO_ROUNDS)
        });
        let seconds = Signal::derive(move || timeout(&self.timeout.read()).is_none().then_some(words::NO_TIMEOUT));
        let template = memo(move || (!self.template.read().contains("{output}")).then_some(words::NO_TEMPLATE));
        view! {
            <div class="field-row">
                <Field label="At most (rounds)" value=self.rounds problem=rounds is_number=true />
                <Show when=move || has_check.get()>
                    <Field label="Time-out of the check (seconds)" value=self.timeout problem=seconds is_number=true />
                </Show>
            </div>
            {self.bounds.view()}
            <Show when=move || has_check.get()>
                <details class="loop-more">
                    <summary>"What is sent back"</summary>
                    <label class="field">
                        <span class="field-label">"Message to the agent"</span>
                        <textarea
                            class="input"
                            rows="4"
                            aria-invalid=move || template.get().map(|_| "true")
                            prop:value=self.template
                            on:input=move |event| self.template.set(event_target_value(&event))
                        ></textarea>
                        {live(move || template.get().map(said))}
                    </label>
                    <p class="remark">{words::TEMPLATE}</p>
                </details>
            </Show>
        }
        .into_any()
    }
}

/// The form.
#[component]
pub(super) fn CheckForm(kept: Kept, session: SessionId, form: RwSignal<Option<OpenForm>>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let (directory, is_running) = place_of(scope, &session).unwrap_or_else(|| (Directory::from(""), false));
    let command = Command::of(scope, &directory);
    let draft = draft_of_command(&session);
    command.keep_as(draft.clone());
    let actions = scope.actions;
    // The next one begins without it.
    let close = Callback::new(move |()| {
        actions.draft_prompt(&draft, String::new());
        form.set(None);
    });
    let limits = Limits::new();
    let begin = Begin::new(is_running);
    let is_tried = RwSignal::new(false);
    let problem = RwSignal::new(None::<&'static str>);
    effect(move || {
        if let Some(field) = command.field.get() {
            // Focusing fails only for elements that are gone.
            let _ = field.focus();
        }
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        is_tried.set(true);
        problem.set(None);
        focus_first_wrong(&event);
        let text = command.text.get_untracked();
        if text.trim().is_empty() {
            return;
        }
        let Some(goal) = limits.goal_with_check(begin.start.get_untracked(), &text) else {
            return;
        };
        match kept.start(&session, goal) {
            Ok(_) => {
                command.remember(&directory);
                close.run(());
            }
            Err(error) => problem.set(Some(words::not_started(&error))),
        }
    };
    view! {
        <form class="loop-form" aria-label="Keep going until it passes" novalidate on:submit=submit>
            <h2>"Keep going until it passes"</h2>
            {command.view(is_tried)}
            {limits.view(memo(|| true))}
            {begin.view("Now: run the check first")}
            {live(move || problem.get().map(said))}
            <div class="footer">
                <button type="submit" class="button button-primary">"Start"</button>
                <button type="button" class="button button-quiet" on:click=move |_| close.run(())>"Cancel"</button>
            </div>
        </form>
    }
    .into_any()
}
