//! A history as data: who is there, and what happens when.

use std::fmt;
use std::time::Duration;

use crate::store::StoreHealth;

/// One history.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// Everything that is not said here (delays, which call is lost) follows from it.
    pub seed: u64,
    /// Who is there at the beginning.
    pub setup: Setup,
    /// What happens, in order.
    pub events: Vec<Event>,
}

/// Who is there at the beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// How many tabs each device has. One person sits at each device.
    pub tabs: Vec<usize>,
    /// How server events get through; none when there are none.
    pub events: Option<EventQuality>,
    /// The instances of the server are cold.
    pub cold: bool,
    /// How far the server's clock is ahead, in seconds.
    pub server_ahead: i64,
    /// At the end the world is watched for two minutes more, to see that nothing comes back.
    pub long_end: bool,
    /// Whatever a board calls calls the board back.
    pub calls_back: bool,
    /// The pages have no Web Locks.
    pub has_no_locks: bool,
    /// What happens to requests that nobody answers, and after how many seconds; none for what boards begin with.
    pub policy: Option<(Unattended, u64)>,
}

/// What happens to requests that nobody answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unattended {
    /// They stay as they are.
    Leave,
    /// They are turned away.
    Reject,
    /// Questions that offer it are answered with *Blue*.
    Answer,
}

/// How server events get through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventQuality {
    /// At once, each once.
    Good,
    /// Late, doubled, and many never.
    Bad,
}

/// Something that happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// How long after the event before it.
    pub after: Duration,
    /// What.
    pub transition: Transition,
}

/// What can happen. A `tab` and a `device` are places, counted from 0. A `pick` chooses among what there is at that moment; nothing happens when there is nothing to choose.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields mean the same in every variant, and the text above says what"
)]
pub enum Transition {
    /// A terminal prompts a new session, whose agent follows a script.
    Begin { directory: u8, script: u8 },
    /// A person answers a request that waits, in the way that `reply` picks.
    Answer { tab: usize, pick: u32, reply: u32 },
    /// A person answers while nothing gets through, and the network is back a little later.
    AnswerOffline {
        tab: usize,
        pick: u32,
        reply: u32,
        meanwhile: Meanwhile,
    },
    /// A person prompts a session.
    Prompt { tab: usize, pick: u32 },
    /// A person types half an answer.
    Type { tab: usize, pick: u32 },
    /// A person stops a session.
    Stop { tab: usize, pick: u32 },
    /// A person sends the answer of a dead question as a message.
    Rescue { tab: usize, pick: u32 },
    /// A person gives up what could not be delivered.
    Discard { tab: usize, pick: u32 },
    /// A person looks at a session.
    Open { tab: usize, pick: u32 },
    /// A tab is hidden, or shown again.
    Hide { tab: usize, hidden: bool },
    /// A terminal answers what waits.
    OtherAnswers { pick: u32 },
    /// A terminal turns away what waits.
    OtherRejects { pick: u32 },
    /// A terminal replies to a request that nobody waits for.
    OtherClearsGhost { pick: u32 },
    /// A terminal prompts a session.
    OtherPrompts { pick: u32 },
    /// A terminal stops a session.
    OtherStops { pick: u32 },
    /// A terminal with a process of its own begins a session.
    BesideBegins { directory: u8, script: u8 },
    /// All that waits there is answered.
    BesideAnswers,
    /// Its sessions are stopped there.
    BesideStops,
    /// That process is killed.
    BesideDies,
    /// A terminal deletes a session.
    OtherDeletes { pick: u32 },
    /// The server is killed, and starts again after so many milliseconds.
    Restart { down: u64 },
    /// The server is killed right after the next reply that it accepts.
    DieAfterReply,
    /// The server is killed right after the next prompt that it accepts.
    DieAfterPrompt,
    /// The instance of a directory is disposed of.
    Dispose { directory: u8 },
    /// A listed permission asks for something else under its old id: a hostile server.
    Change { pick: u32 },
    /// The network of a tab gets worse, or well again.
    Network { tab: usize, fault: Fault, percent: u64 },
    /// Nothing gets through to a tab for a minute.
    Outage { tab: usize },
    /// A tab is reloaded.
    Reload { tab: usize },
    /// A tab is closed. The first of a device leads.
    Close { tab: usize },
    /// A closed tab is opened again.
    Reopen { tab: usize },
    /// A tab dies after so many further writes to the store, before it hears of the last one.
    Crash { tab: usize, writes: u32 },
    /// A device sleeps: nothing in it runs. Its clock has gone on when it wakes.
    Sleep { device: usize, seconds: u64, minutes: i64 },
    /// The clock of a device jumps ahead.
    ClockJump { device: usize, minutes: i64 },
    /// The browser of a device is restarted, and its clock has been set back meanwhile.
    ClockBack { device: usize, minutes: i64 },
    /// The storage of a device changes.
    Storage { device: usize, health: StoreHealth },
    /// So many claims and loads of a device that come next are never answered.
    Unanswered { device: usize, claims: u8, loads: u8 },
    /// Another tab of a device leads.
    Lead { tab: usize },
    /// A page is left: its board is closed before its tab is, and another one is opened.
    Leave { tab: usize },
    /// Nobody does anything.
    Idle { seconds: u64 },
    /// A person keeps a default answer from being given.
    StopCountdown { tab: usize, pick: u32 },
    /// A program waits for the end of a request that somebody else answers.
    Await { tab: usize, pick: u32 },
    /// A program follows up, and its agent follows a script.
    FollowUp {
        tab: usize,
        pick: u32,
        script: u8,
        patience: Patience,
    },
    /// A program wants no reply any more to its last follow-up.
    Cancel { tab: usize },
    /// A program lets agents work side by side. One of them may hang.
    Dispatch {
        tab: usize,
        directory: u8,
        scripts: [u8; 3],
        seconds: u64,
    },
    /// A program has replies checked until one is right.
    Validate { tab: usize, pick: u32, check: Check },
    /// A program runs a command on the server's machine.
    Shell {
        tab: usize,
        directory: u8,
        command: u8,
        seconds: u64,
    },
    /// A program makes a session.
    Create { tab: usize, directory: u8 },
    /// A queue of effects beside the board is used in ways that are drawn from a number.
    Effects { draws: u64 },
    /// The same for a tracker of tool calls.
    Deferreds { draws: u64 },
    /// What seldom happens.
    Hardship(Hardship),
}

