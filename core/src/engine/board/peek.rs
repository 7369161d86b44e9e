//! Reads at once what was just asked, beside a refresh that has begun too early to show it.
//!
//! A peek only adds requests that were not known. It proves nothing about those that are, least of all that one has gone:
//! for that the reads of one refresh belong together.

use std::sync::Arc;

use crate::engine::board::Board;
use crate::engine::board::refresh::list_of;
use crate::engine::evidence::ReadStamp;
use crate::engine::refresh::reader::Reading;
use crate::engine::refresh::scope::{RefreshScope, ScopeKey};
use crate::engine::requests::Kind;
use crate::engine::server_clock::LastList;
use crate::model::Directory;
use crate::ports::{Fetched, Read, ReadError};
use crate::time::Time;

impl Board {
    /// Something was asked in a directory.
    pub(crate) fn handle_asked(&mut self, directory: Directory, kind: Kind, now: Time) {
        if !self.shows(&directory) || !self.has_room_for(&directory) {
            return;
        }
        self.announce(&directory, now);
        self.refresh_now(&directory, now);
        let (read, gap) = (list(&directory, kind), self.config.pace.wake_gap);
        let scope = self.scope(ScopeKey::Directory(directory));
        let will_be_read = scope
            .refresh
            .as_ref()
            .is_some_and(|refresh| refresh.queue.contains(&read));
        if !scope.cadence.is_due() && !will_be_read {
            scope.peeks.want(kind, gap, now);
        }
    }

    /// Begins a peek that is wanted. Half of the connections are left to refreshes, and directories that hang or fail get none.
    pub(super) fn peek(&mut self, now: Time) -> bool {
        let in_flight = &self.reader.in_flight;
        let peeks = || in_flight.values().filter(|reading| reading.is_peek);
        if peeks().count() >= self.config.limits.reads_in_flight / 2 {
            return false;
        }
        let next = self.reader.scopes.iter_mut().find_map(|(key, scope)| {
            let ScopeKey::Directory(directory) = key else {
                return None;
            };
            if scope.hangs() || scope.cadence.is_backing_off() || !scope.answered {
                return None;
            }
            let kind = scope
                .peeks
                .take(|kind| in_flight.values().all(|reading| reading.read != list(directory, kind)))?;
            Some((key.clone(), list(directory, kind)))
        });
        let Some((scope, read)) = next else { return false };
        self.start_read(Reading {
            scope,
            read,
            begun: now,
            repeated: false,
            is_peek: true,
        });
        true
    }

    /// A peek has ended. One that failed is not repeated, and says nothing of the server: the next refresh does.
    pub(super) fn handle_peek(
        &mut self,
        reading: &Reading,
        number: u64,
        result: Result<Fetched, ReadError>,
        now: Time,
    ) {
        let (Some((directory, Some(kind))), Ok(Fetched::Requests(requests))) = (list_of(&reading.read), result) else {
            return;
        };
        let Some(scope) = self.directory_scope(directory) else {
            return;
        };
        if is_outdated(scope, kind, reading.begun) {
            return;
        }
        // Without a list before it nothing tells what was just asked from ghosts: the refresh looks at those.
        let Some(before) = scope.listed.get(&kind).and_then(LastList::newest) else {
            return;
        };
        let read = ReadStamp {
            number,
            begun: reading.begun,
        };
        for request in requests {
            let id = request.id.clone();
            if self.requests.get(&id).is_some() {
                continue;
            }
            self.observe_made(&id, Some(before), now);
            self.offer(Arc::new(request), false, read, now);
            if let Some(tracked) = self.requests.get_mut(&id) {
                tracked.observe_listed(read);
            }
            self.decide_request(&id, now);
        }
    }
}

/// Whether a list that began later has been taken in: what it does not name has been and gone.
fn is_outdated(scope: &RefreshScope, kind: Kind, begun: Time) -> bool {
    scope.begun.get(&Some(kind)).is_some_and(|newest| *newest > begun)
}

