//! How much a board reads while nothing happens, beside what its pace comes to.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use switchboard_core::config::Pace;
use switchboard_core::model::{Directory, SessionId};

use crate::sim::sut::{Slot, Sut};

/// How long a board is at rest before its reads are counted.
const MINUTE: Duration = Duration::from_secs(60);
/// How much more a board may read than its pace comes to, in percent.
const MORE: usize = 50;
/// The lists of a directory.
const LISTS: usize = 3;
/// How many messages one refresh reads at the most.
const MESSAGES: usize = 8;
/// How long after something has happened it is still looked at: a directory stays in use for a minute.
const LOOKED_AFTER: Duration = Duration::from_secs(130);
/// How many reads each session costs then, at the most.
const AFTERMATH: usize = 8;
/// How often in a minute a session is read that another process runs.
const ELSEWHERE: usize = 6;

impl Sut {
    /// Tabs have read little enough during the last minute, if nothing has happened meanwhile.
    pub(in crate::sim) fn check_pace(&mut self) {
        let now = self.world.now();
        let changed = self.reference.sessions.values().map(|session| session.since);
        let asked = self.reference.requests.values().map(|request| request.since);
        let mut moments = changed.chain(asked).chain([self.acted]);
        if moments.any(|at| now.since(at) < MINUTE) {
            return;
        }
        for slot in &self.slots {
            let Some(tab) = &slot.tab else { continue };
            let awaits = self.calls.iter().any(|call| call.tab == tab.number && !call.is_over);
            let knows = self.sees_since(slot).map(|sees| self.remembers_since(slot, sees));
            let is_settled = knows.is_some_and(|since| now.since(since.max(slot.opened)) >= MINUTE);
            if !is_settled || awaits {
                continue;
            }
            let (read, nominal) = (self.world.watch().reads_of_the_minute(tab.number), self.nominal(slot));
            if read > nominal + nominal * MORE / 100 {
                let kinds = self.world.watch().kinds_of_the_minute(tab.number);
                let words = format!(
                    "tab {} reads {read} times a minute at rest, its pace is {nominal}: {kinds:?}",
                    tab.number
                );
                self.world.watch().report("pace", words);
            }
            self.heard.add("checked: the pace of a tab", 1);
        }
    }

    /// What a tab reads in a minute at its pace, in the state that the server is in.
    fn nominal(&self, slot: &Slot) -> usize {
        let pace = Pace::default();
        let (busy, quiet) = if slot.is_hidden {
            (pace.hidden, pace.hidden)
        } else {
            (pace.busy, pace.quiet)
        };
        let each = |span: Duration| usize::try_from(MINUTE.as_millis() / span.as_millis().max(1)).unwrap_or(usize::MAX);
        let mut at_work: BTreeMap<Directory, BTreeSet<SessionId>> = BTreeMap::new();
        for id in self.world.server.sessions() {
            if self.world.server.status(&id).is_some()
                && let Some(session) = self.world.server.session(&id)
            {
                at_work.entry(session.directory).or_default().insert(id);
            }
        }
        for request in self.world.server.listed() {
            at_work.entry(request.directory).or_default().insert(request.session);
        }
        for entry in self.devices[slot.device].entries() {
            if entry.is_on_its_way() {
                let sessions = at_work.entry(entry.directory.clone()).or_default();
                sessions.insert(entry.session.clone());
            }
        }
        let of_each = at_work.values().map(|sessions| LISTS + sessions.len().min(MESSAGES));
        let of_list = each(if at_work.is_empty() { quiet } else { busy });
        // The directory of the open session, and all others once a minute.
        let rest = (LISTS + 1) * each(quiet) + self.world.watch().directories() * (LISTS + MESSAGES);
        let mut in_use: BTreeSet<Directory> = BTreeSet::new();
        let mut aftermath = 0;
        // Who opens a page, or has the server back, looks at everything once.
        let looked = self
            .sees_since(slot)
            .map_or(slot.opened, |since| since.max(slot.opened));
        for (id, session) in &self.reference.sessions {
            if self.world.now().since(session.since.max(looked)) < LOOKED_AFTER
                && let Some(session) = self.world.server.session(id)
            {
                in_use.insert(session.directory);
                aftermath += AFTERMATH;
            }
        }
        for id in self.beside.keys() {
            in_use.extend(self.world.server.session(id).map(|session| session.directory));
            aftermath += ELSEWHERE;
        }
        let of_those = in_use.len() * LISTS * each(quiet) + aftermath;
        of_each.sum::<usize>() * each(busy) + of_list + rest + of_those
    }
}
