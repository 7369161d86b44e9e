//! What the server knows: on disk, and in the memory of its instances.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::mem::swap;
use std::time::Duration;

use futures::channel::oneshot;
use switchboard_core::model::{Answers, Directory, Message, MessageId, PartId, Request, Session, SessionId, Status};
use switchboard_core::{SortedMap, Time};

use super::history::Happening;
use super::ids::Ids;
use super::script::Script;
use super::timing;
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
    /// From idle to the final message, after an abort or an error (docs/opencode.md, trap 8).
    pub(super) closes_after: Duration,
    /// From a complete reply until what it has changed is noted (docs/opencode.md, section 4).
    pub(super) notes_changes_after: Duration,
    pub(super) password: bool,
    pub(super) scripts: Vec<Script>,
    /// The steps of scripts that have come before, of those that are another one then.
    pub(super) steps_before: BTreeSet<String>,
    /// The tokens and the dollars of each step of a model, as far as the server tells them.
    pub(super) price: (Option<u64>, Option<f64>),
    pub(super) ids: Ids,
    /// On disk.
    pub(super) sessions: BTreeMap<SessionId, Stored>,
    /// The memory of the other process, while this one is at work.
    pub(super) other: Memory,
    /// In memory: gone after a restart.
    pub(super) instances: BTreeMap<Directory, Instance>,
    /// What is being said: it reads as empty until it has ended.
    pub(super) speeches: BTreeMap<PartId, Speech>,
    /// Prompts with a format (docs/opencode.md, trap 11).
    pub(super) spoiled: BTreeSet<MessageId>,
    /// Sessions whose last run is being closed.
    pub(super) stopping: BTreeSet<SessionId>,
    pub(super) history: Vec<Happening>,
    /// How often each command that changes was run.
    pub(super) commands: BTreeMap<String, usize>,
}

/// The memory of one process, and what happened there.
#[derive(Default)]
pub(super) struct Memory {
    instances: BTreeMap<Directory, Instance>,
    speeches: BTreeMap<PartId, Speech>,
    stopping: BTreeSet<SessionId>,
    history: Vec<Happening>,
}

#[derive(Debug)]
pub(super) struct Stored {
    pub(super) session: Session,
    /// In the order of their arrival, which `created` need not tell: a prompt that is sent again is created again.
    pub(super) messages: Vec<Message>,
    pub(super) arrivals: BTreeMap<MessageId, u64>,
}

#[derive(Default)]
pub(super) struct Instance {
    pub(super) asked: Vec<Asked>,
    pub(super) statuses: SortedMap<SessionId, Status>,
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

/// A text on its way.
#[derive(Debug)]
pub(super) struct Speech {
    pub(super) text: String,
    pub(super) begun: Time,
    /// Characters of a chunk, and milliseconds between two.
    pub(super) pace: (usize, u64),
}

impl Speech {
    /// What was said until now.
    pub(super) fn said(&self, now: Time) -> String {
        let (chunk, delay) = self.pace;
        let chunks = 1 + now.0.saturating_sub(self.begun.0) / delay.max(1);
        let characters = usize::try_from(chunks).unwrap_or(usize::MAX).saturating_mul(chunk);
        self.text.chars().take(characters).collect()
    }
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
    Blocked(String),
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
            closes_after: timing::FINAL_AFTER_IDLE,
            notes_changes_after: timing::NOTED,
            password: false,
            scripts: Vec::new(),
            steps_before: BTreeSet::new(),
            price: (None, None),
            ids: Ids::new(random),
            sessions: BTreeMap::new(),
            other: Memory::default(),
            instances: BTreeMap::new(),
            speeches: BTreeMap::new(),
            spoiled: BTreeSet::new(),
            stopping: BTreeSet::new(),
            history: Vec::new(),
            commands: BTreeMap::new(),
        }
    }

    /// Lets the other process be the one at work.
    pub(super) fn change_process(&mut self) {
        swap(&mut self.instances, &mut self.other.instances);
        swap(&mut self.speeches, &mut self.other.speeches);
        swap(&mut self.stopping, &mut self.other.stopping);
        swap(&mut self.history, &mut self.other.history);
    }

    /// The instance of a directory, made on first use.
    pub(super) fn instance(&mut self, directory: &Directory) -> &mut Instance {
        self.instances.entry(plain(directory)).or_default()
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

/// The directory as the server writes it: without what leads nowhere.
pub(super) fn plain(directory: &Directory) -> Directory {
    let mut names: Vec<&str> = Vec::new();
    for name in directory.as_str().split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    let path = format!("/{}", names.join("/"));
    if path == directory.as_str() {
        directory.clone()
    } else {
        Directory::new(path)
    }
}
