//! What ended while a person looked away.

use std::time::Duration;

use leptos::ev::visibilitychange;
use leptos::prelude::*;
use switchboard_core::Time;

use crate::kit::erased::{live, memo};
use crate::kit::now::Now;
use crate::state::route::Route;
use crate::state::store::Store;
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
    /// Remembers when the person looks away from a server, until its owner is gone.
    pub(crate) fn following(now: Now, server: String) -> Self {
        let server = StoredValue::new(server);
        let since = RwSignal::new(None);
        let look = move || {
            let seen = Settings::open().last_seen(&server.get_value()).map(Time);
            let missed = seen.filter(|seen| now.exact().since(*seen) >= AWAY_MIN);
            if missed.is_some() {
                since.set(missed);
            }
        };
        let look_away = move || Settings::open().set_last_seen(&server.get_value(), now.exact().0);
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
    let store = expect_context::<Store>();
    let absence = expect_context::<Absence>();
    let told = memo(move || {
        let since = absence.since.get()?;
        store.sessions().with(|sessions| while_away(sessions, since))
    });
    live(move || {
        let told = told.get()?;
        let seen = move |_| absence.since.set(None);
        let sentence =
            view! { <p class="away">{told}" "<a href=Route::Sessions.href() on:click=seen>"See them"</a></p> };
        Some(sentence.into_any())
    })
}
