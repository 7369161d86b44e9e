//! Stops that do not get through, while a terminal ends the run that they are meant for and begins another one.

use std::time::Duration;

use super::apply::{SCRIPTS, choose, faults_of, stop};
use super::draw::{pause, pick, place, small};
use super::hardships::after;
use super::history::{Fault, Hardship, History, Transition};
use super::sut::Sut;
use crate::network::Faults;
use crate::random::Random;
use crate::watch::Breach;

/// How many histories have such a stop, in percent.
const SHARE: u64 = 3;
/// How long after it was stopped a session is prompted anew.
const CLOSED: Duration = Duration::from_secs(1);

/// Lets a stop of some histories be lost, in a stream of its own.
pub(super) fn add(history: &mut History) {
    let random = Random::new(history.seed ^ 0xbb67_ae85_84ca_a73b);
    if !random.happens(SHARE) {
        return;
    }
    let tab = place(&random, history.setup.tabs.iter().sum());
    let begin = Transition::Begin {
        directory: small(&random, 2),
        script: small(&random, 7),
    };
    let rest = Transition::Idle {
        seconds: random.below(80),
    };
    let lose = Hardship::LoseStop {
        tab,
        pick: pick(&random),
        prompts: random.happens(25),
        before: random.below(70),
        meanwhile: random.happens(75).then(|| small(&random, 7)),
        since: random.below(120),
    };
    let events = [begin, rest, Transition::Hardship(lose)];
    let at = 1 + place(&random, history.events.len());
    let events = events.map(|transition| after(pause(&random), transition));
    history.events.splice(at..at, events);
}

impl Sut {
    /// A person stops a session that is shown to wait, while nothing gets through to the tab. It is back a while later.
    pub(super) fn lose_stop(
        &mut self,
        place: usize,
        pick: u32,
        prompts: bool,
        before: Duration,
        meanwhile: Option<u8>,
        since: Duration,
    ) -> Result<(), Breach> {
        let Some(tab) = self.tab(place) else { return Ok(()) };
        let waiting = tab.waiting();
        let Some(session) = choose(&waiting, pick).map(|shown| shown.request.session.clone()) else {
            return Ok(());
        };
        self.set_faults(place, faults_of(Fault::Cut, 0), false);
        if prompts {
            self.prompt_session(place, &tab, session.clone());
        }
        stop(&tab, session.clone(), &self.world.server, self.world.now());
        self.pass(before)?;
        if let Some(script) = meanwhile {
            self.world.other.abort(&session);
            self.pass(CLOSED)?;
            let script = &SCRIPTS[usize::from(script) % SCRIPTS.len()];
            self.world.other.prompt(&session, script);
        }
        self.pass(since)?;
        self.set_faults(place, Faults::default(), true);
        Ok(())
    }
}
