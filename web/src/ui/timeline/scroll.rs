//! Where the timeline is scrolled to: at its end it follows what comes, elsewhere it stays where the eye is.

use std::time::Duration;

use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// So close to the end counts as being there, in px.
const END_MARGIN: i32 = 48;
/// After a press on something in the timeline its size changes because of that: for so long nothing scrolls.
const HOLD: Duration = Duration::from_millis(300);

/// The scrolling pane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scroll {
    /// The element that scrolls.
    pub(super) pane: NodeRef<Div>,
    at_end: RwSignal<bool>,
    held: RwSignal<bool>,
    /// Something has come below what is in sight.
    pub(super) new_below: RwSignal<bool>,
}

impl Scroll {
    /// A pane that follows its end.
    pub(super) fn new() -> Self {
        Self {
            pane: NodeRef::new(),
            at_end: RwSignal::new(true),
            held: RwSignal::new(false),
            new_below: RwSignal::new(false),
        }
    }

    /// The pane was scrolled, by a person or by us.
    pub(super) fn scrolled(self) {
        let Some(pane) = self.pane.get_untracked() else { return };
        let below = pane.scroll_height() - pane.scroll_top() - pane.client_height();
        let at_end = below <= END_MARGIN;
        self.at_end.set(at_end);
        if at_end {
            self.new_below.set(false);
        }
    }

    /// Something in the pane was pressed.
    pub(super) fn pressed(self) {
        self.held.set(true);
        set_timeout(
            move || {
                if self.held.try_set(false).is_none() {
                    self.scrolled();
                }
            },
            HOLD,
        );
    }

    /// What is in the pane has changed its size.
    pub(super) fn resized(self) {
        if self.at_end.get_untracked() && !self.held.get_untracked() {
            self.to_end();
        }
    }

    /// Something new has come at the end.
    pub(super) fn grown(self) {
        if !self.at_end.get_untracked() {
            self.new_below.set(true);
        }
    }

    /// Goes to the end.
    pub(super) fn to_end(self) {
        let Some(pane) = self.pane.get_untracked() else { return };
        pane.set_scroll_top(pane.scroll_height());
        self.at_end.set(true);
        self.new_below.set(false);
    }

    /// Lets messages come in above without moving what is in sight.
    pub(super) fn hold_place(self, change: impl FnOnce()) {
        let anchor = self.pane.get_untracked().and_then(|pane| first_in_sight(&pane));
        let before = anchor.as_ref().map(top);
        change();
        request_animation_frame(move || {
            let Some((pane, (anchor, before))) = self.pane.get_untracked().zip(anchor.zip(before)) else {
                return;
            };
            let moved = (top(&anchor) - before).round() as i32;
            if moved != 0 {
                pane.set_scroll_top(pane.scroll_top() + moved);
            }
        });
    }
}

/// The first message that is in sight, if only with its lower edge.
fn first_in_sight(pane: &HtmlElement) -> Option<Element> {
    let edge = top(pane);
    let messages = pane.query_selector_all(".message").ok()?;
    (0..messages.length())
        .filter_map(|at| messages.get(at)?.dyn_into::<Element>().ok())
        .find(|message| message.get_bounding_client_rect().bottom() > edge)
}

fn top(element: &Element) -> f64 {
    element.get_bounding_client_rect().top()
}
