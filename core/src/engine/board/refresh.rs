//! Refreshing: begins the refreshes that are due, within the bounds, and takes in what they bring.

use crate::collections::SortedSet;
use crate::engine::action::Action;
use crate::engine::board::Board;
use crate::engine::board::plan::Plan;
use crate::engine::evidence::ReadStamp;
use crate::engine::outbox::Delivery;
use crate::engine::refresh::cadence::PaceInputs;
use crate::engine::refresh::reader::Reading;
use crate::engine::refresh::scope::{Phase, Refresh, RefreshScope, ScopeKey};
use crate::engine::requests::{Kind, TrackedRequest};
use crate::engine::sessions::session::Node;
use crate::log::Level;
use crate::model::{Attempt, Directory, SessionId, Stage};
use crate::ports::{Fetched, Read, ReadError};
use crate::time::Time;
use crate::view::TurnState;

/// The most directories at rest that are read between two sweeps: with three lists each, 60 reads a minute.
const LOOKS_PER_SWEEP: usize = 20;

impl Board {
    /// Issues reads while the bounds allow it: peeks first, then those of refreshes. No refresh gets a second connection before
    /// each has one, and refreshes that go on come before those that are due.
    pub(crate) fn pump(&mut self, now: Time) {
        while self.reader.in_flight.len() < self.config.limits.reads_in_flight {
            if self.peek(now) {
                continue;
            }
            // Units that hang leave room for those that do not.
            let hanging = self
                .reader
                .in_flight
                .values()
                .filter(|reading| self.reader.scopes.get(&reading.scope).is_some_and(RefreshScope::hangs))
                .count();
            let is_full = hanging >= self.config.limits.reads_in_flight.div_ceil(2);
            let next = self
                .reader
                .scopes
                .iter()
                .filter(|(_, scope)| scope.wants_connection() && !(scope.hangs() && is_full));
            let next = next.min_by_key(|(_, scope)| match &scope.refresh {
                Some(refresh) => (refresh.in_flight, false, refresh.number, None),
                None => (0, true, 0, scope.cadence.last_begun()),
            });
            let Some((key, scope)) = next.map(|(key, scope)| (key.clone(), scope)) else {
                return;
            };
            if scope.refresh.is_some() {
                self.issue(&key, now);
            } else {
                self.begin_refresh(&key, now);
            }
        }
    }

    fn issue(&mut self, key: &ScopeKey, now: Time) {
        let Some(refresh) = self.reader.scopes.get_mut(key).and_then(|scope| scope.refresh.as_mut()) else {
            return;
        };
        let Some(read) = refresh.queue.pop_front() else { return };
        refresh.in_flight += 1;
        self.start_read(Reading {
            scope: key.clone(),
            read,
            begun: now,
            repeated: false,
            is_peek: false,
        });
    }

    pub(super) fn start_read(&mut self, reading: Reading) {
        let number = self.next_number();
        self.actions.push_back(Action::Read {
            number,
            read: reading.read.clone(),
        });
        self.reader.in_flight.insert(number, reading);
    }

    fn begin_refresh(&mut self, key: &ScopeKey, now: Time) {
        if let ScopeKey::Directory(directory) = key {
            self.renew_figures(directory, now);
        }
        let number = self.number + 1;
        let refresh = match key {
            ScopeKey::Sessions => self.session_refresh(number, now),
            ScopeKey::Directory(directory) => {
                let first_page = self.first_page_of_open(directory, now);
                let mut refresh = Refresh::new(number, now, lists(directory));
                if self.may_glance(directory, now) {
                    refresh.is_glance = true;
                    refresh.queue.retain(|read| *read == Read::Status(directory.clone()));
                }
                refresh.queue.extend(first_page);
                refresh
            }
        };
        let scope = self.scope(key.clone());
        scope.cadence.begin(now);
        scope.refresh = Some(refresh);
        // It reads them itself.
        scope.peeks.clear();
        self.load_with_refresh(now);
    }

