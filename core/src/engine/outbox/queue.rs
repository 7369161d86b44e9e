//! The one queue of sends: brings each entry from *saved* to *ended*, one step at a time.
//!
//! An entry is committed before it is claimed, and its attempt is committed before it is posted. So whoever finds it in
//! the store later knows whether an attempt may have left. When the store does not answer in time the send goes out all
//! the same, and the entry is marked as unsaved; without a claim only what was said in this page.

mod delivery;

use std::sync::Arc;

use crate::collections::SortedMap;
use crate::model::{Attempt, Entry, EntryId, NotSentReason, Outcome, Sent, SessionId, Stage};
use crate::ports::{Claim, CommitError, StoreError};
use crate::time::Time;
use delivery::{Outputs, Phase, is_delivered};

pub(crate) use delivery::{CONSENT_PATIENCE, Delivery, retry_pause};

/// All entries that this page knows of.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    deliveries: SortedMap<EntryId, Delivery>,
    outputs: Outputs,
}

/// Something that the driver does for the queue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Make it durable.
    Commit { entry: Arc<Entry>, expected: Option<u64> },
    /// Ask for the right to send it.
    Claim(EntryId),
    /// Send it.
    Post(EntryId),
}

impl Queue {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Delivery> {
        self.deliveries.values()
    }

    pub(crate) fn get(&self, id: &EntryId) -> Option<&Delivery> {
        self.deliveries.get(id)
    }

    /// The prompts that are on their way, each with its session.
    pub(crate) fn prompts_on_their_way(&self) -> Vec<(EntryId, SessionId)> {
        let is_prompt = |delivery: &&Delivery| matches!(delivery.entry.sent, Sent::Prompt { .. });
        let on_their_way = self.iter().filter(|delivery| delivery.entry.is_on_its_way());
        let prompts = on_their_way.filter(is_prompt).map(|delivery| &delivery.entry);
        prompts.map(|entry| (entry.id.clone(), entry.session.clone())).collect()
    }

    pub(crate) fn next_step(&mut self) -> Option<Step> {
        self.outputs.steps.pop_front()
    }

    /// The next point in time at which a send stops waiting for the store.
    pub(crate) fn next_deadline(&self) -> Option<Time> {
        self.deliveries.values().filter_map(Delivery::deadline).min()
    }

    /// Goes on with what has waited for the store for long enough. Returns what that is, and whether a write of it was late.
    pub(crate) fn handle_deadline(&mut self, now: Time) -> Vec<(EntryId, bool)> {
        let mut late = Vec::new();
        for (id, delivery) in self.deliveries.iter_mut() {
            if delivery.deadline().is_some_and(|deadline| deadline <= now) {
                let is_write = matches!(delivery.phase, Phase::Saving | Phase::Beginning);
                delivery.handle_deadline(now, &mut self.outputs);
                late.push((id.clone(), is_write));
            }
        }
        late
    }

    /// Takes an entry of this page. One that replaces a refused entry goes on from its version.
    pub(crate) fn add(&mut self, mut entry: Entry, evidence_after: u64, now: Time) {
        let held = self.deliveries.get(&entry.id);
        let replaced = held.and_then(|delivery| delivery.stored);
        // What is still being written of the replaced one counts as well.
        let newest = held.map_or(0, |delivery| delivery.entry.version);
        let writing = held.is_some_and(|delivery| delivery.writing);
        entry.version = replaced.unwrap_or(0).max(newest) + 1;
        let id = entry.id.clone();
        let mut delivery = Delivery::new(Arc::new(entry), Phase::Saving, replaced, evidence_after);
        delivery.writing = writing;
        delivery.created_here = true;
        delivery.gate = Some(now);
        delivery.write(&mut self.outputs);
        let replaced = self.deliveries.insert(id, delivery);
        self.outputs
            .released
            .extend(replaced.and_then(|mut replaced| replaced.claim.take()));
    }

