//! The rounds of a loop: the strip, each round with what failed and what was sent back, and how it ended.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::List;
use switchboard_core::model::SessionId;
use switchboard_core::view::RequestView;
use switchboard_core::workflow::{CheckResult, Step, Work, Workflow};

use crate::kit::erased::{Show, live, memo};
use crate::kit::excerpt::last_lines;
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::state::route::Route;
use crate::state::servers::ServerScope;
use crate::state::workflows::Kept;
use crate::words::workflows::{self as words, RoundWords};

/// So many lines of the output are shown where none of them tells what failed, and while the check runs.
const LINES: usize = 12;

/// So many bytes of the output are shown at most.
const BYTES: usize = 16 * 1024;

/// The rounds of the newest loop.
#[component]
pub(super) fn Checks(kept: Kept, workflow: Memo<Arc<Workflow>>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let waiting = waiting_in(scope, move || Some(workflow.read().session.clone()));
    let waits = memo(move || waiting.read().is_some());
    let is_reviewer = memo(move || {
        let requests = scope.store.requests().read();
        workflow.with(|workflow| {
            let waiting = waits_in(&requests, &workflow.session);
            waiting.is_some_and(|waiting| workflow.sessions().any(|session| waiting.is_from(session)))
        })
    });
    let numbers = memo(move || workflow.with(|workflow| (1..=workflow.by_round().len()).rev().collect::<Vec<_>>()));
    let strip = memo(move || workflow.with(|workflow| strip(workflow, waits.get())));
    let command = memo(move || {
        workflow.with(|workflow| {
            let check = workflow.goal.check.as_ref()?;
            Some(visible(&check.command).into_owned())
        })
    });
    let rounds = memo(move || workflow.read().goal.rounds);
    let about = move || {
        let until = if command.read().is_some() {
            "until green"
        } else {
            "until all say GO"
        };
        format!(
            "{until}, at most {}",
            crate::kit::age::count(rounds.get() as usize, "round")
        )
    };
    let trend = memo(move || {
        workflow.with(|workflow| {
            workflow
                .end
                .is_none()
                .then(|| words::trend(&words::failures(workflow)))
                .flatten()
        })
    });
    view! {
        <section class="loop" aria-label="Checks">
            <header class="loop-head">
                <h2>"Checks"</h2>
                <span class="loop-about">{live(about)}</span>
                {live(move || command.get().map(|shown| view! { <code dir="ltr" title=command>{shown}</code> }))}
            </header>
            <ol class="rounds" aria-label="Rounds">
                {live(move || strip.get().into_iter().enumerate().map(|(place, words)| strip_item(place + 1, words)).collect_view())}
            </ol>
            {live(move || waiting.get().map(|route| view! {
                <p class="notice notice-lamp loop-waits">
                    <Icon sign=Sign::Lamp />
                    <span>{words::waits(is_reviewer.get())}</span>
                    <a href=route.href()>"Answer it"</a>
                </p>
            }))}
            {end_notice(kept, workflow)}
            <For each=move || numbers.get() key=Clone::clone let:number>
                <Round kept workflow number waits />
            </For>
            {live(move || trend.get().map(|(strong, rest)| view! {
                <p class="notice loop-trend"><Icon sign=Sign::Clock /><span><strong>{strong}</strong>" "{rest}</span></p>
            }))}
        </section>
    }
    .into_any()
}

/// The place of the request that a session waits with, or one of its sub-agents.
pub(super) fn waiting_in(
    scope: ServerScope,
    session: impl Fn() -> Option<SessionId> + Send + Sync + 'static,
) -> Memo<Option<Route>> {
    memo(move || {
        let session = session()?;
        let requests = scope.store.requests().read();
        let found = waits_in(&requests, &session)?;
        Some(scope.request(found.request.id.clone()))
    })
}

