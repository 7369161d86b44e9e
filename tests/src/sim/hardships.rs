//! What seldom happens: how it is drawn, and how it comes about.

use std::collections::BTreeSet;
use std::time::Duration;

use switchboard_core::model::SessionId;

use super::apply::{choose, directory_of};
use super::assertions::always::REMEMBERED;
use super::draw::{begin, pause, pick, place, small};
use super::history::{Event, Fault, Hardship, History, Patience, Transition, Trouble};
use super::policies::millis;
use super::sut::Sut;
use crate::network::Faults;
use crate::random::Random;
use crate::store::StoreHealth;
use crate::watch::Breach;

/// How many histories have hardships, in percent.
const SHARE: u64 = 33;
/// How many stops are pressed twice, in percent.
const PRESSED_TWICE: u64 = 75;
/// How many histories have tabs whose clocks differ, in percent, where a device has several.
const OWN_CLOCKS: u64 = 25;
/// How many histories have two tabs of a device that answer at once, in percent, where a device has several.
const RACES: u64 = 15;
/// How many of those with clocks of their own have a send that another clock could mislead, in percent.
const MISLED: u64 = 60;
/// More than a page of the list holds.
const CROWD: usize = 105;

/// The title of each of them.
pub(super) const OF_CROWD: &str = "one of many";

/// A directory that lies in no repository ([`super::apply::directory_of`]).
const LOOSE: u8 = 5;
/// How long a board may take to save what was said before it was closed.
const SAVED: Duration = Duration::from_millis(2_000);

/// Adds hardships to some histories. They are drawn from a stream of their own, so that the other histories stay as they
/// are.
pub(super) fn add(history: &mut History) {
    let clocks_differ = add_clocks(history);
    add_second_stops(history);
    if !clocks_differ {
        add_races(history);
    }
    let random = Random::new(history.seed ^ 0x51ed_270b_9f4a_77c1);
    if !random.happens(SHARE) {
        return;
    }
    let tabs: usize = history.setup.tabs.iter().sum();
    history.setup.calls_back = random.happens(15);
    for _ in 0..=random.below(2) {
        let at = 1 + place(&random, history.events.len());
        let events = hardship(&random, tabs);
        history.events.splice(at..at, events);
    }
}

/// Lets tabs of one device disagree about the time: from the beginning on, or from one moment to the next. Returns true for those.
fn add_clocks(history: &mut History) -> bool {
    let random = Random::new(history.seed ^ 0x2545_f491_4f6c_dd1d);
    let tabs: usize = history.setup.tabs.iter().sum();
    if history.setup.tabs.iter().all(|tabs| *tabs < 2) || !random.happens(OWN_CLOCKS) {
        return false;
    }
    for _ in 0..=random.below(2) {
        let (tab, seconds) = (place(&random, tabs), own_clock(&random));
        let (at, hardship) = if random.happens(60) {
            (0, Hardship::OwnClock { tab, seconds })
        } else {
            let at = 1 + place(&random, history.events.len());
            (at, Hardship::OwnClockJump { tab, seconds })
        };
        history.events.insert(at, after(pause(&random), hard(hardship)));
    }
    if random.happens(MISLED) {
        let first = first_shared(&history.setup.tabs);
        let at = 1 + place(&random, history.events.len());
        let events = if random.happens(50) {
            answer_beside(&random, first, first + 1)
        } else {
            leave_undated(&random, first, first + 1)
        };
        history.events.splice(at..at, events);
    }
    true
}

/// The first tab of the first device that has several.
fn first_shared(tabs: &[usize]) -> usize {
    tabs.iter().take_while(|tabs| **tabs < 2).sum()
}

