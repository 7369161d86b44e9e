//! Where the timeline is scrolled to: it follows its end while that is wanted, and names what waits out of sight.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use gloo_events::{EventListener, EventListenerOptions};
use leptos::html::Div;
use leptos::prelude::*;
use switchboard_core::SortedSet;
use switchboard_core::model::{Message, MessageId, RequestId};
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent, Node, PointerEvent, css};

use super::follow::{END_MARGIN, Follow};
use super::found::mark;
use super::observe::{on_change, on_resize};
use super::rows::Rows;
use crate::kit::erased::effect;
use crate::kit::now::Now;
use crate::kit::viewport::{LOW, media};
use crate::state::focus;

/// After a press on something in the timeline its size changes because of that: for so long nothing scrolls.
const HOLD: Duration = Duration::from_millis(300);

/// So much of a card has to be visible for it to be in sight, in px; less when the card is smaller.
const SIGHT_MIN: f64 = 120.0;

/// The least height that counts as a screen, in px: a pane may still have none.
const SCREEN_MIN: f64 = 600.0;

/// How many messages are kept in the page because something was pressed in them, such as what unfolds an output.
const PRESSED_MAX: usize = 20;

/// The space above what is scrolled to, in px.
const MARGIN: f64 = 12.0;

/// How far down a found text is shown, as a share of the height: what comes before it is in sight, too.
const FOUND_AT: f64 = 0.4;

/// The cards that wait for a person.
const WAITING: &str = "article[data-state=waiting], article[data-state=not-sent]";

/// The requests that wait on one side of what is in sight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beyond {
    /// The nearest.
    pub(super) nearest: RequestId,
    /// How many more there are.
    pub(super) others: usize,
    /// Whether the nearest has never been in sight.
    pub(super) is_new: bool,
}

/// The scrolling timeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scroll {
    /// The element that scrolls, unless the viewport is low: there the whole page does.
    pub(super) pane: NodeRef<Div>,
    /// What is in it.
    pub(super) content: NodeRef<Div>,
    /// The messages in it.
    pub(super) rows: Rows,
    /// Requests that wait above what is in sight.
    pub(super) above: RwSignal<Option<Beyond>>,
    /// Requests that wait below what is in sight.
    pub(super) below: RwSignal<Option<Beyond>>,
    /// Something else has come below what is in sight.
    pub(super) new_below: RwSignal<bool>,
    is_low: ReadSignal<bool>,
    now: Now,
    follow: StoredValue<Follow>,
    drags: StoredValue<bool>,
    hold: StoredValue<Hold>,
    has_grown: StoredValue<bool>,
    seen: StoredValue<SortedSet<RequestId>>,
    /// The messages that requests stand under.
    asking: Memo<Vec<MessageId>>,
    /// The messages in which something was pressed, the newest last.
    pressed: StoredValue<Vec<MessageId>>,
    /// The first element in sight; none in a browser that keeps the place by itself.
    place: StoredValue<Option<Standing>, LocalStorage>,
}

/// The first element in sight, and how far it is below the beginning of the timeline, in px.
struct Standing {
    element: Element,
    content: HtmlElement,
    below: f64,
    /// Where it was scrolled to then, in px.
    top: i32,
}

/// Whether scrolling has to wait for the effects of a press.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    No,
    Yes,
    /// Something new has come meanwhile.
    Grown,
}

impl Scroll {
    /// A timeline that follows its end. Listens until its owner is gone.
    pub(super) fn new(asking: Memo<Vec<MessageId>>) -> Self {
        let scroll = Self {
            pane: NodeRef::new(),
            content: NodeRef::new(),
            rows: Rows::new(),
            above: RwSignal::new(None),
            below: RwSignal::new(None),
            new_below: RwSignal::new(false),
            is_low: media(LOW),
            now: expect_context(),
            follow: StoredValue::new(Follow::default()),
            drags: StoredValue::new(false),
            hold: StoredValue::new(Hold::No),
            has_grown: StoredValue::new(false),
            seen: StoredValue::new(SortedSet::new()),
            asking,
            pressed: StoredValue::new(Vec::new()),
            place: StoredValue::new_local(None),
        };
        scroll.listen();
        effect(move || {
            asking.track();
            scroll.hold_place(|| scroll.draw());
        });
        effect(move || {
            if let Some((scroller, (pane, content))) =
                scroll.scroller().zip(scroll.pane.get().zip(scroll.content.get()))
            {
                scroll.place.set_value(None);
                on_resize([&*scroller, &**pane, &**content], move || scroll.laid_out());
                on_change(&content, move || scroll.changed());
            }
        });
        scroll
    }