/// The request that a session waits with, or one of its sub-agents.
pub(super) fn waits_in<'a>(requests: &'a List<RequestView>, session: &SessionId) -> Option<&'a Arc<RequestView>> {
    let mut waiting = requests.iter().filter(|view| view.state.is_waiting());
    waiting.find(|view| view.is_from(session))
}

/// Each round up to the last one that there may be; none for those that were not begun.
fn strip(workflow: &Workflow, waits: bool) -> Vec<Option<RoundWords>> {
    let rounds = workflow.by_round();
    let last = rounds.len();
    let of = |place: usize| {
        let steps = rounds.get(place)?;
        let goes_on = place + 1 == last && workflow.end.is_none();
        Some(words::round(workflow, steps, goes_on, waits))
    };
    (0..last.max(workflow.goal.rounds as usize)).map(of).collect()
}

fn strip_item(number: usize, words: Option<RoundWords>) -> AnyView {
    match words {
        None => view! {
            <li class="round round-future"><b>{number}</b><span class="visually-hidden">"not begun"</span></li>
        }
        .into_any(),
        Some(words) => view! {
            <li class=format!("round {}", words.tone.class()) aria-current=(words.sign == Sign::Arc).then_some("step")>
                <b>{number}</b>
                <Icon sign=words.sign />
                <span>{words.word}</span>
            </li>
        }
        .into_any(),
    }
}

/// How it ended, and the way on.
pub(super) fn end_notice(kept: Kept, workflow: Memo<Arc<Workflow>>) -> AnyView {
    let end = memo(move || {
        workflow.with(|workflow| {
            let (how, _) = workflow.end.as_ref()?;
            let (tone, text) = words::end(workflow, how);
            Some((tone, text, workflow.can_go_on()))
        })
    });
    let go_on = move |_| kept.go_on(&workflow.read_untracked().id, words::MORE_ROUNDS);
    live(move || {
        let (tone, text, can) = end.get()?;
        Some(view! {
            <div class=format!("notice loop-end {}", tone.class())>
                <p role="status">{text}</p>
                {can.then(|| view! {
                    <button type="button" class="button" title=format!("{} rounds more at most", words::MORE_ROUNDS) on:click=go_on>
                        "Go on"
                    </button>
                })}
            </div>
        })
    })
    .into_any()
}

/// What is told of a round.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    words: RoundWords,
    /// What failed.
    lines: String,
    /// What is sent back of the output.
    output: String,
    /// The session in which the check ran.
    session: Option<SessionId>,
    /// What the agent was told of it.
    message: Option<String>,
    runs: bool,
}

fn told(workflow: &Workflow, number: usize, waits: bool) -> Option<Told> {
    let rounds = workflow.by_round();
    let steps: &[Step] = rounds.get(number - 1)?;
    let goes_on = number == rounds.len() && workflow.end.is_none();
    let check = steps.iter().rev().find_map(|step| match &step.work {
        Work::Check(check) => Some((check, step.ended.is_none())),
        Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
    });
    let failure = check.and_then(|(check, _)| match &check.result {
        Some(CheckResult::Failed(failure)) => Some(failure),
        Some(CheckResult::Passed | CheckResult::Interrupted | CheckResult::Broken(_)) | None => None,
    });
    let message = rounds.get(number).and_then(|next| match &next.first()?.work {
        Work::Tell(told) => Some(told.text.clone()),
        Work::AwaitReply { .. } | Work::Check(_) | Work::Review { .. } => None,
    });
    let lines = failure.map(|failure| match failure.failing.as_slice() {
        [] if failure.output.trim().is_empty() => "It printed nothing.".to_owned(),
        [] => last_lines(&failure.output, LINES, BYTES).to_owned(),
        failing => failing.join("\n"),
    });
    Some(Told {
        words: words::round(workflow, steps, goes_on, waits),
        lines: visible(&lines.unwrap_or_default()).into_owned(),
        output: failure
            .map(|failure| visible(&failure.output).into_owned())
            .unwrap_or_default(),
        session: check.and_then(|(check, _)| check.session.clone()),
        message: message.map(|message| visible(&message).into_owned()),
        runs: goes_on && check.is_some_and(|(_, runs)| runs),
    })
}