    fn session_refresh(&mut self, number: u64, now: Time) -> Refresh {
        let sweep = self
            .sweep
            .begun
            .is_none_or(|swept| now.since(swept) >= self.config.pace.sweep);
        if !sweep {
            let since = self.sweep.next_since(&self.reader.server_clock, now);
            return Refresh::new(
                number,
                now,
                [Read::Sessions {
                    since: Some(since),
                    page: None,
                }],
            );
        }
        let lists = [
            Read::Sessions {
                since: None,
                page: None,
            },
            Read::Directories,
            Read::Health,
        ];
        let mut refresh = Refresh::new(number, now, lists);
        refresh.sweep = true;
        self.sweep.begin(now);
        if self.config.directory.is_none() && self.sweeps_per_look() == 1 {
            for scope in self.reader.scopes.values_mut() {
                scope.cadence.wake(now, &self.config.pace);
            }
        }
        refresh
    }

    /// How many sweeps lie between two reads of a directory at rest: one, unless there are many. Reading a directory starts an
    /// instance for it at the server (docs/opencode.md §6).
    fn sweeps_per_look(&self) -> u32 {
        let looks = self.reader.scopes.len().div_ceil(LOOKS_PER_SWEEP);
        u32::try_from(looks).unwrap_or(u32::MAX).max(1)
    }

    /// A read has ended.
    pub(crate) fn handle_read(&mut self, number: u64, result: Result<Fetched, ReadError>, now: Time) {
        let Some(reading) = self.reader.in_flight.remove(&number) else {
            return;
        };
        if reading.is_peek {
            return self.handle_peek(&reading, number, result, now);
        }
        self.changed |= self.reader.link.observe(number, &result, now);
        let got_through = !matches!(result, Err(ReadError::Unreachable(_) | ReadError::TimedOut));
        if let Some(scope) = self.reader.scopes.get_mut(&reading.scope) {
            scope.answered |= got_through;
            if let Some(refresh) = scope.refresh.as_mut() {
                refresh.got_through |= got_through;
                refresh.timed_out = matches!(result, Err(ReadError::TimedOut));
            }
        }
        if let Err(error) = &result {
            self.record(
                Level::Debug,
                format!("read {number} failed: {:?} {error}", reading.read),
            );
            if !reading.repeated && is_worth_repeating(error) && !self.is_cut_off(&reading.scope) {
                self.start_read(Reading {
                    repeated: true,
                    begun: now,
                    ..reading
                });
                return;
            }
        }
        let key = reading.scope.clone();
        if let Some(scope) = self.reader.scopes.get_mut(&key) {
            if let Some(refresh) = scope.refresh.as_mut() {
                refresh.in_flight -= 1;
                if let Err(error) = &result
                    && (decides(&reading.read) || error.is_about_the_way())
                {
                    refresh.error = Some(error.clone());
                    scope.failed = Some(self.number);
                    self.changed = true;
                }
            }
            if result == Err(ReadError::TimedOut)
                && decides(&reading.read)
                && std::mem::replace(&mut scope.timed_out, true)
                && let Some(refresh) = scope.refresh.as_mut()
            {
                // It hangs again: the rest would, too, and each costs a connection for as long.
                refresh.queue.clear();
            }
        }
        let stamp = ReadStamp {
            number,
            begun: reading.begun,
        };
        let is_answered = result.as_ref().err().is_none_or(is_of_what_is_read);
        self.reader.looks.observe(&reading.read, stamp, is_answered);
        if result.is_err() || self.is_newest(&reading.read, reading.begun) {
            self.observe(&reading.read, result, stamp, now);
        }
        self.advance_refresh(&key, now);
    }

