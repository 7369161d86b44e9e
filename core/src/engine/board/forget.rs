//! What a board forgets, and the limits of what it holds. What a person has said or typed is never forgotten.

use std::time::Duration;

use crate::collections::{SortedSet, sort_by_key};
use crate::engine::board::Board;
use crate::engine::board::refresh::USE_LASTS;
use crate::engine::refresh::looks::Subject;
use crate::engine::refresh::scope::ScopeKey;
use crate::metrics::KEPT;
use crate::model::{Directory, DraftKey, MessageId, RequestId, SessionId, Stage};
use crate::ports::SessionLink;
use crate::time::Time;

/// How long an ended request is remembered that needs no word.
pub(crate) const SHOWN_AFTER_END: Duration = Duration::from_secs(30);
/// Beyond so many directories, one that only an event has named waits for the next sweep: a server may name any number.
pub(crate) const DIRECTORIES_MAX: usize = 1_000;
/// Figures that are held, the newest ones: twenty requests an hour for three weeks.
const FIGURES_MAX: usize = 10_000;
/// Links that are held, the newest ones.
const LINKS_MAX: usize = 10_000;

impl Board {
    /// Forgets what needs no word any more.
    pub(crate) fn prune(&mut self, now: Time) {
        // What has ended is shown for a while only: time alone may change the view.
        self.changed |= self.requests.iter().any(|(_, tracked)| tracked.ended().is_some())
            || self.outbox.queue.iter().any(|delivery| !delivery.entry.is_on_its_way());
        self.forget_old_figures(now);
        let drafts = &self.drafts;
        let ledger = &self.outbox.queue;
        self.requests.prune(|id, tracked| {
            let Some((_, at)) = tracked.ended() else { return true };
            let entry = ledger.get(&tracked.entry);
            tracked.is_listed() == Some(true)
                || now.since(*at) < SHOWN_AFTER_END
                || drafts.get(&DraftKey::Request(id.clone())).is_some()
                || entry.is_some_and(|delivery| !delivery.entry.is_finished())
                || (!tracked.settled && crate::engine::board::view_builder::needs_a_word(tracked))
        });
        self.outbox.queue.prune(|entry| match entry.stage {
            Stage::Ended { at, .. } => now.since(at) < SHOWN_AFTER_END,
            Stage::Saved | Stage::Attempting { .. } | Stage::Attempted { .. } => false,
        });
        let prompts: Vec<MessageId> = self
            .outbox
            .queue
            .iter()
            .filter_map(|delivery| crate::engine::board::deliver::message_of(&delivery.entry))
            .collect();
        self.outbox.stored.retain(|id, _| prompts.contains(id));
        let (unknown, nodes) = (&self.sessions.unknown, &self.sessions.nodes);
        let (requests, queue) = (&self.requests, &self.outbox.queue);
        self.reader.looks.retain(|subject| match subject {
            Subject::Send(id) => queue.get(id).is_some(),
            Subject::Request(id) => requests.get(id).is_some_and(|tracked| tracked.ended().is_none()),
            Subject::Session(id) => unknown.contains_key(id) || nodes.get(id).is_some_and(|node| node.questioned),
        });
        let mentioned = self.mentioned_sessions();
        let (open, scopes) = (&self.attention.open, &self.reader.scopes);
        self.sessions.unknown.retain(|id, directory| {
            let scope = scopes.get(&ScopeKey::Directory(directory.clone()));
            mentioned.contains(id)
                || open.as_ref() == Some(id)
                || scope.is_some_and(|scope| scope.statuses.contains_key(id))
        });
        let mut previews = std::mem::take(&mut self.attention.previews);
        previews.retain(|session| self.is_followed(session));
        self.attention.previews = previews;
    }

