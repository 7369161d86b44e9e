//! The durable record of everything that a person sends: answers, prompts, rescues.
//!
//! Success codes are not proof. An entry is written before its first attempt, and ends only when a refresh that began
//! after the last attempt shows what became of it. The tables that decide this are functions of their own, one per
//! kind of send: [`decide_answer()`], [`decide_permission()`] and [`decide_prompt()`].

mod decide;
pub(crate) mod deliver;
mod evidence;
pub(crate) mod order;
mod queue;
pub(crate) mod stops;
pub(crate) mod submit;

use crate::collections::{SortedMap, SortedSet};
use crate::engine::evidence::Observed;
use crate::engine::outbox::order::PromptOrder;
use crate::engine::outbox::stops::Stops;
use crate::model::{MessageId, RequestId};
use crate::time::Time;

pub(crate) use decide::{decide_answer, decide_permission, decide_prompt};
pub(crate) use evidence::{Attempts, Decision, Evidence, PartState};
pub(crate) use queue::{Delivery, Queue, Step, retry_pause};

/// What the server writes into a tool part when its question was turned away.
pub(crate) const DISMISSED: &str = "user dismissed";
/// What the server writes into a tool part when its permission was refused.
pub(crate) const REJECTED: &str = "rejected permission";
/// What the server writes into a tool part when its run was stopped; with "Task cancelled" for a sub-agent's.
pub(crate) const ABORTED: [&str; 2] = ["aborted", "cancelled"];

/// What is sent, and what is known of it.
#[derive(Debug)]
pub(crate) struct Outbox {
    pub(crate) queue: Queue,
    pub(crate) order: PromptOrder,
    pub(crate) stops: Stops,
    /// Whether a message of ours is stored.
    pub(crate) stored: SortedMap<MessageId, Observed<bool>>,
    /// When the last send of ours ended: what other tabs began to read before is old.
    pub(crate) last_sent: Time,
    /// Requests whose answer from here came after that of another tab.
    pub(crate) lost_races: SortedSet<RequestId>,
}

impl Outbox {
    pub(crate) fn new() -> Self {
        Self {
            queue: Queue::default(),
            order: PromptOrder::new(),
            stops: Stops::default(),
            stored: SortedMap::new(),
            last_sent: Time(0),
            lost_races: SortedSet::new(),
        }
    }
}
