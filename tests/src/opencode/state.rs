//! What the server knows: on disk, and in the memory of its instances.

use std::collections::BTreeMap;
use std::fmt;

use futures::channel::oneshot;
use switchboard_core::model::{Answers, Directory, Message, Request, Session, SessionId, Status};
use switchboard_core::time::Time;

use super::history::Happening;
use super::ids::Ids;
use super::script::Script;
use super::{Accepted, Life};
use crate::executor::TaskId;
use crate::random::Random;

pub(super) struct State {
    pub(super) life: Life,
    pub(super) starts_cold: bool,
    pub(super) kill_after: Option<Accepted>,
    pub(super) clock_ahead: i64,
    pub(super) accepts_any_reply: bool,
    pub(super) parents_outrun_stops: bool,
    pub(super) password: bool,
    pub(super) scripts: Vec<Script>,
    pub(super) ids: Ids,
    /// On disk.
    pub(super) sessions: BTreeMap<SessionId, Stored>,
    /// In memory: gone after a restart.
    pub(super) instances: BTreeMap<Directory, Instance>,
    pub(super) history: Vec<Happening>,
}

#[derive(Debug)]
pub(super) struct Stored {
    pub(super) session: Session,
    pub(super) messages: Vec<Message>,
}

#[derive(Default)]
pub(super) struct Instance {
    pub(super) asked: Vec<Asked>,
    pub(super) statuses: BTreeMap<SessionId, Status>,
    pub(super) runs: BTreeMap<SessionId, Run>,
    /// Kind and pattern of what *always* allowed.
    pub(super) allowed: Vec<(String, String)>,
    /// When the first prompt after a start is through.
    pub(super) warm_from: Option<Time>,
}

/// A request that is listed. It is a ghost when nobody holds the other end of the channel any more.
pub(super) struct Asked {
    pub(super) request: Request,
    pub(super) waiter: oneshot::Sender<Verdict>,
}

/// What a waiting tool call is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Answered(Answers),
    Dismissed,
    Allowed,
    Rejected { message: Option<String>, ends_run: bool },
}

pub(super) struct Run {
    pub(super) task: TaskId,
    /// Tells the `task` call of the parent.
    pub(super) done: Option<oneshot::Sender<RunEnd>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    Finished(String),
    Blocked,
    Aborted,
}

impl State {
    pub(super) fn new(random: Random) -> Self {
        Self {
            life: Life::Up,
            starts_cold: false,
            kill_after: None,
            clock_ahead: 0,
            accepts_any_reply: false,
            parents_outrun_stops: false,
            password: false,
            scripts: Vec::new(),
            ids: Ids::new(random),
            sessions: BTreeMap::new(),
            instances: BTreeMap::new(),
            history: Vec::new(),
        }
    }

    /// The instance of a directory, made on first use.
    pub(super) fn instance(&mut self, directory: &Directory) -> &mut Instance {
        self.instances.entry(directory.clone()).or_default()
    }

    pub(super) fn directory(&self, session: &SessionId) -> Option<Directory> {
        self.sessions
            .get(session)
            .map(|stored| stored.session.directory.clone())
    }
}

impl Asked {
    pub(super) fn is_ghost(&self) -> bool {
        self.waiter.is_canceled()
    }
}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "server {:?}", self.life)?;
        for stored in self.sessions.values() {
            let Session { id, directory, .. } = &stored.session;
            let status = self
                .instances
                .get(directory)
                .and_then(|instance| instance.statuses.get(id));
            writeln!(
                formatter,
                "  {id} in {directory}: {status:?}, {} messages",
                stored.messages.len()
            )?;
        }
        for happening in &self.history {
            writeln!(formatter, "  {} {:?}", happening.at.0, happening.event)?;
        }
        Ok(())
    }
}
