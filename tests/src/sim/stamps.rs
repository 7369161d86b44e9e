//! Sessions that are stamped in the future, beside agents that ask where nothing else goes on.

use std::time::Duration;

use super::apply::directory_of;
use super::draw::{pause, place, small};
use super::hardships::after;
use super::history::{Hardship, History, Transition};
use super::sut::Sut;
use crate::random::Random;

/// How many histories have such a session, in percent.
const SHARE: u64 = 3;

/// Lets a terminal of some histories import a session, in a stream of its own. Agents begin to ask at any time after that.
pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0x3c6e_f372_fe94_f82b);
    if !random.happens(SHARE) {
        return;
    }
    if random.happens(60) {
        // The events name the directory in which a question is asked.
        history.setup.events = None;
    }
    let import = Hardship::Import {
        directory: small(&random, 2),
        seconds: 1 + random.below(if random.happens(50) { 200 } else { 400_000 }),
    };
    let mut events = vec![Transition::Hardship(import)];
    for _ in 0..=random.below(2) {
        events.push(Transition::Idle {
            seconds: random.below(80),
        });
        events.push(Transition::Begin {
            directory: small(&random, 4),
            script: small(&random, 7),
        });
    }
    let at = place(&random, history.events.len() + 1);
    let events = events.into_iter().map(|transition| after(pause(&random), transition));
    history.events.splice(at..at, events);
}

impl Sut {
    /// A terminal takes in a session that is stamped so far ahead of the server's clock.
    pub(super) fn import(&mut self, directory: u8, ahead: Duration) {
        self.world.server.import(&directory_of(directory), ahead);
    }
}