    /// The element that scrolls.
    pub(super) fn scroller(self) -> Option<HtmlElement> {
        let pane = self.pane.get()?;
        self.is_low.track();
        self.scroller_of(&pane)
    }

    fn scroller_untracked(self) -> Option<HtmlElement> {
        self.scroller_of(&*self.pane.get_untracked()?)
    }

    fn scroller_of(self, pane: &HtmlElement) -> Option<HtmlElement> {
        if self.is_low.get_untracked() {
            pane.closest(".shell").ok().flatten()?.dyn_into().ok()
        } else {
            Some(pane.clone())
        }
    }

    fn listen(self) {
        let on = |name: &'static str, handle: fn(Self, &Event)| {
            let options = EventListenerOptions::run_in_capture_phase();
            EventListener::new_with_options(&window(), name, options, move |event| handle(self, event))
        };
        let listeners = [
            on("scroll", Self::handle_scroll),
            on(focus::PLACED, |scroll, _| scroll.take_place()),
            on("wheel", |scroll, _| scroll.handle_input()),
            on("touchmove", |scroll, _| scroll.handle_input()),
            on("pointerdown", Self::handle_pointer_down),
            on("pointermove", Self::handle_pointer_move),
            on("keydown", Self::handle_key),
            on("visibilitychange", |scroll, _| {
                scroll.follow.update_value(Follow::handle_visibility)
            }),
        ];
        let listeners = StoredValue::new_local(listeners);
        on_cleanup(move || listeners.dispose());
    }

    fn handle_scroll(self, event: &Event) {
        let Some(scroller) = self.scroller_untracked() else {
            return;
        };
        if !is_target(event, &scroller) {
            return;
        }
        if self.drags.get_value() {
            self.handle_input();
        }
        self.put_back(&scroller);
        self.scrolled(&scroller);
        self.draw_in_sight();
        self.survey();
    }

    /// Takes note of where it is scrolled to by now.
    fn scrolled(self, scroller: &HtmlElement) {
        let (top, end) = (f64::from(scroller.scroll_top()), self.end(scroller));
        self.follow.update_value(|follow| follow.handle_scroll(top, end));
    }

    /// Shows these messages. What comes in above moves nothing; what comes in below is announced.
    pub(super) fn show(self, messages: &[Arc<Message>]) {
        let (first, last) = (self.rows.first(), self.rows.last());
        let is_same_end = match (&last, messages.last()) {
            (Some(shown), Some(message)) => Arc::ptr_eq(shown, message),
            (shown, message) => shown.is_none() && message.is_none(),
        };
        let update = || {
            self.rows.update(messages);
            if first.is_none() {
                self.rows.look_at_end();
            }
            self.draw();
        };
        if first.as_ref() == messages.first().map(|message| &message.id) {
            update();
        } else {
            self.hold_place(update);
        }
        if !is_same_end {
            self.grown();
        }
    }

    /// Draws the messages near those that are in sight.
    fn draw_in_sight(self) {
        let Some(scroller) = self.scroller_untracked() else {
            return;
        };
        self.rows.look_at(View::of(&scroller).top);
        if anchors_by_itself() {
            self.draw();
        } else {
            self.hold_place(|| self.draw());
        }
    }

    fn draw(self) {
        let Some(scroller) = self.scroller_untracked() else {
            return;
        };
        let view = View::of(&scroller);
        self.rows.draw((view.bottom - view.top).max(SCREEN_MIN), &self.kept());
    }

    /// The messages that stay in the page wherever it is scrolled to: requests stand there, or a person has done something
    /// in them that would be lost.
    fn kept(self) -> Vec<MessageId> {
        let mut kept = self.asking.get_untracked();
        self.pressed.with_value(|pressed| kept.extend_from_slice(pressed));
        let document = document();
        kept.extend(document.active_element().and_then(|active| message_around(&active)));
        let selection = document
            .get_selection()
            .ok()
            .flatten()
            .filter(|selection| !selection.is_collapsed());
        let ends = selection.and_then(|selection| {
            let (start, end) = selection.anchor_node().zip(selection.focus_node())?;
            message_around(&start).zip(message_around(&end))
        });
        if let Some((start, end)) = ends {
            kept.extend(self.rows.between(&start, &end));
        }
        kept
    }

    fn handle_input(self) {
        if self.follow.try_update_value(Follow::handle_input) == Some(true) {
            self.count_frames();
        }
    }

    /// Counts frames for as long as a person's input lasts.
    fn count_frames(self) {
        request_animation_frame(move || {
            let now = self.now.exact();
            if self.follow.try_update_value(|follow| follow.handle_frame(now)) == Some(true) {
                self.count_frames();
            }
        });
    }

    /// The scroll bar takes all events of the pointer until it is released.
    fn handle_pointer_down(self, event: &Event) {
        let (Some(scroller), Some(event)) = (self.scroller_untracked(), event.dyn_ref::<PointerEvent>()) else {
            return;
        };
        let is_on_bar = event.offset_x() >= scroller.client_width();
        self.drags.set_value(is_on_bar && is_target(event, &scroller));
    }

    fn handle_pointer_move(self, event: &Event) {
        if event
            .dyn_ref::<PointerEvent>()
            .is_some_and(|event| event.buttons() == 0)
        {
            self.drags.set_value(false);
        }
    }

    fn handle_key(self, event: &Event) {
        let Some(event) = event.dyn_ref::<KeyboardEvent>() else {
            return;
        };
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let is_in = |selector| {
            target
                .as_ref()
                .is_some_and(|target| target.matches(selector).unwrap_or(false))
        };
        let scrolls = match event.key().as_str() {
            "PageUp" | "PageDown" | "Home" | "End" | "ArrowUp" | "ArrowDown" => !is_in("input, textarea, select"),
            " " => !is_in("input, textarea, select, button, a, summary"),
            _ => false,
        };
        if scrolls {
            self.handle_input();
        }
        let leads_to_start = scrolls && event.key() == "Home" && !event.shift_key() && !is_in("[role=tab]");
        let scroller = self.scroller_untracked().filter(|scroller| {
            let is_inside = target.as_ref().is_some_and(|target| scroller.contains(Some(target)));
            leads_to_start && is_inside
        });
        if let Some(scroller) = scroller {
            // On its way a browser may lose the goal: messages are drawn there, and change the height of what lies above.
            self.go(&scroller, 0.0);
            // What is left of the browser's own scrolling is added to that with the next frame.
            request_animation_frame(move || {
                // The page may be another one by then.
                if !self.follow.is_disposed() {
                    self.go(&scroller, 0.0);
                }
            });
        }
        if scrolls && event.key() == "End" {
            // Messages get their real size only as they come into view: the end moves away from where the key leads.
            self.follow.update_value(Follow::handle_end_key);
        }
    }

    /// Something in the timeline was pressed.
    pub(super) fn pressed(self, event: &Event) {
        let target = event.target().and_then(|target| target.dyn_into::<Node>().ok());
        if let Some(message) = target.and_then(|target| message_around(&target)) {
            self.pressed.update_value(|pressed| {
                pressed.retain(|known| *known != message);
                pressed.push(message);
                let first = pressed.len().saturating_sub(PRESSED_MAX);
                pressed.drain(..first);
            });
        }
        self.hold.set_value(Hold::Yes);
        let release = move || {
            let held = self.hold.try_update_value(|hold| std::mem::replace(hold, Hold::No));
            if held == Some(Hold::Grown) {
                self.laid_out();
            }
        };
        set_timeout(release, HOLD);
    }

    /// Something new has come at the end.
    pub(super) fn grown(self) {
        self.has_grown.set_value(true);
        self.hold.update_value(|hold| {
            if *hold == Hold::Yes {
                *hold = Hold::Grown;
            }
        });
    }

    /// Elements or texts in the timeline have changed. Two frames later the browser has sent the `scroll` events of that.
    fn changed(self) {
        let Some(change) = self.follow.try_update_value(Follow::handle_change) else {
            return;
        };
        request_animation_frame(move || {
            request_animation_frame(move || {
                if self
                    .follow
                    .try_update_value(|follow| follow.handle_settled(change))
                    .is_some()
                {
                    self.laid_out();
                }
            });
        });
    }

    fn laid_out(self) {
        let Some(scroller) = self.scroller_untracked() else {
            return;
        };
        self.put_back(&scroller);
        if self.follow.with_value(Follow::has_input) {
            // The event for what a person has just scrolled may be on its way.
            self.scrolled(&scroller);
        }
        let is_wanted = self.follow.with_value(Follow::is_wanted) && self.hold.get_value() == Hold::No;
        let end = self.end(&scroller);
        if is_wanted && f64::from(scroller.scroll_top()) < end {
            self.scroll_to(&scroller, end);
        }
        self.draw_in_sight();
        self.survey();
    }

    /// The position from which on the end is in view. A request that waits there is not pushed out of view by what
    /// comes after it.
    fn end(self, scroller: &HtmlElement) -> f64 {
        let Some(content) = self.content.get_untracked() else {
            return 0.0;
        };
        let (view, top) = (View::of(scroller), f64::from(scroller.scroll_top()));
        let end = top + content.get_bounding_client_rect().bottom() - view.bottom;
        let waiting = content.query_selector(WAITING).ok().flatten();
        let first = waiting.map_or(end, |card| {
            top + card.get_bounding_client_rect().top() - view.top - MARGIN
        });
        let max = f64::from(scroller.scroll_height() - scroller.client_height());
        end.min(first).min(max).floor().max(0.0)
    }

    fn scroll_to(self, scroller: &HtmlElement, top: f64) {
        scroller.set_scroll_top(top as i32);
        let top = f64::from(scroller.scroll_top());
        self.follow.update_value(|follow| follow.handle_own_scroll(top));
        self.take_place();
    }

    /// Takes note of what waits above and below.
    fn survey(self) {
        let (Some(scroller), Some(content)) = (self.scroller_untracked(), self.content.get_untracked()) else {
            return;
        };
        let view = View::of(&scroller);
        let (mut above, mut below) = (Vec::new(), Vec::new());
        for (id, card) in waiting_cards(&content) {
            let card = View::of(&card);
            let visible = card.bottom.min(view.bottom) - card.top.max(view.top);
            if visible >= SIGHT_MIN.min(card.bottom - card.top) {
                self.seen.update_value(|seen| {
                    seen.insert(id);
                });
            } else if card.top < view.top {
                above.push(id);
            } else {
                below.push(id);
            }
        }
        above.reverse();
        let beyond = |ids: Vec<RequestId>| {
            let others = ids.len().saturating_sub(1);
            let nearest = ids.into_iter().next()?;
            let is_new = self.seen.with_value(|seen| !seen.contains(&nearest));
            Some(Beyond {
                nearest,
                others,
                is_new,
            })
        };
        set(self.above, beyond(above));
        set(self.below, beyond(below));
        if content.get_bounding_client_rect().bottom() - view.bottom <= END_MARGIN {
            self.has_grown.set_value(false);
        }
        set(self.new_below, self.has_grown.get_value());
    }

    /// Goes to the end.
    pub(super) fn to_end(self) {
        let (Some(scroller), Some(content)) = (self.scroller_untracked(), self.content.get_untracked()) else {
            return;
        };
        let below = content.get_bounding_client_rect().bottom() - View::of(&scroller).bottom;
        self.go(&scroller, f64::from(scroller.scroll_top()) + below.ceil());
    }

    /// Goes to a request, and gives it the focus.
    pub(super) fn to_request(self, id: &RequestId) {
        let (Some(scroller), Some(content)) = (self.scroller_untracked(), self.content.get_untracked()) else {
            return;
        };
        if let Some((_, card)) = waiting_cards(&content).find(|(known, _)| known == id) {
            let distance = card.get_bounding_client_rect().top() - View::of(&scroller).top - MARGIN;
            self.go(&scroller, f64::from(scroller.scroll_top()) + distance);
            if let Some(key) = focus::key_of(&card) {
                focus::request(&key);
            }
        }
    }

    /// Goes to a message, or to the first place in it that says `found`, and marks that.
    pub(super) fn to_message(self, id: &MessageId, found: String) {
        let (Some(scroller), Some(content)) = (self.scroller_untracked(), self.content.get_untracked()) else {
            return;
        };
        self.rows.look_at_message(id);
        self.draw();
        let selector = format!("[data-message-id=\"{id}\"]");
        let Some(message) = content.query_selector(&selector).ok().flatten() else {
            return;
        };
        let view = View::of(&scroller);
        let margin = (view.bottom - view.top) * FOUND_AT;
        let top = match mark(&message, &found) {
            Some(range) => range.get_bounding_client_rect().top(),
            None => View::of(&message).top,
        };
        self.go(&scroller, f64::from(scroller.scroll_top()) + top - view.top - margin);
    }

    /// The first message in sight.
    pub(super) fn first_in_sight(self) -> Option<MessageId> {
        let (scroller, content) = self.scroller_untracked().zip(self.content.get_untracked())?;
        let first = first_in_sight(&content, View::of(&scroller))?;
        first.get_attribute("data-message-id").map(MessageId::from)
    }

    /// Gives the timeline the focus.
    pub(super) fn focus(self) {
        if let Some(pane) = self.pane.get_untracked() {
            crate::kit::focus::focus(&pane);
        }
    }

    fn go(self, scroller: &HtmlElement, top: f64) {
        scroller.set_scroll_top(top as i32);
        let (top, end) = (f64::from(scroller.scroll_top()), self.end(scroller));
        self.follow.update_value(|follow| follow.handle_wish(top, end));
        self.take_place();
        self.survey();
    }

    /// Changes what is in the page without moving what is in sight.
    fn hold_place(self, change: impl FnOnce()) {
        let Some(scroller) = self.scroller_untracked() else {
            change();
            return;
        };
        self.put_back(&scroller);
        let first = Standing::first(&self.content, &scroller).map(|standing| standing.element);
        let before = first.as_ref().map(|first| View::of(first).top);
        let top = scroller.scroll_top();
        change();
        // A browser that keeps the place has done so when it tells where an element is. Its own position may lie between two
        // px: what is in sight is compared, for a needless scroll would end what a key scrolls.
        let first = first.filter(|first| first.is_connected() && View::of(first).has_height());
        let moved = first.zip(before).map(|(first, before)| View::of(&first).top - before);
        let kept = f64::from(scroller.scroll_top() - top);
        self.follow.update_value(|follow| follow.handle_shift(kept));
        if let Some(moved) = moved {
            self.shift(&scroller, moved);
        }
        self.take_place();
    }

    /// Takes note of what is in sight, in a browser that does not keep it there.
    fn take_place(self) {
        if !anchors_by_itself() {
            let scroller = self.scroller_untracked();
            self.place
                .set_value(scroller.and_then(|scroller| Standing::first(&self.content, &scroller)));
        }
    }

    /// Puts what is in sight back where it was when something above it has changed its size since, such as an image that has
    /// come.
    fn put_back(self, scroller: &HtmlElement) {
        let moved = self.place.with_value(|place| {
            let place = place.as_ref()?;
            let moved = place.moved()?;
            // Where the end came nearer than the screen is high, the browser has scrolled a part of the way.
            let max = scroller.scroll_height() - scroller.client_height();
            let clamped = f64::from((place.top - max).max(0));
            Some(if moved < 0.0 { (moved + clamped).min(0.0) } else { moved })
        });
        if moved.is_some_and(|moved| self.shift(scroller, moved)) {
            self.take_place();
        }
    }

    /// Scrolls as far as what is in sight was moved, in whole px. Returns whether it was.
    fn shift(self, scroller: &HtmlElement, distance: f64) -> bool {
        if distance.round() == 0.0 {
            return false;
        }
        let top = scroller.scroll_top();
        scroller.set_scroll_top(top + distance.round() as i32);
        let shift = f64::from(scroller.scroll_top() - top);
        self.follow.update_value(|follow| follow.handle_shift(shift));
        true
    }
}

