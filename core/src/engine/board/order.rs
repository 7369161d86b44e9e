//! Who may send now: what shares a slot goes one after the other, in the order in which it was given (requirements E).
//!
//! Replies hold the slot of their own request, so requests never wait for each other. Prompts share the slot of their
//! session: they arrive in the order in which they were sent. A slot is held until the server has said yes, or the send
//! is over; a send that the server took and then lost blocks nobody.

use crate::collections::SortedMap;
use crate::engine::board::Board;
use crate::engine::board::deliver::message_of;
use crate::model::{Attempt, Entry, EntryId, RequestId, Sent, SessionId, Stage};
use crate::primitives::effects::{Class, Effect, EffectId, EffectQueue, Progress, Scope};
use crate::time::Time;

/// What one send holds at a time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Slot {
    Request(RequestId),
    Prompts(SessionId),
}

/// The lines in front of all slots.
#[derive(Debug)]
pub(crate) struct PromptOrder {
    queue: EffectQueue<Slot, ()>,
    lined_up: SortedMap<EntryId, EffectId>,
}

impl PromptOrder {
    pub(crate) fn new() -> Self {
        Self {
            queue: EffectQueue::new(),
            lined_up: SortedMap::new(),
        }
    }

    fn line_up(&mut self, entry: &Entry, now: Time) {
        let (class, slot) = match &entry.sent {
            Sent::Reply { request, .. } => (Class::ConsumedById, Slot::Request(request.id.clone())),
            Sent::Prompt { .. } => (Class::IdempotentById, Slot::Prompts(entry.session.clone())),
        };
        let scope = Scope {
            session: Some(entry.session.clone()),
            ..Scope::default()
        };
        let effect = Effect::new(class, |_| Progress::Holding(()))
            .within(scope)
            .needs([slot]);
        // The permit is in the queue; nobody waits for it elsewhere.
        let (id, _) = self.queue.submit(effect);
        // A refused entry that this one replaces may still hold the slot.
        if let Some(replaced) = self.lined_up.insert(entry.id.clone(), id) {
            self.queue.release(replaced);
        }
        self.queue.poll_all(now);
    }
}

impl Board {
    /// Gives a new send its place in line.
    pub(crate) fn line_up(&mut self, entry: &Entry, now: Time) {
        self.outbox.order.line_up(entry, now);
    }

    /// True when an attempt may begin: it is its turn, this page has the right, and the last attempt is long enough ago.
    pub(crate) fn may_begin(&mut self, id: &EntryId, now: Time) -> bool {
        if !self.outbox.queue.may_begin(id, now) {
            // Another tab may have the right to send it: what it does must not hold up this page.
            return false;
        }
        let Some(entry) = self.outbox.queue.get(id).map(|delivery| delivery.entry.clone()) else {
            return false;
        };
        if message_of(&entry).is_some() && entry.attempts == 0 && self.outbox.stops.holds_back(&entry) {
            return false;
        }
        if entry.attempts == 0 && !self.outbox.order.lined_up.contains_key(id) {
            self.outbox.order.line_up(&entry, now);
        }
        let prompt_order = &self.outbox.order;
        prompt_order
            .lined_up
            .get(id)
            .is_none_or(|effect| prompt_order.queue.holds(*effect))
    }

    /// Gives the slots of those that need them no more to the next in line.
    pub(crate) fn pass_slots(&mut self, now: Time) {
        let needs_it = |id: &EntryId| {
            self.outbox.queue.get(id).is_some_and(|delivery| {
                let entry = &delivery.entry;
                let accepted = matches!(
                    entry.stage,
                    Stage::Attempted {
                        attempt: Attempt::Accepted,
                        ..
                    }
                );
                entry.is_on_its_way() && !accepted && !delivery.is_elsewhere()
            })
        };
        let done: Vec<EntryId> = self
            .outbox
            .order
            .lined_up
            .keys()
            .filter(|id| !needs_it(id))
            .cloned()
            .collect();
        if done.is_empty() {
            return;
        }
        for id in done {
            if let Some(effect) = self.outbox.order.lined_up.remove(&id) {
                self.outbox.order.queue.release(effect);
            }
        }
        self.outbox.order.queue.poll_all(now);
        let waiting: Vec<EntryId> = self.outbox.order.lined_up.keys().cloned().collect();
        for id in waiting {
            self.decide_entry(&id, now);
        }
    }
}