/// Lets two tabs of one device answer the same permission at once, while the storage takes its time.
fn add_races(history: &mut History) {
    let random = Random::new(history.seed ^ 0x3c6e_f372_fe94_f82b);
    let Some(device) = history.setup.tabs.iter().position(|tabs| *tabs > 1) else {
        return;
    };
    if !random.happens(RACES) {
        return;
    }
    let (tab, pick) = (first_shared(&history.setup.tabs), pick(&random));
    let ask = Transition::Begin {
        directory: small(&random, 2),
        script: 4 + small(&random, 3),
    };
    let storage = |health| Transition::Storage { device, health };
    let slow = StoreHealth::Slow(Duration::from_millis(random.below(2_000)));
    let answer = |tab| Transition::Answer {
        tab,
        pick,
        reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
    };
    let reads_slowly = Transition::Network {
        tab: tab + 1,
        fault: Fault::Slow,
        percent: 100,
    };
    let events = vec![
        after(pause(&random), ask),
        after(pause(&random), Transition::Lead { tab: tab + 1 }),
        after(Duration::from_secs(3), reads_slowly),
        after(moment(&random), storage(slow)),
        after(moment(&random), answer(tab)),
        after(Duration::from_millis(random.below(1_000)), answer(tab + 1)),
        after(moment(&random), storage(StoreHealth::Well)),
        after(moment(&random), Transition::Idle { seconds: 5 }),
    ];
    let at = 1 + place(&random, history.events.len());
    history.events.splice(at..at, events);
}

/// The answer to a send of one tab is lost while another one, whose clock is ahead, slowly reads for both.
fn answer_beside(random: &Random, one: usize, other: usize) -> Vec<Event> {
    let (seconds, wait) = (own_clock(random), 1 + random.below(12));
    let slow = Transition::Network {
        tab: one,
        fault: Fault::Slow,
        percent: 100,
    };
    let loses = Transition::Network {
        tab: other,
        fault: Fault::ResponseLost,
        percent: 100,
    };
    let answer = Transition::Answer {
        tab: other,
        pick: pick(random),
        reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
    };
    vec![
        after(pause(random), hard(Hardship::OwnClockJump { tab: one, seconds })),
        after(moment(random), Transition::Lead { tab: one }),
        after(pause(random), begin(random)),
        after(Duration::from_secs(3), slow),
        after(Duration::from_millis(random.below(4_000)), loses),
        after(moment(random), answer),
        after(moment(random), Transition::Idle { seconds: wait }),
    ]
}

/// A tab whose clock is ahead dies with a reply to a permission that it could not send, and leaves it to another one.
fn leave_undated(random: &Random, one: usize, other: usize) -> Vec<Event> {
    let seconds = own_clock(random);
    let ask = Transition::Begin {
        directory: small(random, 2),
        script: 4 + small(random, 3),
    };
    let cut = Transition::Network {
        tab: one,
        fault: Fault::Cut,
        percent: 100,
    };
    let answer = Transition::Answer {
        tab: one,
        pick: pick(random),
        reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
    };
    vec![
        after(pause(random), hard(Hardship::OwnClockJump { tab: one, seconds })),
        after(pause(random), Transition::Lead { tab: other }),
        after(pause(random), ask),
        after(Duration::from_secs(3), cut),
        after(moment(random), answer),
        after(pause(random), Transition::Close { tab: one }),
        after(pause(random), Transition::Idle { seconds: 8 }),
    ]
}

/// Seconds, minutes or hours.
/// Lets persons press Stop again, a moment later or when they see that it has not helped.
fn add_second_stops(history: &mut History) {
    let random = Random::new(history.seed ^ 0x6a09_e667_f3bc_c909);
    let is_stop = |event: &Event| matches!(event.transition, Transition::Stop { .. });
    let stops = (0..history.events.len()).filter(|at| is_stop(&history.events[*at]));
    let stops: Vec<usize> = stops.filter(|_| random.happens(PRESSED_TWICE)).collect();
    for at in stops.into_iter().rev() {
        let transition = history.events[at].transition.clone();
        let later = at + 1 + place(&random, 2.min(history.events.len() - at));
        history.events.insert(later, after(pause(&random), transition));
    }
}

fn own_clock(random: &Random) -> i64 {
    let (unit, below) = [(1, 60), (60, 60), (3_600, 12)][place(random, 3)];
    unit * i64::from(1 + small(random, below))
}

/// One hardship, with what is needed for it to matter.
fn hardship(random: &Random, tabs: usize) -> Vec<Event> {
    let tab = place(random, tabs);
    match random.below(30) {
        0 => one(random, Hardship::DropDriver { tab }),
        1 | 2 => one(
            random,
            Hardship::CloseGently {
                tab,
                milliseconds: random.below(2_600),
            },
        ),
        3 | 4 => take_back(random, tab),
        5 => look_back(random, tab),
        6..9 => delete_awaited(random, tab),
        9..13 => answer_late(random, tab),
        13..16 => freeze(random, tab),
        16..19 => type_prompt(random, tab),
        19..25 => trouble(random, tab),
        25 => one(
            random,
            Hardship::Lock {
                seconds: random.below(20),
            },
        ),
        26 | 27 => spoil(random, tab),
        28 => one(
            random,
            Hardship::ServerClock {
                minutes: 1 + random.below(60),
            },
        ),
        _ if random.happens(15) => crowd(random, tab),
        _ => one(random, Hardship::Archive { pick: pick(random) }),
    }
}

