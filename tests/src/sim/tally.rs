//! Counts what histories have exercised, so that nobody believes in a fault that never happened.

use std::collections::BTreeMap;
use std::fmt;

use crate::network::Fate;
use crate::opencode::{Client, Event, Reached};
use crate::world::World;

/// What must have happened in any long run: a check that never ran proves nothing.
pub const EXPECTED: [&str; 25] = [
    "a draft is sent",
    "a person answers what was shown",
    "a tab goes by a clock of its own",
    "a session that is awaited is deleted",
    "an answer that does not fit is refused",
    "an answer to what was shown: changed since",
    "an answer to what was shown: taken",
    "call: 401",
    "call: arrives twice",
    "call: half understood",
    "call: refused",
    "checked: a date",
    "checked: a figure",
    "checked: a timeline",
    "checked: everything was read",
    "checked: the pace of a tab",
    "server: a permission is taken along",
    "tabs of one device whose clocks differ",
    "the clock of one tab jumps ahead",
    "the server closes messages late",
    "told: a request was found",
    "told: a search failed",
    "told: a session was found",
    "told: no such request waits",
    "told: there is no such session",
];

/// How often things happened, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: BTreeMap<&'static str, u64>,
    most_reads: usize,
}

impl Tally {
    pub(super) fn add(&mut self, name: &'static str, times: u64) {
        *self.counts.entry(name).or_default() += times;
    }

    /// Adds another tally to this one.
    pub fn join(&mut self, other: &Tally) {
        for (name, times) in &other.counts {
            self.add(name, *times);
        }
        self.most_reads = self.most_reads.max(other.most_reads);
    }

    /// How often this happened.
    #[must_use]
    pub fn times(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or_default()
    }

    pub(super) fn observe(&mut self, world: &World) {
        for (fate, times) in world.watch().fates() {
            self.add(name_of(fate), times);
        }
        self.most_reads = self.most_reads.max(world.watch().most_reads());
        world.server.each_happening(|happening| {
            if let Some(name) = name_of_event(&happening.event) {
                self.add(name, 1);
            }
        });
    }
}

fn name_of(fate: Fate) -> &'static str {
    match fate {
        Fate::Arrives => "call: arrives",
        Fate::RequestLost => "call: request lost",
        Fate::ResponseLost => "call: response lost",
        Fate::ServerError => "call: 500",
        Fate::Garbage => "call: a web page",
        Fate::Hangs => "call: hangs",
        Fate::Unauthorized => "call: 401",
        Fate::Doubled => "call: arrives twice",
        Fate::Refused => "call: refused",
        Fate::Damaged => "call: half understood",
    }
}

fn name_of_event(event: &Event) -> Option<&'static str> {
    Some(match event {
        Event::Asked(_) => "server: an agent asks",
        Event::Replied { by: Client::Other, .. } => "server: somebody else's reply",
        Event::Replied { to: Reached::Agent, .. } => "server: our reply reaches its agent",
        Event::Replied { to: Reached::Ghost, .. } => "server: our reply reaches a ghost",
        Event::Replied {
            to: Reached::Nothing, ..
        } => "server: our reply reaches nothing",
        Event::TakenAlong { .. } => "server: a permission is taken along",
        Event::Delivered { .. } => "server: an agent has its answer",
        Event::Killed => "server: killed",
        Event::Disposed { .. } => "server: an instance disposed of",
        Event::Deleted { .. } => "server: a session deleted",
        Event::Stored { .. } => "server: a prompt is stored",
        Event::RunEnded { .. } => "server: a run ends",
        Event::Changed { .. } => "server: a request changed",
        Event::Prompted { .. } | Event::Aborted { .. } | Event::RunBegan { .. } | Event::Answers => return None,
    })
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, times) in &self.counts {
            writeln!(formatter, "{times:>12}  {name}")?;
        }
        writeln!(
            formatter,
            "{:>12}  reads of one tab in a minute at the most",
            self.most_reads
        )
    }
}
