//! The address of the page: reads it and changes it.

use leptos::ev::hashchange;
use leptos::prelude::*;

use crate::state::route::Route;

/// Where the page is. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Navigation {
    route: RwSignal<Route>,
}

impl Navigation {
    /// Follows the address until its owner is gone.
    pub(crate) fn following() -> Self {
        let route = RwSignal::new(current());
        let listener = window_event_listener(hashchange, move |_| route.set(current()));
        on_cleanup(move || listener.remove());
        Self { route }
    }

    /// Where the page is.
    pub(crate) fn route(self) -> ReadSignal<Route> {
        self.route.read_only()
    }

    /// Goes to a place; the way back leads here.
    pub(crate) fn go(self, route: &Route) {
        // Setting the part behind `#` fails only in a page that is going away.
        let _ = window().location().set_hash(&route.href());
    }

    /// Goes to a place instead of this one: the way back leads to where the page was before.
    pub(crate) fn replace(self, route: &Route) {
        // Changing the part behind `#` fails only in a page that is going away.
        let _ = window().location().replace(&route.href());
    }

    /// Goes back to where the page was before.
    pub(crate) fn back(self) {
        if let Ok(history) = window().history() {
            // Going back fails only in a page that is going away.
            let _ = history.back();
        }
    }
}

fn current() -> Route {
    Route::parse(&window().location().hash().unwrap_or_default())
}
