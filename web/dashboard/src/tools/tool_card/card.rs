//! The card: a head of one line, and a body that can be folded.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::model::{ToolPart, ToolStatus};

use super::body::Body;
use super::face::{Face, face, is_open_at_first};
use crate::kit::erased::{Show, live, memo};
use crate::kit::icons::Icon;
use crate::kit::sign::Sign;
use crate::tools::diff::Counts;

/// A tool call. It folds and unfolds by itself until a person has done so.
#[component]
pub(crate) fn ToolCard(
    /// The call.
    tool: Memo<ToolPart>,
    /// The directory of its session: paths in it are shown without it.
    directory: Memo<Arc<str>>,
    /// Whether it is the newest command of the session, which stays open.
    newest: Memo<bool>,
    /// Whether it waits for a person: the card of its request stands below and shows what it is about.
    waits: Memo<bool>,
    /// Whether it was still running when its turn had ended.
    abandoned: Memo<bool>,
) -> impl IntoView {
    let chosen = RwSignal::new(None);
    let face = memo(move || {
        let face = directory.with(|directory| tool.with(|tool| face(tool, directory)));
        match (waits.get(), abandoned.get()) {
            (true, _) => face.waiting(),
            (false, true) => face.abandoned(),
            (false, false) => face,
        }
    });
    let at_first = memo(move || !waits.get() && (newest.get() || tool.with(is_open_at_first)));
    let open = memo(move || chosen.get().unwrap_or(at_first.get()));
    let name = tool.with_untracked(|tool| tool.tool.clone());
    view! {
        <section class="tool" data-testid="tool" data-tool=name data-status=move || tool.with(status) data-open=move || open.get().to_string()>
            <button
                class="tool-head"
                type="button"
                aria-expanded=move || open.get().to_string()
                on:click=move |_| chosen.set(Some(!open.get_untracked()))
            >
                {live(move || head(face.get()))}
                <Icon sign=Signal::derive(move || if open.get() { Sign::ChevronDown } else { Sign::ChevronRight }) />
            </button>
            <Show when=move || open.get()>
                <Body tool />
            </Show>
        </section>
    }
}

fn head(face: Face) -> impl IntoView {
    let subject = if face.is_code {
        "tool-subject tool-code"
    } else {
        "tool-subject"
    };
    view! {
        <Icon sign=face.sign />
        <span class="tool-name">{face.name}</span>
        <span class=subject dir="ltr">
            {face.subject}
        </span>
        {face.counts.map(|(added, removed)| view! { <Counts added removed /> })}
        <span class=format!("tool-result {}", face.tone.class())>
            {face.result_sign.map(|sign| view! { <Icon sign /> })} {face.result}
        </span>
        <span class="tool-span">{face.span}</span>
    }
}

fn status(tool: &ToolPart) -> &'static str {
    match tool.status {
        ToolStatus::Pending => "pending",
        ToolStatus::Running => "running",
        ToolStatus::Completed => "completed",
        ToolStatus::Error => "error",
        ToolStatus::Other(_) => "other",
    }
}
