//! Reads less often what events announce: where nothing can happen that would not be announced first.

use std::time::Duration;

use crate::engine::board::Board;
use crate::engine::refresh::scope::ScopeKey;
use crate::engine::refresh::trust::ANNOUNCED_WITHIN;
use crate::engine::requests::Kind;
use crate::engine::server_clock::LastList;
use crate::engine::sessions::session::Node;
use crate::model::{Directory, SessionId};
use crate::time::Time;
use crate::view::{StuckCause, TurnState};

/// The messages of a session that waits for a person are read again after this time, those of one session in each refresh: of
/// one alone with every second refresh.
const WAITING_READ: Duration = Duration::from_secs(15);

/// The lists of requests of a directory in which nothing runs are read again after this time.
const LISTS_READ: Duration = Duration::from_secs(60);

impl Board {
    /// An event has named a directory.
    pub(crate) fn announce(&mut self, directory: &Directory, now: Time) {
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        scope.announced = Some(now);
        scope.unannounced = None;
    }

    /// A read of a directory shows what the one before it did not, which began at `before`. A tab that follows hears no events.
    pub(super) fn note_found(&mut self, directory: &Directory, before: Time, now: Time) {
        if self.attention.following {
            return;
        }
        let Some(heard_since) = self.reader.trust.since() else {
            return;
        };
        let scope = self.scope(ScopeKey::Directory(directory.clone()));
        if scope.announced.max(Some(heard_since)) < Some(before) {
            scope.unannounced.get_or_insert(now);
        }
    }

    /// Ends trust in the events when one that should have come has not.
    pub(super) fn doubt(&mut self, now: Time) {
        let mut is_contradicted = false;
        for scope in self.reader.scopes.values_mut() {
            is_contradicted |= scope
                .unannounced
                .take_if(|found| now.since(*found) >= ANNOUNCED_WITHIN)
                .is_some();
        }
        if is_contradicted {
            self.reader.trust.contradict(now);
            self.end_long_pauses(now);
        }
    }

    /// Ends the pauses that last longer because events were trusted. Those of a hidden page never do.
    pub(super) fn end_long_pauses(&mut self, now: Time) {
        if !self.attention.visible {
            return;
        }
        let pace = self.config.pace;
        let rest = if self.attention.following {
            pace.follow_patience
        } else {
            pace.busy
        };
        for (key, scope) in self.reader.scopes.iter_mut() {
            if *key == ScopeKey::Sessions || scope.used.is_some() {
                scope.cadence.postpone_at_most_until(now + rest);
            }
        }
    }

    /// How long the pause of a scope may be.
    pub(super) fn announced_pause(&self, key: &ScopeKey, now: Time) -> Duration {
        let is_doubted = self.reader.scopes.values().any(|scope| scope.unannounced.is_some());
        if is_doubted {
            return Duration::ZERO;
        }
        let pace = &self.config.pace;
        let longest = match key {
            // A session that is not known is announced by name, and the list is read at once.
            ScopeKey::Sessions => pace.announced,
            ScopeKey::Directory(directory) => self.longest_announced(directory),
        };
        self.reader.trust.pause(now).min(longest)
    }

    /// The longest pause of a directory: none while something is on its way to it, or something there is in question.
    fn longest_announced(&self, directory: &Directory) -> Duration {
        let here = || {
            let nodes = self.sessions.nodes.values();
            nodes.filter(|node| node.session.directory == *directory)
        };
        let mut entries = self.outbox.queue.iter();
        let is_loading = |node: &Node| !node.transcript.is_anchored() || self.attention.older_wanted;
        let is_in_question = here().any(|node| node.woken || !node.is_running() && node.is_undecided())
            || self
                .open_node()
                .is_some_and(|node| node.session.directory == *directory && is_loading(node))
            || entries.any(|delivery| delivery.entry.directory == *directory && delivery.entry.is_on_its_way())
            || self.needs_own_reads(directory)
            || !self.wanted_looks(directory).is_empty();
        let works = |node: &&Node| node.is_running() && !waits(node);
        let is_behind = |node: &Node| !node.is_read() || node.problem.is_some();
        let pace = &self.config.pace;
        if is_in_question || here().filter(works).any(is_behind) {
            Duration::ZERO
        } else if here().any(|node| works(&node)) {
            pace.announced_running
        } else {
            pace.announced
        }
    }

    /// Whether nothing runs in a directory, nothing is asked there, and nothing is in question: the status shows when that
    /// changes, for who asks runs.
    pub(super) fn sleeps(&self, directory: &Directory) -> bool {
        let mut here = self
            .sessions
            .nodes
            .values()
            .filter(|node| node.session.directory == *directory);
        let mut requests = self.requests.iter();
        let Some(scope) = self.directory_scope(directory) else {
            return false;
        };
        scope.is_concluded
            && scope.statuses.is_empty()
            && scope.unannounced.is_none()
            && scope.cadence.failures() == 0
            && here.all(|node| !node.is_running())
            && !requests.any(|(_, tracked)| tracked.request.directory == *directory && tracked.ended().is_none())
            && self.longest_announced(directory) > Duration::ZERO
    }

    /// Whether a refresh may read the status of a directory alone: nothing was announced since the last one, and the lists are
    /// not old.
    pub(super) fn may_glance(&self, directory: &Directory, now: Time) -> bool {
        let Some(scope) = self.directory_scope(directory) else {
            return false;
        };
        let is_listed = |kind: Kind| {
            let newest = scope.listed.get(&kind).and_then(LastList::newest);
            newest.is_some_and(|newest| now < newest.begun() + LISTS_READ)
        };
        self.reader.trust.pause(now) >= self.config.pace.announced
            && scope.announced < scope.cadence.last_begun()
            && is_listed(Kind::Question)
            && is_listed(Kind::Permission)
            && self.sleeps(directory)
    }

    /// Whether the messages of a session need not be read again in each refresh: it waits for a person, nothing has happened in
    /// it, and events would have said so. A tab that follows hears no events, and one that could not be read does not rest: it
    /// would keep its turn for ever.
    pub(super) fn rests_announced(&self, node: &Node, now: Time) -> bool {
        !self.attention.following
            && !node.woken
            && waits(node)
            && node.is_read()
            && node.problem.is_none()
            && self.reader.trust.pause(now) >= self.config.pace.announced
    }

    /// Whether it rests, and was read a short while ago.
    pub(super) fn rests_a_while(&self, node: &Node, now: Time) -> bool {
        now < node.tail_read.begun + WAITING_READ && self.rests_announced(node, now)
    }

    /// The session whose turn it is among those that rest: it was not read for the longest time.
    pub(super) fn next_of_resting(&self, directory: &Directory, now: Time) -> Option<SessionId> {
        let here = |node: &Node| node.session.directory == *directory && !self.is_followed(&node.session.id);
        let is_due = |node: &Node| self.rests_announced(node, now) && !self.rests_a_while(node, now);
        let nodes = self.sessions.nodes.values();
        let due = nodes.filter(|node| here(node) && is_due(node));
        let next = due.min_by_key(|node| node.tail_read.number)?;
        Some(next.session.id.clone())
    }
}

/// It runs, and cannot go on before a person has answered it or a sub-agent.
fn waits(node: &Node) -> bool {
    let waits = matches!(
        node.turn.state(),
        TurnState::WaitingForHuman { .. }
            | TurnState::Stuck {
                cause: StuckCause::DescendantWaits(_),
                ..
            }
    );
    node.is_running() && waits
}