/// What seldom happens, and must do no harm. The fields mean the same as in [`Transition`].
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields mean the same in every variant, and the text above says what"
)]
pub enum Hardship {
    /// What drives the board of a tab is dropped; whoever holds the board still does. The tab is opened again.
    DropDriver { tab: usize },
    /// The board of a tab is closed, and has so many milliseconds before the tab is gone. The tab is opened again.
    CloseGently { tab: usize, milliseconds: u64 },
    /// A terminal goes on with a session that has a past.
    BeginLong {
        directory: u8,
        exchanges: usize,
        script: u8,
    },
    /// A person looks at what lies before the messages that are shown.
    LoadOlder { tab: usize },
    /// A terminal deletes a session while somebody awaits something of it.
    DeleteAwaited { pick: u32 },
    /// A person answers a request as it was shown so many milliseconds ago.
    AnswerLate {
        tab: usize,
        pick: u32,
        reply: u32,
        age: u64,
    },
    /// A listed question asks for something else under its old id: a hostile server.
    ChangeQuestion { pick: u32 },
    /// A tab stands still, as a browser does with a hidden one, while the others of its device go on.
    Freeze { tab: usize },
    /// It goes on.
    Thaw { tab: usize },
    /// A person types a prompt.
    TypePrompt { tab: usize, pick: u32 },
    /// The line of a tab is bad in a way that is seldom.
    Line { tab: usize, trouble: Trouble, percent: u64 },
    /// The server wants a password for so many seconds, and then it is given.
    Lock { seconds: u64 },
    /// The newest message of a session cannot be read any more, nor any window that holds it.
    Spoil { pick: u32 },
    /// The clock of the server jumps ahead.
    ServerClock { minutes: u64 },
    /// A terminal imports a session that is stamped so far ahead of the server's clock.
    Import { directory: u8, seconds: u64 },
    /// A tab is opened anew while the clock of its device is ahead, and stays so many seconds ahead of it.
    OwnClock { tab: usize, seconds: i64 },
    /// The clock of a tab jumps so many seconds ahead, and no other does.
    OwnClockJump { tab: usize, seconds: i64 },
    /// A terminal archives a session.
    Archive { pick: u32 },
    /// A terminal makes more sessions than a page of the list holds.
    Crowd { directory: u8 },
    /// Terminals begin so many sessions at once, whose agents follow one script.
    Many { directory: u8, sessions: usize, script: u8 },
    /// A person answers so many of the requests that wait, one after the other.
    AnswerMany { tab: usize, count: usize },
    /// Of so many sessions that wait no message comes through to a tab, until its network is well again.
    Silence { tab: usize, count: usize },
    /// A person stops what waits, perhaps right after a prompt, while nothing gets through to the tab. That lasts for so many
    /// seconds before a terminal ends the run and begins another one, and since.
    LoseStop {
        tab: usize,
        pick: u32,
        prompts: bool,
        before: u64,
        meanwhile: Option<u8>,
        since: u64,
    },
    /// A program looks for a request by its id.
    Find { tab: usize, pick: u32 },
    /// A program looks for a session by its id.
    FindSession { tab: usize, pick: u32 },
    /// The server closes the messages of runs that fail or are stopped so much later.
    CloseLate { milliseconds: u64 },
}

