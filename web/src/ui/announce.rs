//! Says to screen readers what has happened: new requests, the steps of one's own answers, and time that runs out.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::model::RequestId;
use switchboard_core::sorted::SortedMap;
use switchboard_core::view::{RequestState, RequestView};

use super::desk::Desk;
use super::now::{Now, time_of_day};
use super::request::progress::sentence_of;
use super::request::time_out::{TimeOut, time_out};
use super::request::title;
use super::session_title::session_title;
use super::state_words;
use super::store::Store;
use super::unattended::Policies;

/// At most one message in so long.
const GAP: Duration = Duration::from_secs(5);

/// One polite region for the page.
#[component]
pub(crate) fn Announcer() -> impl IntoView {
    let store = expect_context::<Store>();
    let desk = expect_context::<Desk>();
    let now = expect_context::<Now>();
    let said = RwSignal::new(String::new());
    let waiting = StoredValue::new(Vec::<String>::new());
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let speak = move || {
        let messages = waiting.try_update_value(std::mem::take).unwrap_or_default();
        if !messages.is_empty() {
            said.set(in_one(&messages));
        }
    };
    let say = move |message: String| {
        waiting.update_value(|waiting| waiting.push(message));
        let is_quiet = timer.with_value(Option::is_none);
        if is_quiet {
            speak();
            let done = move || {
                timer.set_value(None);
                speak();
            };
            timer.set_value(set_timeout_with_handle(done, GAP).ok());
        }
    };
    on_cleanup(move || {
        if let Some(timeout) = timer.try_update_value(Option::take).flatten() {
            timeout.clear();
        }
    });
    let policies = expect_context::<Policies>();
    Effect::new(move |before: Option<SortedMap<RequestId, TimeOut>>| {
        let requests = store.requests().get();
        let shown = requests.iter().filter_map(|view| {
            let policy = policies.policy(&view.request);
            let time_out = time_out(view, &policy, now.exact(), &|time| time_of_day(time, false))?;
            Some((view.request.id.clone(), time_out))
        });
        let shown = shown.collect::<SortedMap<_, _>>();
        for view in &requests {
            let stage = |shown: &SortedMap<_, TimeOut>| shown.get(&view.request.id).map(|shown| shown.stage);
            if let Some(time_out) = shown.get(&view.request.id)
                && before.as_ref().and_then(stage) != Some(time_out.stage)
            {
                say(format!("{}: {}", title::name(&view.request), time_out.words));
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
            let server = desk.server_name();
            for view in &requests {
                let was = before.get(&view.request.id).copied();
                if let Some(message) = message(view, was, states[&view.request.id], &server, now) {
                    say(message);
                }
            }
        }
        states
    });
    view! {
        <p class="visually-hidden" role="status" aria-live="polite">{said}</p>
        <Alert />
    }
}

/// Says at once that an answer did not arrive.
#[component]
fn Alert() -> impl IntoView {
    let store = expect_context::<Store>();
    let gone = Memo::new(move |_| {
        store.requests().with(|requests| {
            let lost = |view: &&Arc<RequestView>| {
                let has_failed = matches!(view.state, RequestState::Gone { .. } | RequestState::NotSent { .. });
                has_failed && view.reply.is_some()
            };
            requests.iter().find(lost).map(|view| title::question(&view.request))
        })
    });
    view! {
        <p class="visually-hidden" role="alert">
            {move || gone.get().map(|question| format!("Your answer did not arrive: {question}"))}
        </p>
    }
}

fn message(view: &RequestView, was: Option<&str>, is: &'static str, server: &str, now: Now) -> Option<String> {
    if was == Some(is) {
        return None;
    }
    match (was, is) {
        (None, "waiting") => {
            let session = view
                .origin
                .last()
                .map_or_else(|| "a session".to_owned(), |session| session_title(&session.title));
            let kind = if view.request.permission().is_some() {
                "permission request"
            } else {
                "question"
            };
            Some(format!("New {kind} from {session}: {}", title::name(&view.request)))
        }
        (Some(_), "sending" | "sent" | "answered" | "elsewhere" | "dismissed") => {
            let sentence = sentence_of(view, server, now.exact(), &|_| String::new())?;
            Some(format!("{} {}", sentence.strong, sentence.rest))
        }
        _ => None,
    }
}

fn in_one(messages: &[String]) -> String {
    let (new, steps): (Vec<&String>, Vec<&String>) = messages.iter().partition(|message| message.starts_with("New "));
    let new = match new.as_slice() {
        [] => None,
        [only] => Some((*only).clone()),
        several => Some(format!("{} new requests", several.len())),
    };
    let said: Vec<String> = steps.into_iter().cloned().chain(new).collect();
    said.join(" ")
}
