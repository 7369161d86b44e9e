//! Records what happens. Every tab does, for a hidden one may stand still; what several see is kept once.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::activity::{Happening, Kind};
use switchboard_core::view::Link;

use super::lines::{of_request, outage};
use crate::kit::erased::{effect, memo};
use crate::kit::now::time_of_day;
use crate::parts::part;
use crate::state::activity::Activity;
use crate::state::connection::Connection;
use crate::state::store::Store;

part! {
    /// Records what happens, a part.
    other: recorder_part() view! { <Recorder /> }, || {}
}

/// Records until its owner is gone, and shows nothing.
#[component]
fn Recorder() -> impl IntoView {
    let store = expect_context::<Store>();
    let connection = expect_context::<Connection>();
    let activity = expect_context::<Activity>();
    spawn_local(activity.load(connection));
    let link = memo(move || store.server().read().link.clone());
    effect(move || {
        if !activity.is_loaded() {
            return;
        }
        let told: Vec<Happening> = store.requests().with(|requests| {
            let told = requests
                .iter()
                .map(|view| of_request(view, &|time| time_of_day(time, false)));
            told.flatten().collect()
        });
        for happening in told {
            activity.note(connection, happening);
        }
    });
    effect(move || {
        if !activity.is_loaded() {
            return;
        }
        match link.get() {
            Link::Stale { since, error } | Link::Offline { since, error } => {
                let name = untrack(|| connection.name());
                activity.note(connection, outage(&name, since, &error));
            }
            Link::Live => end_outages(store, connection, activity),
            Link::Connecting | Link::Password => {}
        }
    });
}

/// The server was read: what lasted until then is over.
fn end_outages(store: Store, connection: Connection, activity: Activity) {
    let Some(read) = store.server().read_untracked().read else {
        return;
    };
    let lasts =
        |happening: &&Happening| happening.kind == Kind::Outage && happening.until.is_none() && happening.at < read;
    let over: Vec<Happening> = activity
        .kept()
        .with_untracked(|kept| kept.values().filter(lasts).cloned().collect());
    for outage in over {
        let until = Some(read);
        activity.note(connection, Happening { until, ..outage });
    }
}
