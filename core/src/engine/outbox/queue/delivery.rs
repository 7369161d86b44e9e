//! One entry on its way: which step is next, and what waits for the store.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::outbox::queue::Step;
use crate::model::{Attempt, Entry, NotSentReason, Outcome, Stage};
use crate::ports::Claim;
use crate::time::Time;
use crate::view::Durability;

/// Between the first attempt and the second; doubled for each further one.
const RETRY_MIN: Duration = Duration::from_secs(1);
/// Between two attempts at the most.
const RETRY_MAX: Duration = Duration::from_secs(10);
/// How long a send waits for each answer of the store.
const STORE_PATIENCE: Duration = Duration::from_secs(2);
/// How long a send that another tab may have taken back waits for the store to say that it has not.
pub(crate) const CONSENT_PATIENCE: Duration = Duration::from_secs(8);
/// A claim that was not answered is asked for again after this time at the earliest.
const CLAIM_AGAIN: Duration = Duration::from_secs(10);

/// How long after the end of the last of so many attempts the next one may begin.
pub(crate) fn retry_pause(attempts: u32) -> Duration {
    let doublings = attempts.saturating_sub(1).min(8);
    RETRY_MIN.saturating_mul(1 << doublings).min(RETRY_MAX)
}

/// What the queue gives to the driver.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    pub(super) steps: VecDeque<Step>,
    /// Claims that are over. Dropping one runs code of the store's, which the loop does while nothing is borrowed.
    pub(super) released: Vec<Claim>,
}

/// One entry and how far this page is with it.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) entry: Arc<Entry>,
    pub(super) phase: Phase,
    /// The version that the store holds. One before `first` is that of an answer which this one has replaced.
    pub(super) stored: Option<u64>,
    /// The first version with the present reply or prompt.
    first: u64,
    pub(super) writing: bool,
    /// Since when the next step waits for the store.
    pub(super) gate: Option<Time>,
    /// When the right to send it was asked for; none once that is answered.
    pub(super) asked: Option<Time>,
    /// It waits for the right to send it, and the store has not answered in time.
    awaits_claim: bool,
    /// The store did not take the newest version, or not in time.
    pub(crate) unsaved: bool,
    /// Send was pressed in this page, so that what was shown is what is answered.
    pub(crate) created_here: bool,
    /// When it was said, or was first seen here where that time is still to come: the clock was set back, or another tab
    /// goes by another one.
    pub(crate) said: Time,
    /// How often in a row the server has accepted it, as far as this page knows.
    pub(crate) accepted: u32,
    /// Why the server has turned the newest attempt down, where an earlier one may have arrived.
    pub(crate) turned_down: Option<NotSentReason>,
    /// Reads and sends numbered from this on began after the newest attempt.
    pub(crate) begun: u64,
    /// Reads numbered up to this prove nothing about it.
    pub(crate) evidence_after: u64,
    /// An attempt of this page is under way, also when it is known already what came of it.
    pub(super) is_posted: bool,
    /// When the last one ended.
    pub(crate) answered: Option<Time>,
    pub(super) claim: Option<Claim>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It is made durable for the first time.
    Saving,
    /// The right to send what was said in this page is asked for.
    Claiming,
    /// The right to send it is asked for, and another tab may be sending it.
    Adopting,
    /// Another tab has the right to send it, or nothing is left to send.
    Passive,
    /// This page may send it; a decision is awaited.
    Ready,
    /// The attempt is made durable.
    Beginning,
    /// The attempt is under way.
    Posting,
}

/// Whether its end is that it has arrived: nothing takes its place.
pub(super) fn is_delivered(entry: &Entry) -> bool {
    matches!(
        entry.stage,
        Stage::Ended {
            outcome: Outcome::Confirmed { .. },
            ..
        }
    )
}

impl Delivery {
    pub(super) fn new(entry: Arc<Entry>, phase: Phase, stored: Option<u64>, evidence_after: u64) -> Self {
        Self {
            said: entry.created,
            first: entry.version,
            entry,
            phase,
            stored,
            writing: false,
            gate: None,
            asked: None,
            awaits_claim: false,
            unsaved: false,
            created_here: false,
            accepted: 0,
            turned_down: None,
            begun: 0,
            evidence_after,
            is_posted: false,
            answered: None,
            claim: None,
        }
    }

    /// Takes what another tab or an earlier life has written.
    pub(super) fn adopt(&mut self, entry: &Arc<Entry>, now: Time) {
        self.said = entry.created.min(now);
        self.first = entry.version;
        self.entry = entry.not_after(now);
    }

