//! The desk: which requests lie on it, which one is open, and what is filled in for each.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::model::{DraftField, DraftText, Reply, Request};
use switchboard_core::view::{Older, RequestState, RequestView};
use switchboard_core::{AnswerError, SortedMap, Time};

use crate::kit::erased::{effect, memo};
use crate::kit::now::Now;
use crate::kit::viewport::IsPhone;
use crate::state::focus;
use crate::state::foremost::{Shares, foremost, is_shown_in};
use crate::state::form::Form;
use crate::state::keys::{Asked, RequestKey, ServerKey, SessionKey};
use crate::state::narrowed::Narrowed;
use crate::state::narrowing::Narrowing;
use crate::state::navigation::Navigation;
use crate::state::order::Order;
use crate::state::route::{Of, Route};
use crate::state::rows::{SETTLES_AFTER, needs_a_word, next_waiting};
use crate::state::servers::Servers;

/// How long nothing can be answered once it can be seen that another request was opened, the open one changed, or the list
/// moved: a double Enter or click must not answer what it was not meant for.
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
    Request(RequestKey),
    /// In the timeline of a session.
    Session(SessionKey),
    /// Nowhere: none can be opened in place.
    Nothing,
}

impl Showing {
    fn of(route: Route, is_phone: bool, servers: Servers) -> Self {
        match route {
            Route::Request(of) if is_phone => servers.request_of(&of).map_or(Showing::Nothing, Showing::Request),
            Route::Inbox | Route::Request(_) if !is_phone => Showing::Inbox,
            Route::Session(Of { server, id }) => servers.named(server.as_ref()).map_or(Showing::Nothing, |scope| {
                let server = scope.key;
                Showing::Session(SessionKey { server, id })
            }),
            Route::Inbox
            | Route::Request(_)
            | Route::Sessions
            | Route::Checks(_)
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
    servers: Servers,
    now: Now,
    navigation: Navigation,
    narrowing: Memo<Narrowing>,
    showing: Memo<Showing>,
    rows: RwSignal<Vec<RequestKey>>,
    order: RwSignal<Order>,
    new: RwSignal<usize>,
    chosen: RwSignal<Option<RequestKey>>,
    shares: RwSignal<Shares>,
    open: Memo<Option<RequestKey>>,
    attended: StoredValue<Option<RequestKey>>,
    forms: StoredValue<SortedMap<RequestKey, ArcRwSignal<Form>>>,
    guarded: RwSignal<bool>,
    /// `None` until what moved can be seen.
    guarded_until: StoredValue<Option<Time>>,
    /// How often something has moved.
    moves: StoredValue<u64>,
    scrolled: StoredValue<i32>,
}

impl Desk {
    /// Lays out what the servers show.
    pub(crate) fn new(
        servers: Servers,
        now: Now,
        narrowed: Narrowed,
        navigation: Navigation,
        is_phone: IsPhone,
    ) -> Self {
        let rows = RwSignal::new(Vec::new());
        let order = RwSignal::new(Order::default());
        let new = RwSignal::new(0);
        let opened = now.exact();
        let narrowing = narrowed.narrowing();
        let listed = memo(move || listed(servers, &narrowing.read()));
        Effect::new(move |sorted: Option<(Order, Narrowing)>| {
            let hand = focus::hand();
            let wanted = (order.get(), narrowing.get());
            let is_settled = now.get().since(opened) >= SETTLES_AFTER && sorted.as_ref() == Some(&wanted);
            let shown = if is_settled { rows.get_untracked() } else { Vec::new() };
            let (next, behind) = listed.with(|requests| wanted.0.next(&shown, requests, &hand, now.get()));
            if *rows.read_untracked() != next {
                rows.set(next);
            }
            if new.get_untracked() != behind {
                new.set(behind);
            }
            wanted
        });
        let showing = memo(move || Showing::of(navigation.route().get(), is_phone.get(), servers));
        let chosen = RwSignal::new(None);
        let shares = RwSignal::new(Shares::new());
        let open = Memo::new(move |before: Option<&Option<RequestKey>>| {
            let before = before.and_then(Option::as_ref);
            servers.requests().with(|requests| {
                let find = |key: &RequestKey| requests.iter().find(|asked| asked.is(key));
                let is_openable = |key: &RequestKey| find(key).is_some_and(|asked| is_openable(&asked.view));
                let is_listed = |key: &RequestKey| find(key).is_some_and(|asked| narrowing.read().allows(asked));
                match showing.get() {
                    Showing::Inbox => chosen.get().filter(is_openable).filter(is_listed).or_else(|| {
                        let waits = |key: &&RequestKey| find(key).is_some_and(|asked| asked.view.state.is_waiting());
                        rows.with(|rows| rows.iter().find(waits).cloned())
                    }),
                    Showing::Request(key) => Some(key).filter(is_openable),
                    Showing::Session(session) => {
                        let is_here = |asked: &&Asked| is_shown_in(asked, &session) && self::is_openable(&asked.view);
                        let here: Vec<_> = requests.iter().filter(is_here).collect();
                        shares.with(|shares| foremost(&here, shares, chosen.read().as_ref(), before))
                    }
                    Showing::Nothing => None,
                }
            })
        });
        let desk = Self {
            servers,
            now,
            navigation,
            narrowing,
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
            guarded_until: StoredValue::new(Some(Time(0))),
            moves: StoredValue::new(0),
            scrolled: StoredValue::new(0),
        };
        desk.guard_what_moves();
        desk
    }

    /// The requests of the inbox, in the order in which they lie there.
    pub(crate) fn rows(self) -> ReadSignal<Vec<RequestKey>> {
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
        let listed = untrack(|| listed(self.servers, &self.narrowing.read()));
        let sorted = self.order.get_untracked().sorted(&listed, self.now.exact());
        self.rows.set(sorted);
        self.new.set(0);
    }

    /// Where the inbox was scrolled to when it was last seen, in px.
    pub(crate) fn scrolled(self) -> StoredValue<i32> {
        self.scrolled
    }

    /// The request that is open: the only one that keys act on.
    pub(crate) fn open(self) -> Memo<Option<RequestKey>> {
        self.open
    }

    /// Opens a request; its top edge stays where it is.
    pub(crate) fn choose(self, key: &RequestKey) {
        let anchor = focus::Anchor::of(key);
        self.chosen.set(Some(key.clone()));
        request_animation_frame(move || anchor.restore());
    }

    /// Opens the request of a timeline that a person has pressed or moved the focus to.
    pub(crate) fn attend(self, key: &RequestKey) {
        if self.chosen.read_untracked().as_ref() != Some(key) {
            self.attended.set_value(Some(key.clone()));
            self.chosen.set(Some(key.clone()));
        }
    }

    /// Notes how much of a card in a timeline is in sight; none when the card is gone.
    pub(crate) fn note_share(self, key: &RequestKey, share: Option<u8>) {
        if self.shares.with_untracked(|shares| shares.get(key).copied()) == share {
            return;
        }
        self.shares.update(|shares| {
            match share {
                Some(share) => shares.insert(key.clone(), share),
                None => shares.remove(key),
            };
        });
    }

    /// Opens the waiting request above or below the open one, and gives it the focus.
    pub(crate) fn step(self, forwards: bool) {
        let rows = self.in_order();
        let place = self
            .open
            .get_untracked()
            .and_then(|open| rows.iter().position(|key| *key == open));
        let is_openable = |key: &&RequestKey| self.servers.request(key).is_some_and(|view| is_openable(&view));
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
    fn in_order(self) -> Vec<RequestKey> {
        match &*self.showing.read_untracked() {
            Showing::Session(_) => focus::requests(),
            Showing::Inbox | Showing::Request(_) | Showing::Nothing => self.rows.get_untracked(),
        }
    }

    /// Opens a request where the page shows requests, and gives it the focus.
    fn go_to(self, key: &RequestKey) {
        let is_in_place = match &*self.showing.read_untracked() {
            Showing::Inbox | Showing::Session(_) => true,
            Showing::Request(_) | Showing::Nothing => false,
        };
        if is_in_place {
            self.choose(key);
            focus::request(key);
        } else {
            self.navigation.go(&self.servers.place_of(key.clone()));
        }
    }

    /// Opens another waiting permission of the same session.
    pub(crate) fn choose_other(self, server: ServerKey, request: &Request) {
        let is_other = |asked: &&Asked| {
            asked.server == server
                && asked.view.request.session == request.session
                && asked.view.request.id != request.id
                && asked.view.request.permission().is_some()
                && asked.view.state.is_waiting()
        };
        let other = self
            .servers
            .requests()
            .with_untracked(|requests| requests.iter().find(is_other).map(Asked::key));
        if let Some(other) = other {
            self.go_to(&other);
        }
    }

    /// Has the messages of the session of a request read while its page is shown: they say why it asks.
    pub(crate) fn read_session_of(self, request: Memo<Option<RequestKey>>) {
        let servers = self.servers;
        let session = memo(move || {
            let key = request.get()?;
            let asks = |asked: &&Asked| asked.is(&key);
            servers
                .requests()
                .with(|requests| requests.iter().find(asks).map(Asked::session))
        });
        let open = move |key: ServerKey, session: Option<&SessionKey>| {
            if let Some(scope) = untrack(|| servers.get(key)) {
                scope.actions.open(session.map(|session| &session.id));
            }
        };
        Effect::new(move |before: Option<Option<ServerKey>>| {
            let session = session.read();
            let server = session.as_ref().map(|session| session.server);
            if let Some(left) = before.flatten().filter(|left| Some(*left) != server) {
                open(left, None);
            }
            if let Some(server) = server {
                open(server, session.as_ref());
            }
            server
        });
        let lacks_older = memo(move || {
            let session = session.get()?;
            let scope = servers.get(session.server)?;
            let timeline = scope.store.timeline().read();
            let held = timeline.as_ref().filter(|timeline| timeline.session == session.id)?;
            (held.older == Older::Available && held.messages.len() < EXPLAINING).then_some(session)
        });
        effect(move || {
            let lacking = lacks_older.get();
            if let Some(scope) = lacking.and_then(|session| untrack(|| servers.get(session.server))) {
                scope.actions.load_older();
            }
        });
        on_cleanup(move || {
            if let Some(session) = session.get_untracked() {
                open(session.server, None);
            }
        });
    }

    /// What is filled in for a request; made when first asked for, from its kept draft, which may belong to the request
    /// as it was shown then.
    pub(crate) fn form(self, server: ServerKey, view: &RequestView) -> ArcRwSignal<Form> {
        let key = server.request(&view.request.id);
        if let Some(form) = self.forms.with_value(|forms| forms.get(&key).cloned()) {
            return form;
        }
        let (shown, kept) = kept_form(view).unwrap_or((&view.request, &[]));
        let form = ArcRwSignal::new(Form::new(shown.clone(), kept));
        self.forms.update_value(|forms| {
            self.servers.requests().with_untracked(|requests| {
                // To look for each of them each time would take the longer the more of them there are.
                if forms.len() > 2 * requests.len() {
                    forms.retain(|key, _| requests.iter().any(|asked| asked.is(key)));
                }
            });
            forms.insert(key, form.clone());
        });
        form
    }

    /// Changes what is filled in, and keeps it on this device.
    pub(crate) fn fill(self, server: ServerKey, form: RwSignal<Form>, change: impl FnOnce(&mut Form)) {
        form.update(change);
        let fields = form.try_update_untracked(Form::write).unwrap_or_default();
        let request = form.with_untracked(|form| form.request.clone());
        if let Some(scope) = untrack(|| self.servers.get(server)) {
            scope.actions.draft_form(request, fields);
        }
    }

    /// Sends a reply to requests of one server as they were shown, and goes on from one of them to the next that waits.
    ///
    /// One that cannot be answered keeps no other from it: the first of them is told, and each is seen in the view.
    pub(crate) fn send(self, from: &RequestKey, shown: &[Arc<Request>], reply: &Reply) -> Result<(), AnswerError> {
        let scope = untrack(|| self.servers.get(from.server)).ok_or(AnswerError::Closed)?;
        let send = |request: &Arc<Request>| scope.actions.answer(request, reply.clone()).map(drop);
        let results: Vec<_> = shown.iter().map(send).collect();
        results.into_iter().collect::<Result<(), _>>()?;
        self.move_on(from, shown);
        Ok(())
    }

    fn move_on(self, from: &RequestKey, sent: &[Arc<Request>]) {
        let rows = self.in_order();
        let next = self
            .servers
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
            Showing::Request(_) => self.navigation.replace(&next.map_or_else(
                || untrack(|| self.navigation.inbox_as_left()),
                |next| self.servers.place_of(next).href(),
            )),
            Showing::Nothing => {}
        }
    }

    /// Nothing can be answered from now on until a moment after the page has been painted.
    pub(crate) fn guard(self) {
        self.guarded_until.set_value(None);
        self.moves.update_value(|moves| *moves += 1);
        if !self.guarded.get_untracked() {
            self.guarded.set(true);
        }
        let moves = self.moves.get_value();
        // The first of two frames begins before the paint, the second after it.
        request_animation_frame(move || request_animation_frame(move || self.painted(moves)));
    }

    /// The page has been painted after so many moves. Does nothing if something has moved since.
    fn painted(self, moves: u64) {
        if self.moves.try_get_value() == Some(moves) {
            self.guarded_until.set_value(Some(self.now.exact() + GUARD));
            self.lift_guard_after(GUARD, moves);
        }
    }

    fn lift_guard_after(self, time: Duration, moves: u64) {
        let lift = move || {
            if self.moves.try_get_value() != Some(moves) {
                return;
            }
            match self.guarded_until.get_value() {
                Some(until) if self.is_guarded() => self.lift_guard_after(until.since(self.now.exact()), moves),
                _ => self.guarded.set(false),
            }
        };
        set_timeout(lift, time + GUARD_SLACK);
    }

    /// True while nothing can be answered.
    pub(crate) fn is_guarded(self) -> bool {
        let until = self.guarded_until.get_value();
        until.is_none_or(|until| self.now.exact() < until)
    }

    /// The same as a signal, to tell it on buttons.
    pub(crate) fn guarded(self) -> ReadSignal<bool> {
        self.guarded.read_only()
    }

    /// Nothing can be answered for a moment after another request was opened or the list has moved.
    fn guard_what_moves(self) {
        Effect::new(move |before: Option<Option<RequestKey>>| {
            let open = self.open.get();
            let is_own_choice = self.attended.try_update_value(Option::take).flatten() == open;
            if before.is_some_and(|before| before != open) && !is_own_choice {
                self.guard();
            }
            open
        });
        let listed = memo(move || {
            let is_waiting = |key: &RequestKey| (key.clone(), self.is_waiting(key));
            match showing_session(&self.showing.read()) {
                Some(session) => self.servers.requests().with(|requests| {
                    let here = requests.iter().filter(|asked| is_shown_in(asked, session));
                    here.map(|asked| (asked.key(), asked.view.state.is_waiting())).collect()
                }),
                None => self.rows.with(|rows| rows.iter().map(is_waiting).collect::<Vec<_>>()),
            }
        });
        Effect::new(move |before: Option<Vec<(RequestKey, bool)>>| {
            let listed = listed.get();
            // What comes in at the end moves nothing.
            if before.is_some_and(|before| !listed.starts_with(&before)) {
                self.guard();
            }
            listed
        });
    }

    fn is_waiting(self, key: &RequestKey) -> bool {
        self.servers.requests().with(|requests| {
            requests
                .iter()
                .any(|asked| asked.is(key) && asked.view.state.is_waiting())
        })
    }
}

/// The requests that the inbox may show.
fn listed(servers: Servers, narrowing: &Narrowing) -> Vec<Asked> {
    let requests = servers.requests().read();
    requests
        .iter()
        .filter(|asked| narrowing.allows(asked))
        .cloned()
        .collect()
}

fn showing_session(showing: &Showing) -> Option<&SessionKey> {
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
