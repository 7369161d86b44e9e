//! What happened on the server, in this visit and in earlier ones.

use leptos::prelude::*;
use switchboard_browser::device::activity::{Happening, Kind};
use switchboard_core::SortedMap;

use crate::state::connection::Connection;

/// What is known of what happened. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Activity {
    kept: RwSignal<SortedMap<String, Happening>>,
    is_loaded: RwSignal<bool>,
}

impl Activity {
    /// Nothing is known until [`Activity::load`].
    pub(crate) fn new() -> Self {
        Self {
            kept: RwSignal::new(SortedMap::new()),
            is_loaded: RwSignal::new(false),
        }
    }

    /// What happened, by id.
    pub(crate) fn kept(self) -> ReadSignal<SortedMap<String, Happening>> {
        self.kept.read_only()
    }

    /// Whether this device was asked for what it has kept.
    pub(crate) fn is_loaded(self) -> bool {
        self.is_loaded.get()
    }

    /// Adds what this device has kept: of earlier visits, and by other tabs. Where it keeps nothing, this page remembers alone.
    pub(crate) async fn load(self, connection: Connection) {
        let loaded = connection.activity().await.unwrap_or_default();
        self.kept.try_update(|kept| {
            for held in loaded {
                let known = find(kept, &held).map(|known| known.id.clone());
                let added = match known.and_then(|id| kept.remove(&id)) {
                    Some(known) => known.added_to(&held),
                    None => held,
                };
                kept.insert(added.id.clone(), added);
            }
        });
        self.is_loaded.try_set(true);
    }

    /// Takes note of what happened, and keeps it where there is news in it.
    pub(crate) fn note(self, connection: Connection, happening: Happening) {
        let known = self.kept.with_untracked(|kept| find(kept, &happening).cloned());
        let added = match &known {
            Some(known) => happening.added_to(known),
            None => happening,
        };
        if known.as_ref() != Some(&added) {
            connection.keep_activity(added.clone());
            self.kept.update(|kept| {
                kept.insert(added.id.clone(), added);
            });
        }
    }
}

/// What is known of the same.
fn find<'a>(kept: &'a SortedMap<String, Happening>, happening: &Happening) -> Option<&'a Happening> {
    if happening.kind == Kind::Outage {
        kept.values().find(|known| happening.is_same(known))
    } else {
        kept.get(&happening.id)
    }
}
