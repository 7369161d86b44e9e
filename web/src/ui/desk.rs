//! The desk: which requests lie on it, which one is open, and what is filled in for each.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::model::{DraftText, Reply, Request, RequestId};
use switchboard_core::sorted::SortedMap;
use switchboard_core::time::Time;
use switchboard_core::view::{Older, RequestState, RequestView};

use super::actions::Actions;
use super::focus;
use super::inbox::order::Order;
use super::inbox::rows::{SETTLES_AFTER, needs_a_word, next_waiting};
use super::now::Now;
use super::request::form::Form;
use super::store::Store;

/// For so long after the focus has moved on by itself, no key answers: a double Enter must not answer the next one.
const GUARD: Duration = Duration::from_millis(400);

/// So many messages are enough to say why a request is asked.
const EXPLAINING: usize = 8;

/// What lies on the desk. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Desk {
    store: Store,
    actions: Actions,
    now: Now,
    server_name: StoredValue<String>,
    rows: RwSignal<Vec<RequestId>>,
    order: RwSignal<Order>,
    new: RwSignal<usize>,
    chosen: RwSignal<Option<RequestId>>,
    open: Memo<Option<RequestId>>,
    forms: StoredValue<SortedMap<RequestId, ArcRwSignal<Form>>>,
    guarded_until: StoredValue<Time>,
}

impl Desk {
    /// Lays out what the store shows.
    pub(crate) fn new(store: Store, actions: Actions, now: Now, server_name: String) -> Self {
        let rows = RwSignal::new(Vec::new());
        let order = RwSignal::new(Order::default());
        let new = RwSignal::new(0);
        let opened = now.exact();
        Effect::new(move |sorted: Option<Order>| {
            let hand = focus::hand();
            let is_settled = now.get().since(opened) >= SETTLES_AFTER && sorted == Some(order.get());
            let shown = if is_settled { rows.get_untracked() } else { Vec::new() };
            let (next, behind) = store
                .requests()
                .with(|requests| order.get().next(&shown, requests, &hand, now.get()));
            if *rows.read_untracked() != next {
                rows.set(next);
            }
            if new.get_untracked() != behind {
                new.set(behind);
            }
            order.get()
        });
        let chosen = RwSignal::new(None);
        let open = Memo::new(move |_| {
            store.requests().with(|requests| {
                let find = |id: &RequestId| requests.iter().find(|view| view.request.id == *id);
                let chosen = chosen.get().filter(|id| find(id).is_some_and(|view| is_openable(view)));
                chosen.or_else(|| {
                    rows.with(|rows| {
                        rows.iter()
                            .find(|id| find(id).is_some_and(|view| view.state.is_waiting()))
                            .cloned()
                    })
                })
            })
        });
        Self {
            store,
            actions,
            now,
            server_name: StoredValue::new(server_name),
            rows,
            order,
            new,
            chosen,
            open,
            forms: StoredValue::new(SortedMap::new()),
            guarded_until: StoredValue::new(Time(0)),
        }
    }

    /// The server by name, as sentences call it.
    pub(crate) fn server_name(self) -> String {
        self.server_name.get_value()
    }

    /// The requests of the inbox, in the order in which they lie there.
    pub(crate) fn rows(self) -> ReadSignal<Vec<RequestId>> {
        self.rows.read_only()
    }

    /// The order of the rows.
    pub(crate) fn order(self) -> RwSignal<Order> {
        self.order
    }

    /// How many new requests wait to be shown, in an order in which they would move the others.
    pub(crate) fn new_requests(self) -> ReadSignal<usize> {
        self.new.read_only()
    }

    /// Shows them.
    pub(crate) fn show_new(self) {
        let sorted = self
            .store
            .requests()
            .with_untracked(|requests| self.order.get_untracked().sorted(requests, self.now.exact()));
        self.rows.set(sorted);
        self.new.set(0);
    }

    /// The request that is open.
    pub(crate) fn open(self) -> Memo<Option<RequestId>> {
        self.open
    }

    /// Opens a request; its top edge stays where it is.
    pub(crate) fn choose(self, id: &RequestId) {
        let anchor = focus::Anchor::of(id);
        self.chosen.set(Some(id.clone()));
        request_animation_frame(move || anchor.restore());
    }

    /// Opens the waiting request above or below the open one, and gives it the focus.
    pub(crate) fn step(self, forwards: bool) {
        let rows = self.rows.get_untracked();
        let place = self
            .open
            .get_untracked()
            .and_then(|open| rows.iter().position(|id| *id == open));
        let is_openable = |id: &&RequestId| self.find(id).is_some_and(|view| is_openable(&view));
        let next = match (place, forwards) {
            (Some(place), true) => rows.iter().skip(place + 1).find(is_openable),
            (Some(place), false) => rows.iter().take(place).rev().find(is_openable),
            (None, _) => rows.iter().find(is_openable),
        };
        if let Some(next) = next {
            self.choose(next);
            focus::request(next);
        }
    }

