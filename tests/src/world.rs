//! Everything at once: a server, devices with tabs, the network between them, and the time they live in.

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::rc::Rc;
use std::time::Duration;

use switchboard_core::record::Record;
use switchboard_core::runtime::{Clock, Wake};
use switchboard_core::time::Time;
use switchboard_core::{Config, connect};

use crate::clock::VirtualClock;
use crate::executor::{Executor, Group};
use crate::neighbours::Neighbours;
use crate::network::{Faults, SimTransport};
use crate::opencode::{Event, Life, OpenCode};
use crate::other_client::OtherClient;
use crate::random::Random;
use crate::store::{Device, DeviceStore};
use crate::tab::Tab;
use crate::watch::Watch;

/// When the world begins.
const BEGINNING: Time = Time(1_795_300_000_000);
/// How long a killed server stays down.
const DOWN: Duration = Duration::from_secs(2);

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
    clock: VirtualClock,
    executor: Executor,
    random: Random,
    watch: Watch,
    neighbours: Neighbours,
    logs: Vec<Rc<RefCell<Vec<Record>>>>,
    seen: usize,
}

impl World {
    /// A world with a server that is up, and nobody who looks at it.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let clock = VirtualClock::new(BEGINNING);
        let executor = Executor::new(clock.clone());
        let random = Random::new(seed);
        let server = OpenCode::new(clock.clone(), executor.clone(), random.clone());
        Self {
            other: OtherClient {
                server: server.clone(),
                random: random.clone(),
            },
            server,
            faults: Faults::default(),
            config: Config::default(),
            events_flow: false,
            neighbours: Neighbours::new(clock.clone(), executor.clone()),
            clock,
            executor,
            random,
            watch: Watch::default(),
            logs: Vec::new(),
            seen: 0,
        }
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// Random numbers of this world's seed.
    #[must_use]
    pub fn random(&self) -> Random {
        self.random.clone()
    }

    /// Opens a tab on a device. The first tab of a device leads.
    pub fn open_tab(&mut self, device: &Device) -> Tab {
        let number = self.logs.len();
        let faults = Rc::new(RefCell::new(self.faults.clone()));
        let has_password = Rc::new(Cell::new(false));
        let log = Rc::new(RefCell::new(Vec::new()));
        self.logs.push(log.clone());
        let (neighbours, home) = (self.neighbours.clone(), device.clone());
        let transport = SimTransport {
            clock: self.clock.clone(),
            executor: self.executor.clone(),
            random: self.random.clone(),
            server: self.server.clone(),
            faults: faults.clone(),
            watch: self.watch.clone(),
            tab: number,
            has_password: has_password.clone(),
            shown: Rc::new(move |read, fetched, begun| neighbours.show(number, &home, read, fetched, begun)),
        };
        let (neighbours, home) = (self.neighbours.clone(), device.clone());
        let store = DeviceStore {
            device: device.clone(),
            clock: self.clock.clone(),
            committed: Rc::new(move || neighbours.wake(number, &home)),
        };
        let config = Config {
            seed: self.random.number(),
            ..self.config.clone()
        };
        let records = log.clone();
        let write = move |record: &Record| records.borrow_mut().push(record.clone());
        let clock = Rc::new(self.clock.clone());
        let (handle, driver) = connect(config, Rc::new(transport), clock, Rc::new(store), Rc::new(write));
        self.executor.spawn(Group::Tab(number), driver);
        self.neighbours.join(number, device, &handle);
        Tab {
            number,
            device: device.clone(),
            executor: self.executor.clone(),
            watch: self.watch.clone(),
            handle,
            faults,
            cancellers: Rc::default(),
            has_password,
            log,
            outcomes: Rc::default(),
            stored: Rc::default(),
        }
    }

    /// Ends a tab at once: a crash, a reload or the end of the browser. What is on its way in the network stays so.
    pub fn close_tab(&mut self, tab: Tab) {
        self.executor.cancel_group(Group::Tab(tab.number));
        self.neighbours.leave(tab.number);
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
        self.executor.thaw(Group::Tab(tab.number));
    }

    /// Makes another tab of the device the one that reads for all.
    pub fn move_lead(&self, from: &Tab, to: &Tab) {
        from.handle.set_leading(false);
        to.handle.set_leading(true);
    }

    /// Kills the server, starts it again a moment later, and returns when it answers.
    pub fn restart_server(&mut self) {
        self.server.kill();
        self.run_for(DOWN);
        self.server.start();
        self.run_until("the server answers", DOWN, |world| world.server.life() == Life::Up);
    }

    /// Lets time pass.
    ///
    /// # Panics
    /// When something happens that must never happen.
    pub fn run_for(&mut self, span: Duration) {
        let end = self.now() + span;
        while self.step(end) {}
    }

    /// Lets time pass until it is so.
    ///
    /// # Panics
    /// When it is not so within `limit`, or something happens that must never happen.
    pub fn run_until(&mut self, what: &str, limit: Duration, is_so: impl Fn(&Self) -> bool) {
        let end = self.now() + limit;
        while !is_so(self) {
            if !self.step(end) && !is_so(self) {
                let story = self.story();
                panic!("not within {limit:?}: {what}\n{story}");
            }
        }
    }

    /// Does everything that can be done in this moment, then moves to the next. False at the end.
    fn step(&mut self, end: Time) -> bool {
        while self.executor.poll_one() {
            self.check();
        }
        match self.clock.next_timer() {
            Some(next) if next <= end => self.clock.advance_to(next),
            Some(_) | None if self.now() < end => self.clock.advance_to(end),
            Some(_) | None => return false,
        }
        true
    }

    /// Checks what must never happen, and passes on what the server tells.
    fn check(&mut self) {
        let happened = self.server.happened_since(self.seen);
        self.seen += happened.len();
        self.watch.observe(&happened);
        if let Some(breach) = self.watch.breach() {
            panic!("{breach}\n{}", self.story());
        }
        if !self.events_flow {
            return;
        }
        for happening in &happened {
            if let Some(wake) = self.wake_of(&happening.event) {
                self.neighbours.hint(&wake);
            }
        }
    }

    fn wake_of(&self, event: &Event) -> Option<Wake> {
        let directory_of = |session| self.server.session(session).map(|session| session.directory);
        match event {
            Event::Asked(request) => Some(Wake::Request(request.directory.clone())),
            Event::Stored { session, .. } | Event::Aborted { session, .. } => {
                Some(Wake::Directory(directory_of(session)?, Some(session.clone())))
            }
            Event::Replied { .. } | Event::Delivered { .. } | Event::Prompted { .. } => None,
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