    /// Takes what the store holds: other tabs' entries, and our own of an earlier life. Reads numbered up to `evidence_after`
    /// prove nothing about those that are adopted. `is_awaited` says whether a caller waits for the end of a prompt. Returns
    /// what was said here, each with the entry of another tab that has taken its place.
    pub(crate) fn observe_saved(
        &mut self,
        saved: &[Arc<Entry>],
        is_awaited: impl Fn(&EntryId) -> bool,
        evidence_after: u64,
        now: Time,
    ) -> Vec<(Arc<Entry>, Arc<Entry>)> {
        let mut replaced = Vec::new();
        // One that waited for a person and is unfinished no more was dealt with in another tab. One that was on its way
        // was finished there: a reply is still needed to understand what its request shows, and so is a prompt that
        // carries one, was made here or is awaited. Any other prompt was stored or withdrawn.
        self.deliveries.retain(|id, delivery| {
            let entry = &delivery.entry;
            let is_of_interest = match &entry.sent {
                Sent::Reply { .. } => true,
                Sent::Prompt { rescues, .. } => rescues.is_some() || delivery.created_here || is_awaited(id),
            };
            let settled_elsewhere = delivery.phase == Phase::Passive
                && delivery.stored == Some(entry.version)
                && !entry.is_finished()
                && !(entry.is_on_its_way() && is_of_interest);
            let is_kept = !settled_elsewhere || saved.iter().any(|entry| entry.id == *id);
            if !is_kept {
                self.outputs.released.extend(delivery.claim.take());
            }
            is_kept
        });
        // What another tab has ended unseen is looked at here.
        for delivery in self.deliveries.values_mut() {
            let is_saved = saved.iter().any(|entry| entry.id == delivery.entry.id);
            if delivery.phase == Phase::Passive && !is_saved {
                delivery.adopt_claim(evidence_after, now, &mut self.outputs);
            }
        }
        for entry in saved {
            match self.deliveries.get_mut(&entry.id) {
                None => {
                    let mut delivery =
                        Delivery::new(entry.clone(), Phase::Passive, Some(entry.version), evidence_after);
                    delivery.adopt(entry, now);
                    delivery.adopt_claim(evidence_after, now, &mut self.outputs);
                    self.deliveries.insert(entry.id.clone(), delivery);
                }
                Some(delivery) if delivery.phase == Phase::Passive => {
                    let delivered = is_delivered(&delivery.entry);
                    if delivery.outlives(entry) {
                        delivery.stored = Some(entry.version);
                        let version = delivery.entry.version.max(entry.version);
                        delivery.replace(version, &mut self.outputs);
                    } else if entry.version > delivery.entry.version && !delivered {
                        if delivery.created_here && delivery.entry.sent != entry.sent {
                            delivery.created_here = false;
                            replaced.push((delivery.entry.clone(), entry.clone()));
                        }
                        delivery.adopt(entry, now);
                        delivery.stored = Some(entry.version);
                    }
                    delivery.adopt_claim(evidence_after, now, &mut self.outputs);
                }
                Some(_) => {}
            }
        }
        // What this page has changed and the store could not take is tried again.
        for delivery in self.deliveries.values_mut() {
            delivery.write(&mut self.outputs);
        }
        replaced
    }

