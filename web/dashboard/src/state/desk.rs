//! The desk: which requests lie on it, which one is open, and what is filled in for each.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::model::{DraftField, DraftText, Reply, Request, RequestId, SessionId};
use switchboard_core::view::{Older, RequestState, RequestView};
use switchboard_core::{AnswerError, SortedMap, Time};

use crate::kit::erased::{effect, memo};
use crate::kit::now::Now;
use crate::kit::viewport::IsPhone;
use crate::state::actions::Actions;
use crate::state::focus;
use crate::state::foremost::{Shares, foremost, is_shown_in};
use crate::state::form::Form;
use crate::state::navigation::Navigation;
use crate::state::order::Order;
use crate::state::route::Route;
use crate::state::rows::{SETTLES_AFTER, needs_a_word, next_waiting};
use crate::state::store::Store;

/// How long nothing can be answered after another request was opened, the open one changed, or the list moved: a
/// double Enter or click must not answer what it was not meant for.
const GUARD: Duration = Duration::from_millis(400);

/// A timer may fire a little before its time.
const GUARD_SLACK: Duration = Duration::from_millis(20);

/// So many messages are enough to say why a request is asked.
const EXPLAINING: usize = 8;

/// Where the page shows requests that can be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Showing {
    /// In the inbox, in place.
    Inbox,
    /// One on a page of its own.
    Request(RequestId),
    /// In the timeline of a session.
    Session(SessionId),
    /// Nowhere: none can be opened in place.
    Nothing,
}

impl Showing {
    fn of(route: Route, is_phone: bool) -> Self {
        match route {
            Route::Request(id) if is_phone => Showing::Request(id),
            Route::Inbox | Route::Request(_) if !is_phone => Showing::Inbox,
            Route::Session(id) => Showing::Session(id),
            Route::Inbox
            | Route::Request(_)
            | Route::Sessions
            | Route::New
            | Route::Servers
            | Route::Activity
            | Route::Unknown => Showing::Nothing,
        }
    }
}

/// What lies on the desk. Comes from context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Desk {
    store: Store,
    actions: Actions,
    now: Now,
    navigation: Navigation,
    server_name: StoredValue<String>,
    showing: Memo<Showing>,
    rows: RwSignal<Vec<RequestId>>,
    order: RwSignal<Order>,
    new: RwSignal<usize>,
    chosen: RwSignal<Option<RequestId>>,
    shares: RwSignal<Shares>,
    open: Memo<Option<RequestId>>,
    attended: StoredValue<Option<RequestId>>,
    forms: StoredValue<SortedMap<RequestId, ArcRwSignal<Form>>>,
    guarded: RwSignal<bool>,
    guarded_until: StoredValue<Time>,
    scrolled: StoredValue<i32>,
}

impl Desk {
    /// Lays out what the store shows.
    pub(crate) fn new(
        store: Store,
        actions: Actions,
        now: Now,
        server_name: String,
        navigation: Navigation,
        is_phone: IsPhone,
    ) -> Self {
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
        let showing = memo(move || Showing::of(navigation.route().get(), is_phone.get()));
        let chosen = RwSignal::new(None);
        let shares = RwSignal::new(Shares::new());
        let open = Memo::new(move |before: Option<&Option<RequestId>>| {
            let before = before.and_then(Option::as_ref);
            store.requests().with(|requests| {
                let find = |id: &RequestId| requests.iter().find(|view| view.request.id == *id);
                let is_openable = |id: &RequestId| find(id).is_some_and(|view| is_openable(view));
                match showing.get() {
                    Showing::Inbox => chosen.get().filter(|id| is_openable(id)).or_else(|| {
                        let waits = |id: &&RequestId| find(id).is_some_and(|view| view.state.is_waiting());
                        rows.with(|rows| rows.iter().find(waits).cloned())
                    }),
                    Showing::Request(id) => Some(id).filter(|id| is_openable(id)),
                    Showing::Session(session) => {
                        let is_here = |view: &&Arc<RequestView>| is_shown_in(view, &session) && self::is_openable(view);
                        let here: Vec<_> = requests.iter().filter(is_here).collect();
                        shares.with(|shares| foremost(&here, shares, chosen.read().as_ref(), before))
                    }
                    Showing::Nothing => None,
                }
            })
        });
        let desk = Self {
            store,
            actions,
            now,
            navigation,
            server_name: StoredValue::new(server_name),
            showing,
            rows,
            order,
            new,
            chosen,
            shares,
            open,
            attended: StoredValue::new(None),
            forms: StoredValue::new(SortedMap::new()),
            guarded: RwSignal::new(false),
            guarded_until: StoredValue::new(Time(0)),
            scrolled: StoredValue::new(0),
        };
        desk.guard_what_moves();
        desk
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

    /// Where the inbox was scrolled to when it was last seen, in px.
    pub(crate) fn scrolled(self) -> StoredValue<i32> {
        self.scrolled
    }

    /// The request that is open: the only one that keys act on.
    pub(crate) fn open(self) -> Memo<Option<RequestId>> {
        self.open
    }

    /// Opens a request; its top edge stays where it is.
    pub(crate) fn choose(self, id: &RequestId) {
        let anchor = focus::Anchor::of(id);
        self.chosen.set(Some(id.clone()));
        request_animation_frame(move || anchor.restore());
    }

    /// Opens the request of a timeline that a person has pressed or moved the focus to.
    pub(crate) fn attend(self, id: &RequestId) {
        if self.chosen.read_untracked().as_ref() != Some(id) {
            self.attended.set_value(Some(id.clone()));
            self.chosen.set(Some(id.clone()));
        }
    }

    /// Notes how much of a card in a timeline is in sight; none when the card is gone.
    pub(crate) fn note_share(self, id: &RequestId, share: Option<u8>) {
        if self.shares.with_untracked(|shares| shares.get(id).copied()) == share {
            return;
        }
        self.shares.update(|shares| {
            match share {
                Some(share) => shares.insert(id.clone(), share),
                None => shares.remove(id),
            };
        });
    }

    /// Opens the waiting request above or below the open one, and gives it the focus.
    pub(crate) fn step(self, forwards: bool) {
        let rows = self.in_order();
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
            self.go_to(next);
        }
    }