fn list(directory: &Directory, kind: Kind) -> Read {
    match kind {
        Kind::Question => Read::Questions(directory.clone()),
        Kind::Permission => Read::Permissions(directory.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::engine::action::Action;
    use crate::model::{Ask, Request, RequestId, Session, SessionId, Status, ToolRef};
    use crate::ports::Wake;

    const AT: &str = "/d";

    fn request(id: &str, session: &str) -> Request {
        Request {
            id: id.into(),
            session: session.into(),
            directory: AT.into(),
            tool: Some(ToolRef {
                message: "msg_1".into(),
                call: "call_1".into(),
            }),
            ask: Ask::Questions(Vec::new()),
        }
    }

    /// A board that reads one directory, and the reads that it has begun.
    struct Bench {
        board: Board,
        begun: Vec<(u64, Read)>,
    }

    impl Bench {
        fn new(now: Time) -> Self {
            let mut config = Config::new(7);
            config.directory = Some(AT.into());
            let mut bench = Self {
                board: Board::new(config),
                begun: Vec::new(),
            };
            bench.pass(now);
            bench
        }

        fn pass(&mut self, now: Time) {
            while let Some(action) = self.board.next_action(now) {
                if let Action::Read { number, read } = action {
                    self.begun.push((number, read));
                }
            }
        }

        /// Answers the oldest such read that has begun.
        fn answer(&mut self, read: &Read, result: Result<Fetched, ReadError>, now: Time) {
            let place = self.begun.iter().position(|(_, begun)| begun == read).unwrap();
            let (number, _) = self.begun.remove(place);
            self.board.handle_read(number, result, now);
            self.pass(now);
        }

        fn answer_lists(&mut self, questions: Result<Fetched, ReadError>, now: Time) {
            let running = [(SessionId::from("ses_1"), Status::Busy)].into_iter().collect();
            self.answer(&Read::Questions(AT.into()), questions, now);
            self.answer(&Read::Permissions(AT.into()), Ok(Fetched::Requests(Vec::new())), now);
            self.answer(&Read::Status(AT.into()), Ok(Fetched::Statuses(running)), now);
        }

        fn is_shown(&self, id: &RequestId) -> bool {
            self.board
                .requests
                .get(id)
                .is_some_and(|tracked| tracked.is_published())
        }
    }

    fn session() -> Read {
        Read::Session {
            session: "ses_1".into(),
            directory: AT.into(),
        }
    }

    /// R2: in the first refresh of a directory, too
    #[test]
    fn what_an_earlier_list_does_not_name_is_no_old_ghost() {
        let mut bench = Bench::new(Time(1_000));
        bench.answer_lists(Ok(Fetched::Requests(Vec::new())), Time(1_010));
        bench.board.handle_wake(Wake::Question(AT.into()), Time(1_020));
        bench.pass(Time(1_020));
        let asked = Fetched::Requests(vec![request("que_1", "ses_1")]);
        if bench.begun.iter().any(|(_, read)| *read == Read::Questions(AT.into())) {
            bench.answer(&Read::Questions(AT.into()), Ok(asked.clone()), Time(1_030));
        }
        let found = Session::new("ses_1".into(), AT.into(), 0);
        bench.answer(&session(), Ok(Fetched::Session(Box::new(found))), Time(1_040));
        bench.board.handle_deadline(Time(1_300));
        bench.pass(Time(1_300));
        bench.answer_lists(Ok(asked), Time(1_310));
        assert!(bench.is_shown(&"que_1".into()));
    }

    /// R2, R12: where no list could be read before it, one that is read beside a refresh names old ghosts, too
    #[test]
    fn ghosts_are_looked_at_in_the_refresh_that_finds_them() {
        let mut bench = Bench::new(Time(1_000));
        let refused = ReadError::Refused {
            status: 429,
            message: String::new(),
        };
        bench.answer_lists(Err(refused), Time(1_010));
        bench.board.handle_wake(Wake::Question(AT.into()), Time(1_020));
        bench.pass(Time(1_020));
        let named = vec![request("que_1", "ses_2"), request("que_2", "ses_1")];
        if bench.begun.iter().any(|(_, read)| *read == Read::Questions(AT.into())) {
            bench.answer(&Read::Questions(AT.into()), Ok(Fetched::Requests(named)), Time(1_030));
        }
        let found = Session::new("ses_1".into(), AT.into(), 0);
        bench.answer(&session(), Ok(Fetched::Session(Box::new(found))), Time(1_040));
        bench.pass(Time(3_035));
        bench.board.publish_due(Time(3_035));
        assert!(!bench.is_shown(&"que_1".into()));
    }
}
