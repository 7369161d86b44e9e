//! Everything that happened, as a page.

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::activity::{Happening, write_csv, write_json};
use switchboard_core::model::Directory;
use switchboard_core::{SortedSet, Time};

use super::figures::Figures;
use super::filter::{Filter, Group};
use super::lines::{Line, lines};
use super::rows::rows;
use crate::kit::download::download;
use crate::kit::erased::{Show, live, memo};
use crate::kit::focus;
use crate::kit::now::{Now, day, iso};
use crate::parts::part;
use crate::side::header::Header;
use crate::side::server_choice::server_choice;
use crate::side::sidebar::groups::home_relative;
use crate::state::activity::Activity;
use crate::state::connection::Connection;
use crate::state::each_server::about;
use crate::state::keys::ServerKey;
use crate::state::servers::Servers;
use crate::state::store::Store;
use crate::words::activity::{EMPTY, NOTHING_LEFT, SHOW_ALL, TITLE, kept, listed};
use crate::words::cut_text::show_more;

/// So many lines are listed at first, and so many more each time.
const LISTED: usize = 100;

const FILE: &str = "switchboard-activity";

part! {
    /// Everything that happened, a part.
    other: activity_part() view! { <ActivityPage /> }, focus::heading
}

/// What happened on one of the servers.
#[component]
fn ActivityPage() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let chosen = RwSignal::new(servers.first());
    live(move || about(servers, chosen.get(), || view! { <OfServer chosen /> }.into_any()))
}

/// What happened, newest first.
#[component]
fn OfServer(chosen: RwSignal<ServerKey>) -> impl IntoView {
    let servers = expect_context::<Servers>();
    let store = expect_context::<Store>();
    let now = expect_context::<Now>();
    let activity = expect_context::<Activity>();
    let connection = expect_context::<Connection>();
    // Other tabs have recorded, too.
    spawn_local(activity.load(connection));
    let all: Memo<Vec<Line>> = memo(move || {
        let sessions = store.sessions().read();
        activity
            .kept()
            .with(|kept| lines(kept.values(), &sessions, Time(0), now.exact()))
    });
    let filter = RwSignal::new(Filter::default());
    let at_most = RwSignal::new(LISTED);
    let left: Memo<Vec<Line>> = memo(move || {
        let (all, filter) = (all.read(), filter.read());
        all.iter().filter(|line| filter.allows(line)).cloned().collect()
    });
    let rest = memo(move || left.read().len().saturating_sub(at_most.get()));
    let export = move |write: fn(&str, &mut dyn Iterator<Item = &Happening>) -> String, ending: &str| {
        let left = left.read_untracked();
        let text = write(&connection.base(), &mut left.iter().map(|line| &line.happening));
        download(&format!("{FILE}.{ending}"), text);
    };
    view! {
        <Header title=TITLE>
            <span class="header-words" role="status">{live(move || {
                let all = all.read().len();
                (all > 0).then(|| listed(left.read().len(), all))
            })}</span>
        </Header>
        <div class="pane" data-scrolls="main">
            <div class="activity">
                {server_choice(servers, chosen)}
                <Figures />
                <FilterBar all filter />
                {live(move || {
                    let is_loaded = activity.is_loaded();
                    let (all, left) = (all.read(), left.read());
                    if all.is_empty() {
                        is_loaded.then(|| view! { <p class="activity-none">{EMPTY}</p> }.into_any())
                    } else if left.is_empty() {
                        Some(nothing_left(filter))
                    } else {
                        Some(days(left.iter().take(at_most.get()).cloned(), now.exact()))
                    }
                })}
                <Show when=move || { rest.get() > 0 }>
                    <button type="button" class="button" on:click=move |_| at_most.update(|at_most| *at_most += LISTED)>
                        {live(move || show_more(rest.get().min(LISTED)))}
                    </button>
                </Show>
                <div class="activity-foot">
                    <p class="remark">{kept()}</p>
                    <button type="button" class="button" on:click=move |_| export(|server, left| write_json(server, left), "json")>
                        "Download JSON"
                    </button>
                    <button type="button" class="button" on:click=move |_| export(|server, left| write_csv(server, left, &iso), "csv")>
                        "Download CSV"
                    </button>
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// The controls of the filter.
#[component]
fn FilterBar(all: Memo<Vec<Line>>, filter: RwSignal<Filter>) -> impl IntoView {
    let directories = memo(move || {
        let all = all.read();
        let directories = all.iter().filter_map(|line| line.happening.directory.clone());
        directories.collect::<SortedSet<Directory>>()
    });
    let groups = Group::NAMED.map(|(group, name)| {
        let is_chosen = move || filter.read().group == Some(group);
        view! { <option value=name prop:selected=is_chosen>{name}</option> }.into_any()
    });
    let choose_group = move |event| {
        let chosen = event_target_value(&event);
        let group = Group::NAMED.into_iter().find(|(_, name)| *name == chosen);
        filter.update(|filter| filter.group = group.map(|(group, _)| group));
    };
    let choose_directory = move |event| {
        let chosen = event_target_value(&event);
        let directory = (!chosen.is_empty()).then(|| Directory::from(chosen.as_str()));
        filter.update(|filter| filter.directory = directory);
    };
    let options = move || {
        let directories = directories.get();
        let option = |directory: &Directory| {
            let (value, shown) = (directory.to_string(), home_relative(directory));
            let directory = directory.clone();
            let is_chosen = move || filter.read().directory.as_ref() == Some(&directory);
            view! { <option value=value prop:selected=is_chosen>{shown}</option> }.into_any()
        };
        directories.iter().map(option).collect::<Vec<_>>()
    };
    view! {
        <form class="activity-filter" role="search" aria-label="Filter" on:submit=|event| event.prevent_default()>
            <select class="input" aria-label="Kind" on:change=choose_group>
                <option value="" prop:selected=move || filter.read().group.is_none()>"Everything"</option>
                {groups.into_iter().collect_view()}
            </select>
            <select class="input" aria-label="Directory" dir="auto" on:change=choose_directory>
                <option value="" prop:selected=move || filter.read().directory.is_none()>"All directories"</option>
                {live(options)}
            </select>
            <input
                class="input"
                type="search"
                aria-label="Text"
                placeholder="Text"
                prop:value=move || filter.read().text.clone()
                on:input=move |event| filter.update(|filter| filter.text = event_target_value(&event))
            />
        </form>
    }
    .into_any()
}

fn nothing_left(filter: RwSignal<Filter>) -> AnyView {
    view! {
        <div class="activity-none">
            <p>{NOTHING_LEFT}</p>
            <button type="button" class="button" on:click=move |_| filter.set(Filter::default())>{SHOW_ALL}</button>
        </div>
    }
    .into_any()
}

/// Lines under the names of their days.
fn days(lines: impl Iterator<Item = Line>, now: Time) -> AnyView {
    let mut days: Vec<(String, Vec<Line>)> = Vec::new();
    for line in lines {
        let name = day(line.happening.at, now);
        match days.last_mut() {
            Some((last, lines)) if *last == name => lines.push(line),
            _ => days.push((name, vec![line])),
        }
    }
    let section =
        |(name, lines)| view! { <section><h2 class="group-label">{name}</h2>{rows(lines)}</section> }.into_any();
    days.into_iter().map(section).collect_view().into_any()
}
