//! Draws a change: two columns of line numbers, and the signs as text.

use std::sync::Arc;

use leptos::prelude::*;

use super::lines::{Change, Row, read};
use crate::kit::erased::{Show, live, memo};
use crate::kit::excerpt::excerpt;
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::words::cut_text::{LEFT_OUT, all_lines, more_characters, more_lines};

const FIRST_ROWS: usize = 8;
const ROWS_AT_ONCE: usize = 400;
const ROW_MAX: usize = 2000;

/// A unified diff. At first it shows eight rows; the button below shows the rest, a few hundred at a time.
#[component]
pub(crate) fn Diff(
    /// The diff.
    text: String,
    /// The file, for the head. Without one the head is left out.
    #[prop(default = None)]
    path: Option<String>,
    /// Whether a file is named that has no head. Defaults to `true`.
    #[prop(default = true)]
    named: bool,
    /// Set it to show more than the first rows.
    #[prop(optional)]
    whole: RwSignal<bool>,
    /// The key that shows more. Defaults to none.
    #[prop(optional, into)]
    key: Signal<Option<&'static str>>,
) -> impl IntoView {
    let change = Arc::new(read(&text));
    let names_files = (named && path.is_none()) || change.files > 1;
    let rows: Vec<Row> = change
        .rows
        .iter()
        .filter(|row| names_files || !matches!(row, Row::File(_)))
        .cloned()
        .collect();
    let total = rows.len();
    let is_cut = total > FIRST_ROWS || rows.iter().any(|row| row.text().len() > ROW_MAX);
    let asked = RwSignal::new(ROWS_AT_ONCE);
    let shown = memo(move || {
        if whole.get() {
            asked.get().min(total)
        } else {
            FIRST_ROWS.min(total)
        }
    });
    let rows = StoredValue::new(rows);
    let more = move |_| {
        if whole.get_untracked() {
            asked.update(|asked| *asked += ROWS_AT_ONCE);
        } else {
            whole.set(true);
        }
    };
    let label = move || {
        if total <= ROWS_AT_ONCE {
            all_lines(total)
        } else {
            more_lines(total)
        }
    };
    view! {
        <div class="diff" data-testid="diff">
            {path.map(|path| view! { <Head path change=change.clone() /> })}
            <div class="diff-rows" dir="ltr">
                <For
                    each=move || 0..shown.get()
                    key=move |at| (*at, *at < FIRST_ROWS && whole.get())
                    children=move |at| rows.with_value(|rows| row_view(&rows[at], whole.get_untracked()))
                />
            </div>
            <Show when=move || if whole.get() { shown.get() < total } else { is_cut }>
                <button class="show-all" type="button" data-testid="diff-show-all" aria-keyshortcuts=key on:click=more>
                    {label}{live(move || key.get().map(|key| view! { <kbd aria-hidden="true">{key}</kbd> }))}
                </button>
            </Show>
        </div>
    }
}

#[component]
fn Head(path: String, change: Arc<Change>) -> impl IntoView {
    view! {
        <div class="diff-head">
            <Icon sign=Sign::FileDiff />
            <span class="diff-path" dir="ltr">{visible(&path).into_owned()}</span>
            <Counts added=change.added removed=change.removed />
        </div>
    }
}

/// How many lines come and go.
#[component]
pub(crate) fn Counts(
    /// New lines.
    added: usize,
    /// Lines that go.
    removed: usize,
) -> impl IntoView {
    view! {
        <span class="counts">
            <span class="counts-added">{format!("+{added}")}</span>
            " "
            <span class="counts-removed">{format!("−{removed}")}</span>
        </span>
    }
}

fn row_view(row: &Row, whole: bool) -> AnyView {
    match row {
        Row::File(name) => view! { <div class="diff-file">{visible(name).into_owned()}</div> }.into_any(),
        Row::Gap => view! { <div class="diff-gap" role="separator" aria-label=LEFT_OUT>"⋯"</div> }.into_any(),
        Row::Note(text) => view! { <div class="diff-note">{line(text, whole)}</div> }.into_any(),
        Row::Kept { old, new, text } => numbered("diff-kept", Some(*old), Some(*new), " ", line(text, whole)),
        Row::Removed { old, text } => numbered("diff-removed", Some(*old), None, "-", line(text, whole)),
        Row::Added { new, text } => numbered("diff-added", None, Some(*new), "+", line(text, whole)),
    }
}

fn numbered(class: &'static str, old: Option<u32>, new: Option<u32>, sign: &'static str, text: String) -> AnyView {
    view! {
        <div class=class>
            <span class="diff-old">{old.map(|number| number.to_string())}</span>
            <span class="diff-new">{new.map(|number| number.to_string())}</span>
            <span class="diff-sign">{sign}</span>
            <span class="diff-text">{text}</span>
        </div>
    }
    .into_any()
}

/// A very long line is cut until the whole change is asked for, and says so.
fn line(text: &str, whole: bool) -> String {
    let shown = if whole { text } else { excerpt(text, ROW_MAX) };
    let mut line = visible(shown).into_owned();
    if shown.len() < text.len() {
        line.push_str(&more_characters(text[shown.len()..].chars().count()));
    }
    line
}
