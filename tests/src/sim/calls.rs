//! What programs ask of a board: follow-ups, dispatches, checked replies, commands, sessions, and waits for requests.
//!
//! Each call is told its end once, in time, and at the latest when its board is closed. Whether it is told the reference is
//! judged in [`super::assertions::told`].

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::Duration;

use futures::StreamExt;
use serde_json::json;
use switchboard_core::model::{MessageId, Outcome, RequestId, Session, SessionId};
use switchboard_core::{
    Canceller, Checked, Clock, DispatchOptions, Dispatched, FollowUpError, FollowUpOptions, Handle, Job, PostFailure,
    PromptOptions, ShellCommand, ShellError, ShellResult, Time, TurnReply, Unresolved, Validated, ValidationOptions,
};

use super::apply::{choose, directory_of};
use super::history::{Check, Patience};
use super::searches::{Found, SessionFound};
use super::sut::Sut;
use crate::clock::TabClock;
use crate::scripts::{asks, runs, script};
use crate::tab::Tab;
use crate::watch::Breach;

/// How many replies a program has checked at the most.
pub(super) const ROUNDS: u32 = 4;
/// How long it waits for each of them.
const ROUND: Duration = Duration::from_secs(25);
/// How the titles of sessions begin in which commands run. Persons leave them alone.
const COMMAND_TITLE: &str = "command ";
/// How long its command may take.
const COMMAND: Duration = Duration::from_secs(20);
/// Before how long a check took, in what it prints.
const TOOK: &str = "finished in ";
/// How long a session may take that is made for a command or an agent.
const MAKING: Duration = Duration::from_secs(16);

/// A program that awaits something of a tab.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) tab: usize,
    pub(super) clock: TabClock,
    pub(super) kind: Kind,
    /// When it began, by the clock of its tab.
    pub(super) begun: Time,
    /// How long each of its waits may take.
    pub(super) patience: Option<Duration>,
    /// How long all of them may take together.
    pub(super) longest: Option<Duration>,
    /// It was told its end, or it has died with its tab.
    pub(super) is_over: bool,
}

/// What it awaits.
#[derive(Debug)]
pub(super) enum Kind {
    FollowUp {
        message: Message,
        canceller: Option<Canceller>,
        is_cancelled: bool,
    },
    Dispatch {
        jobs: Vec<Message>,
        told: Vec<usize>,
    },
    Validation {
        session: SessionId,
        /// What the agent was told, and what the check said to each reply.
        texts: Vec<String>,
        checked: Vec<(MessageId, Result<Checked, String>)>,
    },
    Shell(Command),
    Session {
        title: String,
    },
    Request(RequestId),
    SessionSearch {
        session: SessionId,
        /// When it began, by the clock of the world.
        begun: Time,
    },
    Search {
        request: RequestId,
        /// When it began, by the clock of the world.
        begun: Time,
    },
}

/// A message whose reply is awaited.
#[derive(Debug)]
pub(super) struct Message {
    /// None while its session is being made.
    pub(super) session: Option<SessionId>,
    pub(super) text: String,
    /// The end of the wait stops the agent.
    pub(super) stops: bool,
}

/// A command, and what comes of it when it ends.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) title: String,
    pub(super) prints: String,
    pub(super) exit: i32,
}

/// What a program is told.
#[derive(Debug)]
pub(super) enum Told {
    Replied(Result<TurnReply, FollowUpError>),
    Dispatched(Dispatched),
    AllDispatched,
    Checked(MessageId, Result<Checked, String>),
    Validated(Validated<String>),
    Ran(Result<ShellResult, ShellError>),
    Made(Result<SessionId, PostFailure>),
    Resolved(Result<Outcome, Unresolved>),
    Found(Found),
    SessionFound(SessionFound),
}

/// What programs were told and nobody has judged yet, by call.
pub(super) type Ears = Rc<RefCell<Vec<(usize, Told)>>>;

impl Call {
    /// It dies with its tab.
    pub(super) fn die(&mut self) {
        self.is_over = true;
        if let Kind::FollowUp { canceller, .. } = &mut self.kind {
            *canceller = None;
        }
    }

    /// The texts whose replies are still awaited.
    pub(super) fn awaited(&self) -> Vec<&String> {
        match &self.kind {
            Kind::FollowUp { message, .. } => vec![&message.text],
            Kind::Dispatch { jobs, told } => {
                let open = (0..jobs.len()).filter(|job| !told.contains(job));
                open.map(|job| &jobs[job].text).collect()
            }
            // What it tells the agent follows at once from what the check says, unless that was its last word.
            Kind::Validation { texts, checked, .. } => texts.get(checked.len()).into_iter().collect(),
            Kind::Shell(_)
            | Kind::Session { .. }
            | Kind::Request(_)
            | Kind::Search { .. }
            | Kind::SessionSearch { .. } => Vec::new(),
        }
    }
}