impl Hardship {
    fn name(&self) -> &'static str {
        match self {
            Hardship::DropDriver { .. } => "a driver is dropped",
            Hardship::CloseGently { .. } => "a board is closed before its tab",
            Hardship::BeginLong { .. } => "a session with a past goes on",
            Hardship::LoadOlder { .. } => "a person looks back",
            Hardship::DeleteAwaited { .. } => "a session that is awaited is deleted",
            Hardship::AnswerLate { .. } => "a person answers what was shown",
            Hardship::ChangeQuestion { .. } => "a question changes under its id",
            Hardship::Freeze { .. } => "a tab stands still",
            Hardship::Thaw { .. } => "a tab goes on",
            Hardship::TypePrompt { .. } => "a person types a prompt",
            Hardship::Line { trouble, .. } => trouble.name(),
            Hardship::Lock { .. } => "the server wants a password",
            Hardship::Spoil { .. } => "a session cannot be read",
            Hardship::ServerClock { .. } => "the server's clock jumps",
            Hardship::Import { .. } => "a session from the future is imported",
            Hardship::OwnClock { .. } => "a tab goes by a clock of its own",
            Hardship::OwnClockJump { .. } => "the clock of one tab jumps ahead",
            Hardship::Archive { .. } => "a session is archived",
            Hardship::Crowd { .. } => "a hundred sessions are made",
            Hardship::Many { .. } => "many agents ask at once",
            Hardship::AnswerMany { .. } => "a person answers one after the other",
            Hardship::Silence { .. } => "the messages of several sessions hang",
            Hardship::LoseStop { .. } => "a stop is lost",
            Hardship::Find { .. } => "a program looks for a request",
            Hardship::FindSession { .. } => "a program looks for a session",
            Hardship::CloseLate { .. } => "the server closes messages late",
        }
    }
}

/// What is seldom wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Sends arrive twice.
    Twice,
    /// Sends are refused with this status.
    Refused(u16),
    /// Calls are answered 401.
    Unauthorized,
    /// Messages are half understood.
    Damaged,
    /// Long pages take too long.
    SlowPages,
    /// So many directories hang.
    Hanging(u8),
    /// No send arrives, and every read does: a proxy that lets nothing else through.
    ReadOnly,
}

impl Trouble {
    fn name(self) -> &'static str {
        match self {
            Trouble::Twice => "line: sends arrive twice",
            Trouble::Refused(_) => "line: sends are refused",
            Trouble::Unauthorized => "line: 401",
            Trouble::Damaged => "line: messages are half understood",
            Trouble::SlowPages => "line: long pages take too long",
            Trouble::Hanging(_) => "line: several directories hang",
            Trouble::ReadOnly => "line: sends never arrive",
        }
    }
}

/// How long a program waits for a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// So many seconds; none waits as long as it takes.
    pub seconds: Option<u64>,
    /// The end of its patience stops the agent, too.
    pub stops: bool,
}

/// How replies are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// By a function that is content with this reply, counted from 0, and complains of each other one in other words.
    Function(u8),
    /// By a function that always says the same.
    Stubborn,
    /// By a command that succeeds with this reply.
    Command(u8),
    /// By a command that always fails in the same way, and says how long it took.
    StubbornCommand,
}

/// What happens between an answer and the moment at which it can be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meanwhile {
    /// Nothing.
    Nothing,
    /// The device sleeps for an hour.
    AnHourPasses,
    /// Permissions ask for something else under their old ids: a hostile server.
    RequestsChange,
}