    /// A complete sweep that began then has named these sessions, and not some others. Of those that it has not named the ones
    /// that matter are asked for; the others are forgotten, unless they were made since.
    pub(crate) fn forget_unlisted(&mut self, named: &SortedSet<SessionId>, begun: Time) {
        let count = self.sessions.nodes.len();
        self.sessions.nodes.retain(|id, node| {
            if named.contains(id) || node.has_moved_since(begun) {
                return true;
            }
            let matters = self.attention.open.as_ref() == Some(id)
                || self.attention.needed.contains_key(id)
                || node.is_running()
                || self.outbox.stops.contains(id)
                || self.waits.commands.contains_key(id)
                || self.waits.replies.values().any(|awaited| awaited.session == *id)
                || self.requests.iter().any(|(_, tracked)| tracked.request.session == *id)
                || self.outbox.queue.iter().any(|delivery| delivery.entry.session == *id);
            node.questioned |= matters;
            matters
        });
        self.changed |= self.sessions.nodes.len() != count;
    }

    /// Forgets directories and deleted sessions that nothing refers to any more. A complete sweep has named what there is.
    pub(crate) fn forget_unused(&mut self, now: Time) {
        let mentioned = self.mentioned_sessions();
        let (open, scopes) = (&self.attention.open, &self.reader.scopes);
        self.sessions.gone.retain(|id, _| {
            mentioned.contains(id)
                || open.as_ref() == Some(id)
                || scopes.values().any(|scope| scope.statuses.contains_key(id))
        });
        let Some(listed) = self.sweep.directories.take() else {
            return;
        };
        let of_requests = self.requests.iter().map(|(_, tracked)| &tracked.request.directory);
        let of_sends = self.outbox.queue.iter().map(|delivery| &delivery.entry.directory);
        let of_sessions = self.sessions.nodes.values().map(|node| &node.session.directory);
        let needed = of_requests.chain(of_sends).chain(of_sessions);
        let needed: SortedSet<&Directory> = needed
            .chain(self.sessions.unknown.values())
            .chain(&self.config.directory)
            .collect();
        self.reader.scopes.retain(|key, scope| match key {
            ScopeKey::Sessions => true,
            ScopeKey::Directory(directory) => {
                needed.contains(directory)
                    || listed.contains(directory)
                    || scope.refresh.is_some()
                    || scope.used.is_some_and(|used| now.since(used) < USE_LASTS)
            }
        });
    }

    /// The sessions that requests and sends refer to, and those that are needed.
    fn mentioned_sessions(&self) -> SortedSet<SessionId> {
        let of_requests = self.requests.iter().map(|(_, tracked)| &tracked.request.session);
        let of_sends = self.outbox.queue.iter().map(|delivery| &delivery.entry.session);
        let needed = self.attention.needed.keys();
        of_requests.chain(of_sends).chain(needed).cloned().collect()
    }

    /// Takes the links that the store holds.
    pub(crate) fn observe_links(&mut self, mut links: Vec<SessionLink>) {
        sort_by_key(&mut links, |link| std::cmp::Reverse(link.made));
        links.truncate(LINKS_MAX);
        if self.sessions.links.len() >= LINKS_MAX {
            self.sessions.links.clear();
        }
        self.sessions
            .links
            .extend(links.into_iter().map(|link| (link.session, link.made_for)));
    }