    /// The requests that are shown, from the top of the page to its end.
    fn in_order(self) -> Vec<RequestId> {
        match &*self.showing.read_untracked() {
            Showing::Session(_) => focus::requests(),
            Showing::Inbox | Showing::Request(_) | Showing::Nothing => self.rows.get_untracked(),
        }
    }

    /// Opens a request where the page shows requests, and gives it the focus.
    fn go_to(self, id: &RequestId) {
        let is_in_place = match &*self.showing.read_untracked() {
            Showing::Inbox | Showing::Session(_) => true,
            Showing::Request(_) | Showing::Nothing => false,
        };
        if is_in_place {
            self.choose(id);
            focus::request(id);
        } else {
            self.navigation.go(&Route::Request(id.clone()));
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
            self.go_to(&other);
        }
    }

    /// Has the messages of the session of a request read while its page is shown: they say why it asks.
    pub(crate) fn read_session_of(self, request: Memo<Option<RequestId>>) {
        let session = memo(move || {
            let id = request.get()?;
            let asks = |view: &&Arc<RequestView>| view.request.id == id;
            self.store
                .requests()
                .with(|requests| requests.iter().find(asks).map(|view| view.request.session.clone()))
        });
        effect(move || self.actions.open(session.read().as_ref()));
        let lacks_older = memo(move || {
            let timeline = self.store.timeline().read();
            let held = timeline
                .as_ref()
                .filter(|timeline| Some(&timeline.session) == session.read().as_ref())?;
            (held.older == Older::Available && held.messages.len() < EXPLAINING).then(|| held.session.clone())
        });
        effect(move || {
            if lacks_older.read().is_some() {
                self.actions.load_older();
            }
        });
        on_cleanup(move || self.actions.open(None));
    }

    /// What is filled in for a request; made when first asked for, from its kept draft, which may belong to the request
    /// as it was shown then.
    pub(crate) fn form(self, view: &RequestView) -> ArcRwSignal<Form> {
        let id = &view.request.id;
        if let Some(form) = self.forms.with_value(|forms| forms.get(id).cloned()) {
            return form;
        }
        let (shown, kept) = kept_form(view).unwrap_or((&view.request, &[]));
        let form = ArcRwSignal::new(Form::new(shown.clone(), kept));
        let requests = self.store.requests().get_untracked();
        self.forms.update_value(|forms| {
            forms.retain(|id, _| requests.iter().any(|view| view.request.id == *id));
            forms.insert(id.clone(), form.clone());
        });
        form
    }

    /// Changes what is filled in, and keeps it on this device.
    pub(crate) fn fill(self, form: RwSignal<Form>, change: impl FnOnce(&mut Form)) {
        form.update(change);
        let fields = form
            .try_update_untracked(|form| form.write(self.now.exact()))
            .unwrap_or_default();
        let request = form.with_untracked(|form| form.request.clone());
        self.actions.draft_form(request, fields);
    }

