//! How much room there is, where a style sheet alone cannot decide.

use gloo_events::EventListener;
use leptos::prelude::*;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

/// Up to this width a request is a page of its own.
pub(crate) const PHONE: &str = "(max-width: 639.98px)";

/// From this width on the side panel is shown at first.
pub(crate) const PANEL_FITS: &str = "(min-width: 1200px)";

/// Up to this height the page of a session scrolls as a whole: its parts leave no room for the timeline.
pub(crate) const LOW: &str = "(max-height: 399.98px)";

/// Follows a media query until its owner is gone; false where there are none.
pub(crate) fn media(query: &str) -> ReadSignal<bool> {
    let list = window().match_media(query).ok().flatten();
    let (matches, set_matches) = signal(list.as_ref().is_some_and(web_sys::MediaQueryList::matches));
    if let Some(list) = list {
        let target = list.clone();
        let listener = EventListener::new(&target, "change", move |_| set_matches.set(list.matches()));
        let listener = StoredValue::new_local(listener);
        on_cleanup(move || listener.dispose());
    }
    matches
}

/// Whether the page is as narrow as a phone. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IsPhone(ReadSignal<bool>);

impl IsPhone {
    /// Follows the width of the page.
    pub(crate) fn following() -> Self {
        Self(media(PHONE))
    }

    /// The width now.
    pub(crate) fn get(self) -> bool {
        self.0.get()
    }

    /// The width now; not tracked.
    pub(crate) fn get_untracked(self) -> bool {
        self.0.get_untracked()
    }
}

/// Scrolls something into view, and no further than needed.
pub(crate) fn nearest() -> ScrollIntoViewOptions {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    options
}