impl Sut {
    /// The sessions of which somebody awaits something.
    pub(super) fn awaited_sessions(&self) -> Vec<SessionId> {
        let open = self.calls.iter().filter(|call| !call.is_over);
        let mut awaited: Vec<SessionId> = open.flat_map(|call| self.sessions_of(call)).collect();
        let stored = self.stored.borrow();
        let prompts = self
            .prompts
            .iter()
            .filter(|prompted| !stored.contains_key(&prompted.message));
        awaited.extend(prompts.map(|prompted| prompted.session.clone()));
        awaited.retain(|session| self.world.server.session(session).is_some());
        awaited.sort();
        awaited.dedup();
        awaited
    }

    /// The sessions from which a call awaits something, as far as they exist or existed.
    pub(super) fn sessions_of(&self, call: &Call) -> Vec<SessionId> {
        let carriers = call.awaited().into_iter();
        let carriers = carriers.filter_map(|text| self.reference.carriers.get(text).cloned());
        let own = match &call.kind {
            Kind::FollowUp { message, .. } => message.session.clone(),
            Kind::Validation { session, .. } => Some(session.clone()),
            Kind::Shell(command) => self.session_titled(&command.title),
            Kind::Dispatch { .. }
            | Kind::Session { .. }
            | Kind::Request(_)
            | Kind::Search { .. }
            | Kind::SessionSearch { .. } => None,
        };
        carriers.chain(own).collect()
    }

    /// The session that was made for a command.
    fn session_titled(&self, title: &str) -> Option<SessionId> {
        let deleted = self.deleted.iter().find(|(_, of)| of.as_str() == title);
        deleted.map(|(session, _)| session.clone()).or_else(|| {
            let sessions = self.world.server.sessions();
            let is_it = |id: &SessionId| {
                self.world
                    .server
                    .session(id)
                    .is_some_and(|session| session.title == title)
            };
            sessions.into_iter().find(is_it)
        })
    }

    pub(super) fn follow_up(&mut self, place: usize, pick: u32, script: u8, patience: Patience) {
        let Some((tab, session)) = self.shown_session(place, pick) else {
            return;
        };
        let text = self.next_script(script);
        let options = FollowUpOptions {
            timeout: patience.seconds.map(Duration::from_secs),
            stop: patience.stops,
            prompt: PromptOptions::default(),
        };
        tab.watch.intend_text(&text);
        if patience.stops {
            tab.watch.note_stops_of_programs(tab.number, &session);
        }
        let following = tab.handle.follow_up(&session, &text, &options);
        let kind = Kind::FollowUp {
            message: Message {
                session: Some(session),
                text,
                stops: patience.stops,
            },
            canceller: following.canceller(),
            is_cancelled: false,
        };
        let tell = self.begin_call(&tab, kind, options.timeout, options.timeout);
        tab.run(async move { tell(Told::Replied(following.await)) });
    }

    /// Ends the wait for the last follow-up of a tab that is still awaited.
    pub(super) fn cancel(&mut self, place: usize) {
        let Some(tab) = self.tab(place) else { return };
        let awaited = self.calls.iter_mut().rev();
        let mut awaited = awaited.filter(|call| call.tab == tab.number && !call.is_over);
        let cancelled = awaited.find_map(|call| match &mut call.kind {
            Kind::FollowUp {
                canceller: Some(canceller),
                is_cancelled,
                ..
            } => {
                *is_cancelled = true;
                Some(canceller.clone())
            }
            Kind::FollowUp { .. }
            | Kind::Dispatch { .. }
            | Kind::Validation { .. }
            | Kind::Shell(_)
            | Kind::Session { .. }
            | Kind::Request(_)
            | Kind::Search { .. }
            | Kind::SessionSearch { .. } => None,
        });
        if let Some(canceller) = cancelled {
            canceller.cancel();
        }
    }

    pub(super) fn dispatch(&mut self, place: usize, directory: u8, scripts: &[u8], seconds: u64) {
        let Some(tab) = self.tab(place) else { return };
        let timeout = Duration::from_secs(seconds);
        let jobs: Vec<Job> = scripts
            .iter()
            .map(|script| {
                let prompt = self.next_script(*script);
                tab.watch.intend_text(&prompt);
                let mut job = Job::new(directory_of(directory), format!("job {}", self.texts), prompt);
                job.timeout = Some(timeout);
                job
            })
            .collect();
        let messages = jobs.iter().map(|job| Message {
            session: None,
            text: job.prompt.clone(),
            stops: true,
        });
        let kind = Kind::Dispatch {
            jobs: messages.collect(),
            told: Vec::new(),
        };
        let mut results = tab.handle.dispatch(jobs, DispatchOptions::default());
        let tell = self.begin_call(&tab, kind, Some(timeout), Some(MAKING + timeout));
        tab.run(async move {
            while let Some(result) = results.next().await {
                tell(Told::Dispatched(result));
            }
            tell(Told::AllDispatched);
        });
    }

