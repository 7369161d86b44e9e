//! A simulated OpenCode: it answers, asks, forgets and lies as the real one does (docs/opencode.md).
//!
//! Agents follow the scripts of the scripted model, so that the real server and this one can run the same story.

mod abort;
mod ask;
mod history;
mod ids;
mod messages;
mod post;
mod read;
mod run;
pub mod script;
mod shell;
mod state;
mod step;
mod timing;
mod tools;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use switchboard_core::model::{Directory, Message, Request, RequestId, Session, SessionId, Status};
use switchboard_core::{Clock, Time};

pub use history::{Client, Event, Happening, Reached};
pub(crate) use timing::DOWN;

use crate::clock::VirtualClock;
use crate::executor::{Executor, Group};
use crate::random::Random;
use script::Script;
use state::State;

/// The title of each session that was imported.
pub(crate) const IMPORTED: &str = "Imported session";

/// Whether the server can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It answers.
    Up,
    /// It takes connections and never answers those (docs/opencode.md, trap 12).
    Starting,
    /// It refuses connections.
    Down,
}

/// What a server accepts before it dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// A reply: `200 true`.
    Reply,
    /// A prompt: 204.
    Prompt,
}

/// The simulated server. Clones are the same server.
#[derive(Clone)]
pub struct OpenCode(Rc<Inner>, Process);

/// Which process on the data it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Process {
    /// The server that the tabs talk to.
    Server,
    /// Another one, such as a terminal.
    Beside,
}

struct Inner {
    clock: VirtualClock,
    executor: Executor,
    state: RefCell<State>,
}

impl OpenCode {
    /// A server that is up, and whose instances are warm.
    #[must_use]
    pub fn new(clock: VirtualClock, executor: Executor, random: Random) -> Self {
        let state = RefCell::new(State::new(random));
        Self(Rc::new(Inner { clock, executor, state }), Process::Server)
    }

    /// Another process on the same data: it shares sessions and messages, and runs, asks and announces for itself
    /// (docs/opencode.md §14).
    #[must_use]
    pub fn beside(&self) -> Self {
        Self(Rc::clone(&self.0), Process::Beside)
    }

    /// Lets the model know this script by its prompt.
    pub fn teach(&self, scripts: Vec<Script>) {
        self.with(|state| state.scripts = scripts);
    }

    /// Sets its clock ahead of the world's, in milliseconds, or behind.
    pub fn set_clock_ahead(&self, milliseconds: i64) {
        self.with(|state| state.clock_ahead = milliseconds);
    }

    /// Answers `200 true` to replies that reach nobody, as 1.3.0 and older do (docs/opencode.md, section 12).
    pub fn behave_as_1_3(&self) {
        self.with(|state| state.accepts_any_reply = true);
    }

    /// Loses the race that a real server loses now and then: a stop reaches the sub-agents first, and their parent goes on
    /// with "Task cancelled" before it is stopped itself. The stop was accepted and the parent works to its end.
    pub fn let_parents_outrun_stops(&self) {
        self.with(|state| state.parents_outrun_stops = true);
    }

    /// Closes the messages of runs that fail or are stopped so much later, as a busy machine does (docs/opencode.md, trap 8).
    pub fn close_after(&self, span: Duration) {
        self.with(|state| state.closes_after = span);
    }

    /// Tells that each step of a model takes so many tokens and so many dollars.
    pub fn price_steps(&self, tokens: u64, dollars: f64) {
        self.with(|state| state.price = (Some(tokens), Some(dollars)));
    }

    /// Notes what a run has changed so much later, as a busy machine does (docs/opencode.md, section 4).
    pub fn note_changes_after(&self, span: Duration) {
        self.with(|state| state.notes_changes_after = span);
    }

    /// Whether the last run of a session was stopped, and its messages are still to be closed.
    pub(crate) fn is_closing(&self, session: &SessionId) -> bool {
        self.with(|state| state.stopping.contains(session))
    }

    /// Refuses everything from clients that have not given a password.
    pub fn set_password(&self, wanted: bool) {
        self.with(|state| state.password = wanted);
    }

    /// Whether it wants a password.
    #[must_use]
    pub fn wants_password(&self) -> bool {
        self.with(|state| state.password)
    }

    /// Whether it can be reached.
    #[must_use]
    pub fn life(&self) -> Life {
        self.with(|state| state.life)
    }