    /// Another tab has read this. What it began to read before our last send is old.
    pub(crate) fn handle_shown(&mut self, read: &Read, fetched: Fetched, begun: Time, now: Time) {
        // The other tab may go by another clock.
        let begun = begun.min(now);
        if begun <= self.outbox.last_sent || !self.attention.following {
            return;
        }
        if directory_of(read).is_some_and(|directory| self.needs_own_reads(directory)) {
            return;
        }
        if !self.is_newest(read, begun) {
            return;
        }
        let number = self.next_number();
        self.changed |= self.reader.link.observe_shown(now);
        self.read = true;
        // This tab reads the sessions itself until it has listed them all once, and when the list is older than what it knows.
        let joins_on = matches!(read, Read::Sessions { since, .. }
            if self.sweep.begun.is_some() && self.sweep.reaches(*since, begun, &self.reader.server_clock) && self.sweep.last_list.is_newest(begun));
        let spares_sessions = joins_on && !self.needs_own_list();
        let shown = list_of(read).map(|(directory, kind)| (directory.clone(), kind));
        let swept = if let (Read::Sessions { since, page }, Fetched::Sessions(found)) = (read, &fetched) {
            self.sweep.observe_shown(*since, page.as_deref(), found, begun, now)
        } else {
            None
        };
        self.observe(read, Ok(fetched), ReadStamp { number, begun }, now);
        if let Some((named, begun)) = swept {
            self.forget_unlisted(&named, begun);
        }
        match shown {
            Some((directory, kind)) => {
                let (key, patience) = (ScopeKey::Directory(directory.clone()), self.config.pace.follow_patience);
                let in_use = self.is_in_use(&key, now);
                let sleeps = self.sleeps(&directory);
                let scope = self.scope(key);
                scope.shown.insert(kind, begun);
                if in_use && !sleeps {
                    // The tab that leads may have no need to read there again soon.
                    scope.cadence.postpone_at_most_until(now + patience);
                }
                self.follow(directory, now);
            }
            None if spares_sessions => {
                let (pace_inputs, pace) = (self.pace_inputs(&ScopeKey::Sessions, now), self.config.pace);
                self.scope(ScopeKey::Sessions).cadence.shown(now, pace_inputs, &pace);
            }
            None => {}
        }
    }

    /// Notes when a list was read. False when a newer one is known: what other tabs have read arrives in any order.
    fn is_newest(&mut self, read: &Read, begun: Time) -> bool {
        let Some((directory, kind)) = list_of(read) else {
            return true;
        };
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        let newest = scope.begun.entry(kind).or_insert(begun);
        if begun < *newest {
            return false;
        }
        *newest = begun;
        true
    }

    /// Once another tab has read the lists and the status, or the status of a directory that sleeps, only the messages that this
    /// tab wants remain to be read. A part of them spares no reads: what is missing was not read there, or seems old to a clock that is ahead.
    fn follow(&mut self, directory: Directory, now: Time) {
        let is_glance = self.may_glance(&directory, now);
        let key = ScopeKey::Directory(directory);
        let (pace_inputs, pace) = (self.pace_inputs(&key, now), self.config.pace);
        let (number, visible) = (self.number, self.attention.visible);
        let scope = self.scope(key.clone());
        let glance = scope.shown.get(&None).copied().filter(|_| is_glance);
        let all = scope.begin_of_shown(pace.busy);
        let Some(begun) = all.or(glance) else { return };
        scope.shown.clear();
        scope.cadence.shown(now, pace_inputs, &pace);
        // A hidden page has a slower pace of its own than one that is looked at.
        let last = scope.cadence.last_begun().filter(|_| !visible);
        let rests = last.is_some_and(|begun| now < begun + pace.hidden);
        if scope.refresh.is_some() || scope.cadence.is_backing_off() || rests {
            return;
        }
        let mut refresh = Refresh::new(number, begun, []);
        refresh.status = true;
        if all.is_some() {
            refresh.lists = SortedSet::from([Kind::Question, Kind::Permission]);
        }
        scope.refresh = Some(refresh);
        scope.cadence.begin(now);
        self.advance_refresh(&key, now);
    }

