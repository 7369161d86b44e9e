//! Everything that is sent: the queue of entries, the order of prompts, and the stops.
//!
//! What shares a slot with another send stands in line for it (requirements E3): the answers to one request, the prompts
//! to one session. A command needs no slot, and goes at once. A stop takes none either: it waits only while a prompt is
//! being sent that it could overtake, and a prompt in doubt must not hold it up.

use crate::collections::{SortedMap, SortedSet};
use crate::engine::board::order::PromptOrder;
use crate::engine::board::stops::Stops;
use crate::engine::evidence::Observed;
use crate::engine::outbox::Queue;
use crate::model::{MessageId, RequestId};
use crate::time::Time;

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