fn one(random: &Random, hardship: Hardship) -> Vec<Event> {
    vec![after(pause(random), hard(hardship))]
}

/// A program takes back what it has just said, and closes its board, while that is still being written.
fn take_back(random: &Random, tab: usize) -> Vec<Event> {
    let follow_up = Transition::FollowUp {
        tab,
        pick: pick(random),
        script: small(random, 6),
        patience: Patience {
            seconds: None,
            stops: false,
        },
    };
    let close = Hardship::CloseGently {
        tab,
        milliseconds: random.below(2_600),
    };
    vec![
        after(pause(random), follow_up),
        after(moment(random), Transition::Cancel { tab }),
        after(moment(random), hard(close)),
    ]
}

/// A session is deleted of which somebody awaits something.
fn delete_awaited(random: &Random, tab: usize) -> Vec<Event> {
    let (pick, directory, seconds) = (pick(random), small(random, 2), 5 + random.below(60));
    let script = small(random, 6);
    let await_it = match random.below(5) {
        0 => Transition::Prompt { tab, pick },
        1 => Transition::Shell {
            tab,
            directory,
            command: 2 + small(random, 2),
            seconds,
        },
        2 => Transition::Dispatch {
            tab,
            directory,
            scripts: [script, small(random, 6), small(random, 6)],
            seconds,
        },
        _ => Transition::FollowUp {
            tab,
            pick,
            script,
            patience: Patience {
                seconds: None,
                stops: random.happens(50),
            },
        },
    };
    let delete = Hardship::DeleteAwaited { pick };
    let late = Duration::from_millis(random.below(1_500));
    vec![after(pause(random), await_it), after(late, hard(delete))]
}

/// Somebody answers what was shown a while ago, and has perhaps changed since.
fn answer_late(random: &Random, tab: usize) -> Vec<Event> {
    let change = match random.below(3) {
        0 => Transition::Change { pick: pick(random) },
        1 => hard(Hardship::ChangeQuestion { pick: pick(random) }),
        _ => Transition::Idle { seconds: 1 },
    };
    let answer = Hardship::AnswerLate {
        tab,
        pick: pick(random),
        reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
        age: random.below(millis(REMEMBERED)),
    };
    vec![
        after(pause(random), change),
        after(Duration::from_millis(random.below(3_000)), hard(answer)),
    ]
}

/// The line is bad while somebody sends, and for a while after.
fn trouble(random: &Random, tab: usize) -> Vec<Event> {
    let trouble = match random.below(9) {
        0 | 1 => Trouble::Twice,
        2 | 3 => Trouble::Refused([400, 409, 415, 429][place(random, 4)]),
        4 | 5 => Trouble::Unauthorized,
        6 => Trouble::Damaged,
        7 => Trouble::SlowPages,
        _ => Trouble::Hanging(2 + small(random, 4)),
    };
    let percent = 20 + random.below(80);
    let mut events = one(random, Hardship::Line { tab, trouble, percent });
    if let Trouble::Hanging(count) = trouble {
        for directory in 0..=count {
            let script = small(random, 10);
            events.push(after(moment(random), Transition::Begin { directory, script }));
        }
        let seconds = 20 + random.below(40);
        events.push(after(pause(random), Transition::Idle { seconds }));
        return events;
    }
    let pick = pick(random);
    let send = match random.below(3) {
        0 => Transition::Prompt { tab, pick },
        1 => Transition::Open { tab, pick },
        _ => Transition::Answer {
            tab,
            pick,
            reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
        },
    };
    events.push(after(pause(random), send));
    events
}