    /// Ends it as a crash does: what was only in its memory is lost.
    pub fn kill(&self) {
        self.0.executor.cancel_group(self.group());
        self.with(|state| {
            if self.1 == Process::Server {
                state.life = Life::Down;
            }
            state.instances.clear();
            state.stopping.clear();
            state.speeches.clear();
        });
        self.tell(Event::Killed);
    }

    /// Kills it right after the next reply or prompt that it accepts: `200 true` and `204` are no proof
    /// (docs/opencode.md, traps 1 and 2). It starts again a moment later.
    pub fn kill_after(&self, accepted: Accepted) {
        self.with(|state| state.kill_after = Some(accepted));
    }

    /// Kills it if that was wanted after what it has just accepted.
    fn die_after(&self, accepted: Accepted) {
        let is_wanted = || {
            self.with(|state| state.kill_after.take_if(|wanted| *wanted == accepted))
                .is_some()
        };
        if self.1 == Process::Beside || !is_wanted() {
            return;
        }
        let server = self.clone();
        self.0.executor.spawn(Group::World, async move {
            server.kill();
            server.pause(timing::DOWN).await;
            server.start();
        });
    }

    /// Starts it after [`OpenCode::kill`]. It answers after a while; the first prompt of each instance takes long.
    pub fn start(&self) {
        self.with(|state| {
            state.life = Life::Starting;
            state.starts_cold = true;
        });
        let server = self.clone();
        self.0.executor.spawn(self.group(), async move {
            server.0.clock.sleep(timing::START).await;
            server.with(|state| state.life = Life::Up);
            server.tell(Event::Answers);
        });
    }

    /// Makes a session, as another client would.
    #[must_use]
    pub fn create(&self, directory: &Directory, title: &str) -> SessionId {
        self.add_session(directory, None, title).id
    }

    /// Takes in a session of another server, as `opencode import` does: it keeps its stamps, which are so far ahead of the clock
    /// here (docs/opencode.md, section 6).
    pub fn import(&self, directory: &Directory, ahead: Duration) -> SessionId {
        let id = self.create(directory, IMPORTED);
        self.with(|state| {
            if let Some(stored) = state.sessions.get_mut(&id) {
                let ahead = u64::try_from(ahead.as_millis()).unwrap_or(u64::MAX);
                stored.session.created = stored.session.created.saturating_add(ahead);
                stored.session.updated = stored.session.created;
            }
        });
        id
    }

    /// The session, if it exists.
    #[must_use]
    pub fn session(&self, id: &SessionId) -> Option<Session> {
        self.with(|state| state.sessions.get(id).map(|stored| stored.session.clone()))
    }

    /// The messages of a session, oldest first; empty when it does not exist.
    #[must_use]
    pub fn messages(&self, session: &SessionId) -> Vec<Message> {
        self.with(|state| {
            state
                .sessions
                .get(session)
                .map(|stored| stored.messages.clone())
                .unwrap_or_default()
        })
    }

    /// Looks at the messages of a session without copying them.
    pub(crate) fn with_messages<T>(&self, session: &SessionId, look: impl FnOnce(&[Message]) -> T) -> T {
        self.with(|state| look(state.sessions.get(session).map_or(&[], |stored| &stored.messages)))
    }

    /// What the status map says of a session.
    #[must_use]
    pub fn status(&self, session: &SessionId) -> Option<Status> {
        self.with(|state| {
            state
                .instances
                .values()
                .find_map(|instance| instance.statuses.get(session).cloned())
        })
    }

    /// All requests that are listed, oldest first, ghosts included.
    #[must_use]
    pub fn listed(&self) -> Vec<Request> {
        self.with(|state| {
            let mut listed: Vec<Request> = state
                .instances
                .values()
                .flat_map(|instance| instance.asked.iter().map(|asked| asked.request.clone()))
                .collect();
            listed.sort_by(|one, other| one.id.cmp(&other.id));
            listed
        })
    }

    /// The requests for which a tool call waits: those that are listed and no ghosts.
    #[must_use]
    pub fn live(&self) -> Vec<RequestId> {
        self.with(|state| {
            let asked = state.instances.values().flat_map(|instance| &instance.asked);
            asked
                .filter(|asked| !asked.is_ghost())
                .map(|asked| asked.request.id.clone())
                .collect()
        })
    }

