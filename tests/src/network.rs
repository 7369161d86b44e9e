//! The way from a tab to the simulated server: slow, and as unreliable as a test wants it.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::{LocalBoxFuture, pending};
use switchboard_core::model::{Directory, Refusal, SessionId};
use switchboard_core::ports::{Fetched, Post, Posted, Read, ReadError, Transport};
use switchboard_core::{Clock, Time};

use crate::clock::{TabClock, VirtualClock};
use crate::executor::{Executor, Group};
use crate::opencode::{Client, Life, OpenCode};
use crate::random::Random;
use crate::store::Device;
use crate::watch::Watch;
use crate::world::CallBack;

/// What goes wrong on the way, in percent of all calls, drawn from the seed.
#[derive(Clone, Debug)]
pub struct Faults {
    /// From a call to the server, and the same back. A wide range changes the order of calls.
    pub latency: Range<Duration>,
    /// Calls that never reach the server.
    pub request_lost: u64,
    /// Calls that take effect, and whose answer is lost.
    pub response_lost: u64,
    /// Calls that are answered 500 and have no effect.
    pub server_error: u64,
    /// Calls that are answered by something else with a web page, and have no effect.
    pub garbage: u64,
    /// Calls that are never answered, and have no effect.
    pub hang: u64,
    /// Directories whose calls are never answered.
    pub hanging: Vec<Directory>,
    /// Sessions whose messages are never sent.
    pub silent: Vec<SessionId>,
    /// The line is so slow that a long page of messages takes longer than a read may.
    pub slow_pages: bool,
    /// Windows of messages in which one message cannot be understood.
    pub damaged: u64,
    /// Sends that reach the server twice: a browser or a proxy repeats what it had no answer to.
    pub doubled: u64,
    /// Calls that are answered 401 and have no effect.
    pub unauthorized: u64,
    /// No network at all.
    pub is_cut: bool,
    /// Reads that are answered 500.
    pub unreadable: Option<fn(&Read) -> bool>,
    /// Sends never reach the server; reads do.
    pub posts_lost: bool,
    /// Sends that are refused with this status.
    pub refusal: Option<u16>,
    /// How many of them.
    pub refused: u64,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            latency: Duration::from_millis(2)..Duration::from_millis(12),
            request_lost: 0,
            response_lost: 0,
            server_error: 0,
            garbage: 0,
            hang: 0,
            hanging: Vec::new(),
            silent: Vec::new(),
            slow_pages: false,
            damaged: 0,
            doubled: 0,
            unauthorized: 0,
            is_cut: false,
            unreadable: None,
            posts_lost: false,
            refusal: None,
            refused: 100,
        }
    }
}

/// How many messages are read for what they have changed. No other read asks for so many.
pub const CHANGED_MESSAGES: u32 = 200;
/// How long each message takes on a slow line: a first page of 40 takes longer than a read may.
const SLOW_MESSAGE: Duration = Duration::from_millis(250);
/// After how long a send is repeated that had no answer.
const REPEATED: Range<Duration> = Duration::from_millis(1)..Duration::from_millis(1_500);

/// What happens to one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It arrives, and so does its answer.
    Arrives,
    /// It never arrives.
    RequestLost,
    /// It takes effect, and its answer is lost.
    ResponseLost,
    /// It is answered 500.
    ServerError,
    /// It is answered with a web page.
    Garbage,
    /// It is never answered.
    Hangs,
    /// It is answered 401.
    Unauthorized,
    /// It arrives twice.
    Doubled,
    /// It is refused.
    Refused,
    /// A message of its answer cannot be understood.
    Damaged,
}

/// Hears of what a tab has read.
pub(crate) type Shown = Rc<dyn Fn(&Read, &Fetched, Time)>;

/// A tab's way to the server. Clones are the same way.
#[derive(Clone)]
pub struct SimTransport {
    pub(crate) clock: VirtualClock,
    pub(crate) tab_clock: TabClock,
    pub(crate) executor: Executor,
    pub(crate) random: Random,
    pub(crate) server: OpenCode,
    pub(crate) faults: Rc<RefCell<Faults>>,
    pub(crate) watch: Watch,
    pub(crate) tab: usize,
    pub(crate) has_password: Rc<std::cell::Cell<bool>>,
    pub(crate) call_back: CallBack,
    pub(crate) shown: Shown,
    pub(crate) device: Device,
}

impl fmt::Debug for SimTransport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SimTransport({})", self.tab)
    }
}

