//! The card of a request, in the shape that its state and its place ask for.

use std::sync::Arc;

use leptos::either::EitherOf5;
use leptos::html::Article as ArticleElement;
use leptos::prelude::*;
use switchboard_core::AnswerError;
use switchboard_core::model::{Reply, Request, RequestId};
use switchboard_core::view::RequestView;

use super::dead::Dead;
use super::line::Line;
use super::open::Open;
use super::progress_card::ProgressCard;
use super::row::Row;
use super::shape::{Place, Shape, shape};
use super::subject::named;
use crate::kit::erased::{effect, live, memo};
use crate::kit::icons::Icon;
use crate::kit::now::Now;
use crate::kit::sight;
use crate::kit::visible::visible;
use crate::state::actions::Actions;
use crate::state::desk::{Desk, kept_form};
use crate::state::focus;
use crate::state::form::Form;
use crate::state::keys::{RequestKey, ServerKey};
use crate::state::servers::{ServerScope, Servers};
use crate::words::request_title;
use crate::words::state_words::{self, Words};

/// What the parts of a card share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Card {
    /// What is asked, as it is shown.
    pub(crate) request: StoredValue<Arc<Request>>,
    /// What became of it.
    pub(crate) view: Memo<Arc<RequestView>>,
    /// Its state in words.
    pub(crate) words: Memo<Words>,
    /// What is filled in.
    pub(crate) form: RwSignal<Form>,
    /// Why the last press on Send did nothing.
    pub(crate) problem: RwSignal<Option<String>>,
    /// Whether it is the one request that keys act on.
    pub(crate) is_open: Memo<bool>,
    /// Whether it asks something else by now.
    pub(crate) is_changed: Memo<bool>,
    /// Where it is shown.
    pub(crate) place: Place,
    /// The desk it lies on.
    pub(crate) desk: Desk,
    /// The server that asks.
    pub(crate) server: ServerKey,
    /// For what is not an answer.
    pub(crate) actions: Actions,
    /// The time.
    pub(crate) now: Now,
}

impl Card {
    fn new(first: Arc<RequestView>, form: RwSignal<Form>, place: Place) -> Self {
        let desk = expect_context::<Desk>();
        let now = expect_context::<Now>();
        let request = form.with_untracked(|form| form.request.clone());
        let scope = expect_context::<ServerScope>();
        let newest = scope.store.request(request.id.clone());
        let view = Memo::new_with_compare(
            move |previous: Option<&Arc<RequestView>>| {
                newest.get().unwrap_or_else(|| previous.unwrap_or(&first).clone())
            },
            |old, new| !old.zip(new).is_some_and(|(old, new)| Arc::ptr_eq(old, new)),
        );
        let (key, open) = (scope.key.request(&request.id), desk.open());
        let shown = request.clone();
        let card = Self {
            request: StoredValue::new(request),
            view,
            words: memo(move || state_words::request(&view.read(), now.get())),
            form,
            problem: RwSignal::new(None),
            is_open: memo(move || open.read().as_ref() == Some(&key)),
            is_changed: memo(move || {
                let view = view.read();
                view.state.is_waiting() && !view.request.asks_the_same(&shown)
            }),
            place,
            desk,
            server: scope.key,
            actions: scope.actions,
            now,
        };
        effect(move || card.restore());
        let shows = memo(move || (card.is_changed.get(), named(&card.view.read()).map(str::to_owned)));
        Effect::new(move |before: Option<()>| {
            shows.track();
            if before.is_some() {
                desk.guard();
            }
        });
        card
    }

    /// Follows what is kept on this device.
    fn restore(self) {
        let view = self.view.read();
        let Some((shown, kept)) = kept_form(&view) else { return };
        let before = self.form.get_untracked();
        let mut form = before.clone();
        form.observe(shown, kept);
        if form != before {
            self.form.set(form);
        }
    }

    /// What is asked, as it is shown.
    pub(crate) fn request(self) -> Arc<Request> {
        self.request.get_value()
    }

    /// Its name.
    pub(crate) fn key_of_request(self) -> RequestKey {
        self.request.with_value(|request| self.server.request(&request.id))
    }

    /// What the ids of elements in it begin with: no other card has the same.
    pub(crate) fn prefix(self) -> String {
        let RequestKey { server, id } = self.key_of_request();
        format!("{}-{id}", server.0)
    }

    /// Changes what is filled in. Never sends.
    pub(crate) fn fill(self, change: impl FnOnce(&mut Form)) {
        self.problem.set(None);
        self.desk.fill(self.server, self.form, change);
    }

    /// Sends a reply. Nothing is sent right after something has moved, nor to a request that has changed.
    pub(crate) fn send(self, reply: Reply) {
        self.send_to(&[self.request()], &reply);
    }

    /// Allows several requests once, this one among them.
    pub(crate) fn allow(self, requests: &[Arc<Request>]) {
        self.send_to(requests, &Reply::Once);
    }

