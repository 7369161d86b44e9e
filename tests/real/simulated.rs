//! The simulated OpenCode as the subject of a story.

use std::time::Duration;

use switchboard_core::model::{Directory, Prompt, SessionId};
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError};
use switchboard_core::{Clock, Time};
use switchboard_tests::clock::VirtualClock;
use switchboard_tests::executor::Executor;
use switchboard_tests::opencode::{Client, Life, OpenCode};
use switchboard_tests::random::Random;

use crate::subject::Subject;

pub(crate) struct Simulated {
    clock: VirtualClock,
    executor: Executor,
    server: OpenCode,
    directory: Directory,
}

impl Simulated {
    /// A server that works in `directory`.
    pub(crate) fn new(directory: Directory) -> Self {
        let clock = VirtualClock::new(Time(1_795_300_000_000));
        let executor = Executor::new(clock.clone());
        let server = OpenCode::new(clock.clone(), executor.clone(), Random::new(1));
        Self {
            clock,
            executor,
            server,
            directory,
        }
    }

    /// The same, with the other outcome of the race between a stop and a parent (`OpenCode::let_parents_outrun_stops`).
    pub(crate) fn outrun(self) -> Self {
        self.server.let_parents_outrun_stops();
        self
    }
}

impl Subject for Simulated {
    fn directory(&self) -> Directory {
        self.directory.clone()
    }

    fn read(&mut self, read: &Read) -> Result<Fetched, ReadError> {
        self.server.read(read)
    }

    fn post(&mut self, post: &Post) -> Posted {
        let posted = self.server.post(Client::Other, post);
        while posted == Posted::Accepted && self.server.is_at_work(post) {
            self.pause(Duration::from_millis(10));
        }
        posted
    }

    fn begin_post(&mut self, post: &Post) {
        self.server.post(Client::Other, post);
    }

    fn prompt_with_format(&mut self, session: &SessionId, prompt: &Prompt) {
        self.server.store_with_format(session, prompt);
    }

    fn import(&mut self, ahead: Duration) -> SessionId {
        self.server.import(&self.directory, ahead)
    }

    fn archive(&mut self, session: &SessionId) {
        self.server.archive(session);
    }

    fn delete(&mut self, session: &SessionId) {
        self.server.delete(session);
    }

    fn dispose(&mut self) {
        self.server.dispose(&self.directory);
    }

    fn restart(&mut self) {
        self.server.kill();
        self.server.start();
        while self.server.life() != Life::Up {
            self.pause(Duration::from_millis(10));
        }
    }

    fn read_beside(&mut self, read: &Read) -> Result<Fetched, ReadError> {
        self.server.beside().read(read)
    }

    fn post_beside(&mut self, post: &Post) -> Posted {
        self.server.beside().post(Client::Other, post)
    }

    fn kill_beside(&mut self) {
        self.server.beside().kill();
    }

    fn now(&self) -> Time {
        self.clock.now()
    }

    fn pause(&mut self, span: Duration) {
        self.executor.run_to(self.clock.now() + span);
    }
}
