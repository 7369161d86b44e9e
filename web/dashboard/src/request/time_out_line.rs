//! The line of a request whose time runs out or is up, and the way to stop a default answer.

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use super::card::Card;
use crate::kit::erased::{live, memo};
use crate::kit::now::time_of_day;
use crate::state::focus;
use crate::state::open_request::OpenRequest;
use crate::state::policies::Policies;
use crate::state::servers::ServerScope;
use crate::words::time_out::time_out;

/// What happens to the request by itself; nothing while nothing does.
#[component]
pub(crate) fn TimeOutLine(card: Card) -> impl IntoView {
    let policies = expect_context::<Policies>();
    let scope = expect_context::<ServerScope>();
    let opens = expect_context::<OpenRequest>();
    let shown = memo(move || {
        let view = card.view.read();
        let reviewer = scope.loops.reviewer_time(&view);
        view.unanswered.as_ref().map(drop).or(reviewer.map(drop))?;
        let policy = policies.policy(&view.request);
        let is_stopped = policies.is_stopped(&view.request.id);
        time_out(&view, &policy, is_stopped, reviewer, card.now.get(), &|time| {
            time_of_day(time, false)
        })
    });
    // The parts that a person may press stay while the time runs.
    let parts = memo(move || shown.read().as_ref().map(|shown| (shown.left.is_some(), shown.replies)));
    let strong = memo(move || shown.read().as_ref().map(|shown| shown.strong.clone()));
    let rest = memo(move || shown.read().as_ref().map(|shown| shown.rest.clone()));
    let left = memo(move || shown.read().as_ref().and_then(|shown| shown.left));
    let stop = move |event: MouseEvent| {
        // A press on a folded request opens it.
        event.stop_propagation();
        policies.stop(&card.request().id);
    };
    let answer = move |event: MouseEvent| {
        event.stop_propagation();
        opens.open(&card.key_of_request());
        focus::answer(&card.key_of_request());
    };
    live(move || {
        let (runs, replies) = parts.get()?;
        let bar = runs.then(|| view! { <progress class="time-bar" max="100" value=move || left.get().map(|left| left.to_string()) aria-label="Time left"></progress> });
        let buttons = replies.then(|| {
            view! {
                <div class="time-out-buttons">
                    <button type="button" class="button" on:click=stop>"Keep waiting"</button>
                    <button type="button" class="button button-quiet" on:click=answer>"Answer now"</button>
                </div>
            }
        });
        let line = view! {
            <div class="time-out" data-testid="time-out">
                <p dir="auto"><strong>{strong}</strong>" "{rest}</p>
                {bar}
                {buttons}
            </div>
        };
        Some(line.into_any())
    })
}