    fn send_to(self, requests: &[Arc<Request>], reply: &Reply) {
        if self.desk.is_guarded() || self.is_changed.get_untracked() {
            return;
        }
        match self.desk.send(&self.key_of_request(), requests, reply) {
            Ok(()) => self.form.update(|form| form.sheet = None),
            // The card shows the change.
            Err(AnswerError::Changed(_)) => {}
            Err(problem) => self.problem.set(Some(problem.to_string())),
        }
    }

    /// Shows the request as it is by now.
    pub(crate) fn show_change(self) {
        let now = self.view.read_untracked().request.clone();
        self.desk.guard();
        self.fill(|form| form.adopt(now));
    }

    /// For `aria-disabled` of what answers: set while nothing can be answered, because something has just moved.
    pub(crate) fn held(self) -> impl Fn() -> Option<&'static str> + Copy + Send + Sync + 'static {
        move || self.desk.guarded().get().then_some("true")
    }

    /// For `aria-keyshortcuts`: a key, while the card is the open one.
    pub(crate) fn key(self, key: &'static str) -> impl Fn() -> Option<&'static str> + Copy + Send + Sync + 'static {
        move || self.is_open.get().then_some(key)
    }

    /// Selectors of what gets the focus when a confirmation is closed: the button that opens it, else the card.
    pub(crate) fn back_to(self, opener: &str) -> Vec<String> {
        let card = focus::selector(&self.key_of_request());
        vec![format!("{card} [data-opens={opener}]"), card]
    }
}

/// A request of the server around it. Nothing is shown for one that its store does not know.
///
/// The card keeps what it shows when the request changes, until a person asks for the change.
#[component]
pub(crate) fn RequestCard(id: RequestId, place: Place) -> impl IntoView {
    let scope = expect_context::<ServerScope>();
    let newest = scope.store.request(id);
    let desk = expect_context::<Desk>();
    let is_known = memo(move || newest.read().is_some());
    let form = Memo::new_with_compare(
        move |_| {
            is_known.track();
            newest.read_untracked().as_ref().map(|view| desk.form(scope.key, view))
        },
        |_, _| true,
    );
    let shown = Memo::new_with_compare(
        move |_| form.get().map(|form| form.with(|form| form.request.clone())),
        |old, new| match (old.and_then(Option::as_ref), new.and_then(Option::as_ref)) {
            (Some(old), Some(new)) => !Arc::ptr_eq(old, new),
            (old, new) => old.is_some() != new.is_some(),
        },
    );
    live(move || {
        shown.get()?;
        let (form, first) = (form.get_untracked()?, newest.get_untracked()?);
        Some(view! { <Article card=Card::new(first, form.into(), place) /> })
    })
}

/// A request of any server; nothing once that is not connected any more.
pub(crate) fn card(servers: Servers, key: RequestKey, place: Place) -> Option<AnyView> {
    untrack(|| servers.get(key.server))?.provide();
    Some(view! { <RequestCard id=key.id place /> }.into_any())
}

#[component]
fn Article(card: Card) -> impl IntoView {
    let RequestKey { server, id } = card.key_of_request();
    let is_open = card.is_open;
    let article = NodeRef::<ArticleElement>::new();
    if card.place == Place::Timeline {
        follow_share(card, article);
    }
    let attend = move |_| {
        if card.place == Place::Timeline {
            card.desk.attend(&card.key_of_request());
        }
    };
    let shape = memo(move || shape(&card.view.read(), card.place, is_open.get()));
    let class = memo(move || {
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
            node_ref=article
            class=class
            data-testid="request"
            data-request-id=id.to_string()
            data-server=server.0.to_string()
            data-state=move || card.words.read().key
            data-open=move || is_open.get().then_some("true")
            aria-label=visible(&request_title::name(&card.request())).into_owned()
            tabindex=move || if is_open.get() { "0" } else { "-1" }
            on:focusin=attend
        >
            <span class=move || format!("request-sign {}", card.words.read().tone.class())>
                <Icon sign=Signal::derive(move || card.words.read().sign) />
            </span>
            <div class="request-body">
                {live(move || match shape.get() {
                    Shape::Row => EitherOf5::A(view! { <Row card /> }),
                    Shape::Open => EitherOf5::B(view! { <Open card /> }),
                    Shape::Line => EitherOf5::C(view! { <Line card /> }),
                    Shape::Progress => EitherOf5::D(view! { <ProgressCard card /> }),
                    Shape::Dead => EitherOf5::E(view! { <Dead card /> }),
                })}
            </div>
        </article>
    }
}

/// Tells the desk how much of the card is in sight.
fn follow_share(card: Card, article: NodeRef<ArticleElement>) {
    effect(move || {
        if let Some(article) = article.get() {
            sight::follow(&article, move |share| {
                card.desk.note_share(&card.key_of_request(), Some(share))
            });
        }
    });
    let key = card.key_of_request();
    on_cleanup(move || card.desk.note_share(&key, None));
}
