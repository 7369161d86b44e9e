//! The line of a request whose time runs out or is up, and the way to stop a default answer.

use leptos::prelude::*;

use super::card::Card;
use super::time_out::{Stage, time_out};
use crate::ui::icons::Icon;
use crate::ui::now::time_of_day;
use crate::ui::sign::Sign;
use crate::ui::unattended::Policies;

/// What happens to the request by itself; nothing while nothing does.
#[component]
pub(crate) fn TimeOutLine(card: Card) -> impl IntoView {
    let policies = expect_context::<Policies>();
    let shown = Memo::new(move |_| {
        let view = card.view.read();
        view.unanswered.as_ref()?;
        let policy = policies.policy(&view.request);
        time_out(&view, &policy, card.now.get(), &|time| time_of_day(time, false))
    });
    let stage = Memo::new(move |_| shown.read().as_ref().map(|shown| shown.stage));
    let words = Memo::new(move |_| shown.read().as_ref().map(|shown| shown.words.clone()));
    let stop = move |event: leptos::ev::MouseEvent| {
        // A press on a folded request opens it.
        event.stop_propagation();
        policies.stop(&card.id());
    };
    move || {
        let stage = stage.get()?;
        let class = match stage {
            Stage::Warned | Stage::Counting => "notice notice-lamp time-out",
            Stage::TimedOut => "notice time-out",
        };
        let stop = (stage == Stage::Counting)
            .then(|| view! { <button type="button" class="button" on:click=stop>"Stop"</button> }.into_any());
        let line = view! { <div class=class data-testid="time-out"><Icon sign=Sign::Clock /><p dir="auto">{words}</p>{stop}</div> };
        Some(line.into_any())
    }
}