    /// Takes the place of what another tab has kept as `version`.
    pub(super) fn replace(&mut self, version: u64, outputs: &mut Outputs) {
        self.first = version + 1;
        self.change(outputs, |entry| entry.version = version);
    }

    /// Whether its text would be lost with this page, or the fact that it was taken back.
    pub(crate) fn would_be_lost(&self) -> bool {
        match &self.entry.stage {
            Stage::Ended {
                outcome: Outcome::Confirmed { .. } | Outcome::Dismissed,
                ..
            } => false,
            // The next page would send it.
            Stage::Ended {
                outcome: Outcome::Cancelled { by_us: true },
                ..
            } => (self.writing || self.stored.is_some()) && self.stored != Some(self.entry.version),
            Stage::Saved | Stage::Attempting { .. } | Stage::Attempted { .. } | Stage::Ended { .. } => {
                !self.entry.settled && !self.is_stored()
            }
        }
    }

    /// How long ago it was said; none when that cannot be told.
    pub(crate) fn age(&self, now: Time) -> Option<Duration> {
        (self.said == self.entry.created).then(|| now.since(self.said))
    }

    /// Whether the store has its present reply or prompt.
    pub(crate) fn is_stored(&self) -> bool {
        self.stored.is_some_and(|version| version >= self.first)
    }

    /// Whether its present reply or prompt outlives this page.
    pub(crate) fn durability(&self) -> Durability {
        if self.is_stored() {
            Durability::Saved
        } else if self.unsaved {
            Durability::Failed
        } else {
            Durability::Pending
        }
    }

    /// True while this page may decide about it.
    pub(crate) fn is_ready(&self) -> bool {
        self.phase == Phase::Ready
    }

    /// Whether what is read decides about it: it is on its way, and not only what was said here a moment ago.
    pub(crate) fn needs_a_look(&self) -> bool {
        self.entry.is_on_its_way() && (self.entry.attempts > 0 || !self.created_here || self.is_ready())
    }

    /// True while an attempt of this page is made durable or under way.
    pub(crate) fn is_being_sent(&self) -> bool {
        matches!(self.phase, Phase::Beginning | Phase::Posting)
    }

    /// True while an attempt of this page is under way.
    pub(crate) fn is_posted(&self) -> bool {
        self.is_posted
    }

    /// True while an entry of this page is made durable, before its first attempt.
    pub(crate) fn is_about_to_be_sent(&self) -> bool {
        self.created_here && self.entry.attempts == 0 && matches!(self.phase, Phase::Saving | Phase::Claiming)
    }

    /// True before its first attempt, where this page is to make it: also while it waits for its turn.
    pub(crate) fn waits_here(&self) -> bool {
        self.created_here && self.entry.attempts == 0 && self.entry.is_on_its_way()
    }

