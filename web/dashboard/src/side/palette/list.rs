//! Draws the palette.

use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use switchboard_core::view::SessionView;

use super::find::{Entry, Group, find};
use crate::kit::erased::{effect, live, memo};
use crate::kit::focus;
use crate::kit::icons::Icon;
use crate::kit::key_caps::caps;
use crate::kit::now::Now;
use crate::kit::sign::Sign;
use crate::kit::viewport::nearest;
use crate::parts::part;
use crate::side::sidebar::groups::home_relative;
use crate::side::theme;
use crate::state::dialogs::{Dialog, Dialogs};
use crate::state::elsewhere::session_words;
use crate::state::navigation::Navigation;
use crate::state::route::Route;
use crate::state::servers::Servers;
use crate::words::activity::TITLE;
use crate::words::control_names::{ONLY_COMMANDS, SEARCH};
use crate::words::session_title::session_title;
use switchboard_browser::device::settings::Theme;

/// What an entry leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Place(Route),
    Dialog(Dialog),
    Theme(Option<Theme>),
}

type Found = (Sign, Target);

/// The palette.
#[component]
fn Palette() -> impl IntoView {
    let dialogs = expect_context::<Dialogs>();
    let navigation = expect_context::<Navigation>();
    let entries = StoredValue::new(entries());
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0);
    let found = memo(move || entries.with_value(|entries| find(entries, &typed.read())));
    let is_empty = memo(move || found.read().is_empty());
    let run = move |target: &Target| {
        dialogs.close();
        match target.clone() {
            Target::Place(route) => navigation.go(&route),
            // The one that closes says so first.
            Target::Dialog(dialog) => request_animation_frame(move || dialogs.open(dialog)),
            Target::Theme(theme) => theme::choose(theme),
        }
    };
    let pressed = move |event: KeyboardEvent| {
        let count = found.read_untracked().len();
        match event.key().as_str() {
            "ArrowDown" if count > 0 => at.update(|at| *at = (*at + 1) % count),
            "ArrowUp" if count > 0 => at.update(|at| *at = (*at + count - 1) % count),
            "Enter" if !event.is_composing() => {
                if let Some(entry) = found.read_untracked().get(at.get_untracked()) {
                    run(&entry.target.1);
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    effect(move || {
        let active = document().get_element_by_id(&format!("found-{}", at.get()));
        if let Some(active) = active {
            active.scroll_into_view_with_scroll_into_view_options(&nearest());
        }
    });
    let rows = move || {
        let found = found.get();
        let mut group = None;
        let mut rows = Vec::new();
        for (place, entry) in found.into_iter().enumerate() {
            if group.replace(entry.group) != Some(entry.group) {
                rows.push(view! { <li class="group-label" role="presentation">{entry.group.name()}</li> }.into_any());
            }
            let (sign, target) = entry.target;
            rows.push(
                view! {
                    <li
                        id=format!("found-{place}")
                        class="found"
                        role="option"
                        aria-selected=move || if at.get() == place { "true" } else { "false" }
                        on:click=move |_| run(&target)
                    >
                        <Icon sign />
                        <span dir="auto">{entry.name}</span>
                        <span class="found-about" dir="auto">{entry.about}</span>
                    </li>
                }
                .into_any(),
            );
        }
        rows
    };
    view! {
        <div class="dialog-palette">
            <label class="dialog-head">
                <Icon sign=Sign::Search />
                <input
                    class="palette-field"
                    type="text"
                    autofocus=true
                    role="combobox"
                    aria-label=SEARCH
                    aria-expanded=move || (!is_empty.get()).to_string()
                    aria-controls="found"
                    aria-activedescendant=move || (!is_empty.get()).then(|| format!("found-{}", at.get()))
                    on:input=move |event| {
                        typed.set(event_target_value(&event));
                        at.set(0);
                    }
                    on:keydown=pressed
                />
                <kbd aria-hidden="true">"Esc"</kbd>
            </label>
            <ul class="palette-list" id="found" role="listbox" aria-label="Found" hidden=is_empty>{live(rows)}</ul>
            <p class="palette-empty" role="status">{live(move || is_empty.get().then_some("No results"))}</p>
            <footer class="dialog-foot">
                <span class="caps">{caps("↑ ↓")}" move"</span>
                <span class="caps">{caps("↵")}" open"</span>
                <span>{ONLY_COMMANDS}</span>
            </footer>
        </div>
    }
    .into_any()
}

part! {
    /// The palette, a part.
    other: palette_part() view! { <Palette /> }, focus::in_dialog
}

/// Everything that can be found, as it is while the palette opens.
fn entries() -> Vec<Entry<Found>> {
    let now = expect_context::<Now>().exact();
    let servers = expect_context::<Servers>();
    let several = untrack(|| servers.are_several());
    let mut entries = Vec::new();
    for scope in &*servers.list().read_untracked() {
        let server = untrack(|| scope.connection.name());
        let entry = |view: &Arc<SessionView>| {
            let words = untrack(|| session_words(servers, scope.key, view, now));
            let group = if words.key == "waiting" {
                Group::Waiting
            } else {
                Group::Sessions
            };
            let directory = home_relative(&view.session.directory);
            Entry {
                group,
                name: session_title(&view.session.title),
                about: if several {
                    format!("{directory} · {server}")
                } else {
                    directory
                },
                target: (words.sign, Target::Place(scope.session(view.session.id.clone()))),
            }
        };
        scope.store.sessions().with_untracked(|sessions| {
            let shown = sessions.iter().filter(|view| !view.session.archived);
            entries.extend(shown.map(entry));
        });
    }
    let command = |name: &str, sign, target| Entry {
        group: Group::Commands,
        name: name.to_owned(),
        about: String::new(),
        target: (sign, target),
    };
    let commands = [
        command("Inbox", Sign::Inbox, Target::Place(Route::Inbox)),
        command("All sessions", Sign::List, Target::Place(Route::Sessions)),
        command("Start a session", Sign::Plus, Target::Place(Route::New)),
        command("Servers", Sign::Server, Target::Place(Route::Servers)),
        command(TITLE, Sign::Clock, Target::Place(Route::Activity)),
        command("Appearance: light", Sign::Moon, Target::Theme(Some(Theme::Light))),
        command("Appearance: dark", Sign::Moon, Target::Theme(Some(Theme::Dark))),
        command("Appearance: as the system", Sign::Moon, Target::Theme(None)),
        command("Settings", Sign::Gear, Target::Dialog(Dialog::Settings)),
        command("Keyboard help", Sign::Terminal, Target::Dialog(Dialog::Keys)),
    ];
    entries.extend(commands);
    entries
}