    fn forget_old_figures(&mut self, now: Time) {
        let requests = &self.requests;
        let is_held = |id: &RequestId| requests.get(id).is_some();
        self.figures
            .retain(|id, figure| now.since(figure.seen) < KEPT || is_held(id));
        let surplus = self.figures.len().saturating_sub(FIGURES_MAX);
        if surplus == 0 {
            return;
        }
        let mut seen: Vec<u64> = self.figures.values().map(|figure| figure.seen.0).collect();
        let (_, newest_forgotten, _) = seen.select_nth_unstable(surplus - 1);
        let newest_forgotten = Time(*newest_forgotten);
        self.figures
            .retain(|id, figure| figure.seen > newest_forgotten || is_held(id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collections::SortedMap;
    use crate::config::Config;
    use crate::metrics::Figure;
    use crate::model::{Ask, Request, Status};
    use crate::ports::Wake;
    use std::sync::Arc;

    const NOW: Time = Time(1_000_000);

    fn board() -> Board {
        Board::new(Config::new(7))
    }

    fn directory(number: usize) -> Directory {
        format!("/{number}").as_str().into()
    }

    fn session(number: usize) -> SessionId {
        format!("ses_{number}").as_str().into()
    }

    fn directories(board: &Board) -> usize {
        board.reader.scopes.len() - 1
    }

    #[test]
    fn events_name_only_so_many_directories_and_the_next_sweep_forgets_those_that_are_not_there() {
        let mut board = board();
        for number in 0..DIRECTORIES_MAX + 10 {
            board.handle_wake(Wake::Question(directory(number)), NOW);
        }
        assert_eq!(directories(&board), DIRECTORIES_MAX - 1);

        board.sweep.directories = Some([directory(3)].into_iter().collect());
        board.forget_unused(NOW);
        assert_eq!(directories(&board), DIRECTORIES_MAX - 1, "they are in use");
        board.sweep.directories = None;
        board.forget_unused(NOW + USE_LASTS);
        assert_eq!(
            directories(&board),
            DIRECTORIES_MAX - 1,
            "what is there could not be read"
        );
        board.sweep.directories = Some([directory(3)].into_iter().collect());
        board.forget_unused(NOW + USE_LASTS);
        assert_eq!(directories(&board), 1);
    }

    #[test]
    fn a_directory_in_which_somebody_waits_is_kept_whatever_the_sweep_says() {
        let mut board = board();
        let request = Request {
            id: "que_1".into(),
            session: session(1),
            directory: directory(1),
            tool: None,
            ask: Ask::Questions(Vec::new()),
        };
        board.handle_wake(Wake::Question(directory(1)), NOW);
        board.requests.recall(&Arc::new(request), NOW);
        board.sweep.directories = Some(SortedSet::new());
        board.forget_unused(NOW + USE_LASTS);
        assert_eq!(directories(&board), 1);
    }

    #[test]
    fn sessions_that_nothing_refers_to_any_more_are_not_asked_for() {
        let mut board = board();
        board.handle_wake(Wake::Question(directory(1)), NOW);
        let statuses: SortedMap<SessionId, Status> = [(session(1), Status::Busy)].into_iter().collect();
        let scope = board.scope(ScopeKey::Directory(directory(1)));
        scope.statuses = statuses;
        for number in 1..100 {
            board.sessions.unknown.insert(session(number), directory(1));
            board.sessions.gone.insert(session(number), NOW);
        }
        board.prune(NOW);
        board.forget_unused(NOW);
        assert_eq!((board.sessions.unknown.len(), board.sessions.gone.len()), (1, 1));
    }

    #[test]
    fn the_newest_figures_and_links_are_held() {
        let mut board = board();
        let figure = |number: usize| Figure {
            request: format!("que_{number}").as_str().into(),
            session: session(1),
            is_permission: false,
            asked: None,
            seen: Time(number as u64),
            answered: None,
            accepted: None,
            confirmed: None,
            by: None,
            stopped: None,
        };
        board.handle_figures(Ok((0..FIGURES_MAX + 5).map(figure).collect()), NOW);
        board.prune(NOW);
        assert_eq!(board.figures.len(), FIGURES_MAX);
        assert!(
            board
                .figures
                .contains_key(&format!("que_{}", FIGURES_MAX + 4).as_str().into())
        );

        let link = |number: usize| SessionLink {
            session: session(number),
            made_for: session(0),
            made: Time(number as u64),
        };
        for _ in 0..2 {
            board.observe_links((0..LINKS_MAX + 5).map(link).collect());
            assert_eq!(board.sessions.links.len(), LINKS_MAX);
        }
        assert!(
            !board.sessions.links.contains_key(&session(4))
                && board.sessions.links.contains_key(&session(LINKS_MAX + 4))
        );
    }
}
