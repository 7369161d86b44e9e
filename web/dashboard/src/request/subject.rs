//! What a permission is about: a command in full, a change as a diff, or patterns. Nothing in it can hide.

use leptos::prelude::*;
use switchboard_core::view::{RequestView, RunsIn};

use super::card::Card;
use crate::kit::erased::{live, memo};
use crate::kit::visible::visible;
use crate::tools::diff::Diff;
use crate::words::answering::RUNS_IN;
use crate::words::request_title;

/// Where a command runs, where that is not the directory of its session.
#[component]
fn Where(card: Card) -> impl IntoView {
    let named = memo(move || named(&card.view.read()).map(|directory| visible(directory).into_owned()));
    live(move || {
        let directory = named.get()?;
        Some(view! { <p class="runs-in" data-testid="runs-in">{RUNS_IN}<code dir="ltr">{directory}</code></p> })
    })
}

/// The directory that the call of a request names to run in.
pub(super) fn named(view: &RequestView) -> Option<&str> {
    match &view.runs_in {
        RunsIn::Named(directory) => Some(directory),
        RunsIn::Unread | RunsIn::Session => None,
    }
}

/// What a permission is about.
#[component]
pub(crate) fn Subject(card: Card) -> impl IntoView {
    let request = card.request();
    let permission = request.permission()?;
    let body = match &permission.diff {
        Some(diff) => {
            view! { <Diff text=diff.clone() path=request_title::file(&request) key=Signal::derive(card.key("D")) /> }
                .into_any()
        }
        None => {
            let shown = visible(&request_title::subject(&request)).into_owned();
            view! { <pre class="command" tabindex="0" dir="ltr">{shown}</pre> }.into_any()
        }
    };
    let detail = (permission.diff.is_none() && !permission.detail.is_empty()).then(|| {
        let detail = visible(&permission.detail).into_owned();
        view! {
            <details class="detail">
                <summary>"Details"</summary>
                <pre class="command" dir="ltr">{detail}</pre>
            </details>
        }
    });
    Some(view! { {body}<Where card />{detail} })
}