    /// The store has answered a commit of `version`. Returns the entry of another tab that is kept in place of ours.
    pub(crate) fn handle_committed(
        &mut self,
        id: &EntryId,
        version: u64,
        result: Result<(), CommitError>,
        evidence_after: u64,
        now: Time,
    ) -> Option<Arc<Entry>> {
        let delivery = self.deliveries.get_mut(id)?;
        delivery.writing = false;
        let mut first = None;
        match result {
            Ok(()) => {
                delivery.stored = Some(version);
                // The version that was written may be that of a replaced answer.
                delivery.unsaved &= !delivery.is_stored();
                delivery.write(&mut self.outputs);
                if delivery.phase == Phase::Passive {
                    delivery.release_what_is_written(&mut self.outputs);
                }
            }
            Err(CommitError::Failed(error)) => {
                delivery.unsaved = true;
                if error == StoreError::Cleared {
                    delivery.stored = None;
                }
            }
            Err(CommitError::Conflict(existing)) => {
                delivery.stored = Some(existing.version);
                // What this page has begun to send is ahead of what was only saved, and not of what was taken back.
                let is_over = !existing.is_on_its_way() && !is_delivered(&existing);
                let is_begun = delivery.entry.attempts > 0 && existing.attempts == 0;
                let is_taken_back = delivery.entry.is_finished() && delivery.entry.attempts == 0;
                let is_ahead = match is_taken_back {
                    true => existing.attempts == 0,
                    false => is_begun && !existing.is_finished() || delivery.entry.is_finished(),
                };
                let replaces = delivery.phase == Phase::Saving && is_over;
                if is_ahead || replaces || delivery.outlives(&existing) {
                    delivery.replace(existing.version, &mut self.outputs);
                } else {
                    first = Some(existing.clone());
                    delivery.adopt(&existing, now);
                    delivery.phase = Phase::Passive;
                    delivery.created_here = false;
                    delivery.gate = None;
                    self.outputs.released.extend(delivery.claim.take());
                    delivery.adopt_claim(evidence_after, now, &mut self.outputs);
                }
            }
        }
        delivery.advance(now, &mut self.outputs);
        first
    }

    /// The right to send was given, or another tab has it. Reads numbered up to `evidence_after` prove nothing about what is
    /// given late.
    pub(crate) fn handle_claimed(&mut self, id: &EntryId, claim: Option<Claim>, evidence_after: u64) {
        match self.deliveries.get_mut(id) {
            Some(delivery) => delivery.handle_claimed(claim, evidence_after, &mut self.outputs),
            None => self.outputs.released.extend(claim),
        }
    }

    /// True when an attempt may begin: this page has the right, and the last attempt is long enough ago.
    pub(crate) fn may_begin(&self, id: &EntryId, now: Time) -> bool {
        self.deliveries.get(id).is_some_and(|delivery| {
            delivery.phase == Phase::Ready && delivery.next_attempt().is_none_or(|earliest| earliest <= now)
        })
    }

    /// Begins an attempt, which comes after the read or send with this number.
    pub(crate) fn begin(&mut self, id: &EntryId, number: u64, now: Time) {
        let Some(delivery) = self.deliveries.get_mut(id) else {
            return;
        };
        debug_assert_eq!(
            delivery.phase,
            Phase::Ready,
            "only an entry that this page may send is sent"
        );
        delivery.phase = Phase::Beginning;
        delivery.begun = number + 1;
        delivery.turned_down = None;
        delivery.gate = Some(now);
        delivery.change(&mut self.outputs, |entry| {
            entry.stage = Stage::Attempting { begun: now };
            entry.attempts += 1;
        });
        delivery.advance(now, &mut self.outputs);
    }

    /// What an attempt that has ended so proves. A prompt that is refused may have arrived with an attempt before: whether it
    /// has is looked up first.
    pub(crate) fn weigh(&mut self, id: &EntryId, attempt: Attempt) -> Attempt {
        let delivery = self.deliveries.get_mut(id);
        let again = delivery
            .filter(|delivery| delivery.entry.attempts > 1 && matches!(delivery.entry.sent, Sent::Prompt { .. }));
        match (attempt, again) {
            (Attempt::Refused(reason), Some(delivery)) => {
                delivery.turned_down = Some(reason.clone());
                Attempt::InDoubt(reason.to_string())
            }
            (attempt, _) => attempt,
        }
    }

    /// An attempt has ended. Reads numbered up to `evidence_after` prove nothing about it.
    pub(crate) fn handle_posted(&mut self, id: &EntryId, attempt: Attempt, evidence_after: u64, now: Time) {
        let Some(delivery) = self.deliveries.get_mut(id) else {
            return;
        };
        (delivery.is_posted, delivery.answered) = (false, Some(now));
        if delivery.phase == Phase::Posting {
            delivery.phase = Phase::Ready;
            delivery.evidence_after = evidence_after;
            delivery.accepted = match attempt {
                Attempt::Accepted => delivery.accepted + 1,
                Attempt::NotFound | Attempt::Refused(_) | Attempt::Unauthorized | Attempt::InDoubt(_) => 0,
            };
            delivery.change(&mut self.outputs, |entry| {
                entry.stage = Stage::Attempted { attempt, at: now }
            });
            if !delivery.entry.is_on_its_way() {
                // It was refused: whoever says something else, here or in another tab, may send that.
                delivery.phase = Phase::Passive;
            }
        }
    }

