//! Keys of somebody who types on into a field that has gone.

use leptos::ev::pointerdown;
use leptos::prelude::*;
use web_sys::{Element, KeyboardEvent};

/// A pause this long, in milliseconds, ends typing. Between two letters of a word there are 100 to 400.
const PAUSE: f64 = 1500.0;

/// Where a person types, and since when they no longer do. A field may go at any moment: its question was answered
/// elsewhere, its session was deleted. What is typed on then must not act on the page, least of all on another request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Typing {
    last: StoredValue<Option<Stroke>, LocalStorage>,
}

#[derive(Clone, Debug)]
struct Stroke {
    field: Element,
    /// When it was pressed, in milliseconds of the page.
    at: f64,
}

impl Typing {
    /// Nobody types yet. A press of the pointer ends typing.
    pub(super) fn new() -> Self {
        let typing = Self {
            last: StoredValue::new_local(None),
        };
        let listener = window_event_listener(pointerdown, move |_| typing.last.set_value(None));
        on_cleanup(move || listener.remove());
        typing
    }

    /// Notes a key that was pressed in a field. Enter may have sent it: its going is no surprise then.
    pub(super) fn note(self, event: &KeyboardEvent, field: &Element) {
        let stroke = Stroke {
            field: field.clone(),
            at: event.time_stamp(),
        };
        self.last
            .set_value((event.key() != "Enter" && !leaves(event)).then_some(stroke));
    }

    /// True for a key outside of all fields that was meant for one that has gone.
    pub(super) fn is_stray(self, event: &KeyboardEvent) -> bool {
        let at = event.time_stamp();
        self.last
            .try_update_value(|last| {
                last.take_if(|last| leaves(event) || last.field.is_connected() || at - last.at >= PAUSE);
                last.as_mut().map(|last| last.at = at).is_some()
            })
            .unwrap_or_default()
    }
}

fn leaves(event: &KeyboardEvent) -> bool {
    matches!(event.key().as_str(), "Tab" | "Escape")
}
