//! The address of the page: reads it and changes it.

use leptos::ev::hashchange;
use leptos::prelude::*;

use crate::state::route::Route;

/// Where the page is. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Navigation {
    route: RwSignal<Route>,
    query: RwSignal<String>,
}

impl Navigation {
    /// Follows the address until its owner is gone.
    pub(crate) fn following() -> Self {
        let (place, narrowed) = current();
        let (route, query) = (RwSignal::new(place), RwSignal::new(narrowed));
        let listener = window_event_listener(hashchange, move |_| {
            let (place, narrowed) = current();
            if place.is_list() {
                query.set(narrowed);
            }
            route.set(place);
        });
        on_cleanup(move || listener.remove());
        Self { route, query }
    }

    /// Where the page is.
    pub(crate) fn route(self) -> ReadSignal<Route> {
        self.route.read_only()
    }

    /// The query of the list that is shown, or was shown last.
    pub(crate) fn query(self) -> ReadSignal<String> {
        self.query.read_only()
    }

    /// Shows the same list with another query; the way back leads to this one.
    pub(crate) fn narrow(self, query: &str) {
        let list = self.route.with_untracked(|route| {
            if matches!(route, Route::Request(_)) {
                Route::Inbox.href()
            } else {
                route.href()
            }
        });
        // Setting the part behind `#` fails only in a page that is going away.
        let _ = window().location().set_hash(&with_query(&list, query));
    }

    /// The address of the inbox, with the query that it had last.
    pub(crate) fn inbox_as_left(self) -> String {
        with_query(&Route::Inbox.href(), &self.query.read())
    }

    /// Goes to a place; the way back leads here.
    pub(crate) fn go(self, route: &Route) {
        // Setting the part behind `#` fails only in a page that is going away.
        let _ = window().location().set_hash(&route.href());
    }

    /// Goes to an address of the page instead of this one: the way back leads to where the page was before.
    pub(crate) fn replace(self, href: &str) {
        // Changing the part behind `#` fails only in a page that is going away.
        let _ = window().location().replace(href);
    }

    /// Goes back to where the page was before.
    pub(crate) fn back(self) {
        if let Ok(history) = window().history() {
            // Going back fails only in a page that is going away.
            let _ = history.back();
        }
    }
}

/// The place that the address names, and its query.
fn current() -> (Route, String) {
    let hash = window().location().hash().unwrap_or_default();
    let query = hash.split_once('?').map(|(_, query)| query.to_owned());
    (Route::parse(&hash), query.unwrap_or_default())
}

/// An address with a query behind it, if there is one.
pub(super) fn with_query(href: &str, query: &str) -> String {
    if query.is_empty() {
        href.to_owned()
    } else {
        format!("{href}?{query}")
    }
}
