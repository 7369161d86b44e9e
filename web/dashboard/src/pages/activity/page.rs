//! Everything that happened, as a page.

use std::cmp::Reverse;

use leptos::prelude::*;
use leptos::task::spawn_local;
use switchboard_browser::device::activity::{OfServer, write_csv, write_json};
use switchboard_core::{SortedMap, Time, sort_by_key};
use web_sys::UrlSearchParams;

use super::figures::Figures;
use super::filter::{Filter, Group};
use super::lines::{Line, lines};
use super::rows::rows;
use crate::kit::download::download;
use crate::kit::erased::{Show, effect, live, memo};
use crate::kit::focus;
use crate::kit::now::{Now, day, iso};
use crate::parts::part;
use crate::side::header::Header;
use crate::side::narrow::narrow;
use crate::state::each_server::for_each_server;
use crate::state::elsewhere::sessions_of;
use crate::state::keys::ServerKey;
use crate::state::narrowed::Narrowed;
use crate::state::narrowing::Narrowing;
use crate::state::navigation::Navigation;
use crate::state::servers::{ServerScope, Servers};
use crate::words::activity::{EMPTY, NOTHING_LEFT, SHOW_ALL, TITLE, figures_title, kept, listed};
use crate::words::cut_text::show_more;

/// A line, and the server that it is about.
type Told = (ServerKey, Line);

/// So many lines are listed at first, and so many more each time.
const LISTED: usize = 100;

const FILE: &str = "switchboard-activity";

part! {
    /// Everything that happened, a part.
    other: activity_part() view! { <ActivityPage /> }, focus::heading
}

/// What happened on the servers, newest first.
#[component]
fn ActivityPage() -> impl IntoView {
    let servers = expect_context::<Servers>();
    let now = expect_context::<Now>();
    let narrowed = expect_context::<Narrowed>();
    let narrowing = narrowed.narrowing();
    // Other tabs have recorded, too.
    for scope in &*servers.list().read_untracked() {
        spawn_local(scope.activity.load(scope.connection));
    }
    let all: Memo<Vec<Told>> = memo(move || {
        let mut all = Vec::new();
        for scope in &*servers.list().read() {
            let sessions = sessions_of(servers, *scope);
            let kept = scope.activity.kept();
            let lines = kept.with(|kept| lines(kept.values(), &sessions, Time(0), now.exact()));
            all.extend(lines.into_iter().map(|line| (scope.key, line)));
        }
        sort_by_key(&mut all, |(_, line)| Reverse(line.happening.at));
        all
    });
    let filter = RwSignal::new(Filter::default());
    let query = expect_context::<Navigation>().query();
    effect(move || {
        let parameters = UrlSearchParams::new_with_str(&query.read()).ok();
        if let Some(named) = parameters.and_then(|parameters| Filter::named(|name| parameters.get(name))) {
            filter.set(named);
        }
    });
    let at_most = RwSignal::new(LISTED);
    let left: Memo<Vec<Told>> = memo(move || {
        let (all, filter, narrowing) = (all.read(), filter.read(), narrowing.read());
        let is_left = |(server, line): &&Told| {
            narrowing.allows_server(*server)
                && narrowing.allows_place(line.happening.directory.as_ref())
                && filter.allows(line)
        };
        all.iter().filter(is_left).cloned().collect()
    });
    let rest = memo(move || left.read().len().saturating_sub(at_most.get()));
    let directories = move |scope: ServerScope| {
        let all = all.read();
        let of_it = all.iter().filter(|(server, _)| *server == scope.key);
        of_it.filter_map(|(_, line)| line.happening.directory.clone()).collect()
    };
    let export = move |write: fn(&mut dyn Iterator<Item = OfServer<'_>>) -> String, ending: &str| {
        let left = left.read_untracked();
        let list = servers.list().read_untracked();
        let bases: SortedMap<ServerKey, String> =
            list.iter().map(|scope| (scope.key, scope.connection.base())).collect();
        let mut of_servers = left
            .iter()
            .filter_map(|(server, line)| Some((bases.get(server)?.as_str(), &line.happening)));
        download(&format!("{FILE}.{ending}"), write(&mut of_servers));
    };
    let is_loaded = move || servers.list().read().iter().all(|scope| scope.activity.is_loaded());
    view! {
        <Header title=TITLE>
            <span class="header-words" role="status">{live(move || {
                let all = all.read().len();
                (all > 0).then(|| listed(left.read().len(), all))
            })}</span>
            {narrow(directories)}
        </Header>
        <div class="pane" data-scrolls="main">
            <div class="activity">
                {for_each_server(servers, figures_of_server)}
                <FilterBar filter />
                {live(move || {
                    let (all, left) = (all.read(), left.read());
                    if all.is_empty() {
                        is_loaded().then(|| view! { <p class="activity-none">{EMPTY}</p> }.into_any())
                    } else if left.is_empty() {
                        Some(nothing_left(filter, narrowed))
                    } else {
                        Some(days(left.iter().take(at_most.get()).cloned(), now.exact(), servers))
                    }
                })}
                <Show when=move || { rest.get() > 0 }>
                    <button type="button" class="button" on:click=move |_| at_most.update(|at_most| *at_most += LISTED)>
                        {live(move || show_more(rest.get().min(LISTED)))}
                    </button>
                </Show>
                <div class="activity-foot">
                    <p class="remark">{kept()}</p>
                    <button type="button" class="button" on:click=move |_| export(|left| write_json(left), "json")>
                        "Download JSON"
                    </button>
                    <button type="button" class="button" on:click=move |_| export(|left| write_csv(left, &iso), "csv")>
                        "Download CSV"
                    </button>
                </div>
            </div>
        </div>
    }
    .into_any()
}

