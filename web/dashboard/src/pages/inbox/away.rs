//! What ended while a person looked away.

use std::time::Duration;

use leptos::ev::visibilitychange;
use leptos::prelude::*;
use switchboard_core::Time;

use crate::kit::erased::{live, memo};
use crate::kit::now::Now;
use crate::state::elsewhere::sessions_of;
use crate::state::route::Route;
use crate::state::servers::Servers;
use crate::words::away::while_away;
use switchboard_browser::device::settings::Settings;

/// Who was away for less has missed nothing.
const AWAY_MIN: Duration = Duration::from_secs(5 * 60);

/// Since when a person was away who has come back. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Absence {
    since: RwSignal<Option<Time>>,
}

impl Absence {
    /// Remembers when the person looks away from the servers, until its owner is gone.
    pub(crate) fn following(servers: Servers, now: Now) -> Self {
        let bases = move || {
            let list = servers.list().read_untracked();
            list.iter().map(|scope| scope.connection.base()).collect::<Vec<_>>()
        };
        let since = RwSignal::new(None);
        let look = move || {
            // All of them are looked at together; a new one was never left.
            let seen = bases()
                .iter()
                .find_map(|base| Settings::open().last_seen(base))
                .map(Time);
            let missed = seen.filter(|seen| now.exact().since(*seen) >= AWAY_MIN);
            if missed.is_some() {
                since.set(missed);
            }
        };
        let look_away = move || {
            for base in bases() {
                Settings::open().set_last_seen(&base, now.exact().0);
            }
        };
        look();
        let listener = window_event_listener(
            visibilitychange,
            move |_| {
                if document().hidden() { look_away() } else { look() }
            },
        );
        on_cleanup(move || {
            listener.remove();
            look_away();
        });
        Self { since }
    }
}

/// What ended while nobody looked; nothing for those who looked.
#[component]
pub(crate) fn Away() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let absence = expect_context::<Absence>();
    let told = memo(move || {
        let since = absence.since.get()?;
        let mut sessions = Vec::new();
        for scope in &*servers.list().read() {
            sessions.extend(sessions_of(servers, *scope));
        }
        while_away(&sessions, since)
    });
    live(move || {
        let told = told.get()?;
        let seen = move |_| absence.since.set(None);
        let sentence =
            view! { <p class="away">{told}" "<a href=Route::Sessions.href() on:click=seen>"See them"</a></p> };
        Some(sentence.into_any())
    })
}