    /// All sessions.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionId> {
        self.with(|state| state.sessions.keys().cloned().collect())
    }

    /// Lets each instance take long for its first prompt (docs/opencode.md, trap 9).
    pub fn start_cold(&self) {
        self.with(|state| state.starts_cold = true);
    }

    /// The requests of a session that are listed.
    #[must_use]
    pub fn listed_of(&self, session: &SessionId) -> Vec<Request> {
        let mut listed = self.listed();
        listed.retain(|request| request.session == *session);
        listed
    }

    /// Changes what a listed request asks, under the same id: a hostile or faulty server.
    pub fn change_request(&self, id: &RequestId, change: impl FnOnce(&mut Request)) {
        self.with(|state| {
            let mut asked = state.instances.values_mut().flat_map(|instance| &mut instance.asked);
            if let Some(asked) = asked.find(|asked| asked.request.id == *id) {
                change(&mut asked.request);
            }
        });
        self.tell(Event::Changed { request: id.clone() });
    }

    /// Spoils the newest prompt of a session that another client has sent, as one with a format is: it cannot be read
    /// alone, nor in a window that nothing comes before (measured in `tests/real`).
    pub fn spoil(&self, session: &SessionId) {
        self.with(|state| {
            let theirs = state.history.iter().rev().find_map(|happening| {
                let Event::Prompted {
                    session: of,
                    message,
                    by: Client::Other,
                } = &happening.event
                else {
                    return None;
                };
                (of == session).then(|| message.clone())
            });
            state.spoiled.extend(theirs);
        });
    }

    /// How many of the newest messages of a session can be read at once; none when all can.
    #[must_use]
    pub fn readable(&self, session: &SessionId) -> Option<usize> {
        self.with(|state| {
            let messages = &state.sessions.get(session)?.messages;
            let is_spoiled = messages.iter().any(|message| state.spoiled.contains(&message.id));
            is_spoiled.then(|| messages.len() - 1)
        })
    }

    /// Archives a session: it is in no list any more, and works on.
    pub fn archive(&self, session: &SessionId) {
        self.with(|state| {
            if let Some(stored) = state.sessions.get_mut(session) {
                stored.session.archived = true;
            }
        });
    }

    /// Takes a session out of the archive.
    pub fn restore(&self, session: &SessionId) {
        self.with(|state| {
            if let Some(stored) = state.sessions.get_mut(session) {
                stored.session.archived = false;
            }
        });
    }

    /// Everything that happened, in order.
    #[must_use]
    pub fn history(&self) -> Vec<Happening> {
        self.with(|state| state.history.clone())
    }

    /// What happened after the first `seen` happenings; empty most of the time.
    #[must_use]
    pub(crate) fn happened_since(&self, seen: usize) -> Vec<Happening> {
        self.with(|state| state.history[seen..].to_vec())
    }

    /// Looks at everything that happened, in order, without copying it.
    pub(crate) fn each_happening(&self, look: impl FnMut(&Happening)) {
        self.with(|state| state.history.iter().for_each(look));
    }

    /// How much has happened.
    #[must_use]
    pub(crate) fn happened(&self) -> usize {
        self.with(|state| state.history.len())
    }

    /// How often the agent was given an answer to this request.
    #[must_use]
    pub fn deliveries(&self, request: &RequestId) -> usize {
        self.with(|state| {
            state
                .history
                .iter()
                .filter(|happening| happening.event.delivers(request))
                .count()
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.0.state.borrow_mut();
        match self.1 {
            Process::Server => work(&mut state),
            Process::Beside => {
                state.change_process();
                let done = work(&mut state);
                state.change_process();
                done
            }
        }
    }

    fn group(&self) -> Group {
        match self.1 {
            Process::Server => Group::Server,
            Process::Beside => Group::Beside,
        }
    }

    fn now(&self) -> Time {
        self.0.clock.now()
    }

    /// The server's clock, which is nobody else's.
    fn stamp(&self) -> u64 {
        let ahead = self.with(|state| state.clock_ahead);
        self.now().0.saturating_add_signed(ahead)
    }

    fn id(&self, prefix: &str) -> String {
        let stamp = Time(self.stamp());
        self.with(|state| state.ids.make(prefix, stamp))
    }

    fn tell(&self, event: Event) {
        let at = self.now();
        self.with(|state| state.history.push(Happening { at, event }));
    }

    async fn pause(&self, span: Duration) {
        self.0.clock.sleep(span).await;
    }
}

impl fmt::Debug for OpenCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.state.borrow().fmt(formatter)
    }
}