    /// The attempt that has begun was not made after all. Reads numbered up to `evidence_after` prove nothing about it.
    pub(crate) fn take_back(&mut self, id: &EntryId, evidence_after: u64, now: Time) {
        let Some(delivery) = self.deliveries.get_mut(id) else {
            return;
        };
        if delivery.phase == Phase::Posting {
            delivery.phase = Phase::Ready;
            delivery.evidence_after = evidence_after;
            delivery.change(&mut self.outputs, |entry| {
                entry.attempts -= 1;
                entry.stage = if entry.attempts == 0 {
                    Stage::Saved
                } else {
                    let attempt = Attempt::InDoubt("an earlier attempt had no answer".to_owned());
                    Stage::Attempted { attempt, at: now }
                };
            });
        }
    }

    /// Gives up on sending it by itself; the person is told why.
    pub(crate) fn refuse(&mut self, id: &EntryId, reason: NotSentReason, now: Time) {
        let attempt = Attempt::Refused(reason);
        self.finish(id, |entry| entry.stage = Stage::Attempted { attempt, at: now });
    }

    /// The claims that are over.
    pub(crate) fn take_released_claims(&mut self) -> Vec<Claim> {
        std::mem::take(&mut self.outputs.released)
    }

    /// Gives up the right to send anything.
    pub(crate) fn take_claims(&mut self) -> Vec<Claim> {
        let held = self
            .deliveries
            .values_mut()
            .filter_map(|delivery| delivery.claim.take());
        self.outputs.released.extend(held);
        self.take_released_claims()
    }

    /// It is over.
    pub(crate) fn end(&mut self, id: &EntryId, outcome: Outcome, now: Time) {
        self.finish(id, |entry| entry.stage = Stage::Ended { outcome, at: now });
    }

    /// A person has dealt with what could not be delivered.
    pub(crate) fn settle(&mut self, id: &EntryId) {
        self.finish(id, |entry| entry.settled = true);
    }

    /// Takes back what no attempt was made to send: it is over, and of no interest to anybody. Until that is written, no
    /// other tab may have the right to send it.
    pub(crate) fn withdraw(&mut self, id: &EntryId, now: Time) {
        let delivery = self.deliveries.get(id);
        if delivery.is_some_and(|delivery| delivery.phase == Phase::Saving) {
            self.outputs.steps.push_back(Step::Claim(id.clone()));
        }
        self.finish(id, |entry| {
            entry.stage = Stage::Ended {
                outcome: Outcome::Cancelled { by_us: true },
                at: now,
            };
            entry.settled = true;
        });
    }

    /// Forgets entries that are finished, stored, and of no interest any more.
    pub(crate) fn prune(&mut self, keep: impl Fn(&Entry) -> bool) {
        self.deliveries.retain(|_, delivery| {
            let is_kept = !delivery.entry.is_finished()
                || delivery.stored != Some(delivery.entry.version)
                || keep(&delivery.entry);
            if !is_kept {
                self.outputs.released.extend(delivery.claim.take());
            }
            is_kept
        });
    }