    pub(super) fn validate(&mut self, place: usize, pick: u32, check: Check) {
        let Some((tab, session)) = self.shown_session(place, pick) else {
            return;
        };
        let prompt = self.next_script(VALIDATED);
        tab.watch.intend_text(&prompt);
        let mut options = ValidationOptions::default();
        options.rounds = ROUNDS;
        options.reply.timeout = Some(ROUND);
        let kind = Kind::Validation {
            session: session.clone(),
            texts: vec![prompt.clone()],
            checked: Vec::new(),
        };
        let all = ROUNDS * (ROUND + MAKING + COMMAND);
        let tell = self.begin_call(&tab, kind, Some(ROUND), Some(all));
        let (board, name, watch) = (tab.handle.clone(), self.texts, tab.watch.clone());
        let directory = directory_of(0);
        tab.run(async move {
            let mut round = 0;
            let judging = async |reply: &TurnReply| {
                let title = format!("{COMMAND_TITLE}{name}.{round}");
                let command = |lines: String| ShellCommand {
                    timeout: COMMAND,
                    ..ShellCommand::new(directory.clone(), &title, &lines)
                };
                let said = match check {
                    Check::Function(right) if round >= right => Ok(Checked::Passed),
                    Check::Function(_) => Ok(failed(format!("wrong {name}.{round}"))),
                    Check::Stubborn => Ok(failed(format!("wrong {name}"))),
                    Check::Command(right) if round >= right => run_check(&board, command("echo right".into())).await,
                    Check::Command(_) => run_check(&board, command(format!("echo wrong {name}.{round}\nexit 1"))).await,
                    Check::StubbornCommand => {
                        let lines = format!("echo wrong {name}\necho {TOOK}{round}.25s\nexit 1");
                        run_check(&board, command(lines)).await
                    }
                };
                round += 1;
                if let Some(text) = said.as_ref().ok().and_then(complaint) {
                    watch.intend_text(&text);
                }
                tell(Told::Checked(reply.message.clone(), said.clone()));
                said
            };
            let end = board.until_valid(&session, &prompt, judging, &options).await;
            tell(Told::Validated(end));
        });
    }

    pub(super) fn shell(&mut self, place: usize, directory: u8, command: u8, seconds: u64) {
        let Some(tab) = self.tab(place) else { return };
        self.texts += 1;
        let (title, prints) = (
            format!("{COMMAND_TITLE}{}", self.texts),
            format!("printed {}", self.texts),
        );
        let (lines, exit) = match command {
            0 => (format!("echo {prints}"), 0),
            1 => (format!("echo {prints}\nexit 3"), 3),
            2 => (format!("sleep 5\necho {prints}"), 0),
            _ => (format!("sleep 3600\necho {prints}"), 0),
        };
        let timeout = Duration::from_secs(seconds);
        let command = ShellCommand {
            timeout,
            ..ShellCommand::new(directory_of(directory), &title, &lines)
        };
        let kind = Kind::Shell(Command { title, prints, exit });
        let tell = self.begin_call(&tab, kind, Some(timeout), Some(MAKING + timeout));
        let board = tab.handle.clone();
        tab.run(async move { tell(Told::Ran(board.shell(&command).await)) });
    }

    pub(super) fn create(&mut self, place: usize, directory: u8) {
        let Some(tab) = self.tab(place) else { return };
        self.texts += 1;
        let title = format!("session {}", self.texts);
        let making = tab.handle.create_session(&directory_of(directory), Some(title.clone()));
        let tell = self.begin_call(&tab, Kind::Session { title }, None, Some(MAKING));
        tab.run(async move { tell(Told::Made(making.await)) });
    }

    /// Waits for the end of a request. How long that may take is the policy's, see [`super::policies`].
    pub(super) fn await_request(&mut self, place: usize, pick: u32) {
        let Some(tab) = self.tab(place) else { return };
        let Some(shown) = choose(&tab.waiting(), pick).cloned() else {
            return;
        };
        let id = shown.request.id.clone();
        if let Ok(waiting) = tab.handle.wait(&id) {
            let tell = self.begin_call(&tab, Kind::Request(id), None, None);
            tab.run(async move { tell(Told::Resolved(waiting.await)) });
        }
    }

