//! The tab of the browser: its title counts what waits and names the page, its picture is lit while something does.

use leptos::prelude::*;
use switchboard_core::List;
use switchboard_core::view::SessionView;

use crate::kit::erased::{effect, memo};
use crate::state::navigation::Navigation;
use crate::state::route::Route;
use crate::state::servers::Servers;
use crate::words::activity;
use crate::words::rounds::{Progress, progress_words};
use crate::words::session_title::session_title;
use crate::words::tab_title::tab_title;

/// The picture of `www/icon.svg` with its upper right jack lit.
const LIT: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect x='1' y='1' \
width='30' height='30' rx='8' fill='%231b1a17' stroke='%237d7a72'/%3E%3Cg fill='none' stroke='%23edebe6' \
stroke-width='2'%3E%3Ccircle cx='11' cy='11' r='3.5'/%3E%3Ccircle cx='11' cy='21' r='3.5'/%3E%3Ccircle cx='21' cy='21' \
r='3.5'/%3E%3C/g%3E%3Ccircle cx='21' cy='11' r='5.5' fill='%23f7b03a'/%3E%3C/svg%3E";

/// Keeps title and picture true until its owner is gone.
pub(crate) fn follow(servers: Servers, navigation: Navigation) {
    let waiting = memo(move || servers.waiting());
    let page = memo(move || {
        let name = page_name(servers, &navigation.route().read());
        match progress(servers, &navigation.route().read()).map(progress_words) {
            Some(round) => Some(name.map_or_else(|| round.clone(), |name| format!("{round} · {name}"))),
            None => name,
        }
    });
    effect(move || {
        document().set_title(&tab_title(waiting.get(), page.read().as_deref()));
    });
    on_cleanup(|| document().set_title(&tab_title(0, None)));
    let picture = document().query_selector("link[rel=icon]").ok().flatten();
    let unlit = picture.as_ref().and_then(|picture| picture.get_attribute("href"));
    let Some((picture, unlit)) = picture.zip(unlit) else {
        return;
    };
    // Setting an attribute fails only for names that are none.
    let show = move |href: &str| drop(picture.set_attribute("href", href));
    let show = StoredValue::new_local(show);
    let unlit = StoredValue::new(unlit);
    effect(move || {
        let href = if waiting.get() > 0 {
            LIT.to_owned()
        } else {
            unlit.get_value()
        };
        show.with_value(|show| show(&href));
    });
    on_cleanup(move || show.with_value(|show| show(&unlit.get_value())));
}

/// How far a loop has come: that of the session which is shown, else the first one that goes on anywhere.
fn progress(servers: Servers, route: &Route) -> Option<Progress> {
    if let Some(of) = route.session() {
        let scope = servers.named(of.server.as_ref())?;
        return scope.loops.progress().with(|progress| progress.get(&of.id).copied());
    }
    let list = servers.list().read();
    list.iter().find_map(|scope| {
        scope
            .loops
            .progress()
            .with(|progress| progress.values().next().copied())
    })
}

/// What the page is called; the inbox is called as the whole.
fn page_name(servers: Servers, route: &Route) -> Option<String> {
    match route {
        Route::Inbox => None,
        Route::Request(_) => Some("Request".to_owned()),
        Route::Sessions => Some("Sessions".to_owned()),
        Route::Session(of) | Route::Checks(of) => {
            let find = |sessions: &List<SessionView>| {
                let session = sessions.iter().find(|view| view.session.id == of.id)?;
                Some(session_title(&session.session.title))
            };
            let scope = servers.named(of.server.as_ref());
            let title = scope.and_then(|scope| scope.store.sessions().with(find));
            Some(title.unwrap_or_else(|| "Session".to_owned()))
        }
        Route::New => Some("Start a session".to_owned()),
        Route::Servers => Some("Servers".to_owned()),
        Route::Activity => Some(activity::TITLE.to_owned()),
        Route::Unknown => Some("Not found".to_owned()),
    }
}