    /// Sends a reply to requests as they were shown, and goes on from one of them to the next that waits.
    ///
    /// One that cannot be answered keeps no other from it: the first of them is told, and each is seen in the view.
    pub(crate) fn send(self, from: &RequestId, shown: &[Arc<Request>], reply: &Reply) -> Result<(), AnswerError> {
        let send = |request: &Arc<Request>| self.actions.answer(request, reply.clone()).map(drop);
        let results: Vec<_> = shown.iter().map(send).collect();
        results.into_iter().collect::<Result<(), _>>()?;
        self.move_on(from, shown);
        Ok(())
    }

    fn move_on(self, from: &RequestId, sent: &[Arc<Request>]) {
        let rows = self.in_order();
        let next = self
            .store
            .requests()
            .with_untracked(|requests| next_waiting(&rows, requests, from, sent));
        self.guard();
        self.chosen.set(next.clone());
        match &*self.showing.read_untracked() {
            Showing::Inbox => match &next {
                Some(next) => focus::request(next),
                None => crate::kit::focus::main(),
            },
            Showing::Session(_) => focus::request(next.as_ref().unwrap_or(from)),
            Showing::Request(_) => self.navigation.replace(&next.map_or(Route::Inbox, Route::Request)),
            Showing::Nothing => {}
        }
    }

    /// Nothing can be answered for a moment.
    pub(crate) fn guard(self) {
        self.guarded_until.set_value(self.now.exact() + GUARD);
        if !self.guarded.get_untracked() {
            self.guarded.set(true);
            self.lift_guard_after(GUARD);
        }
    }

    fn lift_guard_after(self, time: Duration) {
        let lift = move || match self.guarded_until.try_get_value() {
            Some(until) if self.is_guarded() => self.lift_guard_after(until.since(self.now.exact())),
            Some(_) => self.guarded.set(false),
            None => {}
        };
        set_timeout(lift, time + GUARD_SLACK);
    }

    /// True while nothing can be answered.
    pub(crate) fn is_guarded(self) -> bool {
        self.now.exact() < self.guarded_until.get_value()
    }

    /// The same as a signal, to tell it on buttons.
    pub(crate) fn guarded(self) -> ReadSignal<bool> {
        self.guarded.read_only()
    }

    /// Nothing can be answered for a moment after another request was opened or the list has moved.
    fn guard_what_moves(self) {
        Effect::new(move |before: Option<Option<RequestId>>| {
            let open = self.open.get();
            let is_own_choice = self.attended.try_update_value(Option::take).flatten() == open;
            if before.is_some_and(|before| before != open) && !is_own_choice {
                self.guard();
            }
            open
        });
        let listed = memo(move || {
            let is_waiting = |id: &RequestId| (id.clone(), self.is_waiting(id));
            match showing_session(&self.showing.read()) {
                Some(session) => self.store.requests().with(|requests| {
                    let here = requests.iter().filter(|view| is_shown_in(view, session));
                    here.map(|view| (view.request.id.clone(), view.state.is_waiting()))
                        .collect()
                }),
                None => self.rows.with(|rows| rows.iter().map(is_waiting).collect::<Vec<_>>()),
            }
        });
        Effect::new(move |before: Option<Vec<(RequestId, bool)>>| {
            let listed = listed.get();
            // What comes in at the end moves nothing.
            if before.is_some_and(|before| !listed.starts_with(&before)) {
                self.guard();
            }
            listed
        });
    }

    fn is_waiting(self, id: &RequestId) -> bool {
        self.store.requests().with(|requests| {
            requests
                .iter()
                .any(|view| view.request.id == *id && view.state.is_waiting())
        })
    }

    fn find(self, id: &RequestId) -> Option<Arc<RequestView>> {
        self.store
            .requests()
            .with_untracked(|requests| requests.iter().find(|view| view.request.id == *id).cloned())
    }
}

fn showing_session(showing: &Showing) -> Option<&SessionId> {
    match showing {
        Showing::Session(session) => Some(session),
        Showing::Inbox | Showing::Request(_) | Showing::Nothing => None,
    }
}

/// The fields of the draft that was kept for a request.
pub(crate) fn kept_fields(view: &RequestView) -> Option<&[DraftField]> {
    kept_form(view).map(|(_, fields)| fields)
}

/// The draft that was kept for a request: the request as it was shown then, and the fields.
pub(crate) fn kept_form(view: &RequestView) -> Option<(&Arc<Request>, &[DraftField])> {
    match &view.draft.as_ref()?.text {
        DraftText::Form { request, fields } => Some((request, fields)),
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