/// What is wrong with a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Calls never arrive.
    RequestLost,
    /// Calls take effect, and their answers are lost.
    ResponseLost,
    /// Calls are answered 500.
    ServerError,
    /// Calls are answered with a web page.
    Garbage,
    /// Calls are never answered.
    Hang,
    /// Calls take up to two seconds, and pass each other.
    Slow,
    /// Nothing gets through.
    Cut,
    /// One directory hangs.
    HangingDirectory,
    /// Reads of messages are answered 500.
    Messages,
}

impl Transition {
    /// Its name, to count it by.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Transition::Begin { .. } => "a session begins",
            Transition::Answer { .. } => "a person answers",
            Transition::AnswerOffline { .. } => "a person answers while offline",
            Transition::Prompt { .. } => "a person prompts",
            Transition::Type { .. } => "a person types",
            Transition::Stop { .. } => "a person stops a session",
            Transition::Rescue { .. } => "a person sends a dead answer as a message",
            Transition::Discard { .. } => "a person gives up an answer",
            Transition::Open { .. } => "a person opens a session",
            Transition::Hide { .. } => "a tab is hidden or shown",
            Transition::OtherAnswers { .. } => "somebody else answers",
            Transition::OtherRejects { .. } => "somebody else rejects",
            Transition::OtherClearsGhost { .. } => "somebody else clears a ghost",
            Transition::OtherPrompts { .. } => "somebody else prompts",
            Transition::OtherStops { .. } => "somebody else stops a session",
            Transition::BesideBegins { .. } => "another process begins a session",
            Transition::BesideAnswers => "a run of another process goes on",
            Transition::BesideStops => "runs of another process are stopped there",
            Transition::BesideDies => "another process is killed",
            Transition::OtherDeletes { .. } => "somebody else deletes a session",
            Transition::Restart { .. } => "the server is killed",
            Transition::DieAfterReply => "the server is to die after `200 true`",
            Transition::DieAfterPrompt => "the server is to die after 204",
            Transition::Dispose { .. } => "an instance is disposed of",
            Transition::Change { .. } => "a request changes under its id",
            Transition::Network { fault, .. } => fault.name(),
            Transition::Outage { .. } => "network: out for a minute",
            Transition::Reload { .. } => "a tab is reloaded",
            Transition::Close { .. } => "a tab is closed",
            Transition::Reopen { .. } => "a tab is opened",
            Transition::Crash { .. } => "a tab is to die after a write",
            Transition::Sleep { .. } => "a device sleeps",
            Transition::ClockJump { .. } => "a clock jumps ahead",
            Transition::ClockBack { .. } => "a clock is set back",
            Transition::Storage { health, .. } => match health {
                StoreHealth::Well => "a storage is well again",
                StoreHealth::Slow(_) => "a storage is slow",
                StoreHealth::Full => "a storage is full",
                StoreHealth::Hanging => "a storage hangs",
                StoreHealth::Broken => "a storage is broken",
            },
            Transition::Unanswered { .. } => "claims or loads are not answered",
            Transition::Lead { .. } => "another tab leads",
            Transition::Leave { .. } => "a page is left",
            Transition::Idle { .. } => "nobody does anything",
            Transition::StopCountdown { .. } => "a countdown is stopped",
            Transition::Await { .. } => "a program waits for an answer",
            Transition::FollowUp { .. } => "a program follows up",
            Transition::Cancel { .. } => "a program wants no reply any more",
            Transition::Dispatch { .. } => "a program lets agents work",
            Transition::Validate { .. } => "a program has replies checked",
            Transition::Shell { .. } => "a program runs a command",
            Transition::Create { .. } => "a program makes a session",
            Transition::Effects { .. } => "effects are queued",
            Transition::Deferreds { .. } => "tool calls are tracked",
            Transition::Hardship(hardship) => hardship.name(),
        }
    }
}

impl Fault {
    fn name(self) -> &'static str {
        match self {
            Fault::None => "network: well again",
            Fault::RequestLost => "network: requests are lost",
            Fault::ResponseLost => "network: responses are lost",
            Fault::ServerError => "network: 500",
            Fault::Garbage => "network: web pages",
            Fault::Hang => "network: hangs",
            Fault::Slow => "network: late and out of order",
            Fault::Cut => "network: cut",
            Fault::HangingDirectory => "network: one directory hangs",
            Fault::Messages => "network: no messages can be read",
        }
    }
}

impl fmt::Display for History {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "seed {}, {:?}", self.seed, self.setup)?;
        for event in &self.events {
            writeln!(
                formatter,
                "  after {:>5} ms  {:?}",
                event.after.as_millis(),
                event.transition
            )?;
        }
        Ok(())
    }
}
