//! Everything at once: a server, devices with tabs, the network between them, and the time they live in.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use switchboard_core::log::Record;
use switchboard_core::model::{Ask, Directory, RequestId, SessionId};
use switchboard_core::ports::Wake;
use switchboard_core::{Clock, Config, Handle, Time, connect};

use crate::clock::{TabClock, VirtualClock};
use crate::executor::{Executor, Group};
use crate::neighbours::Neighbours;
use crate::network::{Faults, SimTransport};
use crate::opencode::{DOWN, Event, Life, OpenCode};
use crate::other_client::OtherClient;
use crate::random::Random;
use crate::store::{Device, DeviceStore};
use crate::tab::Tab;
use crate::watch::{Breach, Watch};

/// When the world begins.
const BEGINNING: Time = Time(1_795_300_000_000);

/// Between two heartbeats of the event stream (docs/opencode.md, section 8).
const HEARTBEAT: Duration = Duration::from_secs(10);

/// How well server events get through: they are hints only, and losing them must do no harm.
#[derive(Clone, Debug, PartialEq)]
pub struct EventFlow {
    /// Events that never arrive, in percent.
    pub lost: u64,
    /// Events that arrive twice, in percent.
    pub doubled: u64,
    /// How long they take.
    pub latency: Range<Duration>,
}

impl Default for EventFlow {
    fn default() -> Self {
        Self {
            lost: 0,
            doubled: 0,
            latency: Duration::ZERO..Duration::ZERO,
        }
    }
}

/// Calls a board from within what it calls.
pub(crate) type CallBack = Rc<dyn Fn()>;

/// What a caller may do at any time, and changes nothing.
fn disturb(board: &Handle) {
    let nobody = RequestId::from("que_nobody");
    drop(board.figures());
    drop(board.views());
    debug_assert!(board.wait(&nobody).is_err(), "nobody asks that");
}

/// A simulated world. Everything in it follows from its seed and from what a test does.
#[derive(Debug)]
pub struct World {
    /// The server.
    pub server: OpenCode,
    /// Another client of it.
    pub other: OtherClient,
    /// What goes wrong between new tabs and the server.
    pub faults: Faults,
    /// The settings of new tabs.
    pub config: Config,
    /// Whether server events reach the tabs, as hints. Defaults to `false`: they only poll.
    pub events_flow: bool,
    /// How well they do.
    pub event_flow: EventFlow,
    /// Whether the log, the way to the server and the store call the board that calls them. Defaults to `false`.
    pub calls_back: bool,
    /// Whether the tabs' logs are kept. Defaults to `true`.
    pub logs_are_kept: bool,
    devices: Vec<Device>,
    clock: VirtualClock,
    executor: Executor,
    random: Random,
    watch: Watch,
    neighbours: Neighbours,
    logs: Vec<Rc<RefCell<Vec<Record>>>>,
    seen: usize,
    /// When the server last said that the stream is alive.
    heartbeat: Time,
    /// The directory of each session and request that an event has named.
    places: BTreeMap<String, Directory>,
}

impl Drop for World {
    fn drop(&mut self) {
        self.executor.cancel_all();
    }
}

impl World {
    /// A world with a server that is up, and nobody who looks at it.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let clock = VirtualClock::new(BEGINNING);
        let executor = Executor::new(clock.clone());
        let random = Random::new(seed);
        let server = OpenCode::new(clock.clone(), executor.clone(), random.clone());
        executor.spawn(Group::World, {
            let clock = clock.clone();
            // What is due then is told by the next check.
            async move {
                loop {
                    clock.sleep(HEARTBEAT).await;
                }
            }
        });
        Self {
            other: OtherClient::new(server.clone(), random.clone()),
            server,
            faults: Faults::default(),
            config: Config::new(seed),
            events_flow: false,
            event_flow: EventFlow::default(),
            logs_are_kept: true,
            calls_back: false,
            devices: Vec::new(),
            neighbours: Neighbours::new(clock.clone(), executor.clone()),
            watch: Watch::new(clock.clone()),
            clock,
            executor,
            random,
            logs: Vec::new(),
            seen: 0,
            heartbeat: Time(0),
            places: BTreeMap::new(),
        }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// When the server last said that the event stream is alive.
    #[must_use]
    pub fn heartbeat(&self) -> Time {
        self.heartbeat
    }

