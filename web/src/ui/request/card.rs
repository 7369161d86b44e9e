//! The card of a request, in the shape that its state and its place ask for.

use std::sync::Arc;

use leptos::either::EitherOf5;
use leptos::prelude::*;
use switchboard_core::model::{Reply, Request, RequestId};
use switchboard_core::view::{RequestState, RequestView};

use super::dead::Dead;
use super::form::Form;
use super::line::Line;
use super::open::Open;
use super::progress_card::ProgressCard;
use super::row::Row;
use super::title;
use crate::ui::actions::Actions;
use crate::ui::desk::{Desk, kept_fields};
use crate::ui::icons::Icon;
use crate::ui::inbox::rows::needs_a_word;
use crate::ui::now::Now;
use crate::ui::state_words::{self, Words};
use crate::ui::store::Store;
use crate::ui::viewport::IsPhone;

/// Where a card is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the inbox, among others: folded unless it is the open one.
    Inbox,
    /// In the timeline, where it was asked.
    Timeline,
    /// On a page of its own.
    Page,
}

/// What the parts of a card share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Card {
    /// What is asked.
    pub(crate) request: StoredValue<Arc<Request>>,
    /// What became of it.
    pub(crate) view: Memo<Arc<RequestView>>,
    /// Its state in words.
    pub(crate) words: Memo<Words>,
    /// What is filled in.
    pub(crate) form: RwSignal<Form>,
    /// Why the last press on Send did nothing.
    pub(crate) problem: RwSignal<Option<String>>,
    /// Where it is shown.
    pub(crate) place: Place,
    /// The desk it lies on.
    pub(crate) desk: Desk,
    /// For what is not an answer.
    pub(crate) actions: Actions,
    /// The time.
    pub(crate) now: Now,
}

impl Card {
    fn new(first: Arc<RequestView>, place: Place) -> Self {
        let desk = expect_context::<Desk>();
        let now = expect_context::<Now>();
        let request = first.request.clone();
        let form = RwSignal::from(desk.form(&first));
        let newest = expect_context::<Store>().request(request.id.clone());
        let view = Memo::new_with_compare(
            move |previous: Option<&Arc<RequestView>>| {
                newest.get().unwrap_or_else(|| previous.unwrap_or(&first).clone())
            },
            |old, new| !old.zip(new).is_some_and(|(old, new)| Arc::ptr_eq(old, new)),
        );
        let card = Self {
            request: StoredValue::new(request),
            view,
            words: Memo::new(move |_| state_words::request(&view.read(), now.get())),
            form,
            problem: RwSignal::new(None),
            place,
            desk,
            actions: expect_context(),
            now,
        };
        Effect::new(move || card.restore());
        card
    }

    /// Takes over a draft that was loaded after the form was made.
    fn restore(self) {
        let view = self.view.read();
        let Some(kept) = kept_fields(&view) else { return };
        if !self.form.read_untracked().touched && self.form.read_untracked().fields != kept {
            self.form.update(|form| form.fields = kept.to_vec());
        }
    }

    /// What is asked.
    pub(crate) fn request(self) -> Arc<Request> {
        self.request.get_value()
    }

    /// Its id.
    pub(crate) fn id(self) -> RequestId {
        self.request.with_value(|request| request.id.clone())
    }

    /// Changes what is filled in. Never sends.
    pub(crate) fn fill(self, change: impl FnOnce(&mut Form)) {
        self.problem.set(None);
        self.desk.fill(self.request(), self.form, change);
    }

    /// Sends a reply.
    pub(crate) fn send(self, reply: Reply) {
        match self.desk.send(&self.view.read_untracked().request, reply) {
            Ok(()) => self.form.update(|form| form.sheet = None),
            Err(problem) => self.problem.set(Some(problem)),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Row,
    Open,
    Line,
    Progress,
    Dead,
}

fn shape(view: &RequestView, place: Place, is_open: bool) -> Shape {
    let in_inbox = place == Place::Inbox;
    match &view.state {
        RequestState::Waiting | RequestState::NotSent { .. } if in_inbox && !is_open => Shape::Row,
        RequestState::Waiting | RequestState::NotSent { .. } => Shape::Open,
        RequestState::Sending { problem: Some(_), .. } => Shape::Progress,
        RequestState::AnsweredElsewhere { .. } | RequestState::Gone { .. } if needs_a_word(view) => Shape::Dead,
        RequestState::Sending { .. }
        | RequestState::Sent { .. }
        | RequestState::Answered { .. }
        | RequestState::AnsweredElsewhere { .. }
        | RequestState::Dismissed { .. }
        | RequestState::Gone { .. } => {
            if in_inbox {
                Shape::Line
            } else {
                Shape::Progress
            }
        }
    }
}

/// A request. Nothing is shown for one that the store does not know.
#[component]
pub(crate) fn RequestCard(id: RequestId, place: Place) -> impl IntoView {
    let newest = expect_context::<Store>().request(id);
    let request = Memo::new(move |_| newest.read().as_ref().map(|view| view.request.clone()));
    move || {
        request.get()?;
        let first = newest.get_untracked()?;
        Some(view! { <Article card=Card::new(first, place) /> })
    }
}

#[component]
fn Article(card: Card) -> impl IntoView {
    let id = card.id();
    let is_phone = expect_context::<IsPhone>();
    let is_open = {
        let (id, open) = (id.clone(), card.desk.open());
        Memo::new(move |_| !is_phone.get() && open.read().as_ref() == Some(&id))
    };
    let shape = Memo::new(move |_| shape(&card.view.read(), card.place, is_open.get()));
    let class = Memo::new(move |_| {
        let shape = match shape.get() {
            Shape::Row => "request-row",
            Shape::Line => "request-line",
            Shape::Open | Shape::Progress | Shape::Dead => "request-card",
        };
        let stale = if card.view.read().stale.is_some() { " stale" } else { "" };
        let focused = if card.place == Place::Inbox && is_open.get() {
            " focused"
        } else {
            ""
        };
        format!("request {shape}{stale}{focused}")
    });
    view! {
        <article
            class=class
            data-testid="request"
            data-request-id=id.to_string()
            data-state=move || card.words.read().key
            data-open=move || (shape.get() == Shape::Open).then_some("true")
            aria-label=title::name(&card.request())
            tabindex=move || if is_open.get() { "0" } else { "-1" }
        >
            <span class=move || format!("request-sign {}", card.words.read().tone.class())>
                <Icon sign=Signal::derive(move || card.words.read().sign) />
            </span>
            <div class="request-body">
                {move || match shape.get() {
                    Shape::Row => EitherOf5::A(view! { <Row card /> }),
                    Shape::Open => EitherOf5::B(view! { <Open card /> }),
                    Shape::Line => EitherOf5::C(view! { <Line card /> }),
                    Shape::Progress => EitherOf5::D(view! { <ProgressCard card /> }),
                    Shape::Dead => EitherOf5::E(view! { <Dead card /> }),
                }}
            </div>
        </article>
    }
}
