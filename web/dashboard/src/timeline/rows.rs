//! The messages of the timeline in the page: drawn while they are near what is in sight, else stood in for by a gap.
//!
//! A row that is drawn has one signal, so that it is drawn again only when its own message has changed. When it goes, its
//! signals go with it.

use std::ops::Range;
use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;
use leptos::tachys::view::any_view::AnyViewState;
use leptos::tachys::view::{Mountable, Render};
use switchboard_core::model::{Message, MessageId};
use switchboard_core::{SortedMap, SortedSet};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, Node};

use super::message::MessageView;
use super::window::{Piece, Place, near, pieces, place_at};
use crate::words::timeline::not_drawn;

/// How high a row is thought to be while no other has been measured, in px.
const HEIGHT_GUESS: f64 = 120.0;

/// The space between two rows, in px. The style sheet says the same.
const SPACE: f64 = 12.0;

/// How many screens above and below what is in sight are drawn.
const SCREENS_DRAWN: f64 = 2.0;

/// When fewer are left than this, others are drawn.
const SCREENS_MIN: f64 = 1.0;

/// All messages that are held, and which of them are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    /// The element that contains those that are drawn.
    pub(super) list: NodeRef<Div>,
    owner: StoredValue<Owner>,
    held: StoredValue<Held, LocalStorage>,
}

#[derive(Default)]
struct Held {
    rows: Vec<Row>,
    /// Where what is in sight begins.
    place: Place,
    /// The rows around it that are drawn.
    drawn: Range<usize>,
    /// The rows that are drawn wherever they are.
    kept: Vec<MessageId>,
    gaps: Vec<Element>,
    /// The heights that were measured, and of how many rows.
    measured: (f64, u32),
}

struct Row {
    message: Arc<Message>,
    /// With the space below it.
    height: f64,
    is_measured: bool,
    drawn: Option<Drawn>,
}

struct Drawn {
    message: ArcRwSignal<Arc<Message>>,
    element: Element,
    view: AnyViewState,
    owner: Owner,
}

impl Rows {
    /// No rows. They belong to the current owner.
    pub(super) fn new() -> Self {
        Self {
            list: NodeRef::new(),
            owner: StoredValue::new(Owner::new()),
            held: StoredValue::new_local(Held::default()),
        }
    }

    /// The first message that is held.
    pub(super) fn first(self) -> Option<MessageId> {
        self.held
            .with_value(|held| held.rows.first().map(|row| row.message.id.clone()))
    }

    /// The last message that is held.
    pub(super) fn last(self) -> Option<Arc<Message>> {
        self.held
            .with_value(|held| held.rows.last().map(|row| row.message.clone()))
    }

    /// Takes these messages. Those that stay keep their signal and their height, and only changed ones are told.
    pub(super) fn update(self, messages: &[Arc<Message>]) {
        self.held.update_value(|held| held.update(messages));
    }

    /// Takes what is at this height of the viewport, in px, for the beginning of what is in sight.
    pub(super) fn look_at(self, top: f64) {
        let Some(list) = self.list.get_untracked() else { return };
        let distance = top - list.get_bounding_client_rect().top();
        self.held.update_value(|held| {
            held.measure();
            held.place = place_at(held.heights(), distance);
        });
    }

    /// Takes the end for what is in sight.
    pub(super) fn look_at_end(self) {
        self.held
            .update_value(|held| held.place = place_at(held.heights(), f64::INFINITY));
    }

    /// Takes this message for the first one in sight.
    pub(super) fn look_at_message(self, id: &MessageId) {
        self.held.update_value(|held| {
            if let Some(row) = held.find(id) {
                held.place = Place { row, into: 0.0 };
            }
        });
    }

    /// Draws the rows near those in sight, and those that are `kept`. `screen` is the height of what is in sight, in px.
    pub(super) fn draw(self, screen: f64, kept: &[MessageId]) {
        let Some((list, owner)) = self.list.get_untracked().zip(self.owner.try_get_value()) else {
            return;
        };
        untrack(|| self.held.update_value(|held| held.draw(&list, &owner, screen, kept)));
    }

    /// The messages between these two, with both of them.
    pub(super) fn between(self, one: &MessageId, other: &MessageId) -> Vec<MessageId> {
        self.held.with_value(|held| {
            let Some((one, other)) = held.find(one).zip(held.find(other)) else {
                return Vec::new();
            };
            let rows = &held.rows[one.min(other)..=one.max(other)];
            rows.iter().map(|row| row.message.id.clone()).collect()
        })
    }
}

impl Held {
    fn update(&mut self, messages: &[Arc<Message>]) {
        let is_same =
            |(row, message): &(&Row, &Arc<Message>)| Arc::ptr_eq(&row.message, message) || row.message.id == message.id;
        let before = self.rows.iter().zip(messages).take_while(is_same).count();
        let is_longer_only = before == self.rows.len();
        let from_end = self.rows[before..].iter().rev().zip(messages[before..].iter().rev());
        let after = from_end.take_while(is_same).count();
        let (end, new_end) = (self.rows.len() - after, messages.len() - after);
        let place = self.rows.get(self.place.row).map(|row| row.message.id.clone());
        let mut kept: SortedMap<MessageId, Row> = self
            .rows
            .splice(before..end, [])
            .map(|row| (row.message.id.clone(), row))
            .collect();
        let guess = self.guess();
        let new = messages[before..new_end]
            .iter()
            .map(|message| match kept.remove(&message.id) {
                Some(row) => row,
                None => Row {
                    message: message.clone(),
                    height: guess,
                    is_measured: false,
                    drawn: None,
                },
            });
        drop(self.rows.splice(before..before, new));
        kept.into_iter().for_each(|(_, mut row)| row.undraw());
        for (row, message) in self.rows.iter_mut().zip(messages) {
            row.show(message);
        }
        if let Some(row) = place.and_then(|id| self.find(&id)) {
            self.place.row = row;
        }
        if !is_longer_only {
            self.drawn = 0..0;
        }
        if before < new_end {
            // A request may stand under one of the new ones, which was not there when it was to be kept.
            self.kept.clear();
        }
    }