    /// Goes on to the next step of a refresh when the present one is complete.
    fn advance_refresh(&mut self, key: &ScopeKey, now: Time) {
        let Some(refresh) = self.reader.scopes.get(key).and_then(|scope| scope.refresh.as_ref()) else {
            return;
        };
        if !refresh.is_idle() {
            return;
        }
        let (is_glance, phase, has_failed) = (refresh.is_glance, refresh.phase, refresh.error.is_some());
        if let (ScopeKey::Directory(directory), true) = (key, is_glance)
            && (has_failed || !self.sleeps(directory))
        {
            return self.look_closely(directory);
        }
        if let (ScopeKey::Directory(directory), Phase::Lists) = (key, phase) {
            let plan = if self.is_cut_off(key) {
                Plan::default()
            } else {
                self.plan(directory, now)
            };
            self.take_plan(key, plan);
            return self.advance_refresh(key, now);
        }
        self.end_refresh(key, now);
    }

    /// Lets a refresh that was to read the status alone read the lists, too, and the status once more: it counts for what was
    /// listed before it.
    fn look_closely(&mut self, directory: &Directory) {
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        if let Some(refresh) = scope.refresh.as_mut() {
            refresh.is_glance = false;
            refresh.queue.extend(lists(directory));
        }
    }

    /// Nothing has got through for several refreshes of a scope, and nothing does in this one: the rest would not either.
    fn is_cut_off(&self, key: &ScopeKey) -> bool {
        self.reader.scopes.get(key).is_some_and(|scope| {
            let got_through = scope.refresh.as_ref().is_some_and(|refresh| refresh.got_through);
            scope.cadence.is_backing_off() && !got_through
        })
    }

    fn take_plan(&mut self, key: &ScopeKey, plan: Plan) {
        if let Some(refresh) = self.reader.scopes.get_mut(key).and_then(|scope| scope.refresh.as_mut()) {
            refresh.phase = Phase::Messages;
            refresh.queue.extend(plan.reads);
            refresh.unfinished = plan.unfinished;
        }
    }

    fn end_refresh(&mut self, key: &ScopeKey, now: Time) {
        let Some(refresh) = self.reader.scopes.get_mut(key).and_then(|scope| scope.refresh.take()) else {
            return;
        };
        if let ScopeKey::Directory(directory) = key {
            self.conclude_refresh(directory, &refresh, now);
            if refresh.error.is_none() {
                self.look_where_it_is_answered(now);
            }
        } else if refresh.sweep && refresh.error.is_none() {
            self.sweep.end(refresh.begun);
            let named = std::mem::take(&mut self.sweep.sessions);
            self.forget_unlisted(&named, refresh.begun);
            self.forget_unused(now);
            self.look_for_open_session(now);
        }
        self.doubt(now);
        let (pace_inputs, pace, jitter) = (self.pace_inputs(key, now), self.config.pace, self.seed.next() % 100);
        let sent = self.sent_last(key, now);
        let in_use = self.is_in_use(key, now);
        // The tab that leads sweeps for the others.
        let swept = if self.attention.following {
            Some(now)
        } else {
            self.sweep.begun
        };
        let next_sweep = swept.map_or(now, |swept| swept + pace.sweep);
        let sweeps = self.sweeps_per_look();
        let scope = self.scope(key.clone());
        let success = refresh.error.is_none();
        if success {
            scope.completed = scope.completed.max(Some(refresh.number));
        }
        scope.timed_out = refresh.error == Some(ReadError::TimedOut);
        let was_failing = scope.cadence.failures() > 0;
        scope.error = refresh.error;
        scope.cadence.end(now, success, pace_inputs, &pace, jitter);
        if !in_use && success {
            scope
                .cadence
                .postpone_until((next_sweep + pace.sweep * (sweeps - 1)).max(now + pace.busy));
        }
        if refresh.unfinished && success {
            scope.cadence.wake(now, &pace);
        }
        if let (Some(sent), true) = (sent, success) {
            // What does not show at once may take as long again.
            scope.cadence.look_again(now + now.since(sent), now, &pace);
        }
        self.changed |= was_failing || !success;
        self.read = true;
        self.prune(now);
    }

