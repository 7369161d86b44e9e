//! Plays one history, and says what went wrong.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::assertions::eventually::Unmet;
use super::history::History;
use super::sut::Sut;
use super::tally::Tally;
use crate::watch::Breach;

/// How often the world is looked at while it calms down.
const LOOK: Duration = Duration::from_millis(700);
/// How long a quiet world is watched, where it is.
const QUIET: Duration = Duration::from_secs(120);

/// What became of a history.
#[derive(Debug)]
pub struct Played {
    /// What went wrong.
    pub breach: Option<Breach>,
    /// What happened in it, by name.
    pub tally: Tally,
    /// What happened, in words; empty unless it was asked for.
    pub story: String,
}

/// Plays a history to its end, or until something goes wrong.
#[must_use]
pub fn play(history: &History, tells: bool) -> Played {
    let played = RefCell::new(None);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let mut sut = Sut::new(history.seed, &history.setup, tells);
        let breach = sut.play(history).err();
        let mut tally = Tally::default();
        sut.count(history, &mut tally);
        let story = if tells { sut.story() } else { String::new() };
        played.replace(Some(Played { breach, tally, story }));
    }));
    match (panic, played.into_inner()) {
        (Ok(()), Some(played)) => played,
        (Ok(()), None) => Played {
            breach: None,
            tally: Tally::default(),
            story: String::new(),
        },
        (Err(panic), _) => Played {
            breach: Some(Breach {
                checker: "panic",
                words: words_of(&*panic),
            }),
            tally: Tally::default(),
            story: String::new(),
        },
    }
}

impl Sut {
    fn play(&mut self, history: &History) -> Result<(), Breach> {
        for event in &history.events {
            self.pass(event.after)?;
            self.acted = self.world.now();
            self.transition(&event.transition)?;
            self.pass(Duration::ZERO)?;
            let mut unmet = Vec::new();
            self.unseen(&mut unmet);
            self.overdue(&mut unmet);
            self.judge(unmet)?;
            self.check_pace();
        }
        self.calm_down();
        self.end(history.setup.long_end)?;
        self.part()
    }

    /// Lets time pass, and checks whatever is new.
    pub(super) fn pass(&mut self, span: Duration) -> Result<(), Breach> {
        let end = self.world.now() + span;
        loop {
            self.world.settle()?;
            if self.bury() {
                self.world.settle()?;
            }
            self.look();
            if let Some(breach) = self.world.watch().breach() {
                return Err(breach);
            }
            if !self.world.advance(end) {
                return Ok(());
            }
        }
    }

    /// Waits until all is well, and no longer than that may take.
    fn end(&mut self, is_watched: bool) -> Result<(), Breach> {
        let calm = self.world.now();
        let mut is_well = false;
        while !is_well || (is_watched && self.world.now().since(calm) < QUIET) {
            self.pass(LOOK)?;
            let mut unmet = Vec::new();
            self.unseen(&mut unmet);
            self.overdue(&mut unmet);
            self.undone(calm, &mut unmet);
            is_well = unmet.iter().all(|unmet| unmet.is_slow());
            self.judge(unmet)?;
            self.check_pace();
        }
        self.check_figures();
        self.world.watch().breach().map_or(Ok(()), Err)
    }

    fn judge(&self, unmet: Vec<Unmet>) -> Result<(), Breach> {
        let now = self.world.now();
        match unmet.into_iter().find_map(|unmet| unmet.breach(now)) {
            Some(breach) => Err(breach),
            None => Ok(()),
        }
    }

    fn count(&self, history: &History, tally: &mut Tally) {
        for event in &history.events {
            tally.add(event.transition.name(), 1);
        }
        tally.join(&self.heard);
        tally.observe(&self.world);
    }

    fn story(&self) -> String {
        let mut story = self.world.story();
        for slot in &self.slots {
            if let Some(tab) = &slot.tab {
                story += &format!("tab {} shows {:#?}\n", tab.number, tab.view());
            }
        }
        story
    }
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().cloned();
    words
        .or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()))
        .unwrap_or_else(|| "a panic without words".to_owned())
}
