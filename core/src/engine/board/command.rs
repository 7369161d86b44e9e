//! Commands that run in sessions of their own: what they print is looked for by a token (requirements F7).

use std::sync::Arc;
use std::time::Duration;

use futures::channel::oneshot;

use crate::engine::board::Board;
use crate::engine::evidence::CLOSED_WITHIN;
use crate::engine::sessions::session::Node;
use crate::engine::told::Waiter;
use crate::engine::waits::patience::{Late, Patience, UNREAD_MAX};
use crate::engine::waits::shell::{ShellCommand, ShellError, ShellResult, Told, unwrapped, wrapped};
use crate::log::Level;
use crate::model::{Directory, Message, Role, SessionId, ToolPart};
use crate::ports::{Post, Posted};
use crate::time::Time;
use crate::view::{EndReason, Ending, TurnState};

/// How long a command that the server may not have got is looked for. Source: docs/opencode.md, trap 9: a cold server takes 5 s.
const SHOWS: Duration = Duration::from_secs(10);

/// A wait for a command.
#[derive(Debug)]
pub(crate) struct CommandWaiter {
    token: String,
    patience: Patience,
    /// It can be found again under its name: whoever waits for it outlasts an outage.
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

    /// The call of the command in a message.
    fn call_in<'a>(&self, message: &'a Message) -> Option<&'a ToolPart> {
        let mut tools = message.tools().map(|(_, tool)| tool);
        tools.find(|tool| tool.input.contains(&self.token))
    }

    /// The first message of the agent after the command.
    fn next_in<'a>(&self, node: &'a Node) -> Option<&'a Arc<Message>> {
        let mut after = node
            .transcript
            .messages()
            .iter()
            .skip_while(|message| self.call_in(message).is_none());
        after.find(|message| message.role == Role::Assistant && self.call_in(message).is_none())
    }
}

/// What is seen of a command.
enum Seen<'a> {
    Nothing,
    Running(&'a ToolPart),
    Ended(&'a ToolPart),
}

/// Why the run of a session counts as interrupted, where that is settled.
fn interruption_of(node: &Node) -> Option<EndReason> {
    match node.turn.state() {
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
    }
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
            command: wrapped(&command.command, &token, command.timeout),
        };
        let running = CommandWaiter {
            token,
            patience: Patience::new(Some(command.timeout), now, UNREAD_MAX),
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
            patience: Patience::new(Some(command.timeout), now, UNREAD_MAX),
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
        commands
            .filter_map(|running| running.patience.next_deadline(self.attention.awake))
            .min()
    }

    /// Looks once more at the commands whose time is up: each may have ended in time. Gives up those that cannot be looked at.
    pub(crate) fn end_late_shells(&mut self, now: Time) {
        self.waits.commands.retain(|_, running| !running.waiter.is_canceled());
        let (is_outage, awake) = (self.is_out_of_reach(now), self.attention.awake);
        let mut due = Vec::new();
        for (session, running) in self.waits.commands.iter_mut() {
            if is_outage && running.is_named {
                running.patience.observe_outage(now);
            }
            if let Some(late) = running.patience.handle_deadline(awake, now) {
                due.push((session.clone(), late));
            }
        }
        for (session, late) in due {
            match late {
                Late::Look => self.refresh_directory_of(&session, now),
                Late::GiveUp => {
                    let output = self.output_of_shell(&session);
                    self.stop_shell(&session, ShellError::Unread { output }, now);
                }
            }
        }
    }

    /// Whether the messages of a session are wanted for a command: they were not read since the time from which on they decide
    /// about it.
    pub(crate) fn wants_look_for_shell(&self, node: &Node, now: Time) -> bool {
        let Some(running) = self.waits.commands.get(&node.session.id) else {
            return false;
        };
        let decides = [running.shows_from(), running.patience.deadline()];
        let mut passed = decides.into_iter().flatten().filter(|from| *from <= now);
        passed.any(|from| node.tail_read.begun < from)
    }

    /// Whether a command is looked for that may lie before what is held of its session.
    pub(crate) fn misses_a_command(&self, session: &SessionId) -> bool {
        self.waits.commands.contains_key(session) && matches!(self.seen_of_shell(session), Seen::Nothing)
    }

    /// A refresh of a directory has drawn its conclusions.
    pub(crate) fn decide_shells(&mut self, directory: &Directory, now: Time) {
        self.waits.commands.retain(|_, running| !running.waiter.is_canceled());
        let results: Vec<(SessionId, Result<ShellResult, ShellError>)> = self
            .waits
            .commands
            .iter()
            .filter(|(session, _)| self.is_in(session, directory))
            .filter_map(|(session, running)| Some((session.clone(), self.result_of_shell(session, running, now)?)))
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

    fn result_of_shell(
        &self,
        session: &SessionId,
        running: &CommandWaiter,
        now: Time,
    ) -> Option<Result<ShellResult, ShellError>> {
        let node = self.sessions.nodes.get(session)?;
        let deadline = running.patience.deadline()?;
        let interrupted = |reason| {
            let output = self.output_of_shell(session);
            Err(ShellError::Interrupted { output, reason })
        };
        let timed_out = || {
            let output = self.output_of_shell(session);
            Err(ShellError::TimedOut { output })
        };
        match self.seen_of_shell(session) {
            Seen::Ended(tool) => {
                let (output, told) = unwrapped(tool.output.as_deref().unwrap_or_default(), &running.token);
                let exit = match told {
                    Some(Told::Exit(exit)) => Some(exit),
                    Some(Told::Late) => return Some(Err(ShellError::TimedOut { output })),
                    None => None,
                };
                let session = session.clone();
                Some(Ok(ShellResult { session, output, exit }))
            }
            Seen::Running(_) => match (interruption_of(node), running.next_in(node)) {
                (Some(reason), _) => Some(interrupted(reason)),
                // A session does one thing after the other: the command is over. Its server may still be closing it.
                (None, Some(next)) => {
                    let begun = self.reader.server_clock.ours(next.created);
                    let is_left = node.is_read() && now.since(begun) >= CLOSED_WITHIN;
                    is_left.then(|| interrupted(EndReason::NotCompleted))
                }
                (None, None) => self.has_run_until(node, deadline).then(timed_out),
            },
            // It may lie before what is held.
            Seen::Nothing if node.transcript.older_cursor().is_some() => None,
            Seen::Nothing => match (&running.posted, running.shows_from()) {
                (Some((_, Posted::InDoubt(reason))), Some(from)) => node
                    .was_read_whole(from)
                    .then(|| Err(ShellError::InDoubt(reason.clone()))),
                _ => node.was_read_whole(deadline).then(timed_out),
            },
        }
    }

    /// What a command had printed when it was last read.
    fn output_of_shell(&self, session: &SessionId) -> String {
        let output = match self.seen_of_shell(session) {
            Seen::Running(tool) | Seen::Ended(tool) => tool.output.as_deref(),
            Seen::Nothing => None,
        };
        let token = self.waits.commands.get(session).map(|running| running.token.as_str());
        let (printed, _) = unwrapped(output.unwrap_or_default(), token.unwrap_or_default());
        printed
    }

    fn seen_of_shell(&self, session: &SessionId) -> Seen<'_> {
        let tool = || {
            let running = self.waits.commands.get(session)?;
            let mut newest_first = self.sessions.nodes.get(session)?.transcript.messages().iter().rev();
            newest_first.find_map(|message| running.call_in(message))
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