/// The figures of a server; folded while there are several.
fn figures_of_server() -> AnyView {
    let servers = expect_context::<Servers>();
    let ServerScope { key, connection, .. } = expect_context();
    let narrowing = expect_context::<Narrowed>().narrowing();
    let is_shown = memo(move || narrowing.read().allows_server(key));
    let is_folded = memo(move || servers.are_several() && narrowing.read().server.is_none());
    view! {
        <Show when=move || is_shown.get()>
            {live(move || if is_folded.get() {
                view! {
                    <details>
                        <summary>{live(move || figures_title(&connection.name()))}</summary>
                        <Figures />
                    </details>
                }
                .into_any()
            } else {
                view! { <Figures /> }.into_any()
            })}
        </Show>
    }
    .into_any()
}

/// The controls of the filter.
#[component]
fn FilterBar(filter: RwSignal<Filter>) -> impl IntoView {
    let groups = Group::NAMED.map(|(group, name)| {
        let is_chosen = move || filter.read().group == Some(group);
        view! { <option value=name prop:selected=is_chosen>{name}</option> }.into_any()
    });
    let choose_group = move |event| {
        let chosen = event_target_value(&event);
        let group = Group::NAMED.into_iter().find(|(_, name)| *name == chosen);
        filter.update(|filter| filter.group = group.map(|(group, _)| group));
    };
    view! {
        <form class="activity-filter" role="search" aria-label="Filter" on:submit=|event| event.prevent_default()>
            <select class="input" aria-label="Kind" on:change=choose_group>
                <option value="" prop:selected=move || filter.read().group.is_none()>"Everything"</option>
                {groups.into_iter().collect_view()}
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

fn nothing_left(filter: RwSignal<Filter>, narrowed: Narrowed) -> AnyView {
    let show_all = move |_| {
        filter.set(Filter::default());
        if narrowed.narrowing().read_untracked().leaves_out() {
            narrowed.narrow(&Narrowing::default());
        }
    };
    view! {
        <div class="activity-none">
            <p>{NOTHING_LEFT}</p>
            <button type="button" class="button" on:click=show_all>{SHOW_ALL}</button>
        </div>
    }
    .into_any()
}

/// Lines under the names of their days.
fn days(lines: impl Iterator<Item = Told>, now: Time, servers: Servers) -> AnyView {
    let mut days: Vec<(String, Vec<Told>)> = Vec::new();
    for told in lines {
        let name = day(told.1.happening.at, now);
        match days.last_mut() {
            Some((last, lines)) if *last == name => lines.push(told),
            _ => days.push((name, vec![told])),
        }
    }
    let of_server = |(server, line)| untrack(|| servers.get(server)).map(|scope| (scope, line));
    let section = |(name, lines): (String, Vec<Told>)| {
        let lines = lines.into_iter().filter_map(of_server);
        view! { <section><h2 class="group-label">{name}</h2>{rows(lines, servers.are_several())}</section> }.into_any()
    };
    days.into_iter().map(section).collect_view().into_any()
}