    /// Notes a call. What it returns tells its program something.
    pub(super) fn begin_call(
        &mut self,
        tab: &Tab,
        kind: Kind,
        patience: Option<Duration>,
        all: Option<Duration>,
    ) -> impl Fn(Told) + use<> {
        let begun = tab.clock.now();
        tab.watch.hurry();
        self.calls.push(Call {
            tab: tab.number,
            clock: tab.clock.clone(),
            kind,
            begun,
            patience,
            longest: all,
            is_over: false,
        });
        let (number, ears) = (self.calls.len() - 1, self.ears.clone());
        move |told| ears.borrow_mut().push((number, told))
    }

    /// A page is left. Whoever awaits something hears that it will not come.
    pub(super) fn leave(&mut self, place: usize) -> Result<(), Breach> {
        let Some(tab) = self.tab(place) else { return Ok(()) };
        tab.handle.close();
        self.expect_freed(&tab)?;
        self.kept.push(tab.handle.clone());
        self.close(place);
        self.world.watch().breach().map_or(Ok(()), Err)
    }

    /// A board has just ended: whoever awaits something of it hears that at once.
    pub(super) fn expect_freed(&mut self, tab: &Tab) -> Result<(), Breach> {
        self.left = Some(tab.number);
        self.world.settle()?;
        self.look();
        let held = self.calls.iter().filter(|call| call.tab == tab.number && !call.is_over);
        let held = held.map(|call| format!("{:?}", call.kind));
        let presses = self.presses.iter().filter(|press| press.tab == tab.number);
        let unanswered = presses.filter(|press| !tab.outcomes.borrow().contains_key(&press.request.id));
        let prompts = self.prompts.iter().filter(|prompted| prompted.tab == tab.number);
        let unstored = prompts.filter(|prompted| !self.stored.borrow().contains_key(&prompted.message));
        let unanswered = unanswered.map(|press| format!("the answer to {}", press.request.id));
        let mut waits = held
            .chain(unanswered)
            .chain(unstored.map(|prompted| format!("the prompt {}", prompted.message)));
        if let Some(wait) = waits.next() {
            let words = format!(
                "tab {} is closed, and nobody has told whoever awaits {wait}",
                tab.number
            );
            self.world.watch().report("not freed", words);
        }
        drop(waits);
        self.world.watch().breach().map_or(Ok(()), Err)
    }

    /// Everybody goes home: every call has ended then, and every responder has its answer.
    pub(super) fn part(&mut self) -> Result<(), Breach> {
        for place in 0..self.slots.len() {
            self.leave(place)?;
        }
        self.effects.end();
        self.deferreds.end();
        self.world.settle()?;
        self.look();
        self.world.watch().breach().map_or(Ok(()), Err)
    }

    /// A text that no other message carries, and that is a script.
    fn next_script(&mut self, script: u8) -> String {
        self.texts += 1;
        let steps = &REPLIES[usize::from(script) % REPLIES.len()];
        format!("{{\"prompt\":\"{}\",{}", self.texts, steps.trim_start_matches('{'))
    }
}

/// The script of a reply that is checked: one word after the other.
const VALIDATED: u8 = 6;

/// What agents of programs do.
static REPLIES: LazyLock<[String; 7]> = LazyLock::new(|| {
    let words: Vec<_> = ["red", "green", "blue", "grey"]
        .map(|word| json!({ "text": word }))
        .into();
    let scripts = [
        script(json!([{ "text": "At once." }])),
        script(json!([{ "text": "In a moment.", "delay": 4_000 }])),
        asks("Which way?"),
        runs("make"),
        script(json!([{ "text": "", "finish": null }, { "text": "There.", "delay": 900 }])),
        script(json!([{ "text": "Hm.", "finish": null }, { "status": 400 }])),
        script(words.into()),
    ];
    scripts.map(|script| script.to_prompt())
});

async fn run_check(board: &Handle, command: ShellCommand) -> Result<Checked, String> {
    board.check(&command).await.map_err(|error| error.to_string())
}

fn failed(output: String) -> Checked {
    Checked::Failed { output }
}

/// What the agent is told of a check that failed.
pub(super) fn complaint(said: &Checked) -> Option<String> {
    let output = match said {
        Checked::Passed => return None,
        Checked::CommandFailed(failure) => &failure.message(),
        Checked::Failed { output } => output,
    };
    Some(format!("The check failed. Its output:\n\n{output}"))
}

/// What two checks that fail in the same way have in common.
pub(super) fn is_wrong_in(said: &Checked) -> Option<String> {
    let said = complaint(said)?;
    Some(said.lines().filter(|line| !line.starts_with(TOOK)).collect())
}

pub(super) fn is_of_command(session: &Session) -> bool {
    session.title.starts_with(COMMAND_TITLE)
}
