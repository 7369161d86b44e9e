//! Shortens a history that fails: leaves out whatever it fails without, in the same way (delta debugging, Zeller 1999).

use std::time::Duration;

use super::history::History;
use super::play::play;

/// How many histories are tried at the most.
const TRIES_MAX: usize = 3_000;

/// The shortest history found that the same checker catches.
#[must_use]
pub fn shorten(history: &History, checker: &str) -> History {
    let mut search = Search {
        best: history.clone(),
        checker,
        tries: 0,
    };
    search.shorten();
    search.best
}

struct Search<'a> {
    best: History,
    checker: &'a str,
    tries: usize,
}

impl Search<'_> {
    fn shorten(&mut self) {
        loop {
            let before = self.best.clone();
            self.drop_events();
            self.simplify();
            if self.best == before || self.tries >= TRIES_MAX {
                return;
            }
        }
    }

    /// Leaves out events: first many at once, in the end one by one.
    fn drop_events(&mut self) {
        let mut width = self.best.events.len().div_ceil(2);
        while width > 0 {
            let mut at = 0;
            while at < self.best.events.len() {
                let mut shorter = self.best.clone();
                let end = (at + width).min(shorter.events.len());
                let dropped: Duration = shorter.events.drain(at..end).map(|event| event.after).sum();
                let mut kept_times = shorter.clone();
                if let Some(next) = kept_times.events.get_mut(at) {
                    next.after += dropped;
                }
                if !self.accept(shorter) && !self.accept(kept_times) {
                    at += width;
                }
            }
            width /= 2;
        }
    }

    /// Makes what is left simpler: one tab, no events, round times.
    fn simplify(&mut self) {
        for setup in [
            |history: &mut History| history.setup.events = None,
            |history: &mut History| history.setup.cold = false,
            |history: &mut History| history.setup.server_ahead = 0,
            |history: &mut History| history.setup.long_end = false,
            |history: &mut History| history.setup.calls_back = false,
            |history: &mut History| history.setup.has_no_locks = false,
            |history: &mut History| history.setup.policy = None,
            |history: &mut History| history.setup.tabs = vec![1],
            |history: &mut History| history.setup.tabs = vec![2],
            |history: &mut History| history.setup.tabs = vec![1, 1],
        ] {
            let mut simpler = self.best.clone();
            setup(&mut simpler);
            let is_simpler = simpler.setup.tabs.iter().sum::<usize>() <= self.best.setup.tabs.iter().sum();
            if is_simpler {
                self.accept(simpler);
            }
        }
        for place in 0..self.best.events.len() {
            for after in [0, 100, 1_000, 3_000] {
                let after = Duration::from_millis(after);
                let mut simpler = self.best.clone();
                if simpler.events[place].after > after {
                    simpler.events[place].after = after;
                    if self.accept(simpler) {
                        break;
                    }
                }
            }
        }
    }

    /// Takes a history in place of the best one if it fails in the same way.
    fn accept(&mut self, candidate: History) -> bool {
        if candidate == self.best || self.tries >= TRIES_MAX {
            return false;
        }
        self.tries += 1;
        let fails = play(&candidate, false)
            .breach
            .is_some_and(|breach| breach.checker == self.checker);
        if fails {
            self.best = candidate;
        }
        fails
    }
}