    /// Random numbers of this world's seed.
    #[must_use]
    pub fn random(&self) -> Random {
        self.random.clone()
    }

    /// The clock that all others follow.
    pub(crate) fn clock(&self) -> VirtualClock {
        self.clock.clone()
    }

    /// Lets a task run that belongs to no tab.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.executor.spawn(Group::World, task);
    }

    /// Opens a tab on a device. The first tab of a device leads.
    pub fn open_tab(&mut self, device: &Device) -> Tab {
        let number = self.logs.len();
        let home = self.number_of(device);
        self.watch.open(number, home);
        let tab_clock = TabClock {
            world: self.clock.clone(),
            device: device.clock_ahead(),
            own: Rc::default(),
        };
        let faults = Rc::new(RefCell::new(self.faults.clone()));
        let has_password = Rc::new(Cell::new(false));
        let log = Rc::new(RefCell::new(Vec::new()));
        self.logs.push(log.clone());
        let called: Rc<RefCell<Option<Handle>>> = Rc::default();
        let callee = called.clone();
        let call_back: CallBack = Rc::new(move || {
            let board = callee.borrow().clone();
            board.iter().for_each(disturb);
        });
        let (neighbours, home) = (self.neighbours.clone(), device.clone());
        let transport = SimTransport {
            clock: self.clock.clone(),
            tab_clock: tab_clock.clone(),
            executor: self.executor.clone(),
            random: Random::new(self.random.number()),
            server: self.server.clone(),
            faults: faults.clone(),
            watch: self.watch.clone(),
            tab: number,
            has_password: has_password.clone(),
            call_back: call_back.clone(),
            shown: Rc::new(move |read, fetched, begun| neighbours.show(number, &home, read, fetched, begun)),
            device: device.clone(),
        };
        let (neighbours, home) = (self.neighbours.clone(), device.clone());
        let (commits_to_live, is_dead) = (Rc::new(Cell::new(None)), Rc::new(Cell::new(false)));
        let commits_to_freeze = Rc::new(Cell::new(None));
        let freezing = self.executor.clone();
        let (death, executor, leaving) = (is_dead.clone(), self.executor.clone(), self.neighbours.clone());
        let store = Rc::new(DeviceStore {
            device: device.clone(),
            clock: self.clock.clone(),
            committed: Rc::new(move || neighbours.wake(number, &home)),
            commits_to_live: commits_to_live.clone(),
            commits_to_freeze: commits_to_freeze.clone(),
            call_back: call_back.clone(),
            freeze: Rc::new(move || freezing.freeze(Group::Tab(number))),
            die: Rc::new(move || {
                death.set(true);
                executor.cancel_group(Group::Tab(number));
                leaving.leave(number);
            }),
        });
        let mut config = self.config.clone();
        config.seed = self.random.number();
        let records = self.logs_are_kept.then(|| log.clone());
        let write = move |record: &Record| {
            if let Some(records) = &records {
                records.borrow_mut().push(record.clone());
            }
            call_back();
        };
        let clock = Rc::new(tab_clock.clone());
        let (handle, driver) = connect(config, Rc::new(transport.clone()), clock, store.clone(), Rc::new(write));
        if self.calls_back {
            called.replace(Some(handle.clone()));
        }
        let ended = Rc::new(Cell::new(None));
        let (end, world_clock) = (ended.clone(), self.clock.clone());
        let driver = self.executor.spawn(Group::Tab(number), async move {
            driver.await;
            end.set(Some(world_clock.now()));
        });
        self.neighbours.join(number, device, &handle);
        Tab {
            number,
            device: device.clone(),
            executor: self.executor.clone(),
            watch: self.watch.clone(),
            clock: tab_clock,
            store,
            transport,
            handle,
            faults,
            cancellers: Rc::default(),
            has_password,
            commits_to_live,
            commits_to_freeze,
            is_dead,
            driver,
            ended,
            log,
            outcomes: Rc::default(),
            stored: Rc::default(),
        }
    }

    fn number_of(&mut self, device: &Device) -> usize {
        let known = self.devices.iter().position(|known| known.is(device));
        known.unwrap_or_else(|| {
            self.devices.push(device.clone());
            self.devices.len() - 1
        })
    }

    /// Ends a tab at once: a crash, a reload or the end of the browser. What is on its way in the network stays so.
    pub fn close_tab(&mut self, tab: Tab) {
        self.executor.cancel_group(Group::Tab(tab.number));
        self.neighbours.leave(tab.number);
    }

    /// Drops what drives the board of a tab. Whoever holds the board still does.
    pub fn drop_driver(&self, tab: &Tab) {
        self.executor.cancel(tab.driver);
    }

    /// Reloads a tab.
    pub fn reload_tab(&mut self, tab: Tab) -> Tab {
        let device = tab.device.clone();
        self.close_tab(tab);
        self.open_tab(&device)
    }

    /// Lets a tab stand still, as a browser does with a hidden one.
    pub fn freeze_tab(&self, tab: &Tab) {
        self.executor.freeze(Group::Tab(tab.number));
    }

    /// Lets it go on.
    pub fn thaw_tab(&self, tab: &Tab) {
        self.watch.note_gap(tab.number);
        self.executor.thaw(Group::Tab(tab.number));
    }

    /// Whether it stands still.
    #[must_use]
    pub fn is_frozen(&self, tab: &Tab) -> bool {
        self.executor.is_frozen(Group::Tab(tab.number))
    }

    /// Makes another tab of the device the one that reads for all.
    pub fn move_lead(&self, to: &Tab) {
        self.neighbours.lead(to.number);
    }

    /// Since when a tab has an event stream that goes on.
    pub(crate) fn stream_since(&self, tab: usize) -> Option<Time> {
        self.neighbours.stream_since(tab)
    }

    /// Whether nothing that one tab tells arrives at another.
    pub fn set_deaf(&self, are_deaf: bool) {
        self.neighbours.set_deaf(are_deaf);
    }

    /// Kills the server, starts it again a moment later, and returns when it answers.
    pub fn restart_server(&mut self) {
        self.server.kill();
        self.run_for(DOWN);
        self.server.start();
        self.run_until("the server answers", DOWN, |world| world.server.life() == Life::Up);
    }

    /// Kills the server, and lets it start again by itself after a while.
    pub fn kill_server_for(&mut self, down: Duration) {
        self.server.kill();
        let (server, clock) = (self.server.clone(), self.clock.clone());
        self.executor.spawn(Group::World, async move {
            clock.sleep(down).await;
            server.start();
        });
    }

    /// What must never happen.
    #[must_use]
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    /// How many tasks of a tab have not ended.
    #[must_use]
    pub fn tasks_of(&self, tab: &Tab) -> usize {
        self.executor.count(Group::Tab(tab.number))
    }

    /// Lets time pass.
    ///
    /// # Panics
    /// When something happens that must never happen.
    pub fn run_for(&mut self, span: Duration) {
        let played = self.play_for(span, |_| ());
        if let Err(breach) = played {
            panic!("{breach}\n{}", self.story());
        }
    }

    /// Lets time pass, and looks at the world whenever it stands still for a moment.
    ///
    /// # Errors
    /// When something happens that must never happen.
    pub fn play_for(&mut self, span: Duration, mut look: impl FnMut(&Self)) -> Result<(), Breach> {
        let end = self.now() + span;
        loop {
            self.settle()?;
            look(self);
            if !self.advance(end) {
                return Ok(());
            }
        }
    }

    /// Lets time pass until it is so.
    ///
    /// # Panics
    /// When it is not so within `limit`, or something happens that must never happen.
    pub fn run_until(&mut self, what: &str, limit: Duration, is_so: impl Fn(&Self) -> bool) {
        let end = self.now() + limit;
        while !is_so(self) {
            if let Err(breach) = self.settle() {
                panic!("{breach}\n{}", self.story());
            }
            if !is_so(self) && !self.advance(end) {
                let story = self.story();
                panic!("not within {limit:?}: {what}\n{story}");
            }
        }
    }

    /// Does everything that can be done in this moment.
    pub(crate) fn settle(&mut self) -> Result<(), Breach> {
        while self.executor.poll_one() {
            self.check()?;
        }
        Ok(())
    }

    /// Moves to the next moment. False at the end.
    pub(crate) fn advance(&mut self, end: Time) -> bool {
        match self.clock.next_timer() {
            Some(next) if next <= end => self.clock.advance_to(next),
            Some(_) | None if self.now() < end => self.clock.advance_to(end),
            Some(_) | None => return false,
        }
        true
    }

    /// Checks what must never happen, and passes on what the server tells.
    fn check(&mut self) -> Result<(), Breach> {
        if self.server.happened() > self.seen {
            let happened = self.server.happened_since(self.seen);
            self.seen += happened.len();
            self.watch.observe(&happened);
            for happening in happened {
                if self.events_flow
                    && let Some(wake) = self.wake_of(&happening.event)
                {
                    self.hint(wake);
                }
            }
        }
        let now = self.now();
        if self.events_flow && self.server.life() == Life::Up {
            self.neighbours.connect();
        }
        if self.events_flow && now.since(self.heartbeat) >= HEARTBEAT && self.server.life() == Life::Up {
            self.heartbeat = now;
            self.hint(Wake::Alive);
        }
        match self.watch.is_breached().then(|| self.watch.breach()).flatten() {
            Some(breach) => Err(breach),
            None => Ok(()),
        }
    }

    /// Gives the tabs that have an event stream a hint, as well as the way of events allows.
    fn hint(&self, wake: Wake) {
        let flow = &self.event_flow;
        // What a browser itself says of its stream is never lost, and a stream that loses events may still be alive.
        if matches!(wake, Wake::Alive | Wake::Connected | Wake::Lost) {
            return self.neighbours.hint(&wake);
        }
        if self.random.happens(flow.lost) {
            return;
        }
        let times = if self.random.happens(flow.doubled) { 2 } else { 1 };
        for _ in 0..times {
            let span = self.random.span(&flow.latency);
            if span.is_zero() {
                self.neighbours.hint(&wake);
                continue;
            }
            let (neighbours, clock, wake) = (self.neighbours.clone(), self.clock.clone(), wake.clone());
            self.executor.spawn(Group::World, async move {
                clock.sleep(span).await;
                neighbours.hint(&wake);
            });
        }
    }

    fn wake_of(&mut self, event: &Event) -> Option<Wake> {
        let server = &self.server;
        let mut directory_of = |session: &SessionId| match server.session(session) {
            Some(found) => {
                self.places.insert(session.to_string(), found.directory.clone());
                Some(found.directory)
            }
            None => self.places.get(session.as_str()).cloned(),
        };
        match event {
            Event::Asked(request) => {
                let directory = request.directory.clone();
                self.places.insert(request.id.to_string(), directory.clone());
                Some(match request.ask {
                    Ask::Questions(_) => Wake::Question(directory),
                    Ask::Permission(_) => Wake::Permission(directory),
                })
            }
            Event::Replied { request, .. } | Event::TakenAlong { request, .. } => {
                Some(Wake::Answered(self.places.get(request.as_str())?.clone()))
            }
            Event::Stored { session, .. }
            | Event::Aborted { session, .. }
            | Event::RunBegan { session }
            | Event::RunEnded { session, .. }
            | Event::Deleted { session } => Some(Wake::Directory(directory_of(session)?, Some(session.clone()))),
            Event::Answers => Some(Wake::Connected),
            Event::Killed => Some(Wake::Lost),
            Event::Delivered { .. } | Event::Prompted { .. } | Event::Changed { .. } | Event::Disposed { .. } => None,
        }
    }

    /// What has happened, for a person who looks for a fault.
    #[must_use]
    pub fn story(&self) -> String {
        let mut story = format!("at {}: {:?}", self.now().0, self.server);
        for (number, log) in self.logs.iter().enumerate() {
            for record in log.borrow().iter() {
                let _ = writeln!(
                    story,
                    "  tab {number} [{}] {:?} {}",
                    record.number, record.level, record.text
                );
            }
        }
        story
    }
}
