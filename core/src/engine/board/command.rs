//! Commands that run in sessions of their own: what they print is looked for by a token (requirements F7).

use std::time::Duration;

use futures::channel::oneshot;

use crate::engine::board::Board;
use crate::engine::sessions::session::Node;
use crate::engine::told::Waiter;
use crate::engine::waits::shell::{ShellCommand, ShellError, ShellResult, unwrapped, wrapped};
use crate::log::Level;
use crate::model::{Directory, SessionId, ToolPart};
use crate::ports::{Post, Posted};
use crate::time::Time;
use crate::view::{Ending, TurnState};

/// How long a command that the server may not have got is looked for. Source: docs/opencode.md, trap 9: a cold server takes 5 s.
const SHOWS: Duration = Duration::from_secs(10);

/// How long after its time is up the session of a command may be unread before it is said that its end is not known. Longer
/// than the longest pause after failures, and a read that runs out of time.
const UNREAD_MAX: Duration = Duration::from_secs(60);

/// Somebody who waits for a command.
#[derive(Debug)]
pub(crate) struct CommandWaiter {
    token: String,
    since: Time,
    deadline: Time,
    /// It is looked at once more, for its time is up.
    is_late: bool,
    /// It can be found again under its name: who waits for it waits until its session is read.
    is_named: bool,
    /// When its request ended, and what came of it.
    posted: Option<(Time, Posted)>,
    waiter: Waiter<Result<ShellResult, ShellError>>,
}

impl CommandWaiter {
    /// From when on its session shows whether a command has begun whose request is in doubt.
    fn shows_from(&self) -> Option<Time> {
        match &self.posted {
            Some((at, Posted::InDoubt(_))) => Some(*at + SHOWS),
            Some(_) | None => None,
        }
    }
}