    /// True while another tab may send it.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self.phase, Phase::Passive | Phase::Adopting) && self.entry.is_on_its_way()
    }

    /// True before its first attempt from here, where another tab may have made one: the store has not said who may.
    pub(crate) fn may_be_elsewhere_too(&self) -> bool {
        self.is_ready() && self.entry.attempts == 0 && self.claim.is_none() && self.is_stored()
    }

    /// True while it is not sent because the store does not say whether another tab has the right to.
    pub(crate) fn awaits_claim(&self) -> bool {
        let is_taken = matches!(
            self.entry.stage,
            Stage::Attempted {
                attempt: Attempt::Accepted,
                ..
            }
        );
        self.awaits_claim && self.entry.is_on_its_way() && !is_taken
    }

    /// Whether it was said after this, which waits for a person and is over but for the end that another tab has noted.
    pub(super) fn outlives(&self, other: &Entry) -> bool {
        self.entry.created > other.created && !other.is_on_its_way() && !other.is_finished()
    }

    /// What is over is free for others as soon as they can see that it is over.
    pub(super) fn release_what_is_written(&mut self, outputs: &mut Outputs) {
        if self.stored == Some(self.entry.version) {
            outputs.released.extend(self.claim.take());
        }
    }

    /// The newest attempt and when it ended; none while one is under way.
    pub(crate) fn ended_attempt(&self) -> Option<(&Attempt, Time)> {
        match &self.entry.stage {
            Stage::Attempted { attempt, at } => Some((attempt, *at)),
            Stage::Saved | Stage::Attempting { .. } | Stage::Ended { .. } => None,
        }
    }

    /// The earliest moment of the next attempt, if there has been one.
    pub(crate) fn next_attempt(&self) -> Option<Time> {
        let (_, at) = self.ended_attempt()?;
        Some(at + retry_pause(self.entry.attempts))
    }

    pub(super) fn change(&mut self, outputs: &mut Outputs, change: impl FnOnce(&mut Entry)) {
        let entry = Arc::make_mut(&mut self.entry);
        change(entry);
        entry.version += 1;
        self.write(outputs);
    }

    /// Brings the store up to date, one commit at a time.
    pub(super) fn write(&mut self, outputs: &mut Outputs) {
        if !self.writing && self.stored != Some(self.entry.version) {
            self.writing = true;
            outputs.steps.push_back(Step::Commit {
                entry: self.entry.clone(),
                expected: self.stored,
            });
        }
    }

    /// Asks for the right to send what another tab may be sending.
    pub(super) fn adopt_claim(&mut self, evidence_after: u64, now: Time, outputs: &mut Outputs) {
        let may_be_answered = self.asked.is_some_and(|asked| now < asked + CLAIM_AGAIN);
        if self.entry.is_on_its_way() && !may_be_answered {
            self.evidence_after = evidence_after;
            self.ask_for_claim(Phase::Adopting, now, outputs);
        }
    }

    fn ask_for_claim(&mut self, phase: Phase, now: Time, outputs: &mut Outputs) {
        self.phase = phase;
        (self.gate, self.asked) = (Some(now), Some(now));
        outputs.steps.push_back(Step::Claim(self.entry.id.clone()));
    }

    /// The right to send was given, or another tab has it. Reads numbered up to `evidence_after` prove nothing about what is
    /// given late.
    pub(super) fn handle_claimed(&mut self, claim: Option<Claim>, evidence_after: u64, outputs: &mut Outputs) {
        let is_late = self.phase == Phase::Passive;
        match self.phase {
            // It was asked for before this one took the place of another.
            Phase::Saving => return outputs.released.extend(claim),
            // One that was asked for again is held by the first of the two.
            Phase::Claiming | Phase::Adopting | Phase::Passive => {
                if let Some(claim) = claim {
                    outputs.released.extend(self.claim.replace(claim));
                }
                let may_send = self.claim.is_some() && self.entry.is_on_its_way();
                self.phase = if may_send { Phase::Ready } else { Phase::Passive };
                self.gate = None;
            }
            // It went on without.
            Phase::Ready | Phase::Beginning | Phase::Posting if self.claim.is_none() => {
                self.claim = claim;
                if self.claim.is_none() && self.phase == Phase::Ready {
                    self.phase = Phase::Passive;
                }
            }
            Phase::Ready | Phase::Beginning | Phase::Posting => outputs.released.extend(claim),
        }
        (self.asked, self.awaits_claim) = (None, false);
        if is_late && self.phase == Phase::Ready {
            self.evidence_after = evidence_after;
        }
        if self.phase == Phase::Passive {
            self.release_what_is_written(outputs);
        }
    }

    /// When the store has been waited for long enough.
    pub(super) fn deadline(&self) -> Option<Time> {
        let may_be_over = self.phase == Phase::Beginning && !self.created_here;
        let patience = if may_be_over { CONSENT_PATIENCE } else { STORE_PATIENCE };
        Some(self.gate? + patience)
    }

    /// The store has been waited for long enough.
    ///
    /// What was said in this page goes out without the right to send it: the server takes each reply and each prompt once, so
    /// that a second send by another tab changes nothing. What may be another tab's is left to that.
    pub(super) fn handle_deadline(&mut self, now: Time, outputs: &mut Outputs) {
        self.gate = None;
        match self.phase {
            Phase::Claiming => self.phase = Phase::Ready,
            Phase::Adopting => (self.phase, self.awaits_claim) = (Phase::Passive, true),
            Phase::Saving | Phase::Beginning => {
                self.unsaved = true;
                self.advance(now, outputs);
            }
            Phase::Passive | Phase::Ready | Phase::Posting => {}
        }
    }

    /// Takes the next step when the store is up to date, or has been waited for long enough.
    pub(super) fn advance(&mut self, now: Time, outputs: &mut Outputs) {
        if !self.unsaved && self.stored != Some(self.entry.version) {
            return;
        }
        match self.phase {
            Phase::Saving => self.ask_for_claim(Phase::Claiming, now, outputs),
            Phase::Beginning => {
                self.phase = Phase::Posting;
                self.gate = None;
                self.is_posted = true;
                outputs.steps.push_back(Step::Post(self.entry.id.clone()));
            }
            Phase::Claiming | Phase::Adopting | Phase::Passive | Phase::Ready | Phase::Posting => {}
        }
    }
}
