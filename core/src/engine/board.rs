//! One server: its directories, its sessions, their requests, and what to read and send next.
//!
//! The board is a machine: inputs are `handle_*`, outputs are `next_*`, and it never waits. Everything it believes
//! about the server comes from the newest read of each thing. Reads and sends are numbered in one sequence, so that
//! "read after it was sent" is a comparison of numbers.
//!
//! The parts beside it (sessions, requests, the outbox, drafts) own what they know, and know neither the board nor what
//! it knows of the others. The files of this folder hand what one says to the next.

pub(crate) mod announced;
pub(crate) mod attention;
pub(crate) mod command;
pub(crate) mod conclude;
pub(crate) mod deliver;
pub(crate) mod forget;
pub(crate) mod ingest;
pub(crate) mod metrics;
pub(crate) mod order;
pub(crate) mod outbox;
pub(crate) mod peek;
pub(crate) mod plan;
pub(crate) mod refresh;
pub(crate) mod reply;
pub(crate) mod search;
pub(crate) mod stops;
pub(crate) mod submit;
pub(crate) mod timeouts;
pub(crate) mod timers;
pub(crate) mod view_builder;
pub(crate) mod waits;

use std::collections::VecDeque;
use std::sync::Arc;

use crate::collections::{SortedMap, SortedSet};
use crate::config::Config;
use crate::engine::action::Action;
use crate::engine::board::attention::Attention;
use crate::engine::board::forget::DIRECTORIES_MAX;
use crate::engine::board::outbox::Outbox;
use crate::engine::board::refresh::session_of;
use crate::engine::board::waits::Waits;
use crate::engine::drafts::Drafts;
use crate::engine::outbox::{Delivery, Step};
use crate::engine::refresh::reader::Reader;
use crate::engine::refresh::scope::{RefreshScope, ScopeKey};
use crate::engine::refresh::sweep::Sweep;
use crate::engine::requests::{Kind, RequestTable};
use crate::engine::sessions::Sessions;
use crate::engine::storage::Storage;
use crate::engine::told::{Telling, Told};
use crate::log::{Level, Record};
use crate::metrics::Figure;
use crate::model::{
    Attempt, Directory, Draft, DraftKey, Entry, EntryId, GoneReason, Outcome, PromptIds, Reply, RequestId, Seed, Sent,
    SessionId, Stage,
};
use crate::ports::{Claim, CommitError, Preview, Saved, StoreError, Wake};
use crate::time::Time;
use crate::view::View;

/// One server, as a machine.
#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) config: Config,
    pub(crate) seed: Seed,
    /// The number of the newest read or send.
    pub(crate) number: u64,
    /// The newest time in an id that the server made.
    pub(crate) newest_message: u64,
    pub(crate) reader: Reader,
    pub(crate) sweep: Sweep,
    pub(crate) sessions: Sessions,
    pub(crate) requests: RequestTable,
    pub(crate) figures: SortedMap<RequestId, Figure>,
    pub(crate) outbox: Outbox,
    pub(crate) drafts: Drafts,
    pub(crate) waits: Waits,
    pub(crate) told: Told,
    pub(crate) attention: Attention,
    pub(crate) storage: Storage,
    pub(crate) actions: VecDeque<Action>,
    pub(crate) records: Vec<Record>,
    pub(crate) view: Arc<View>,
    pub(crate) changed: bool,
    /// When the server was last read has changed.
    pub(crate) read: bool,
    /// Text that streams in the open session has changed.
    pub(crate) streamed: bool,
}

impl Board {
    pub(crate) fn new(config: Config) -> Self {
        let mut board = Self {
            seed: Seed::new(config.seed),
            number: 0,
            newest_message: 0,
            reader: Reader::new(config.directory.as_ref()),
            config,
            sweep: Sweep::default(),
            sessions: Sessions::default(),
            requests: RequestTable::default(),
            figures: SortedMap::new(),
            outbox: Outbox::new(),
            drafts: Drafts::default(),
            waits: Waits::default(),
            told: Told::default(),
            attention: Attention::new(),
            storage: Storage::new(),
            actions: VecDeque::new(),
            records: Vec::new(),
            view: Arc::new(View::empty()),
            changed: true,
            read: false,
            streamed: false,
        };
        board.load_figures();
        board
    }