impl Transport for SimTransport {
    fn read(&self, read: Read) -> LocalBoxFuture<'static, Result<Fetched, ReadError>> {
        (self.call_back)();
        let (way, flight, begun) = (self.clone(), self.watch.begin(self.tab, &read), self.tab_clock.now());
        async move {
            let fetched = way.carry_read(&read).await;
            if matches!(fetched, Ok(_) | Err(ReadError::NotFound(_))) {
                flight.succeeded(fetched.as_ref().ok());
            } else {
                flight.failed();
            }
            if let Ok(fetched) = &fetched {
                (way.shown)(&read, fetched, begun);
            }
            drop(flight);
            fetched
        }
        .boxed_local()
    }

    /// What has left arrives, also when the tab dies or waits no longer.
    fn post(&self, post: Post) -> LocalBoxFuture<'static, Posted> {
        (self.call_back)();
        let (sender, receiver) = oneshot::channel();
        let is_saved = self.device.holds_attempt(&post);
        let flight = self.watch.begin_post(self.tab, &post, is_saved, &self.tab_clock);
        let (way, sent) = (self.clone(), post.clone());
        self.executor.spawn(Group::Network, async move {
            let posted = way.carry_post(&post).await;
            // Nobody hears it when the tab has died.
            let _ = sender.send(posted);
        });
        let (watch, tab) = (self.watch.clone(), self.tab);
        async move {
            match receiver.await {
                Ok(posted) => {
                    if let (Post::Abort { session, .. }, Posted::Refused(_)) = (&sent, &posted) {
                        watch.note_refused_stop(tab, session);
                    }
                    flight.ended(&posted);
                    posted
                }
                Err(oneshot::Canceled) => pending().await,
            }
        }
        .boxed_local()
    }
}

impl SimTransport {
    /// Reads what a session has changed, from its newest messages.
    pub(crate) async fn read_changes(self, session: SessionId, directory: Directory) -> Result<String, ReadError> {
        let read = Read::Messages {
            session: session.clone(),
            directory,
            limit: CHANGED_MESSAGES,
            before: None,
        };
        self.carry_read(&read).await?;
        Ok(self.server.changes(&session))
    }

    async fn carry_read(&self, read: &Read) -> Result<Fetched, ReadError> {
        let unreachable = || ReadError::Unreachable("the connection broke".to_owned());
        let fate = self.travel(directory_of_read(read)).await;
        let is_unreadable = self
            .faults
            .borrow()
            .unreadable
            .is_some_and(|is_unreadable| is_unreadable(read));
        let fate = if is_unreadable { Fate::ServerError } else { fate };
        let is_silent = matches!(
            read,
            Read::Messages { session, .. } | Read::Message { session, .. } if self.faults.borrow().silent.contains(session)
        );
        let fate = if is_silent { Fate::Hangs } else { fate };
        let fetched = match (fate, self.server.life()) {
            (Fate::RequestLost, _) | (_, Life::Down) => return Err(unreachable()),
            (Fate::Hangs, _) | (_, Life::Starting) => pending().await,
            (Fate::ServerError, Life::Up) => Err(ReadError::Server {
                status: 500,
                message: "UnknownError".to_owned(),
            }),
            (Fate::Garbage, Life::Up) => Err(ReadError::Unexpected("200 with a web page".to_owned())),
            (Fate::Unauthorized, Life::Up) => Err(ReadError::Unauthorized),
            (_, Life::Up) if self.is_locked_out() => Err(ReadError::Unauthorized),
            (_, Life::Up) => self.server.read(read).map(|fetched| self.damage(fetched)),
        };
        let is_slow = self.faults.borrow().slow_pages;
        if let (Read::Messages { limit, .. }, true) = (read, is_slow) {
            self.clock.sleep(SLOW_MESSAGE * *limit).await;
        }
        self.pause().await;
        if fate == Fate::ResponseLost {
            Err(unreachable())
        } else {
            fetched
        }
    }