    fn finish(&mut self, id: &EntryId, change: impl FnOnce(&mut Entry)) {
        let Some(delivery) = self.deliveries.get_mut(id) else {
            return;
        };
        // Only the tab that delivers writes the end; the others see it for themselves.
        let ours = delivery.phase != Phase::Passive || !delivery.entry.is_on_its_way();
        if ours {
            delivery.change(&mut self.outputs, change);
        } else {
            change(Arc::make_mut(&mut delivery.entry));
        }
        delivery.phase = Phase::Passive;
        delivery.gate = None;
        delivery.release_what_is_written(&mut self.outputs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Prompt, Sent};

    fn entry(id: &str) -> Entry {
        let prompt = Prompt {
            message: "msg_1".into(),
            part: "prt_1".into(),
            text: "go".to_owned(),
            agent: None,
            model: None,
        };
        Entry {
            id: id.into(),
            version: 1,
            created: Time(0),
            session: "ses_1".into(),
            directory: "/d".into(),
            sent: Sent::Prompt {
                prompt: Arc::new(prompt),
                rescues: None,
            },
            stage: Stage::Saved,
            attempts: 0,
            settled: false,
        }
    }

    /// Lets the store and the lock agree to everything, and returns what was done, in order.
    fn agree(queue: &mut Queue) -> Vec<String> {
        let mut done = Vec::new();
        while let Some(step) = queue.next_step() {
            match step {
                Step::Commit { entry, .. } => {
                    done.push(format!("commit {}", entry.version));
                    let first = queue.handle_committed(&entry.id, entry.version, Ok(()), 0, Time(0));
                    assert_eq!(first, None);
                }
                Step::Claim(id) => {
                    done.push("claim".to_owned());
                    queue.handle_claimed(&id, Some(Claim::new(())), 0);
                }
                Step::Post(_) => done.push("post".to_owned()),
            }
        }
        done
    }

    /// R13
    #[test]
    fn an_entry_is_durable_before_it_is_claimed_and_its_attempt_before_it_is_posted() {
        let mut queue = Queue::default();
        queue.add(entry("a"), 0, Time(0));
        assert_eq!(agree(&mut queue), ["commit 1", "claim"]);
        queue.begin(&"a".into(), 0, Time(1));
        assert_eq!(agree(&mut queue), ["commit 2", "post"]);
    }

    /// R13
    #[test]
    fn a_store_that_does_not_answer_delays_a_send_by_two_seconds_for_each_answer() {
        let mut queue = Queue::default();
        queue.add(entry("a"), 0, Time(0));
        assert!(matches!(queue.next_step(), Some(Step::Commit { .. })));
        assert_eq!(queue.next_deadline(), Some(Time(2_000)));
        queue.handle_deadline(Time(2_000));
        assert_eq!(queue.next_step(), Some(Step::Claim("a".into())));
        assert!(queue.get(&"a".into()).unwrap().unsaved);
        assert_eq!(queue.next_deadline(), Some(Time(4_000)), "the claim may take as long");
        assert_eq!(queue.handle_deadline(Time(4_000)), [("a".into(), false)]);
        assert!(queue.may_begin(&"a".into(), Time(4_000)));
        queue.begin(&"a".into(), 0, Time(4_000));
        assert_eq!(queue.next_step(), Some(Step::Post("a".into())));
        assert_eq!(queue.next_deadline(), None);
    }

    /// R13
    #[test]
    fn a_store_that_fails_does_not_stop_a_send() {
        let mut queue = Queue::default();
        queue.add(entry("a"), 0, Time(0));
        queue.next_step();
        queue.handle_committed(&"a".into(), 1, Err(CommitError::Failed(StoreError::Full)), 0, Time(0));
        assert_eq!(queue.next_step(), Some(Step::Claim("a".into())));
    }

    /// R13
    #[test]
    fn that_something_was_taken_back_is_lost_until_it_is_written() {
        let mut queue = Queue::default();
        queue.add(entry("a"), 0, Time(0));
        assert!(queue.get(&"a".into()).unwrap().would_be_lost());
        agree(&mut queue);
        assert!(!queue.get(&"a".into()).unwrap().would_be_lost());
        queue.withdraw(&"a".into(), Time(1));
        assert!(
            queue.get(&"a".into()).unwrap().would_be_lost(),
            "the next page would send it"
        );
        agree(&mut queue);
        assert!(!queue.get(&"a".into()).unwrap().would_be_lost());
    }

    #[test]
    fn a_second_tab_finds_that_the_answer_is_already_being_sent() {
        let mut queue = Queue::default();
        queue.add(entry("a"), 0, Time(0));
        queue.next_step();
        let first = Arc::new(Entry {
            stage: Stage::Attempting { begun: Time(0) },
            version: 2,
            ..entry("a")
        });
        queue.handle_committed(&"a".into(), 1, Err(CommitError::Conflict(first.clone())), 0, Time(0));
        assert_eq!(queue.get(&"a".into()).unwrap().entry, first);
        assert_eq!(queue.next_step(), Some(Step::Claim("a".into())));
        queue.handle_claimed(&"a".into(), None, 0);
        assert!(!queue.may_begin(&"a".into(), Time(60_000)), "the first tab sends it");
    }

    /// R13
    #[test]
    fn what_an_earlier_life_left_is_adopted_and_an_unknown_attempt_is_in_doubt() {
        let mut queue = Queue::default();
        let left = Arc::new(Entry {
            stage: Stage::Attempting { begun: Time(0) },
            version: 2,
            attempts: 1,
            ..entry("a")
        });
        queue.observe_saved(&[left], |_| false, 9, Time(0));
        assert_eq!(agree(&mut queue), ["claim"]);
        let delivery = queue.get(&"a".into()).unwrap();
        assert!(delivery.is_ready() && delivery.evidence_after == 9);
        assert!(matches!(delivery.entry.last_attempt(), Some(Attempt::InDoubt(_))));
    }

    /// R4: the page that has said something else hears it
    #[test]
    fn what_another_tab_has_put_in_the_place_of_ours_is_told() {
        let mut queue = Queue::default();
        queue.add(entry("a"), 0, Time(0));
        queue.next_step();
        queue.handle_committed(&"a".into(), 1, Ok(()), 0, Time(0));
        queue.handle_claimed(&"a".into(), None, 0);
        let Sent::Prompt { prompt, .. } = entry("a").sent else {
            panic!("it is a prompt")
        };
        let theirs = Arc::new(Entry {
            version: 2,
            sent: Sent::Prompt {
                prompt,
                rescues: Some("que_1".into()),
            },
            ..entry("a")
        });
        let replaced = queue.observe_saved(std::slice::from_ref(&theirs), |_| false, 0, Time(0));
        assert_eq!(replaced, [(Arc::new(entry("a")), theirs.clone())]);
        assert_eq!(queue.observe_saved(&[theirs], |_| false, 0, Time(0)), []);
    }

    /// R4: the newest word of a person outlives the end of an older one
    #[test]
    fn what_was_said_last_is_kept_when_another_tab_notes_the_end_of_what_was_said_before() {
        let mut queue = Queue::default();
        let last = Entry {
            created: Time(5),
            ..entry("a")
        };
        queue.add(last.clone(), 0, Time(5));
        queue.next_step();
        let gone = Outcome::Gone(crate::model::GoneReason::Restarted);
        queue.end(&"a".into(), gone.clone(), Time(6));
        let before = Arc::new(Entry {
            version: 5,
            stage: Stage::Ended {
                outcome: gone,
                at: Time(6),
            },
            ..entry("a")
        });
        let first = queue.handle_committed(&"a".into(), 1, Err(CommitError::Conflict(before)), 0, Time(6));
        assert_eq!(first, None);
        assert_eq!(queue.get(&"a".into()).unwrap().entry.created, last.created);
    }

    #[test]
    fn attempts_come_less_and_less_often_but_never_end() {
        let mut queue = Queue::default();
        queue.add(entry("a"), 0, Time(0));
        agree(&mut queue);
        let mut pauses = Vec::new();
        for _ in 0..6 {
            queue.begin(&"a".into(), 0, Time(0));
            agree(&mut queue);
            queue.handle_posted(&"a".into(), Attempt::InDoubt("lost".to_owned()), 1, Time(0));
            agree(&mut queue);
            pauses.push(queue.get(&"a".into()).unwrap().next_attempt().unwrap().0);
        }
        assert_eq!(pauses, [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    }
}
