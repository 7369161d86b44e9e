//! The inbox while nobody waits: the unlit board, and what can be tried.

use leptos::prelude::*;
use switchboard_core::view::TurnState;

use crate::kit::erased::{Show, live, memo};
use crate::pages::activity::today_part;
use crate::pages::demo::DemoPrompts;
use crate::parts::when_loaded;
use crate::side::narrow::elsewhere_part;
use crate::state::each_server::for_each_server;
use crate::state::narrowed::Narrowed;
use crate::state::route::Route;
use crate::state::servers::{ServerScope, Servers};
use crate::words::{inbox, narrow};

/// Rows and columns of the board.
const BOARD: (u32, u32) = (3, 8);

/// Where a line is plugged in, though nobody waits on it.
const PLUGGED: [(u32, u32); 4] = [(0, 3), (1, 1), (1, 6), (2, 4)];

/// Nobody waits, or nobody in what is shown.
#[component]
pub(crate) fn Empty() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let narrowed = expect_context::<Narrowed>();
    let asks_there = memo(move || {
        let list = servers.list().read();
        let mut stores = list.iter().map(|scope| scope.store.sessions().read());
        stores.any(|sessions| sessions.iter().any(|view| !view.asked_elsewhere.is_empty()))
    });
    let title = move || {
        if asks_there.get() || narrowed.waiting_elsewhere() > 0 {
            narrow::EMPTY
        } else {
            inbox::EMPTY
        }
    };
    let working = memo(move || {
        let works = |state: &TurnState| matches!(state, TurnState::Working | TurnState::Retrying { .. });
        let (list, narrowing) = (servers.list().read(), narrowed.narrowing().read());
        let shown = list.iter().filter(|scope| narrowing.allows_server(scope.key));
        let each = shown.map(|scope| {
            let sessions = scope.store.sessions().read();
            let here = sessions
                .iter()
                .filter(|view| narrowing.allows_directory(&view.session.directory));
            here.filter(|view| works(&view.state)).count()
        });
        each.sum()
    });
    let jacks: Vec<_> = (0..BOARD.0)
        .flat_map(|row| (0..BOARD.1).map(move |column| (row, column)))
        .map(|(row, column)| {
            let class = if PLUGGED.contains(&(row, column)) {
                "plugged"
            } else {
                ""
            };
            view! { <circle class=class cx=11 + column * 22 cy=11 + row * 22 r="4.5" /> }.into_any()
        })
        .collect();
    view! {
        <div class="empty">
            <svg class="board" viewBox="0 0 176 66" width="176" height="66" aria-hidden="true">{jacks}</svg>
            <h2 class="empty-title">{live(title)}</h2>
            {when_loaded(elsewhere_part::load, elsewhere_part)}
            <p class="empty-text">{live(move || inbox::working(working.get()))}{inbox::APPEARS_HERE}</p>
            <a class="button button-quiet" href=Route::New.href()>"Start a session"<kbd aria-hidden="true">"N"</kbd></a>
            {for_each_server(servers, of_server)}
        </div>
    }
}

/// What a server offers while nobody waits: its demo, and what happened there today.
fn of_server() -> AnyView {
    let ServerScope { key, activity, .. } = expect_context();
    let narrowing = expect_context::<Narrowed>().narrowing();
    let is_shown = memo(move || narrowing.read().allows_server(key));
    view! {
        <Show when=move || is_shown.get()>
            <DemoPrompts />
            {live(move || activity.is_loaded().then(today_part))}
        </Show>
    }
    .into_any()
}