/// A session cannot be read, and others of its directory go on.
fn spoil(random: &Random, tab: usize) -> Vec<Event> {
    let mut events = one(random, Hardship::Spoil { pick: pick(random) });
    let transition = match random.below(4) {
        0 => Transition::OtherPrompts { pick: pick(random) },
        1 => Transition::Open {
            tab,
            pick: pick(random),
        },
        _ => begin(random),
    };
    events.push(after(pause(random), transition));
    let seconds = random.below(60);
    events.push(after(pause(random), Transition::Idle { seconds }));
    events
}

/// An agent asks in a folder that the list of sessions alone names. Then many sessions are made elsewhere, and a tab begins anew.
fn crowd(random: &Random, tab: usize) -> Vec<Event> {
    let begin_apart = Transition::Begin {
        directory: LOOSE,
        script: small(random, 11),
    };
    let crowd = Hardship::Crowd {
        directory: small(random, 2),
    };
    vec![
        after(pause(random), begin_apart),
        after(pause(random), hard(crowd)),
        after(pause(random), Transition::Reload { tab }),
        after(pause(random), begin(random)),
    ]
}

/// A person types a prompt and sends it, and the tab dies.
fn type_prompt(random: &Random, tab: usize) -> Vec<Event> {
    let pick = pick(random);
    let mut events = one(random, Hardship::TypePrompt { tab, pick });
    if random.happens(30) {
        let full = Transition::Storage {
            device: 0,
            health: StoreHealth::Full,
        };
        events.push(after(pause(random), full));
    }
    events.push(after(pause(random), Transition::Prompt { tab, pick }));
    let end = match random.below(3) {
        0 => Transition::Close { tab },
        1 => Transition::Reload { tab },
        _ => Transition::Idle { seconds: 0 },
    };
    events.push(after(moment(random), end));
    events
}

/// A tab stands still for a while. Of what it is about to send it keeps the right to do so.
fn freeze(random: &Random, tab: usize) -> Vec<Event> {
    let pick = pick(random);
    if random.happens(30) {
        return freeze_answer(random, tab, pick);
    }
    let begin = if random.happens(50) {
        Transition::Prompt { tab, pick }
    } else {
        Transition::Idle { seconds: 0 }
    };
    let mut events = vec![
        after(pause(random), begin),
        after(Duration::from_millis(random.below(12)), hard(Hardship::Freeze { tab })),
    ];
    if random.happens(60) {
        let other = Transition::Prompt { tab: tab ^ 1, pick };
        events.push(after(pause(random), other));
    }
    let seconds = if random.happens(10) { 80 } else { random.below(20) };
    events.push(after(pause(random), Transition::Idle { seconds }));
    events.push(after(pause(random), hard(Hardship::Thaw { tab })));
    events
}

/// A tab stands still before it can send an answer, and meanwhile nobody waits for that any more.
fn freeze_answer(random: &Random, tab: usize, pick: u32) -> Vec<Event> {
    let answer = Transition::Answer {
        tab,
        pick,
        reply: u32::try_from(random.below(1_000)).unwrap_or_default(),
    };
    let seconds = 15 + random.below(60);
    vec![
        after(Duration::from_secs(3), answer),
        after(Duration::from_millis(random.below(8)), hard(Hardship::Freeze { tab })),
        after(pause(random), Transition::OtherStops { pick }),
        after(moment(random), Transition::Idle { seconds }),
        after(pause(random), hard(Hardship::Thaw { tab })),
    ]
}

/// Somebody looks at a session with a past, and further back, while it goes on.
fn look_back(random: &Random, tab: usize) -> Vec<Event> {
    let begin = Hardship::BeginLong {
        directory: small(random, 2),
        exchanges: 1 + place(random, 70),
        script: small(random, 11),
    };
    let mut events = one(random, begin);
    for _ in 0..2 + random.below(4) {
        let transition = match random.below(6) {
            0 => Transition::OtherPrompts { pick: pick(random) },
            1 => Transition::Prompt {
                tab,
                pick: pick(random),
            },
            2 | 3 => hard(Hardship::LoadOlder { tab }),
            _ => Transition::Open {
                tab,
                pick: pick(random),
            },
        };
        events.push(after(pause(random), transition));
    }
    events
}

/// A few milliseconds, or none.
pub(super) fn moment(random: &Random) -> Duration {
    Duration::from_millis(random.below(4))
}

pub(super) fn after(after: Duration, transition: Transition) -> Event {
    Event { after, transition }
}

fn hard(hardship: Hardship) -> Transition {
    Transition::Hardship(hardship)
}

