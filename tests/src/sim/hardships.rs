//! What seldom happens: how it is drawn, and how it comes about.

use std::time::Duration;

use super::desk::Desk;
use super::draw::{pause, pick, place, small};
use super::history::{Act, Event, Hardship, History, Patience};
use crate::random::Random;
use crate::watch::Breach;

/// How many histories have hardships, in percent.
const SHARE: u64 = 40;
/// How long a board may take to save what was said before it was closed.
const SAVED: Duration = Duration::from_millis(2_000);

/// Adds hardships to some histories. They are drawn from a stream of their own, so that the other histories stay as they
/// are.
pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0x51ed_270b_9f4a_77c1);
    if !random.happens(SHARE) {
        return;
    }
    let tabs: usize = history.setup.tabs.iter().sum();
    for _ in 0..=random.below(2) {
        let at = 1 + place(&random, history.events.len());
        let events = hardship(&random, tabs);
        history.events.splice(at..at, events);
    }
}

/// One hardship, with what is needed for it to matter.
fn hardship(random: &Random, tabs: usize) -> Vec<Event> {
    let tab = place(random, tabs);
    match random.below(4) {
        0 => one(random, Hardship::DropDriver { tab }),
        1 => one(
            random,
            Hardship::CloseGently {
                tab,
                milliseconds: random.below(2_600),
            },
        ),
        2 => take_back(random, tab),
        _ => look_back(random, tab),
    }
}

fn one(random: &Random, hardship: Hardship) -> Vec<Event> {
    vec![after(pause(random), hard(hardship))]
}

/// A program takes back what it has just said, and closes its board, while that is still being written.
fn take_back(random: &Random, tab: usize) -> Vec<Event> {
    let follow_up = Act::FollowUp {
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
        after(moment(random), Act::Cancel { tab }),
        after(moment(random), hard(close)),
    ]
}

/// Somebody looks at a session with a past, and further back, while it goes on.
fn look_back(random: &Random, tab: usize) -> Vec<Event> {
    let begin = Hardship::BeginLong {
        directory: small(random, 2),
        exchanges: 1 + place(random, 70),
        script: small(random, 10),
    };
    let mut events = one(random, begin);
    for _ in 0..2 + random.below(4) {
        let act = match random.below(6) {
            0 => Act::OtherPrompts { pick: pick(random) },
            1 => Act::Prompt {
                tab,
                pick: pick(random),
            },
            2 | 3 => hard(Hardship::LoadOlder { tab }),
            _ => Act::Open {
                tab,
                pick: pick(random),
            },
        };
        events.push(after(pause(random), act));
    }
    events
}

/// A few milliseconds, or none.
fn moment(random: &Random) -> Duration {
    Duration::from_millis(random.below(4))
}

fn after(after: Duration, act: Act) -> Event {
    Event { after, act }
}

fn hard(hardship: Hardship) -> Act {
    Act::Hardship(hardship)
}

impl Desk {
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
        }
        Ok(())
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