    fn find(&self, id: &MessageId) -> Option<usize> {
        self.rows.iter().rposition(|row| row.message.id == *id)
    }

    fn heights(&self) -> impl Iterator<Item = f64> {
        self.rows.iter().map(|row| row.height)
    }

    /// The height of a row that was never drawn.
    fn guess(&self) -> f64 {
        let (sum, count) = self.measured;
        if count == 0 {
            HEIGHT_GUESS
        } else {
            sum / f64::from(count)
        }
    }

    fn measure(&mut self) {
        for row in &mut self.rows {
            let Some(drawn) = &row.drawn else { continue };
            let height = drawn.element.get_bounding_client_rect().height();
            row.height = if height > 0.0 { height + SPACE } else { 0.0 };
            if !std::mem::replace(&mut row.is_measured, true) {
                self.measured = (self.measured.0 + row.height, self.measured.1 + 1);
            }
        }
    }

    fn near(&self, screens: f64, screen: f64) -> Range<usize> {
        let height = |row: usize| self.rows[row].height;
        near(
            height,
            self.rows.len(),
            self.place,
            screens * screen,
            (screens + 1.0) * screen,
        )
    }

    fn draw(&mut self, list: &HtmlElement, owner: &Owner, screen: f64, kept: &[MessageId]) {
        let least = self.near(SCREENS_MIN, screen);
        let is_covered = self.drawn.start <= least.start && least.end <= self.drawn.end;
        if is_covered && self.kept == kept {
            return;
        }
        self.measure();
        if !is_covered {
            // After a jump everything has to be drawn, so that is no more than must be there at once.
            let is_jump = !self.rows[least.clone()].iter().any(|row| row.drawn.is_some());
            self.drawn = if is_jump {
                least
            } else {
                self.near(SCREENS_DRAWN, screen)
            };
        }
        kept.clone_into(&mut self.kept);
        let ids: SortedSet<&MessageId> = kept.iter().collect();
        let rows = self.rows.iter().enumerate();
        let is_wanted: Vec<bool> = rows
            .map(|(at, row)| self.drawn.contains(&at) || ids.contains(&row.message.id))
            .collect();
        let gone = self
            .rows
            .iter_mut()
            .zip(&is_wanted)
            .filter(|(_, is_wanted)| !**is_wanted);
        gone.for_each(|(row, _)| row.undraw());
        self.gaps.drain(..).for_each(|gap| gap.remove());
        let pieces = pieces(self.rows.len(), |at| is_wanted[at]);
        let mut next = None::<Node>;
        for piece in pieces.into_iter().rev() {
            let element = match piece {
                Piece::Row(at) => self.rows[at].draw(list, owner, next.as_ref()),
                Piece::Gap(rows) => {
                    let Some(gap) = self.gap(rows) else { continue };
                    // Inserting fails only before what is elsewhere.
                    let _ = list.insert_before(&gap, next.as_ref());
                    self.gaps.push(gap.clone());
                    gap
                }
            };
            next = Some(element.into());
        }
    }

    /// Stands in for these rows; none when they take no room.
    fn gap(&self, rows: Range<usize>) -> Option<Element> {
        let height: f64 = self.rows[rows.clone()].iter().map(|row| row.height).sum();
        let height = (height > 0.0).then_some(height - SPACE)?;
        let gap = document().create_element("div").ok()?;
        gap.set_class_name("timeline-gap");
        let words = document().create_element("span").ok()?;
        words.set_class_name("visually-hidden");
        words.set_text_content(Some(&not_drawn(rows.len())));
        gap.append_child(&words).ok()?;
        let styled: &HtmlElement = gap.unchecked_ref();
        // Setting a property fails only for style sheets that cannot be changed.
        let _ = styled.style().set_property("height", &format!("{height}px"));
        Some(gap)
    }
}

impl Row {
    fn show(&mut self, message: &Arc<Message>) {
        if Arc::ptr_eq(&self.message, message) {
            return;
        }
        self.message = message.clone();
        if let Some(drawn) = &self.drawn {
            drawn.message.set(message.clone());
        }
    }

    /// Draws it before `next`, unless it is there already.
    fn draw(&mut self, list: &HtmlElement, owner: &Owner, next: Option<&Node>) -> Element {
        if let Some(drawn) = &mut self.drawn {
            if drawn.element.next_sibling().as_ref() != next {
                drawn.view.mount(list, next);
            }
            return drawn.element.clone();
        }
        let owner = owner.child();
        let message = ArcRwSignal::new(self.message.clone());
        let shown = message.clone();
        let mut view = owner.with(|| view! { <MessageView message=shown /> }.into_any().build());
        view.mount(list, next);
        let element = view
            .elements()
            .into_iter()
            .next()
            .unwrap_or_else(|| list.clone().into());
        self.drawn = Some(Drawn {
            message,
            element: element.clone(),
            view,
            owner,
        });
        element
    }

    fn undraw(&mut self) {
        if let Some(mut drawn) = self.drawn.take() {
            drawn.view.unmount();
            drawn.owner.cleanup();
        }
    }
}
