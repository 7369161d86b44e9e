//! The reference model: what is really the case, from what the server says has happened. It knows nothing of the engine.

use std::collections::BTreeMap;

use switchboard_core::Time;
use switchboard_core::model::{Answers, Message, Reply, Request, RequestId, Role, SessionId};
use switchboard_core::view::Ending;

use crate::opencode::{Client, Event, Happening, OpenCode, Reached};

/// What is really the case.
#[derive(Debug, Default)]
pub(super) struct Reference {
    pub(super) requests: BTreeMap<RequestId, ReferenceRequest>,
    pub(super) sessions: BTreeMap<SessionId, ReferenceSession>,
    /// The session of each message, by its text.
    pub(super) carriers: BTreeMap<String, SessionId>,
    /// Since when the server answers; none while it does not.
    pub(super) answers_since: Option<Time>,
    seen: usize,
}

/// A request, as it really is.
#[derive(Debug)]
pub(super) struct ReferenceRequest {
    pub(super) request: Request,
    /// When it was asked.
    pub(super) asked: Time,
    /// A tool call waits for it.
    pub(super) live: bool,
    /// When that last changed.
    pub(super) since: Time,
    /// The reply that the tool call was given, by whom, and whether it has it for sure.
    pub(super) taken: Option<(Client, Reply)>,
    /// A permission that the reply to another one settled: allowed, or rejected.
    pub(super) taken_along: Option<bool>,
    pub(super) delivered: bool,
    /// The server was killed after it was asked.
    pub(super) forgotten: bool,
}

/// A session, as it really is.
#[derive(Debug)]
pub(super) struct ReferenceSession {
    pub(super) runs: bool,
    /// When that last changed, or something else that its state follows from.
    pub(super) since: Time,
    /// Its last run ended because a question was dismissed or a permission rejected.
    blocked: bool,
    pub(super) deleted: bool,
    /// Its last run was stopped, and its messages are still to be closed.
    is_closing: bool,
    /// No run of it has ended.
    pub(super) never_ended: bool,
    /// Counts its runs and prompts.
    pub(super) turn: u32,
    /// When its last run began, and when one last ended.
    pub(super) last_begin: Option<Time>,
    pub(super) last_end: Option<Time>,
}

/// How a session stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Runs,
    Ended(Ending),
    /// Nothing runs there any more, and its last message is not final yet (docs/opencode.md, trap 8).
    Closing,
    /// It was never prompted.
    Fresh,
}

impl Reference {
    /// Whether the call of a permission has asked again since, and that was rejected.
    pub(super) fn rejects_later(&self, permission: &ReferenceRequest) -> bool {
        self.requests.values().any(|other| {
            permission.request.tool.is_some()
                && other.request.tool == permission.request.tool
                && other.request.id > permission.request.id
                && other.is_allowed() == Some(false)
        })
    }

    /// Takes in what has happened since the last time. Returns true when something has.
    pub(super) fn observe(&mut self, server: &OpenCode, now: Time) -> bool {
        if self.answers_since.is_none() && self.seen == 0 {
            self.answers_since = Some(now);
        }
        for (id, session) in &mut self.sessions {
            let is_closing = server.is_closing(id);
            if std::mem::replace(&mut session.is_closing, is_closing) != is_closing {
                session.since = now;
            }
        }
        if server.happened() == self.seen {
            return false;
        }
        for happening in server.happened_since(self.seen) {
            self.seen += 1;
            self.take(happening, server);
        }
        let live = server.live();
        for (id, request) in &mut self.requests {
            let is_live = live.contains(id);
            if request.live != is_live {
                (request.live, request.since) = (is_live, now);
            }
        }
        true
    }

    /// A session has a past: runs of it have ended.
    pub(super) fn remember(&mut self, id: &SessionId, now: Time) {
        self.session(id, now).never_ended = false;
    }