    /// What to do next. Call it until it returns none after each input.
    pub(crate) fn next_action(&mut self, now: Time) -> Option<Action> {
        if self.changed {
            self.conclude_waiting(now);
        }
        if self.changed || self.read {
            self.conclude_reading();
        }
        self.send_due_stops(now);
        self.pump(now);
        if let Some(action) = self.actions.pop_front() {
            return Some(action);
        }
        match self.outbox.queue.next_step()? {
            Step::Commit { entry, expected } => Some(Action::Commit { entry, expected }),
            Step::Claim(entry) => Some(Action::Claim(entry)),
            Step::Post(entry) => self.send(entry, now).or_else(|| self.next_action(now)),
        }
    }

    /// When a read and a send that begin now must have ended.
    pub(crate) fn deadlines(&self, now: Time) -> (Time, Time) {
        (
            now + self.config.pace.read_deadline,
            now + self.config.pace.send_deadline,
        )
    }

    /// The records of what was decided since the last call.
    pub(crate) fn take_records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.records)
    }

    /// What to show, made anew if something has changed. A read that brings nothing new and text that streams cost no look
    /// at the requests, the sessions and the messages.
    pub(crate) fn view(&mut self, now: Time) -> Arc<View> {
        let (read, streamed) = (std::mem::take(&mut self.read), std::mem::take(&mut self.streamed));
        if std::mem::take(&mut self.changed) {
            self.view = Arc::new(self.show(now));
        } else if read || streamed {
            let mut view = (*self.view).clone();
            if read {
                view.server = self.show_server();
            }
            if streamed {
                view.timeline = view.timeline.map(|timeline| self.show_streamed(&timeline));
            }
            self.view = Arc::new(view);
        }
        self.view.clone()
    }

    pub(crate) fn handle_wake(&mut self, wake: Wake, now: Time) {
        let pace = self.config.pace;
        match wake {
            Wake::Alive => self.reader.trust.handle_alive(now),
            Wake::Connected => {
                self.reader.trust.handle_connected(now);
                self.wake_used(now);
            }
            Wake::Lost => {
                self.reader.trust.handle_lost();
                self.end_long_pauses(now);
            }
            Wake::Focus => {
                self.wake_used(now);
                // What other tabs have told meanwhile may not have come here.
                self.load(now);
            }
            Wake::Question(directory) => self.handle_asked(directory, Kind::Question, now),
            Wake::Permission(directory) => self.handle_asked(directory, Kind::Permission, now),
            Wake::Answered(directory) => {
                if self.shows(&directory) && self.has_room_for(&directory) {
                    self.announce(&directory, now);
                    self.refresh_now(&directory, now);
                }
            }
            Wake::Directory(directory, session) => {
                if self.shows(&directory) && self.has_room_for(&directory) {
                    let known = session
                        .as_ref()
                        .is_none_or(|session| self.sessions.nodes.contains_key(session));
                    if let Some(session) = session {
                        self.reader.looks.wake(|read| session_of(read) == Some(&session), now);
                        if let Some(node) = self.sessions.nodes.get_mut(&session) {
                            node.wake();
                        }
                    }
                    self.announce(&directory, now);
                    let scope = self.scope(ScopeKey::Directory(directory));
                    scope.used = Some(now);
                    scope.cadence.wake(now, &pace);
                    let is_visible = self.attention.visible;
                    let list = &mut self.scope(ScopeKey::Sessions).cadence;
                    if !known {
                        list.wake(now, &pace);
                    } else if is_visible {
                        // It may have another title, or have been deleted.
                        list.postpone_at_most_until(now + pace.busy);
                    }
                }
            }
            Wake::Ledger => self.load(now),
        }
    }

    /// Refreshes soon what is in use.
    fn wake_used(&mut self, now: Time) {
        for (key, scope) in self.reader.scopes.iter_mut() {
            if *key == ScopeKey::Sessions || scope.used.is_some() {
                scope.cadence.wake(now, &self.config.pace);
            }
        }
    }

    pub(crate) fn handle_preview(&mut self, preview: Preview, now: Time) {
        self.reader.trust.handle_text(now);
        if let Some(node) = self.sessions.nodes.get_mut(&preview.session) {
            self.changed |= node.turn.handle_stream(now);
        }
        if self.is_followed(&preview.session) {
            let is_shown = self.attention.open.as_ref() == Some(&preview.session);
            self.streamed |= self.attention.previews.append(preview) && is_shown;
        }
    }

    /// The board is closed. Returns the results that are to be told, and everything that waits: dropping that tells so.
    pub(crate) fn end(&mut self) -> (Vec<Telling>, impl Sized + use<>) {
        let waiting = (
            std::mem::take(&mut self.waits),
            self.outbox.stops.take_waiters(),
            self.requests.take_waiters(),
        );
        (self.told.take(), waiting)
    }

    /// The results that are to be told while nothing is borrowed.
    pub(crate) fn take_tellings(&mut self) -> Vec<Telling> {
        self.told.take()
    }

    /// The claims that are over. They are dropped while nothing is borrowed.
    pub(crate) fn take_released_claims(&mut self) -> Vec<Claim> {
        self.outbox.queue.take_released_claims()
    }

    /// Gives up the right to send anything: the next connection may send what is left.
    pub(crate) fn take_claims(&mut self) -> Vec<Claim> {
        self.outbox.queue.take_claims()
    }

    /// The sessions whose stop is still on its way.
    pub(crate) fn stopping(&self) -> SortedSet<SessionId> {
        self.outbox.stops.on_their_way().cloned().collect()
    }

    pub(crate) fn set_visible(&mut self, visible: bool, now: Time) {
        if visible && !self.attention.visible {
            self.handle_wake(Wake::Focus, now);
        }
        self.attention.visible = visible;
    }

    pub(crate) fn is_leading(&self) -> bool {
        !self.attention.following
    }

    pub(crate) fn random(&mut self) -> u64 {
        self.seed.next()
    }

    /// New ids for a prompt.
    pub(crate) fn prompt_ids(&mut self, now: Time) -> PromptIds {
        self.seed.prompt_ids(now, self.newest_message)
    }

    pub(crate) fn set_leading(&mut self, leading: bool, now: Time) {
        if leading && self.attention.following {
            // It hears of no stream but its own from now on.
            self.reader.trust.handle_lost();
            self.handle_wake(Wake::Focus, now);
        }
        self.attention.following = !leading;
    }

    /// Chooses the session whose messages are shown whole.
    pub(crate) fn open(&mut self, session: Option<SessionId>, now: Time) {
        if self.attention.open == session {
            return;
        }
        if let Some(left) = self.attention.open.take()
            && !self.is_followed(&left)
        {
            self.attention.previews.retain(|session| *session != left);
            if let Some(node) = self.sessions.nodes.get_mut(&left) {
                node.transcript.shrink(self.config.limits.held);
            }
        }
        self.attention.older_wanted = false;
        if let Some(node) = session
            .as_ref()
            .and_then(|session| self.sessions.nodes.get_mut(session))
        {
            node.wake();
            node.window.end_rest();
            node.transcript.unanchor();
            let key = ScopeKey::Directory(node.session.directory.clone());
            let pace = self.config.pace;
            self.scope(key).cadence.expedite(now, &pace);
        }
        self.attention.open = session;
        self.changed = true;
        // Until the lists are there, they may name it.
        if self.sweep.begun.is_some() {
            self.look_for_open_session(now);
        }
    }

    /// Asks for the page before the oldest message of the open session.
    pub(crate) fn load_older(&mut self, now: Time) {
        let Some(node) = self
            .attention
            .open
            .as_ref()
            .and_then(|session| self.sessions.nodes.get_mut(session))
        else {
            return;
        };
        if self.attention.older_wanted || node.transcript.older_cursor().is_none() {
            return;
        }
        node.past.end_rest();
        self.attention.older_wanted = true;
        self.changed = true;
        let key = ScopeKey::Directory(node.session.directory.clone());
        let pace = self.config.pace;
        self.scope(key).cadence.expedite(now, &pace);
    }

    /// Refreshes everything in use at once.
    pub(crate) fn try_now(&mut self, now: Time) {
        let pace = self.config.pace;
        for scope in self.reader.scopes.values_mut() {
            scope.cadence.expedite(now, &pace);
        }
    }

    /// A password was given: what was held goes on.
    pub(crate) fn handle_credentials(&mut self, now: Time) {
        self.reader.link.forget_password(self.number);
        self.changed = true;
        self.try_now(now);
        self.decide_all(now);
    }

    pub(crate) fn handle_committed(&mut self, entry: &Entry, result: Result<(), CommitError>, now: Time) {
        self.storage.store_problem = match &result {
            Err(CommitError::Failed(error)) => Some(error.clone()),
            Ok(()) | Err(CommitError::Conflict(_)) => None,
        };
        let number = self.number;
        let first = self
            .outbox
            .queue
            .handle_committed(&entry.id, entry.version, result, number, now);
        if let Some(first) = first {
            let text = format!("{}: another tab was first; version {} is kept", entry.id, first.version);
            self.record(Level::Info, text);
            self.keep_losing_answer(entry, &first);
            self.observe_end_elsewhere(&first, now);
        } else if self.outbox.queue.get(&entry.id).is_some_and(Delivery::is_stored) {
            self.drafts.handle_entry_kept(&entry.id, &mut self.actions);
        }
        self.changed = true;
        self.decide_entry(&entry.id, now);
    }

    /// What is kept in place of ours has ended in another tab: whoever waits here hears how.
    fn observe_end_elsewhere(&mut self, theirs: &Entry, now: Time) {
        let Stage::Ended { outcome, .. } = &theirs.stage else {
            return self.observe_refused_elsewhere(theirs, now);
        };
        match &theirs.sent {
            Sent::Reply { request, .. } => {
                self.remember(theirs, now);
                let ended = self
                    .requests
                    .get(&request.id)
                    .and_then(|tracked| tracked.ended().cloned());
                if let Some((outcome, _)) = ended {
                    self.note_end(&request.id, &outcome, now);
                }
            }
            Sent::Prompt { .. } => {
                self.handle_prompt_over(&theirs.session);
                self.tell_prompt_ended(theirs, outcome, now);
            }
        }
    }

    /// Another tab was told by the server that it will not take a prompt: whoever waits here hears so.
    pub(crate) fn observe_refused_elsewhere(&mut self, theirs: &Entry, now: Time) {
        let held = self.outbox.queue.get(&theirs.id);
        let is_held = held.is_some_and(|delivery| delivery.entry.stage == theirs.stage);
        if let Stage::Attempted {
            attempt: Attempt::Refused(reason),
            ..
        } = &theirs.stage
            && is_held
            && matches!(theirs.sent, Sent::Prompt { .. })
        {
            self.tell_prompt_ended(theirs, &Outcome::Gone(GoneReason::Failed(reason.to_string())), now);
        }
    }

    /// Another tab's reply to the same request came first. If this page has replied something else, the end is reported here as
    /// answered elsewhere, and the answers given here are kept as a draft.
    pub(crate) fn keep_losing_answer(&mut self, ours: &Entry, theirs: &Entry) {
        let (
            Sent::Reply {
                request,
                reply,
                by_policy: false,
            },
            Sent::Reply { reply: first, .. },
        ) = (&ours.sent, &theirs.sent)
        else {
            return;
        };
        if reply == first {
            return;
        }
        self.outbox.lost_races.insert(request.id.clone());
        if let Reply::Answers(answers) = reply {
            self.draft(Draft::of_answers(request, answers));
        }
    }

    pub(crate) fn handle_claimed(&mut self, entry: &EntryId, claim: Option<Claim>, now: Time) {
        self.outbox.queue.handle_claimed(entry, claim, self.number);
        self.decide_entry(entry, now);
        self.changed = true;
    }

    /// Goes on with the sends that have waited for the store for long enough.
    pub(super) fn go_on_without_store(&mut self, now: Time) {
        for (entry, is_write) in self.outbox.queue.handle_deadline(now) {
            self.record(Level::Warn, format!("{entry}: the store has not answered"));
            if is_write {
                self.storage.store_problem = Some(StoreError::TimedOut);
            }
            self.changed = true;
            self.decide_entry(&entry, now);
        }
    }

    /// The store has kept a draft, as it says, or dropped it.
    pub(crate) fn handle_draft_kept(&mut self, key: DraftKey, result: Result<Option<Draft>, StoreError>) {
        let (kept, problem) = match result {
            Ok(kept) => (Ok(kept), None),
            Err(error) => (Err(()), Some(error)),
        };
        self.drafts.handle_written(key, kept);
        self.storage.store_problem = problem;
        self.changed = true;
    }

    pub(crate) fn handle_loaded(&mut self, result: Result<Saved, StoreError>, now: Time) {
        let is_wanted_again = self.storage.end_load();
        let problem = match result {
            Ok(saved) => {
                self.observe_saved(saved, now);
                None
            }
            Err(error) => Some(error),
        };
        self.changed |= self.storage.load_problem != problem;
        self.storage.load_problem = problem;
        if is_wanted_again {
            self.load(now);
        }
    }

    /// Reads the store, at once or after the load that is under way.
    pub(crate) fn load(&mut self, now: Time) {
        if self.storage.begin_load(now) {
            self.drafts.begin_load();
            self.actions.push_back(Action::Load);
        } else if self.storage.is_silent(now) && self.storage.load_problem.is_none() {
            self.record(Level::Warn, "the store has not answered a load".to_owned());
            self.storage.load_problem = Some(StoreError::TimedOut);
            self.changed = true;
        }
    }

    /// Reads the store with a refresh while no other tab may say when: what is on its way may have been left by its tab, and what
    /// could not be read or written is tried again.
    pub(super) fn load_with_refresh(&mut self, now: Time) {
        let is_open = |delivery: &Delivery| delivery.entry.is_on_its_way() || delivery.unsaved;
        if self.storage.has_failed() || self.drafts.are_unwritten() || self.outbox.queue.iter().any(is_open) {
            self.load(now);
        }
    }

    /// Whether something that was said here would be lost with this page.
    pub(crate) fn has_unsaved(&self) -> bool {
        self.drafts.have_unsaved() || self.outbox.queue.iter().any(Delivery::would_be_lost)
    }

    pub(crate) fn shows(&self, directory: &Directory) -> bool {
        self.config.directory.as_ref().is_none_or(|only| only == directory)
    }

    /// Whether there is room for a directory that only an event has named.
    pub(crate) fn has_room_for(&self, directory: &Directory) -> bool {
        self.reader.scopes.len() < DIRECTORIES_MAX || self.directory_scope(directory).is_some()
    }

    pub(crate) fn scope(&mut self, key: ScopeKey) -> &mut RefreshScope {
        self.reader.scopes.entry(key).or_insert_with(RefreshScope::new)
    }

    pub(crate) fn newest_number(&self) -> u64 {
        self.number
    }

    pub(crate) fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    pub(crate) fn record(&mut self, level: Level, text: String) {
        self.records.push(Record {
            level,
            number: self.number,
            text,
        });
    }
}