/// What is seen of a command.
enum Seen<'a> {
    Nothing,
    Running(&'a ToolPart),
    Ended(&'a ToolPart),
}

/// The word before the exit code, which nothing else prints.
fn token_of(name: &str) -> String {
    format!("switchboard-{name}")
}

impl Board {
    /// Runs a command. Its token is made of a name of the caller's own, by which it is found again, or else is random.
    pub(crate) fn run_shell(
        &mut self,
        session: &SessionId,
        command: &ShellCommand,
        name: Option<&str>,
        now: Time,
    ) -> oneshot::Receiver<Result<ShellResult, ShellError>> {
        let (waiter, receiver) = self.told.waiter();
        let token = name.map_or_else(|| token_of(&format!("{:016x}", self.seed.next())), token_of);
        let post = Post::Shell {
            session: session.clone(),
            directory: command.directory.clone(),
            agent: command.agent.clone(),
            command: wrapped(&command.command, &token),
        };
        let running = CommandWaiter {
            token,
            since: now,
            deadline: now + command.timeout,
            is_late: false,
            is_named: name.is_some(),
            posted: None,
            waiter,
        };
        self.waits.commands.insert(session.clone(), running);
        self.record(Level::Info, format!("{session}: runs a command"));
        // What becomes of the request is noted by its session.
        drop(self.command(post, Some(session.clone())));
        receiver
    }

    /// Waits for a command that was sent under this name before, or was about to be. It is not sent.
    pub(crate) fn find_shell(
        &mut self,
        session: &SessionId,
        command: &ShellCommand,
        name: &str,
        now: Time,
    ) -> oneshot::Receiver<Result<ShellResult, ShellError>> {
        let (waiter, receiver) = self.told.waiter();
        let left = "the page was closed before it was known".to_owned();
        let running = CommandWaiter {
            token: token_of(name),
            since: now,
            deadline: now + command.timeout,
            is_late: false,
            is_named: true,
            posted: Some((now, Posted::InDoubt(left))),
            waiter,
        };
        self.waits.commands.insert(session.clone(), running);
        self.record(Level::Info, format!("{session}: looks for a command"));
        self.refresh_now(&command.directory, now);
        receiver
    }

    /// What a command that is waited for has printed so far.
    pub(crate) fn running_output(&self, session: &SessionId) -> Option<String> {
        match self.seen_of_shell(session) {
            Seen::Running(tool) => tool.output.clone(),
            Seen::Ended(_) | Seen::Nothing => None,
        }
    }

    /// The request of a command has ended, which says little of the command.
    pub(crate) fn observe_shell_posted(&mut self, session: &SessionId, posted: &Posted, now: Time) {
        let Some(running) = self.waits.commands.get_mut(session) else {
            return;
        };
        running.posted = Some((now, posted.clone()));
        let refused = match posted {
            Posted::Refused(refusal) => refusal.to_string(),
            Posted::NotFound(message) => message.clone(),
            Posted::Unauthorized => "a password is wanted".to_owned(),
            Posted::Accepted | Posted::Created(_) | Posted::InDoubt(_) => return,
        };
        self.end_shell(session, Err(ShellError::Refused(refused)));
    }

    pub(crate) fn next_shell_deadline(&self) -> Option<Time> {
        let commands = self.waits.commands.values();
        let next = commands.filter_map(|running| match running.is_late {
            false => Some(self.deadline_of_shell(running)),
            true => self.unread_until(running),
        });
        next.min()
    }

    fn deadline_of_shell(&self, running: &CommandWaiter) -> Time {
        self.deadline_after_pause(running.since, running.deadline)
    }

    /// How long its session may be unread at the most.
    fn unread_until(&self, running: &CommandWaiter) -> Option<Time> {
        (!running.is_named).then(|| self.deadline_of_shell(running) + UNREAD_MAX)
    }

    /// Looks once more at the commands whose time is up: each may have ended in time. Gives up those that cannot be looked at.
    pub(crate) fn end_late_shells(&mut self, now: Time) {
        let commands = self.waits.commands.iter();
        let late = commands.filter(|(_, running)| self.deadline_of_shell(running) <= now);
        let (unread, late): (Vec<_>, Vec<_>) =
            late.partition(|(_, running)| self.unread_until(running).is_some_and(|until| until <= now));
        let unread: Vec<SessionId> = unread.into_iter().map(|(session, _)| session.clone()).collect();
        let late = late.into_iter().filter(|(_, running)| !running.is_late);
        let late: Vec<SessionId> = late.map(|(session, _)| session.clone()).collect();
        for session in late {
            if let Some(running) = self.waits.commands.get_mut(&session) {
                running.is_late = true;
            }
            let node = self.sessions.nodes.get(&session);
            if let Some(directory) = node.map(|node| node.session.directory.clone()) {
                self.refresh_now(&directory, now);
            }
        }
        for session in unread {
            let output = self.output_of_shell(&session);
            self.stop_shell(&session, ShellError::Unread { output }, now);
        }
    }

    /// Whether the messages of a session are wanted for a command: they were not read since the time from which on they decide
    /// about it.
    pub(crate) fn wants_look_for_shell(&self, node: &Node, now: Time) -> bool {
        let Some(running) = self.waits.commands.get(&node.session.id) else {
            return false;
        };
        let decides = [running.shows_from(), Some(self.deadline_of_shell(running))];
        let mut passed = decides.into_iter().flatten().filter(|from| *from <= now);
        passed.any(|from| node.tail_read.begun < from)
    }

    /// A refresh of a directory has drawn its conclusions.
    pub(crate) fn decide_shells(&mut self, directory: &Directory, now: Time) {
        self.waits.commands.retain(|_, running| !running.waiter.is_canceled());
        let results: Vec<(SessionId, Result<ShellResult, ShellError>)> = self
            .waits
            .commands
            .iter()
            .filter(|(session, _)| self.is_in(session, directory))
            .filter_map(|(session, running)| Some((session.clone(), self.result_of_shell(session, running)?)))
            .collect();
        for (session, result) in results {
            match result {
                Err(error @ ShellError::TimedOut { .. }) => self.stop_shell(&session, error, now),
                result => self.end_shell(&session, result),
            }
        }
    }

    /// Stops a command whose time is up.
    fn stop_shell(&mut self, session: &SessionId, error: ShellError, now: Time) {
        // What the server says of the stop shows in the session.
        drop(self.abort(session, now));
        self.end_shell(session, Err(error));
    }

    fn result_of_shell(&self, session: &SessionId, running: &CommandWaiter) -> Option<Result<ShellResult, ShellError>> {
        let node = self.sessions.nodes.get(session)?;
        let is_read_since = |from: Time| node.tail_read.begun >= from;
        let timed_out = || {
            let output = self.output_of_shell(session);
            is_read_since(self.deadline_of_shell(running)).then_some(Err(ShellError::TimedOut { output }))
        };
        match self.seen_of_shell(session) {
            Seen::Ended(tool) => {
                let (output, exit) = unwrapped(tool.output.as_deref().unwrap_or_default(), &running.token);
                Some(Ok(ShellResult {
                    session: session.clone(),
                    output,
                    exit,
                }))
            }
            Seen::Running(tool) => {
                let interrupted = match node.turn.state() {
                    TurnState::Ended {
                        ending: Ending::Interrupted,
                        reason,
                    } if !node.turn.is_provisional() => Some(reason.clone()),
                    TurnState::Unknown
                    | TurnState::Working
                    | TurnState::WaitingForHuman { .. }
                    | TurnState::Retrying { .. }
                    | TurnState::Stuck { .. }
                    | TurnState::Elsewhere { .. }
                    | TurnState::Ended { .. } => None,
                };
                let output = tool.output.clone().unwrap_or_default();
                let interrupted = interrupted.map(|reason| Err(ShellError::Interrupted { output, reason }));
                interrupted.or_else(timed_out)
            }
            Seen::Nothing => match &running.posted {
                Some((_, Posted::InDoubt(reason))) if running.shows_from().is_some_and(is_read_since) => {
                    Some(Err(ShellError::InDoubt(reason.clone())))
                }
                Some(_) | None => timed_out(),
            },
        }
    }

    fn output_of_shell(&self, session: &SessionId) -> String {
        let seen = match self.seen_of_shell(session) {
            Seen::Running(tool) | Seen::Ended(tool) => tool.output.clone(),
            Seen::Nothing => None,
        };
        seen.unwrap_or_default()
    }

    fn seen_of_shell(&self, session: &SessionId) -> Seen<'_> {
        let tool = || {
            let token = &self.waits.commands.get(session)?.token;
            let messages = self.sessions.nodes.get(session)?.transcript.messages().iter().rev();
            let mut tools = messages.flat_map(|message| message.tools().map(|(_, tool)| tool));
            tools.find(|tool| tool.input.contains(token.as_str()))
        };
        match tool() {
            Some(tool) if tool.status.is_final() => Seen::Ended(tool),
            Some(tool) => Seen::Running(tool),
            None => Seen::Nothing,
        }
    }

    pub(crate) fn end_shell(&mut self, session: &SessionId, result: Result<ShellResult, ShellError>) {
        let Some(running) = self.waits.commands.remove(session) else {
            return;
        };
        let end = match &result {
            Ok(ShellResult { exit, .. }) => format!("exit code {exit:?}"),
            Err(error) => error.to_string(),
        };
        self.record(Level::Info, format!("{session}: the command has ended: {end}"));
        running.waiter.tell(result);
    }
}