    /// Whether a scope is refreshed at its own pace; the others wait for the next sweep.
    fn is_in_use(&self, key: &ScopeKey, now: Time) -> bool {
        let ScopeKey::Directory(directory) = key else {
            return true;
        };
        let used = self.reader.scopes.get(key).and_then(|scope| scope.used);
        self.config.directory.is_some()
            || self.is_searching()
            || used.is_some_and(|used| now.since(used) < USE_LASTS)
            || self.is_busy(directory)
            || self
                .sessions
                .nodes
                .values()
                .any(|node| (node.is_undecided() || node.is_used_elsewhere()) && node.session.directory == *directory)
            || self
                .open_node()
                .is_some_and(|node| node.session.directory == *directory)
    }

    /// When something was last sent there whose proof is likely to show at any moment.
    fn sent_last(&self, key: &ScopeKey, now: Time) -> Option<Time> {
        /// How long a proof that is still missing is looked for at every opportunity. Source: docs/opencode.md §1: a tool part
        /// shows its answer within a fraction of a second, an aborted one within 0.3 s.
        const PROOF_SHOWS: std::time::Duration = std::time::Duration::from_secs(3);

        let ScopeKey::Directory(directory) = key else {
            return None;
        };
        let sent = self.outbox.queue.iter().filter_map(|delivery| {
            let Stage::Attempted {
                attempt: Attempt::Accepted,
                at,
            } = &delivery.entry.stage
            else {
                return None;
            };
            (delivery.entry.directory == *directory).then_some(*at)
        });
        let stopped = self.sessions.nodes.values().filter_map(|node| {
            let waits = node.session.directory == *directory && !matches!(node.turn.state(), TurnState::Ended { .. });
            node.stopped.filter(|_| waits)
        });
        let recent = |at: &Time| *at <= now && now.since(*at) < PROOF_SHOWS;
        sent.chain(stopped).filter(recent).max()
    }

    /// Something runs, waits or is on its way there.
    fn is_busy(&self, directory: &Directory) -> bool {
        self.sessions
            .nodes
            .values()
            .any(|node| (node.is_running() || node.woken) && node.session.directory == *directory)
            || self
                .requests
                .iter()
                .any(|(_, tracked)| tracked.request.directory == *directory && tracked.ended().is_none())
            || self.outbox.queue.iter().any(|delivery| {
                // What another tab sends, that tab looks after.
                let is_ours = delivery.entry.is_on_its_way() && !delivery.is_elsewhere();
                is_ours && delivery.entry.directory == *directory
            })
            || self
                .outbox
                .stops
                .sessions()
                .any(|session| self.is_in(session, directory))
    }

    fn pace_inputs(&self, key: &ScopeKey, now: Time) -> PaceInputs {
        let busy = match key {
            ScopeKey::Directory(directory) => self.is_busy(directory),
            ScopeKey::Sessions => {
                self.sessions.nodes.values().any(Node::is_running)
                    || self.requests.iter().any(|(_, tracked)| tracked.ended().is_none())
            }
        };
        let (awaited, reads_for_itself) = match key {
            ScopeKey::Directory(directory) => (self.is_awaited(directory), self.needs_own_reads(directory)),
            ScopeKey::Sessions => (false, false),
        };
        PaceInputs {
            busy: busy || awaited,
            visible: self.attention.visible,
            following: self.attention.following && !reads_for_itself,
            awaited,
            announced: self.announced_pause(key, now),
        }
    }

    /// Whether reads decide about something that this page has sent to a directory, is to send there, or looks for. Only its
    /// own can: whether those of another tab began after the send, or after the end of a countdown, cannot be told, because
    /// the clocks of two pages may differ by hours.
    pub(super) fn needs_own_reads(&self, directory: &Directory) -> bool {
        let may_be_sent = |delivery: &Delivery| delivery.needs_a_look() && !delivery.is_elsewhere();
        let is_counted_down = |tracked: &TrackedRequest| {
            let is_over = tracked
                .countdown
                .as_ref()
                .is_some_and(|countdown| !countdown.is_running());
            let is_unsaid = self.waits(tracked) && self.outbox.queue.get(&tracked.entry).is_none();
            is_over && is_unsaid && tracked.request.directory == *directory
        };
        let mut entries = self.outbox.queue.iter();
        self.is_searching()
            || self.is_awaited(directory)
            || self.requests.iter().any(|(_, tracked)| is_counted_down(tracked))
            || entries.any(|delivery| delivery.entry.directory == *directory && may_be_sent(delivery))
            || self
                .outbox
                .stops
                .sessions()
                .any(|session| self.is_in(session, directory))
    }