    async fn carry_post(&self, post: &Post) -> Posted {
        let lost = || Posted::InDoubt("the connection broke".to_owned());
        let fate = self.travel(Some(directory_of_post(post))).await;
        if self.faults.borrow().posts_lost {
            return lost();
        }
        let refusal = self.refusal();
        let posted = match (fate, self.server.life()) {
            (Fate::RequestLost, _) | (_, Life::Down) => return lost(),
            (Fate::Hangs, _) | (_, Life::Starting) => pending().await,
            (Fate::ServerError, Life::Up) => Posted::InDoubt("500 UnknownError".to_owned()),
            (Fate::Garbage, Life::Up) => Posted::InDoubt("200 with a web page".to_owned()),
            (Fate::Unauthorized, Life::Up) => Posted::Unauthorized,
            (_, Life::Up) if self.is_locked_out() => Posted::Unauthorized,
            (_, Life::Up) if let Some(status) = refusal => Posted::Refused(Refusal {
                status,
                message: Some("BadRequest".to_owned()),
            }),
            (_, Life::Up) => self.deliver(post).await,
        };
        while posted == Posted::Accepted && self.server.is_at_work(post) {
            self.clock.sleep(Duration::from_millis(20)).await;
        }
        self.pause().await;
        if fate == Fate::ResponseLost { lost() } else { posted }
    }

    fn refusal(&self) -> Option<u16> {
        let faults = self.faults.borrow();
        let refusal = faults
            .refusal
            .filter(|_| faults.refused == 100 || self.random.happens(faults.refused));
        if refusal.is_some() {
            self.watch.count_fate(Fate::Refused);
        }
        refusal
    }

    /// Hands a send over, now and then twice. The answer is that to the first or that to the second.
    async fn deliver(&self, post: &Post) -> Posted {
        let posted = self.server.post(Client::Tab(self.tab), post);
        let is_repeated = match post {
            Post::Reply { .. } | Post::Prompt { .. } | Post::Abort { .. } => {
                self.random.happens(self.faults.borrow().doubled)
            }
            Post::Create { .. } | Post::Shell { .. } => false,
        };
        if !is_repeated {
            return posted;
        }
        self.watch.count_fate(Fate::Doubled);
        self.clock.sleep(self.random.span(&REPEATED)).await;
        if self.server.life() != Life::Up {
            return Posted::InDoubt("the connection broke".to_owned());
        }
        let again = self.server.post(Client::Tab(self.tab), post);
        if self.random.happens(50) { again } else { posted }
    }

    /// Leaves nothing but its frame of one message of a window.
    fn damage(&self, mut fetched: Fetched) -> Fetched {
        if let Fetched::Page(page) = &mut fetched
            && !page.messages.is_empty()
            && self.random.happens(self.faults.borrow().damaged)
        {
            self.watch.count_fate(Fate::Damaged);
            let count = page.messages.len() as u64;
            let place = usize::try_from(self.random.below(count)).unwrap_or_default();
            let message = &mut page.messages[place];
            message.fault = Some("this message comes without parts".to_owned());
            message.parts.clear();
        }
        fetched
    }

    async fn travel(&self, directory: Option<&Directory>) -> Fate {
        let fate = self.draw(directory);
        self.watch.count_fate(fate);
        self.pause().await;
        fate
    }

    async fn pause(&self) {
        let span = self.random.span(&self.faults.borrow().latency.clone());
        self.clock.sleep(span).await;
    }

    fn draw(&self, directory: Option<&Directory>) -> Fate {
        let faults = self.faults.borrow();
        if faults.is_cut {
            return Fate::RequestLost;
        }
        if directory.is_some_and(|directory| faults.hanging.contains(directory)) {
            return Fate::Hangs;
        }
        let fates = [
            (faults.request_lost, Fate::RequestLost),
            (faults.response_lost, Fate::ResponseLost),
            (faults.server_error, Fate::ServerError),
            (faults.garbage, Fate::Garbage),
            (faults.hang, Fate::Hangs),
            (faults.unauthorized, Fate::Unauthorized),
        ];
        let drawn = fates.into_iter().find(|(percent, _)| self.random.happens(*percent));
        drawn.map_or(Fate::Arrives, |(_, fate)| fate)
    }

    fn is_locked_out(&self) -> bool {
        self.server.wants_password() && !self.has_password.get()
    }
}

fn directory_of_read(read: &Read) -> Option<&Directory> {
    match read {
        Read::Health | Read::Directories | Read::Sessions { .. } => None,
        Read::Questions(directory) | Read::Permissions(directory) | Read::Status(directory) => Some(directory),
        Read::Session { directory, .. } | Read::Messages { directory, .. } | Read::Message { directory, .. } => {
            Some(directory)
        }
    }
}

fn directory_of_post(post: &Post) -> &Directory {
    match post {
        Post::Reply { directory, .. }
        | Post::Prompt { directory, .. }
        | Post::Abort { directory, .. }
        | Post::Shell { directory, .. }
        | Post::Create { directory, .. } => directory,
    }
}