impl Standing {
    /// The innermost element of the first message in sight.
    fn first(content: &NodeRef<Div>, scroller: &HtmlElement) -> Option<Self> {
        let content: HtmlElement = content.get_untracked()?.into();
        let view = View::of(scroller);
        let mut element = first_in_sight(&content, view)?;
        while View::of(&element).top < view.top {
            let mut children = iter::successors(element.first_element_child(), Element::next_element_sibling);
            let Some(inner) = children.find(|inner| View::of(inner).has_part_in(view)) else {
                break;
            };
            element = inner;
        }
        Some(Self {
            below: below(&element, &content),
            top: scroller.scroll_top(),
            element,
            content,
        })
    }

    /// How much lower it is than it was, in px; none when it is no longer in the page.
    fn moved(&self) -> Option<f64> {
        let is_in_page = self.element.is_connected() && View::of(&self.element).has_height();
        is_in_page.then(|| below(&self.element, &self.content) - self.below)
    }
}

fn below(element: &Element, content: &Element) -> f64 {
    View::of(element).top - View::of(content).top
}

/// The vertical extent of an element in the viewport, in px.
#[derive(Clone, Copy)]
struct View {
    top: f64,
    bottom: f64,
}

impl View {
    fn of(element: &Element) -> Self {
        let rectangle = element.get_bounding_client_rect();
        Self {
            top: rectangle.top(),
            bottom: rectangle.bottom(),
        }
    }

