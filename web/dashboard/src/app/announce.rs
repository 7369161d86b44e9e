//! Says to screen readers what has happened: new requests, the steps of one's own answers, and time that runs out.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::SortedMap;
use switchboard_core::model::RequestId;
use switchboard_core::view::{RequestState, RequestView};

use crate::kit::now::{Now, time_of_day};
use crate::state::connection::Connection;
use crate::state::each_server::for_each_server;
use crate::state::policies::Policies;
use crate::state::servers::{ServerScope, Servers};
use crate::state::store::Store;
use crate::words::announcements::{self, Message, in_one};
use crate::words::request_title;
use crate::words::state_words;
use crate::words::time_out::{TimeOut, time_out};

/// At most one message in so long.
const GAP: Duration = Duration::from_secs(5);

/// One polite region for the page, whichever server there is something to say of.
#[component]
pub(crate) fn Announcer() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let voice = Voice::new();
    let of_server = move || {
        say_steps(voice);
        view! { <Alert /> }.into_any()
    };
    view! {
        <p class="visually-hidden" role="status" aria-live="polite">{voice.said}</p>
        {for_each_server(servers, of_server)}
    }
}

/// Says what happens on a server.
fn say_steps(voice: Voice) {
    let store = expect_context::<Store>();
    let connection = expect_context::<Connection>();
    let now = expect_context::<Now>();
    let say = move |message| voice.say(message);
    let policies = expect_context::<Policies>();
    let loops = expect_context::<ServerScope>().loops;
    Effect::new(move |before: Option<SortedMap<RequestId, TimeOut>>| {
        let requests = store.requests().get();
        // The engine changes what it shows when the time of a policy reaches another stage: that of a reviewer is not its own.
        let of_reviewer = |view: &Arc<RequestView>| view.state.is_waiting() && loops.reviewer_time(view).is_some();
        let now = match requests.iter().any(of_reviewer) {
            true => now.get(),
            false => now.exact(),
        };
        let shown = requests.iter().filter_map(|view| {
            let policy = policies.policy(&view.request);
            let is_stopped = policies.is_stopped(&view.request.id);
            let time_out = time_out(view, &policy, is_stopped, loops.reviewer_time(view), now, &|time| {
                time_of_day(time, false)
            })?;
            Some((view.request.id.clone(), time_out))
        });
        let shown = shown.collect::<SortedMap<_, _>>();
        for view in &requests {
            let stage = |shown: &SortedMap<_, TimeOut>| shown.get(&view.request.id).map(|shown| shown.stage);
            if let Some(time_out) = shown.get(&view.request.id)
                && before.as_ref().and_then(stage) != Some(time_out.stage)
            {
                say(announcements::time_out(view, time_out));
            }
        }
        shown
    });
    Effect::new(move |before: Option<SortedMap<RequestId, &'static str>>| {
        let requests = store.requests().get();
        let states = requests
            .iter()
            .map(|view| (view.request.id.clone(), state_words::request(view, now.exact()).key))
            .collect::<SortedMap<_, _>>();
        if let Some(before) = before {
            let server = untrack(|| connection.name());
            for view in &requests {
                let was = before.get(&view.request.id).copied();
                if let Some(message) = announcements::step(view, was, states[&view.request.id], &server, now.exact()) {
                    say(message);
                }
            }
        }
        states
    });
}

/// Says one thing at a time, with a gap after each.
#[derive(Clone, Copy)]
struct Voice {
    said: RwSignal<String>,
    waiting: StoredValue<Vec<Message>>,
    gap: StoredValue<Option<TimeoutHandle>>,
}

impl Voice {
    fn new() -> Self {
        let gap = StoredValue::new(None::<TimeoutHandle>);
        on_cleanup(move || {
            if let Some(timeout) = gap.try_update_value(Option::take).flatten() {
                timeout.clear();
            }
        });
        Self {
            said: RwSignal::new(String::new()),
            waiting: StoredValue::new(Vec::new()),
            gap,
        }
    }

    /// Says it now, or after the gap together with whatever else comes until then.
    fn say(self, message: Message) {
        self.waiting.update_value(|waiting| waiting.push(message));
        if self.gap.with_value(Option::is_none) {
            self.speak();
        }
    }

    fn speak(self) {
        let messages = self.waiting.try_update_value(std::mem::take).unwrap_or_default();
        if messages.is_empty() {
            self.gap.set_value(None);
            return;
        }
        self.said.set(in_one(&messages));
        self.gap
            .set_value(set_timeout_with_handle(move || self.speak(), GAP).ok());
    }
}

/// Says at once, and once, of each answer that it did not arrive.
#[component]
fn Alert() -> impl IntoView {
    let store = expect_context::<Store>();
    let said = RwSignal::new(String::new());
    Effect::new(move |before: Option<Vec<RequestId>>| {
        let lost = |view: &&Arc<RequestView>| {
            let has_failed = matches!(view.state, RequestState::Gone { .. } | RequestState::NotSent { .. });
            has_failed && view.reply.is_some()
        };
        store.requests().with(|requests| {
            let is_new =
                |view: &&Arc<RequestView>| before.as_ref().is_none_or(|before| !before.contains(&view.request.id));
            let new: Vec<String> = requests
                .iter()
                .filter(lost)
                .filter(is_new)
                .map(|view| request_title::question(&view.request))
                .collect();
            if !new.is_empty() {
                said.set(announcements::not_arrived(&new));
            }
            requests
                .iter()
                .filter(lost)
                .map(|view| view.request.id.clone())
                .collect()
        })
    });
    view! { <p class="visually-hidden" role="alert">{said}</p> }
}
