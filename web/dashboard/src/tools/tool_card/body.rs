//! What a tool card shows when it is open, by kind of tool.

use leptos::prelude::*;
use switchboard_core::model::{SessionId, Todo, ToolPart};
use switchboard_wire::argument;

use super::output::{End, Output};
use crate::kit::colours::without_colours;
use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::visible::visible;
use crate::markdown::Markdown;
use crate::state::servers::ServerScope;
use crate::tools::diff::Diff;
use crate::words::cut_text::OUTPUT_CUT;
use crate::words::plan::status;
use crate::words::state_words;

/// A command that is longer than this, or has several lines, does not fit the head.
const COMMAND_IN_HEAD_MAX: usize = 60;

/// The body of an open card.
#[component]
pub(super) fn Body(
    /// The call.
    tool: Memo<ToolPart>,
) -> impl IntoView {
    let kind = tool.with_untracked(|tool| tool.tool.clone());
    let error = memo(move || tool.with(|tool| tool.error.clone()));
    let content = match kind.as_str() {
        "bash" => command(tool),
        "edit" | "write" | "apply_patch" | "patch" | "multiedit" => edit(tool),
        "task" => task(tool),
        "todowrite" => plan(tool),
        "question" => answers(tool),
        "read" | "list" | "glob" | "grep" | "webfetch" => view! { <Result tool end=End::First /> }.into_any(),
        _ => unknown(tool),
    };
    view! {
        <div class="tool-body">
            {content}
            {live(move || error.get().map(|error| view! { <p class="tool-error">{visible(&without_colours(&error)).into_owned()}</p> }))}
        </div>
    }
}

fn command(tool: Memo<ToolPart>) -> AnyView {
    let command = memo(move || tool.with(|tool| argument(&tool.input, "command")).unwrap_or_default());
    let is_long = move || command.with(|command| command.len() > COMMAND_IN_HEAD_MAX || command.contains('\n'));
    view! {
        <Show when=is_long>
            <pre class="tool-command" dir="ltr">{live(move || command.with(|command| visible(command).into_owned()))}</pre>
        </Show>
        <Result tool end=End::Last />
    }
    .into_any()
}

fn edit(tool: Memo<ToolPart>) -> AnyView {
    let diff = memo(move || tool.with(|tool| tool.diff.clone()));
    let written = memo(move || tool.with(|tool| argument(&tool.input, "content")).unwrap_or_default());
    (move || match diff.get() {
        Some(text) => view! { <Diff text named=false /> }.into_any(),
        None => text(written.into(), End::First),
    })
    .into_any()
}

fn task(tool: Memo<ToolPart>) -> AnyView {
    let child = memo(move || tool.with(|tool| tool.child.clone()));
    let prompt = memo(move || tool.with(|tool| argument(&tool.input, "prompt")).unwrap_or_default());
    view! {
        {live(move || child.get().map(|id| view! { <Child id /> }))}
        <div class="tool-prompt"><Markdown text=prompt /></div>
        <Result tool end=End::First />
    }
    .into_any()
}

/// The session that a call started, and how it stands.
#[component]
fn Child(id: SessionId) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let session = scope.store.session(id.clone());
    let now = expect_context::<Now>();
    let words = memo(move || session.with(|session| Some(state_words::session(session.as_ref()?, now.get()))));
    let title = move || session.with(|session| Some(visible(&session.as_ref()?.session.title).into_owned()));
    view! {
        <p class="tool-child">
            <a href=scope.session(id).href()>{live(move || title().unwrap_or_else(|| "Open the sub-agent".to_owned()))}</a>
            {live(move || {
                words
                    .get()
                    .map(|words| view! { <span class=words.tone.class()><Icon sign=words.sign />{words.word}</span> })
            })}
        </p>
    }
}

fn plan(tool: Memo<ToolPart>) -> AnyView {
    let todos = memo(move || tool.with(|tool| tool.todos.clone()));
    view! { <Plan todos=todos /> }.into_any()
}

/// The steps of a plan.
#[component]
pub(crate) fn Plan(
    /// The steps.
    #[prop(into)]
    todos: Signal<Vec<Todo>>,
) -> impl IntoView {
    let step = |todo: Todo| {
        let (sign, word) = status(&todo);
        view! {
            <li data-status=todo.status>
                <Icon sign />
                <span class="visually-hidden">{word} ": "</span>
                <span>{visible(&todo.content).into_owned()}</span>
            </li>
        }
    };
    view! { <ol class="plan">{live(move || todos.get().into_iter().map(step).collect::<Vec<_>>())}</ol> }
}

fn answers(tool: Memo<ToolPart>) -> AnyView {
    let pairs = memo(move || {
        tool.with(|tool| {
            let given = tool.answers.clone().unwrap_or_default();
            let answer = move |at: usize| {
                given
                    .get(at)
                    .map(|labels| labels.join(", "))
                    .filter(|answer| !answer.is_empty())
            };
            tool.questions
                .iter()
                .enumerate()
                .map(|(at, question)| (visible(&question.text).into_owned(), answer(at)))
                .collect::<Vec<_>>()
        })
    });
    let pair = |(question, answer): (String, Option<String>)| {
        let answer = match answer {
            Some(answer) => view! { <dd dir="auto">{answer}</dd> }.into_any(),
            None => view! { <dd class="unanswered">"no answer"</dd> }.into_any(),
        };
        view! { <dt dir="auto">{question}</dt> {answer} }
    };
    view! { <dl class="asked">{live(move || pairs.get().into_iter().map(pair).collect::<Vec<_>>())}</dl> }.into_any()
}

fn unknown(tool: Memo<ToolPart>) -> AnyView {
    let input = memo(move || tool.with(|tool| tool.input.clone()));
    view! {
        {text(input.into(), End::First)}
        <Result tool end=End::First />
    }
    .into_any()
}

/// What the tool has returned, or printed so far.
#[component]
fn Result(tool: Memo<ToolPart>, end: End) -> impl IntoView {
    let output =
        memo(move || tool.with(|tool| without_colours(tool.output.as_deref().unwrap_or_default()).into_owned()));
    let is_cut = memo(move || tool.with(|tool| tool.truncated));
    view! {
        {text(output.into(), end)}
        <Show when=move || is_cut.get()>
            <p class="tool-cut">{OUTPUT_CUT}</p>
        </Show>
    }
}

/// A text; nothing while it is blank.
fn text(text: Signal<String>, end: End) -> AnyView {
    let is_filled = memo(move || text.with(|text| !text.trim().is_empty()));
    view! {
        <Show when=move || is_filled.get()>
            <Output text end />
        </Show>
    }
    .into_any()
}