    fn has_height(self) -> bool {
        self.top < self.bottom
    }

    /// Whether a part of it is within `other`.
    fn has_part_in(self, other: Self) -> bool {
        self.has_height() && self.bottom > other.top && self.top < other.bottom
    }
}

fn is_target(event: &Event, element: &HtmlElement) -> bool {
    event
        .target()
        .and_then(|target| target.dyn_into::<HtmlElement>().ok())
        .as_ref()
        == Some(element)
}

fn waiting_cards(content: &Element) -> impl Iterator<Item = (RequestId, Element)> + use<> {
    let cards = content.query_selector_all(WAITING).ok();
    let count = cards.as_ref().map_or(0, web_sys::NodeList::length);
    (0..count).filter_map(move |at| {
        let card = cards.as_ref()?.get(at)?.dyn_into::<Element>().ok()?;
        Some((card.get_attribute("data-request-id")?.into(), card))
    })
}

/// The message that a node is in.
fn message_around(node: &Node) -> Option<MessageId> {
    let element = node.dyn_ref::<Element>().cloned().or_else(|| node.parent_element())?;
    let message = element.closest("[data-message-id]").ok().flatten()?;
    message.get_attribute("data-message-id").map(MessageId::from)
}

/// Whether the browser keeps what is in sight in its place when something above it changes.
fn anchors_by_itself() -> bool {
    css::supports_with_value("overflow-anchor", "auto").unwrap_or(false)
}

/// The first message that is in sight, if only with its lower edge.
fn first_in_sight(content: &Element, view: View) -> Option<Element> {
    let messages = content.query_selector_all(".message").ok()?;
    (0..messages.length())
        .filter_map(|at| messages.get(at)?.dyn_into::<Element>().ok())
        .find(|message| View::of(message).has_part_in(view))
}

fn set<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|known| *known != value) {
        signal.set(value);
    }
}
