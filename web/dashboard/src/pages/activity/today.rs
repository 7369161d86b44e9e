//! Today, while nobody waits: what a person decided, and what ended by itself.

use leptos::prelude::*;
use switchboard_browser::device::activity::Kind;

use super::lines::{Line, lines};
use super::rows::rows;
use crate::kit::erased::{live, memo};
use crate::kit::now::{Now, midnight_before};
use crate::parts::part;
use crate::state::elsewhere::sessions_of;
use crate::state::route::Route;
use crate::state::servers::{ServerScope, Servers};
use crate::words::activity::ALL;

/// So many lines are told.
const TOLD: usize = 8;

part! {
    /// Today, a part.
    other: today_part() view! { <Today /> }, || {}
}

/// Today, newest first; nothing while nothing has happened.
#[component]
fn Today() -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let servers = expect_context::<Servers>();
    let now = expect_context::<Now>();
    let midnight = memo(move || midnight_before(now.get()));
    let told: Memo<Vec<Line>> = memo(move || {
        let (sessions, kept) = (sessions_of(servers, scope), scope.activity.kept());
        kept.with(|kept| {
            let ended = kept.values().filter(|happening| happening.kind != Kind::Asked);
            let mut lines = lines(ended, &sessions, midnight.get(), now.exact());
            lines.truncate(TOLD);
            lines
        })
    });
    live(move || {
        let told = told.get();
        (!told.is_empty()).then(|| {
            view! {
                <section class="today">
                    <h3 class="group-label">"Today"</h3>
                    {rows(told.into_iter().map(|line| (scope, line)), false)}
                    <a class="button button-quiet" href=Route::Activity.href()>{ALL}</a>
                </section>
            }
            .into_any()
        })
    })
}