#[component]
fn Round(kept: Kept, workflow: Memo<Arc<Workflow>>, number: usize, waits: Memo<bool>) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let now = expect_context::<Now>();
    let told = memo(move || workflow.with(|workflow| told(workflow, number, waits.get())));
    let head = memo(move || told.with(|told| Some(told.as_ref()?.words.clone())));
    let runs = memo(move || told.with(|told| told.as_ref().is_some_and(|told| told.runs)));
    let output = memo(move || {
        now.get();
        let printed = runs.get().then(|| kept.output(&workflow.read_untracked().id))??;
        Some(visible(last_lines(&printed, LINES, BYTES)).into_owned())
    });
    let lines = memo(move || told.with(|told| told.as_ref().map(|told| told.lines.clone()).unwrap_or_default()));
    let whole = memo(move || told.with(|told| told.as_ref().map(|told| told.output.clone()).unwrap_or_default()));
    let has_more = memo(move || whole.read().len() > lines.read().len() && !whole.read().is_empty());
    let message = memo(move || told.with(|told| told.as_ref()?.message.clone()));
    let session = memo(move || told.with(|told| told.as_ref()?.session.clone()));
    let is_newest = memo(move || workflow.with(|workflow| number + 1 >= workflow.by_round().len()));
    let opened = RwSignal::new(None::<bool>);
    let is_open = memo(move || opened.get().unwrap_or_else(|| is_newest.get()));
    let shows_message = RwSignal::new(false);
    view! {
        <article class="round-told" aria-label=format!("Round {number}")>
            {live(move || head.get().map(|words| view! {
                <header class="round-head">
                    <span class=words.tone.class()><Icon sign=words.sign /></span>
                    <h3>"Round "{number}</h3>
                    <span class=format!("round-detail {}", words.tone.class())>{words.detail}</span>
                    <span class="round-aside">{words.aside}</span>
                    <Show when=move || !is_newest.get()>
                        <button
                            type="button"
                            class="icon-button"
                            aria-label=format!("What round {number} said")
                            aria-expanded=move || is_open.get().to_string()
                            on:click=move |_| opened.set(Some(!is_open.get_untracked()))
                        >
                            <Icon sign=Signal::derive(move || if is_open.get() { Sign::ChevronDown } else { Sign::ChevronRight }) />
                        </button>
                    </Show>
                </header>
            }))}
            <Show when=move || is_open.get()>
                <div class="round-body">
                    {live(move || output.get().map(|output| view! {
                        <pre class="round-output" tabindex="0" aria-label="Output so far">{output}</pre>
                        <p class="remark">{words::BEGINNING}</p>
                    }))}
                    <Show when=move || !lines.read().is_empty()>
                        <pre class="round-output" tabindex="0" aria-label="What failed">{lines}</pre>
                    </Show>
                    <Show when=move || has_more.get()>
                        <details><summary>"Show the output"</summary><pre class="round-output" tabindex="0">{whole}</pre></details>
                    </Show>
                    {live(move || message.get().map(|message| view! {
                        <p class="round-sent">
                            {words::sent_back(&message)}
                            " "
                            <button type="button" class="link" aria-expanded=move || shows_message.get().to_string()
                                on:click=move |_| shows_message.update(|shows| *shows = !*shows)>
                                "Show message"
                            </button>
                        </p>
                    }))}
                    <Show when=move || shows_message.get()>
                        <pre class="round-output" tabindex="0" aria-label="The message to the agent">{message}</pre>
                    </Show>
                    {live(move || session.get().map(|session| view! {
                        <p class="round-sent"><a href=scope.session(session).href()>"The session of this check"</a></p>
                    }))}
                </div>
            </Show>
        </article>
    }
    .into_any()
}
