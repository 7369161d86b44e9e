//! One row per trouble with the connection, under the header: what, since when, what it means for answers.

use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::time::Time;
use switchboard_core::view::{Link, ServerView};

use super::actions::Actions;
use super::age::age;
use super::connection::Connection;
use super::desk::Desk;
use super::icons::Icon;
use super::now::{Now, time_of_day};
use super::route::Route;
use super::sign::Sign;
use super::store::Store;

/// At most so many directories in trouble are named.
const NAMED_MAX: usize = 2;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Trouble {
    sign: Sign,
    is_bad: bool,
    who: String,
    what: String,
    detail: String,
}

/// What is wrong with the connection; nothing while nothing is.
#[component]
pub(crate) fn ConnectionBar() -> impl IntoView {
    let store = expect_context::<Store>();
    let desk = expect_context::<Desk>();
    let actions = expect_context::<Actions>();
    let now = expect_context::<Now>();
    let troubles = Memo::new(move |_| troubles(&store.server().read(), &desk.server_name(), now.get()));
    let next = Memo::new(move |_| {
        let rest = store.server().read().next_try?.since(now.get());
        (rest >= Duration::from_secs(1)).then(|| format!("next try in {}", age(rest)))
    });
    let connection = expect_context::<Connection>();
    let foreign = Memo::new(move |_| {
        store.server().track();
        (connection.not_understood() > 0).then(|| connection.not_understood())
    });
    let needs_password = Memo::new(move |_| store.server().read().link == Link::Password);
    let action = move || {
        if needs_password.get() {
            view! { <a class="button" href=Route::Servers.href()>"Enter the password"</a> }.into_any()
        } else {
            view! {
                <span class="connection-next">{next}</span>
                <button type="button" class="button" on:click=move |_| actions.try_now()>"Try now"</button>
            }
            .into_any()
        }
    };
    let row = move |trouble: Trouble| {
        view! {
            <div class="connection-row" class:tone-bad=trouble.is_bad>
                <Icon sign=trouble.sign />
                <p class="connection-text"><strong>{trouble.who}" "{trouble.what}</strong>" "{trouble.detail}</p>
                {action}
            </div>
        }
        .into_any()
    };
    move || {
        let rows: Vec<AnyView> = troubles
            .get()
            .into_iter()
            .map(row)
            .chain(foreign.get().map(foreign_row))
            .collect();
        (!rows.is_empty()).then(|| {
            view! {
                <div class="connection" data-testid="connection-bar" role="region" aria-label="Connection">{rows}</div>
            }
            .into_any()
        })
    }
}

/// What another version of the page has left unfinished on this device.
fn foreign_row(entries: usize) -> AnyView {
    let kept = if entries == 1 {
        "1 answer or message on this device was".to_owned()
    } else {
        format!("{entries} answers or messages on this device were")
    };
    let reload = move |_| {
        // Reloading fails only in a page that is going away.
        let _ = window().location().reload();
    };
    view! {
        <div class="connection-row">
            <Icon sign=Sign::Clock />
            <p class="connection-text">
                <strong>{kept}" written by another version of this page."</strong>" This one does not send what it cannot read. Nothing is lost: \
                reload to get the newest version."
            </p>
            <button type="button" class="button" on:click=reload>"Reload"</button>
        </div>
    }
    .into_any()
}

fn troubles(server: &ServerView, name: &str, now: Time) -> Vec<Trouble> {
    let kept = "Answers are kept and sent later.";
    let trouble = |sign, what: String, detail: String| Trouble {
        sign,
        is_bad: sign != Sign::Clock,
        who: name.to_owned(),
        what,
        detail,
    };
    let whole = match &server.link {
        Link::Connecting | Link::Live => None,
        Link::Stale { since, reason } => Some(trouble(
            Sign::Clock,
            format!("has not answered for {}.", age(now.since(*since))),
            format!("You see {}. {kept} ({reason})", time_of_day(*since, true)),
        )),
        Link::Offline { since, reason } => Some(trouble(
            Sign::NoSignal,
            format!("is offline since {}.", time_of_day(*since, false)),
            format!("{kept} ({reason})"),
        )),
        Link::Password => Some(trouble(
            Sign::Lock,
            "wants a password.".to_owned(),
            "Nothing is lost: answers wait to be sent.".to_owned(),
        )),
    };
    if whole.is_some() {
        return whole.into_iter().collect();
    }
    let named = server.failing.iter().take(NAMED_MAX).map(|failing| {
        let since = failing.since.map_or_else(
            || "has not answered yet.".to_owned(),
            |since| format!("has not answered for {}.", age(now.since(since))),
        );
        Trouble {
            who: failing.directory.to_string(),
            is_bad: false,
            ..trouble(Sign::Clock, since, format!("{kept} ({})", failing.reason))
        }
    });
    let mut rows: Vec<Trouble> = named.collect();
    if let (Some(last), more @ 1..) = (rows.last_mut(), server.failing.len().saturating_sub(NAMED_MAX)) {
        last.detail.push_str(&format!(" And {more} more."));
    }
    rows
}
