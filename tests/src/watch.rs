//! What must never happen, checked after each step.
//!
//! Whoever sees a breach reports it here; the world stops with it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use switchboard_core::model::{MessageId, Reply, RequestId};
use switchboard_core::runtime::Read;

use crate::opencode::{Client, Event, Happening};

/// How many reads of one tab may be in flight.
const READS_IN_FLIGHT_MAX: usize = 4;

/// Collects breaches. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Watch(Rc<RefCell<State>>);

#[derive(Debug, Default)]
struct State {
    breaches: Vec<String>,
    in_flight: BTreeMap<usize, Vec<Read>>,
    /// How often each tab has read a list of questions: once for each refresh of a directory.
    refreshes: BTreeMap<usize, usize>,
    /// What persons have said to requests.
    intentions: Vec<(RequestId, Reply)>,
    /// What persons have asked to be sent as messages.
    texts: Vec<String>,
    /// How often a message was stored that carries such a text.
    carried: BTreeMap<String, usize>,
    stored: BTreeSet<MessageId>,
}

/// A read in flight; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Flight {
    watch: Watch,
    tab: usize,
    read: Read,
}

impl Watch {
    /// A person has pressed Send.
    pub(crate) fn intend(&self, request: &RequestId, reply: &Reply) {
        self.0.borrow_mut().intentions.push((request.clone(), reply.clone()));
    }

    /// A person has prompted, or sent an answer as a message.
    pub(crate) fn intend_text(&self, text: &str) {
        self.0.borrow_mut().texts.push(text.to_owned());
    }

    pub(crate) fn refreshes(&self, tab: usize) -> usize {
        self.0.borrow().refreshes.get(&tab).copied().unwrap_or_default()
    }

    pub(crate) fn begin(&self, tab: usize, read: &Read) -> Flight {
        let mut state = self.0.borrow_mut();
        if matches!(read, Read::Questions(_)) {
            *state.refreshes.entry(tab).or_default() += 1;
        }
        let flying = state.in_flight.entry(tab).or_default();
        let twice = is_of_a_unit(read) && flying.contains(read);
        flying.push(read.clone());
        let count = flying.len();
        if twice {
            state
                .breaches
                .push(format!("tab {tab} refreshes one unit twice at once: {read:?}"));
        }
        if count > READS_IN_FLIGHT_MAX {
            state.breaches.push(format!("tab {tab} has {count} reads in flight"));
        }
        Flight {
            watch: self.clone(),
            tab,
            read: read.clone(),
        }
    }

    /// Looks at what has happened on the server.
    pub(crate) fn observe(&self, happened: &[Happening]) {
        let mut state = self.0.borrow_mut();
        for happening in happened {
            if let Some(breach) = state.breach_of(&happening.event) {
                state.breaches.push(breach);
            }
        }
    }

    /// The first breach, if there was one.
    pub(crate) fn breach(&self) -> Option<String> {
        self.0.borrow().breaches.first().cloned()
    }
}

impl State {
    fn breach_of(&mut self, event: &Event) -> Option<String> {
        match event {
            Event::Replied {
                request,
                reply,
                by: Client::Tab(tab),
                ..
            } => {
                let meant = self.intentions.iter().any(|(to, said)| to == request && said == reply);
                (!meant).then(|| format!("tab {tab} sent {reply:?} to {request}, which nobody said"))
            }
            Event::Stored { message, text, .. } => {
                let meant = self.texts.iter().filter(|meant| *meant == text).count();
                let carried = self.carried.entry(text.clone()).or_default();
                *carried += 1;
                let is_new = self.stored.insert(message.clone());
                let too_often = meant > 0 && *carried > meant;
                (too_often || !is_new).then(|| format!("{message} brings what is already there: {text}"))
            }
            Event::Replied { by: Client::Other, .. }
            | Event::Asked(_)
            | Event::Delivered { .. }
            | Event::Prompted { .. }
            | Event::Aborted { .. } => None,
        }
    }
}

/// The reads that make up the refresh of a directory or of the session list; the others follow from them.
fn is_of_a_unit(read: &Read) -> bool {
    match read {
        Read::Questions(_) | Read::Permissions(_) | Read::Status(_) | Read::Directories | Read::Sessions { .. } => true,
        Read::Health | Read::Session { .. } | Read::Messages { .. } | Read::Message { .. } => false,
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut state = self.watch.0.borrow_mut();
        let flying = state.in_flight.entry(self.tab).or_default();
        if let Some(at) = flying.iter().position(|read| *read == self.read) {
            flying.swap_remove(at);
        }
    }
}