impl Sut {
    pub(super) fn endure(&mut self, hardship: &Hardship) -> Result<(), Breach> {
        match *hardship {
            Hardship::DropDriver { tab } => return self.drop_driver(tab),
            Hardship::CloseGently { tab, milliseconds } => {
                return self.close_gently(tab, Duration::from_millis(milliseconds));
            }
            Hardship::BeginLong {
                directory,
                exchanges,
                script,
            } => self.begin_session(directory, exchanges, script),
            Hardship::LoadOlder { tab } => {
                if let Some(tab) = self.tab(tab) {
                    tab.handle.load_older();
                }
            }
            Hardship::DeleteAwaited { pick } => self.delete_awaited(pick),
            Hardship::AnswerLate { tab, pick, reply, age } => {
                self.answer_late(tab, pick, reply, Duration::from_millis(age));
            }
            Hardship::ChangeQuestion { pick } => self.change_question(pick),
            Hardship::Freeze { tab } => self.freeze(tab),
            Hardship::Thaw { tab } => self.thaw(tab),
            Hardship::TypePrompt { tab, pick } => self.type_prompt(tab, pick),
            Hardship::Line { tab, trouble, percent } => self.trouble(tab, trouble, percent),
            Hardship::Lock { seconds } => return self.lock(Duration::from_secs(seconds)),
            Hardship::Spoil { pick } => {
                if let Some(session) = self.any_session(pick) {
                    self.world.server.spoil(&session);
                }
            }
            Hardship::ServerClock { minutes } => self.turn_server_clock(minutes),
            Hardship::Import { directory, seconds } => self.import(directory, Duration::from_secs(seconds)),
            Hardship::OwnClock { tab, seconds } => self.open_ahead(tab, seconds),
            Hardship::OwnClockJump { tab, seconds } => self.jump_ahead(tab, seconds),
            Hardship::Archive { pick } => {
                let session = self.any_session(pick);
                // What is archived in a folder of no project is named by nothing.
                if let Some(session) = session.filter(|session| !self.is_loose(session)) {
                    self.world.server.archive(&session);
                }
            }
            Hardship::Many {
                directory,
                sessions,
                script,
            } => self.begin_many(directory, sessions, script),
            Hardship::AnswerMany { tab, count } => self.answer_many(tab, count),
            Hardship::Silence { tab, count } => self.silence(tab, count),
            Hardship::LoseStop {
                tab,
                pick,
                prompts,
                before,
                meanwhile,
                since,
            } => {
                let (before, since) = (Duration::from_secs(before), Duration::from_secs(since));
                return self.lose_stop(tab, pick, prompts, before, meanwhile, since);
            }
            Hardship::Find { tab, pick } => self.find(tab, pick),
            Hardship::FindSession { tab, pick } => self.find_session(tab, pick),
            Hardship::CloseLate { milliseconds } => {
                self.world.server.close_after(Duration::from_millis(milliseconds));
            }
            Hardship::Crowd { directory } => {
                self.crowded = Some(self.world.now());
                for number in 0..CROWD {
                    drop(self.world.server.create(&directory_of(directory), OF_CROWD));
                    // Some of them in the same millisecond.
                    if number % 4 == 0 {
                        self.pass(Duration::from_millis(1))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn is_loose(&self, session: &SessionId) -> bool {
        let session = self.world.server.session(session);
        session.is_some_and(|session| session.directory == directory_of(LOOSE))
    }

    fn delete_awaited(&mut self, pick: u32) {
        let awaited = self.awaited_sessions();
        if let Some(id) = choose(&awaited, pick)
            && let Some(session) = self.world.server.session(id)
        {
            self.deleted.insert(id.clone(), session.title);
            self.world.server.delete(id);
        }
    }

    fn freeze(&mut self, place: usize) {
        let Some(tab) = self.tab(place) else { return };
        self.world.freeze_tab(&tab);
        let slot = &mut self.slots[place];
        slot.hung = None;
        slot.frozen = Some((self.world.now(), slot.well_since.take().is_some()));
    }

    /// A tab that stood still goes on.
    pub(super) fn thaw(&mut self, place: usize) {
        let now = self.world.now();
        let Some(slot) = self.slots.get_mut(place) else { return };
        let Some((since, was_well)) = slot.frozen.take() else {
            return;
        };
        if let Some(tab) = &slot.tab {
            self.world.thaw_tab(tab);
        }
        slot.well_since = was_well.then_some(now);
        slot.woken.push((now, now.since(since)));
    }

    fn trouble(&mut self, place: usize, trouble: Trouble, percent: u64) {
        let mut faults = Faults::default();
        match trouble {
            Trouble::Twice => faults.doubled = percent,
            Trouble::Refused(status) => {
                faults.refusal = Some(status);
                faults.refused = percent;
            }
            Trouble::Unauthorized => faults.unauthorized = percent / 2,
            Trouble::Damaged => faults.damaged = percent / 2,
            Trouble::SlowPages => faults.slow_pages = true,
            Trouble::Hanging(count) => faults.hanging = (0..count).map(directory_of).collect(),
            Trouble::ReadOnly => faults.posts_lost = true,
        }
        let is_harmless = trouble == Trouble::Twice;
        let hung = faults.hanging.clone();
        self.set_faults(place, faults, is_harmless);
        if let Some(slot) = self.slots.get_mut(place)
            && slot.frozen.is_none()
            && matches!(trouble, Trouble::Hanging(_) | Trouble::SlowPages)
        {
            slot.hung = Some((self.world.now(), hung));
        }
    }

    fn lock(&mut self, span: Duration) -> Result<(), Breach> {
        self.world.server.set_password(true);
        self.pass(span)?;
        self.world.server.set_password(false);
        let now = self.world.now();
        for slot in &mut self.slots {
            slot.well_since = slot.well_since.map(|_| now);
            slot.hung = None;
            if let Some(tab) = &slot.tab {
                tab.handle.credentials_changed();
            }
        }
        Ok(())
    }

    fn turn_server_clock(&mut self, minutes: u64) {
        let ahead = self.server_ahead.last().map_or(0, |(_, ahead)| *ahead);
        let ahead = ahead.saturating_add_unsigned(minutes * 60_000);
        self.server_ahead.push((self.world.now(), ahead));
        self.world.server.set_clock_ahead(ahead);
    }

    fn open_ahead(&mut self, place: usize, seconds: i64) {
        if self.tab(place).is_none() {
            return;
        }
        self.close(place);
        self.open(place);
        if let Some(tab) = &self.slots[place].tab {
            tab.clock.own.set(seconds * 1_000);
            self.clocks_differ = true;
        }
        self.note_clocks(self.slots[place].device);
    }

    fn jump_ahead(&mut self, place: usize, seconds: i64) {
        let Some(tab) = self.tab(place) else { return };
        let now = self.world.now();
        tab.clock.own.set(tab.clock.own.get() + seconds * 1_000);
        self.world.watch().note_gap(tab.number);
        let slot = &mut self.slots[place];
        slot.well_since = slot.well_since.map(|_| now);
        slot.woken.push((now, Duration::ZERO));
        self.jumps.push(now);
        self.note_clocks(self.slots[place].device);
    }

    /// Counts that tabs of a device do not agree about the time.
    fn note_clocks(&mut self, device: usize) {
        let clocks: BTreeSet<i64> = self.tabs_of(device).map(|tab| tab.clock.own.get()).collect();
        if clocks.len() > 1 {
            self.heard.add("tabs of one device whose clocks differ", 1);
        }
    }

    fn drop_driver(&mut self, place: usize) -> Result<(), Breach> {
        let Some(tab) = self.tab(place) else { return Ok(()) };
        self.world.drop_driver(&tab);
        self.expect_freed(&tab)?;
        self.kept.push(tab.handle.clone());
        self.close(place);
        self.open(place);
        Ok(())
    }

    fn close_gently(&mut self, place: usize, span: Duration) -> Result<(), Breach> {
        let Some(tab) = self.tab(place) else { return Ok(()) };
        tab.handle.close();
        self.expect_freed(&tab)?;
        self.pass(span)?;
        if !self.slots[place].is(tab.number) {
            return Ok(());
        }
        if span > SAVED && tab.ended.get().is_none() {
            let words = format!("the board of tab {} works on, {span:?} after it was closed", tab.number);
            self.world.watch().report("close", words);
        }
        self.kept.push(tab.handle.clone());
        self.close(place);
        self.open(place);
        self.world.watch().breach().map_or(Ok(()), Err)
    }
}
