//! Remembers what happened on this page today, and shows it while nobody waits.

use std::time::Duration;

use leptos::ev::visibilitychange;
use leptos::prelude::*;
use switchboard_core::model::RequestId;
use switchboard_core::{SortedMap, Time};

use super::today::{Line, lines, of_request};
use crate::kit::erased::{effect, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::{Now, midnight_before, time_of_day};
use crate::state::route::Route;
use crate::state::store::Store;
use crate::words::away::while_away;
use switchboard_browser::device::settings::Settings;

/// Who was away for less has missed nothing.
const AWAY_MIN: Duration = Duration::from_secs(5 * 60);

/// What this page remembers. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Log {
    ended: RwSignal<SortedMap<RequestId, Line>>,
    away_since: RwSignal<Option<Time>>,
}

impl Log {
    /// Remembers what becomes of the requests of a server today, and when the person looks away, until its owner is gone.
    pub(crate) fn keeping(store: Store, now: Now, server: String) -> Self {
        let server = StoredValue::new(server);
        let ended = RwSignal::new(SortedMap::new());
        effect(move || {
            let told = store.requests().with(|requests| {
                let told = requests.iter().filter_map(|view| {
                    let line = of_request(view, now.exact())?;
                    Some((view.request.id.clone(), line))
                });
                told.collect::<Vec<_>>()
            });
            if told.iter().any(|(id, _)| !ended.read_untracked().contains_key(id)) {
                let midnight = midnight_before(now.exact());
                ended.update(|ended| {
                    ended.retain(|_, line: &mut Line| line.at >= midnight);
                    ended.extend(told);
                });
            }
        });
        let away_since = RwSignal::new(None);
        let look = move || {
            let seen = Settings::open().last_seen(&server.get_value()).map(Time);
            let missed = seen.filter(|seen| now.exact().since(*seen) >= AWAY_MIN);
            if missed.is_some() {
                away_since.set(missed);
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
        Self { ended, away_since }
    }
}

/// What ended while nobody looked; nothing for those who looked.
#[component]
pub(crate) fn Away() -> impl IntoView {
    let store = expect_context::<Store>();
    let log = expect_context::<Log>();
    let told = memo(move || {
        let since = log.away_since.get()?;
        store.sessions().with(|sessions| while_away(sessions, since))
    });
    live(move || {
        let told = told.get()?;
        let seen = move |_| log.away_since.set(None);
        let sentence =
            view! { <p class="away">{told}" "<a href=Route::Sessions.href() on:click=seen>"See them"</a></p> };
        Some(sentence.into_any())
    })
}

/// Today, newest first; nothing while nothing has happened.
#[component]
pub(crate) fn Today() -> impl IntoView {
    let store = expect_context::<Store>();
    let now = expect_context::<Now>();
    let log = expect_context::<Log>();
    let midnight = memo(move || midnight_before(now.get()));
    let told = memo(move || {
        let remembered: Vec<Line> = log.ended.with(|ended| ended.values().cloned().collect());
        store
            .sessions()
            .with(|sessions| lines(&remembered, sessions, midnight.get(), now.exact()))
    });
    let row = |line: Line| {
        view! {
            <li>
                <span class=line.tone.class()><Icon sign=line.sign /></span>
                <span class="today-session" dir="auto">{line.session}</span>
                <span class="today-what" dir="auto">{line.what}</span>
                <span class="today-remark">{line.remark}</span>
                <span class="today-remark">{time_of_day(line.at, false)}</span>
            </li>
        }
        .into_any()
    };
    live(move || {
        let told = told.get();
        (!told.is_empty()).then(|| {
            let rows = told.into_iter().map(row).collect::<Vec<_>>();
            view! { <section class="today"><h3 class="group-label">"Today"</h3><ul>{rows}</ul></section> }.into_any()
        })
    })
}