    /// Refreshes a directory at once: something was sent there, or something there asks for a decision.
    pub(crate) fn refresh_now(&mut self, directory: &Directory, now: Time) {
        let pace = self.config.pace;
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        scope.used = Some(now);
        scope.cadence.expedite(now, &pace);
    }

    pub(crate) fn directory_scope(&self, directory: &Directory) -> Option<&RefreshScope> {
        self.reader.scopes.get(&ScopeKey::Directory(directory.clone()))
    }
}

/// How long a directory stays in use after something was last seen to happen there.
pub(crate) const USE_LASTS: std::time::Duration = std::time::Duration::from_secs(60);

/// The session that is read, or whose messages are.
pub(super) fn session_of(read: &Read) -> Option<&SessionId> {
    match read {
        Read::Session { session, .. } | Read::Messages { session, .. } | Read::Message { session, .. } => Some(session),
        Read::Health
        | Read::Directories
        | Read::Sessions { .. }
        | Read::Questions(_)
        | Read::Permissions(_)
        | Read::Status(_) => None,
    }
}

/// The directory that is read, or whose session is.
fn directory_of(read: &Read) -> Option<&Directory> {
    match read {
        Read::Questions(directory) | Read::Permissions(directory) | Read::Status(directory) => Some(directory),
        Read::Session { directory, .. } | Read::Messages { directory, .. } | Read::Message { directory, .. } => {
            Some(directory)
        }
        Read::Health | Read::Directories | Read::Sessions { .. } => None,
    }
}

/// The list of a directory that is read, or its status (none).
pub(super) fn list_of(read: &Read) -> Option<(&Directory, Option<Kind>)> {
    match read {
        Read::Questions(directory) => Some((directory, Some(Kind::Question))),
        Read::Permissions(directory) => Some((directory, Some(Kind::Permission))),
        Read::Status(directory) => Some((directory, None)),
        Read::Health
        | Read::Directories
        | Read::Sessions { .. }
        | Read::Session { .. }
        | Read::Messages { .. }
        | Read::Message { .. } => None,
    }
}

/// What a whole refresh of a directory reads first.
fn lists(directory: &Directory) -> [Read; 3] {
    [
        Read::Questions(directory.clone()),
        Read::Permissions(directory.clone()),
        Read::Status(directory.clone()),
    ]
}

/// Whether a refresh has failed when this read has. What cannot be read of one session is that session's own failure, and
/// what only adds to a list is missed with the next sweep.
fn decides(read: &Read) -> bool {
    match read {
        Read::Questions(_) | Read::Permissions(_) | Read::Status(_) | Read::Sessions { .. } => true,
        Read::Health | Read::Directories | Read::Session { .. } | Read::Messages { .. } | Read::Message { .. } => false,
    }
}

/// Whether the server has said so of what was to be read: it says the same again a moment later.
fn is_of_what_is_read(error: &ReadError) -> bool {
    match error {
        ReadError::NotFound(_) | ReadError::Refused { .. } | ReadError::Server { .. } | ReadError::Unexpected(_) => {
            true
        }
        ReadError::Unreachable(_) | ReadError::Unauthorized | ReadError::TimedOut => false,
    }
}

/// A read that failed by chance is repeated once, at once.
fn is_worth_repeating(error: &ReadError) -> bool {
    match error {
        ReadError::Unreachable(_) | ReadError::Server { .. } | ReadError::Unexpected(_) => true,
        ReadError::TimedOut | ReadError::Unauthorized | ReadError::NotFound(_) | ReadError::Refused { .. } => false,
    }
}