    /// Opens another waiting permission of the same session.
    pub(crate) fn choose_other(self, request: &Request) {
        let is_other = |view: &&Arc<RequestView>| {
            view.request.session == request.session
                && view.request.id != request.id
                && view.request.permission().is_some()
                && view.state.is_waiting()
        };
        let other = self
            .store
            .requests()
            .with_untracked(|requests| requests.iter().find(is_other).map(|view| view.request.id.clone()));
        if let Some(other) = other {
            self.choose(&other);
            focus::request(&other);
        }
    }

    /// Has the messages of the session of a request read while its page is shown: they say why it asks.
    pub(crate) fn read_session_of(self, request: Memo<Option<RequestId>>) {
        let session = Memo::new(move |_| {
            let id = request.get()?;
            let asks = |view: &&Arc<RequestView>| view.request.id == id;
            self.store
                .requests()
                .with(|requests| requests.iter().find(asks).map(|view| view.request.session.clone()))
        });
        Effect::new(move || self.actions.open(session.read().as_ref()));
        let lacks_older = Memo::new(move |_| {
            let timeline = self.store.timeline().read();
            let held = timeline
                .as_ref()
                .filter(|timeline| Some(&timeline.session) == session.read().as_ref())?;
            (held.older == Older::Available && held.messages.len() < EXPLAINING).then(|| held.session.clone())
        });
        Effect::new(move || {
            if lacks_older.read().is_some() {
                self.actions.load_older();
            }
        });
        on_cleanup(move || self.actions.open(None));
    }

    /// What is filled in for a request; made from its kept draft when first asked for.
    pub(crate) fn form(self, view: &RequestView) -> ArcRwSignal<Form> {
        let id = &view.request.id;
        if let Some(form) = self.forms.with_value(|forms| forms.get(id).cloned()) {
            return form;
        }
        let form = ArcRwSignal::new(Form::new(&view.request, kept_fields(view)));
        let requests = self.store.requests().get_untracked();
        self.forms.update_value(|forms| {
            forms.retain(|id, _| requests.iter().any(|view| view.request.id == *id));
            forms.insert(id.clone(), form.clone());
        });
        form
    }

    /// Changes what is filled in, and keeps it on this device.
    pub(crate) fn fill(self, request: Arc<Request>, form: RwSignal<Form>, change: impl FnOnce(&mut Form)) {
        form.update(change);
        self.actions
            .draft_form(request, form.with_untracked(|form| form.fields.clone()));
    }

    /// Sends a reply and goes on to the next waiting request. A refusal comes back in words.
    pub(crate) fn send(self, shown: &Request, reply: Reply) -> Result<(), String> {
        // What becomes of it is seen in the view.
        drop(self.actions.answer(shown, reply).map_err(|error| error.to_string())?);
        self.move_on(&shown.id);
        Ok(())
    }

    fn move_on(self, from: &RequestId) {
        let next = self
            .store
            .requests()
            .with_untracked(|requests| next_waiting(&self.rows.read_untracked(), requests, from));
        self.guarded_until.set_value(self.now.exact() + GUARD);
        self.chosen.set(next.clone());
        if let Some(next) = next {
            focus::request(&next);
        }
    }

    /// True right after the focus has moved on by itself.
    pub(crate) fn is_guarded(self) -> bool {
        self.now.exact() < self.guarded_until.get_value()
    }

    fn find(self, id: &RequestId) -> Option<Arc<RequestView>> {
        self.store
            .requests()
            .with_untracked(|requests| requests.iter().find(|view| view.request.id == *id).cloned())
    }
}

/// The fields of the draft that was kept for a request.
pub(crate) fn kept_fields(view: &RequestView) -> Option<&[switchboard_core::model::DraftField]> {
    match &view.draft.as_ref()?.text {
        DraftText::Form { fields, .. } => Some(fields),
        DraftText::Prompt(_) => None,
    }
}

fn is_openable(view: &RequestView) -> bool {
    match view.state {
        RequestState::Waiting | RequestState::NotSent { .. } => true,
        RequestState::AnsweredElsewhere { .. } | RequestState::Gone { .. } => needs_a_word(view),
        RequestState::Sending { .. }
        | RequestState::Sent { .. }
        | RequestState::Answered { .. }
        | RequestState::Dismissed { .. } => false,
    }
}