    fn take(&mut self, happening: Happening, server: &OpenCode) {
        let at = happening.at;
        match happening.event {
            Event::Asked(request) => {
                self.session(&request.session, at);
                let asked = ReferenceRequest {
                    asked: at,
                    live: true,
                    since: at,
                    taken: None,
                    taken_along: None,
                    delivered: false,
                    forgotten: false,
                    request: *request,
                };
                self.requests.insert(asked.request.id.clone(), asked);
            }
            Event::Replied {
                request,
                reply,
                by,
                to: Reached::Agent,
            } => {
                if let Some(asked) = self.requests.get_mut(&request) {
                    asked.taken = Some((by, reply));
                }
            }
            Event::TakenAlong { request, allowed } => {
                if let Some(asked) = self.requests.get_mut(&request) {
                    asked.taken_along = Some(allowed);
                }
            }
            Event::Delivered { request } => {
                if let Some(asked) = self.requests.get_mut(&request) {
                    asked.delivered = true;
                }
            }
            Event::Stored { session, text, .. } => {
                self.session(&session, at).turn += 1;
                self.carriers.insert(text, session);
            }
            Event::RunBegan { session } => {
                let session = self.session(&session, at);
                session.turn += 1;
                (session.runs, session.blocked) = (true, false);
                session.last_begin = Some(at);
            }
            Event::RunEnded { session, blocked } => {
                let session = self.session(&session, at);
                (session.runs, session.blocked, session.never_ended) = (false, blocked, false);
                session.last_end = Some(at);
            }
            // A prompt is stored some time later, and where a command runs there are no runs.
            Event::Prompted { session, .. } | Event::Aborted { session, .. } => {
                if let Some(session) = self.sessions.get_mut(&session) {
                    session.since = at;
                }
            }
            Event::Deleted { session } => {
                let session = self.session(&session, at);
                (session.runs, session.deleted, session.never_ended) = (false, true, false);
                session.last_end = Some(at);
            }
            Event::Disposed { directory } => {
                let is_there = |id: &SessionId| server.session(id).is_none_or(|found| found.directory == directory);
                self.end_runs(at, is_there);
            }
            Event::Killed => {
                self.end_runs(at, |_| true);
                self.requests.values_mut().for_each(|asked| asked.forgotten = true);
                self.answers_since = None;
            }
            Event::Answers => self.answers_since = Some(at),
            Event::Replied { .. } | Event::Changed { .. } => {}
        }
    }

    /// The session, whose state may have changed in this moment.
    fn session(&mut self, id: &SessionId, at: Time) -> &mut ReferenceSession {
        let session = self.sessions.entry(id.clone()).or_insert(ReferenceSession {
            runs: false,
            since: at,
            blocked: false,
            deleted: false,
            is_closing: false,
            never_ended: true,
            turn: 0,
            last_begin: None,
            last_end: None,
        });
        session.since = at;
        session
    }

    fn end_runs(&mut self, at: Time, are_over: impl Fn(&SessionId) -> bool) {
        let running = self
            .sessions
            .iter_mut()
            .filter(|(id, session)| session.runs && are_over(id));
        for (_, session) in running {
            (session.runs, session.since, session.never_ended) = (false, at, false);
            session.last_end = Some(at);
        }
    }

    /// How a run that still goes on is about to end: its last message is complete a moment before it is over.
    pub(super) fn announced(&self, id: &SessionId, server: &OpenCode) -> Option<Ending> {
        let blocked = self.sessions.get(id).is_some_and(|session| session.blocked);
        server.with_messages(id, |messages| {
            let last = messages.last().filter(|last| last.role == Role::Assistant)?;
            Some(ending_of(last, blocked)).filter(|ending| *ending != Ending::Interrupted)
        })
    }

    /// How a session stands, by its run and its messages.
    pub(super) fn standing(&self, id: &SessionId, server: &OpenCode) -> Standing {
        if server.status(id).is_some() {
            return Standing::Runs;
        }
        let session = self.sessions.get(id);
        if session.is_some_and(|session| session.runs) || server.is_closing(id) {
            return Standing::Closing;
        }
        let blocked = session.is_some_and(|session| session.blocked);
        server.with_messages(id, |messages| match messages.last() {
            None => Standing::Fresh,
            Some(last) if last.role == Role::User => Standing::Ended(Ending::NotStarted),
            Some(last) => Standing::Ended(ending_of(last, blocked)),
        })
    }
}

impl ReferenceRequest {
    /// Whether a permission was allowed, else rejected; none when nobody has settled it.
    pub(super) fn is_allowed(&self) -> Option<bool> {
        match &self.taken {
            Some((_, Reply::Once | Reply::Always)) => Some(true),
            Some((_, Reply::Reject { .. })) => Some(false),
            Some((_, Reply::Answers(_) | Reply::Dismiss)) => None,
            None => self.taken_along,
        }
    }

    /// The answers that the agent has.
    pub(super) fn answers(&self) -> Option<&Answers> {
        match &self.taken {
            Some((_, Reply::Answers(answers))) if self.delivered => Some(answers),
            Some(_) | None => None,
        }
    }
}

/// How a run has ended that left this as its last message.
fn ending_of(last: &Message, blocked: bool) -> Ending {
    let is_open = last.completed.is_none() || last.tools().any(|(_, tool)| !tool.status.is_final());
    let is_between = matches!(last.finish.as_deref(), Some("tool-calls" | "unknown"));
    match &last.error {
        _ if is_open => Ending::Interrupted,
        Some(error) if error.name == "MessageAbortedError" => Ending::Aborted,
        Some(error) if error.message.contains("rejected permission") => Ending::Dismissed,
        Some(_) => Ending::Failed,
        None if blocked => Ending::Dismissed,
        None if last.finish.is_none() && last.parts.is_empty() => Ending::Aborted,
        None if is_between => Ending::Interrupted,
        // A command of a client has no model that stops for a reason.
        None if last.finish.is_none() && last.tools().next().is_some() => Ending::Done,
        None if last.text().is_empty() => Ending::Empty,
        None => Ending::Done,
    }
}
