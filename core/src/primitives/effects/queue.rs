//! The queue: effects in, answers out, polled once a pass.

use std::collections::BTreeSet;
use std::fmt;
use std::hash::Hash;
use std::ops::Bound;

use super::decisions::{Decisions, NotKept};
use super::effect::{Class, Context, Decision, Effect, Poll, Progress, Work};
use super::id::Ids;
use super::lines::Lines;
use super::responding::{Responder, Responding, Response};
use super::slots::Slots;
use super::table::Table;
use super::{EFFECTS_MAX, EffectId};
use crate::model::{RequestId, SessionId, ToolRef};
use crate::time::Time;

/// All effects that are not done. See [the module](super) for the rules and an example.
///
/// Dropping it answers everybody with [`Response::Cancelled`].
pub struct EffectQueue<R, T> {
    ids: Ids,
    effects: Table<Entry<T>>,
    slots: Slots<R>,
    /// Those that hold what they need and are polled with the next pass.
    due: BTreeSet<EffectId>,
    /// Those in doubt, each with the number that a refresh must exceed to say anything about it.
    doubts: BTreeSet<(u64, EffectId)>,
    by_session: Lines<SessionId>,
    by_agent: Lines<String>,
    decisions: Decisions,
    refresh_begun: u64,
    refresh: u64,
}

struct Entry<T> {
    work: Box<Work<Poll<T>>>,
    stage: Stage<T>,
}

enum Stage<T> {
    /// In line, or due.
    Open(Responder<T>),
    /// In doubt, until a refresh comes whose number exceeds this.
    InDoubt(Responder<T>, u64),
    /// Answered, and keeps its resources until it is released.
    Holding,
}

/// Which effects to cancel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// Those of one call of a session.
    Call(SessionId, ToolRef),
    /// Those of a session.
    Session(SessionId),
    /// Those of an agent, in all sessions.
    Agent(String),
}

impl<R: Ord + Hash + Clone, T> EffectQueue<R, T> {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self {
            ids: Ids::default(),
            effects: Table::default(),
            slots: Slots::default(),
            due: BTreeSet::new(),
            doubts: BTreeSet::new(),
            by_session: Lines::default(),
            by_agent: Lines::default(),
            decisions: Decisions::default(),
            refresh_begun: 0,
            refresh: 0,
        }
    }

    /// Submits an effect. It stands in the lines of all its resources from now on, and is first polled by the next
    /// [`Self::poll_all`] that finds it holding them.
    ///
    /// One whose target does not exist is answered at once, and so is one too many: [`EFFECTS_MAX`].
    pub fn submit(&mut self, effect: Effect<R, T>) -> (EffectId, Responding<T>) {
        let (responder, responding) = Responder::new();
        let id = self.ids.give();
        if !effect.target_exists {
            self.ids.take_back(id);
            responder.answer(Response::NothingToDo);
        } else if self.ids.given() > EFFECTS_MAX {
            self.ids.take_back(id);
            responder.answer(Response::Failed(format!("{EFFECTS_MAX} effects wait already")));
        } else {
            self.enter(id, effect, responder);
        }
        (id, responding)
    }

    /// Polls every effect that holds what it needs, once, in the order of submission; also those that come to hold it
    /// meanwhile. Nothing happens when there is none.
    pub fn poll_all(&mut self, now: Time) {
        let mut next = self.due.first().copied();
        while let Some(id) = next {
            self.poll(id, now);
            // Whoever takes over a resource was submitted after the one that gave it back.
            next = self.due.range((Bound::Excluded(id), Bound::Unbounded)).next().copied();
        }
    }

    /// Ends an effect that was answered and keeps its resources, and gives them to the next in line. One that has no
    /// answer yet is answered [`Response::Cancelled`]. Returns false when it has ended before.
    pub fn release(&mut self, id: EffectId) -> bool {
        let Some(entry) = self.remove(id) else { return false };
        entry.stage.answer(Response::Cancelled);
        true
    }

    /// Ends all effects of a call, session or agent, and gives their resources to the next in line. Those without an
    /// answer are answered [`Response::Cancelled`]. Returns how many have ended.
    ///
    /// An effect that has begun is not undone.
    pub fn cancel(&mut self, which: &Cancel) -> usize {
        let effects: Vec<EffectId> = match which {
            Cancel::Session(session) => self.by_session.iter(session).collect(),
            Cancel::Agent(agent) => self.by_agent.iter(agent).collect(),
            Cancel::Call(session, call) => {
                let of_call = |id: &EffectId| {
                    self.effects
                        .get(*id)
                        .is_some_and(|entry| entry.work.scope.call.as_ref() == Some(call))
                };
                self.by_session.iter(session).filter(of_call).collect()
            }
        };
        let ended: Vec<Entry<T>> = effects.into_iter().filter_map(|id| self.remove(id)).collect();
        let count = ended.len();
        for entry in ended {
            entry.stage.answer(Response::Cancelled);
        }
        count
    }

    /// Keeps a decision for the effect with this request, until that effect ends or the turn of its session does.
    ///
    /// # Errors
    /// When the request is decided already, or too many decisions are kept.
    pub fn decide(&mut self, session: SessionId, request: RequestId, decision: Decision) -> Result<(), NotKept> {
        self.decisions.keep((session, request), decision)
    }

    /// Drops the decisions of a session whose turn has ended.
    pub fn end_turn(&mut self, session: &SessionId) {
        self.decisions.end_turn(session);
    }

    /// Notes that a refresh begins. What it reads may be older than a doubt that arises from now on.
    pub fn handle_refresh_begun(&mut self, number: u64) {
        self.refresh_begun = self.refresh_begun.max(number);
    }

    /// Takes note of a refresh that was read. Effects in doubt that it began after are polled again, and see for
    /// themselves whether they are still needed.
    pub fn observe_refresh(&mut self, number: u64) {
        self.handle_refresh_begun(number);
        self.refresh = self.refresh.max(number);
        while let Some((begun, id)) = self.doubts.first().copied()
            && begun < number
        {
            self.doubts.pop_first();
            self.due.insert(id);
            self.change(id, |stage| match stage {
                Stage::InDoubt(responder, _) => Stage::Open(responder),
                Stage::Open(_) | Stage::Holding => stage,
            });
        }
    }

    /// Whether an effect holds what it needs. One that has ended holds nothing.
    #[must_use]
    pub fn holds(&self, id: EffectId) -> bool {
        self.effects.get(id).is_some() && self.slots.holds(id)
    }

    fn enter(&mut self, id: EffectId, effect: Effect<R, T>, responder: Responder<T>) {
        let (work, stage) = (effect.work, Stage::Open(responder));
        if let Some(session) = &work.scope.session {
            self.by_session.join(session.clone(), id);
        }
        if let Some(agent) = &work.scope.agent {
            self.by_agent.join(agent.clone(), id);
        }
        self.effects.insert(id, Entry { work, stage });
        if self.slots.enter(id, effect.resources) {
            self.due.insert(id);
        }
    }

    fn poll(&mut self, id: EffectId, now: Time) {
        let entry = self.effects.get_mut(id).expect("an effect that is due has not ended");
        let work = &mut *entry.work;
        let decision = work.request.as_ref().and_then(|request| self.decisions.get(request));
        let refresh = self.refresh;
        let progress = (work.poll)(&Context { now, refresh, decision });
        match (progress, work.class) {
            (Progress::Pending, _) => {}
            (Progress::Holding(result), _) => self.hold(id, result),
            (Progress::Ready(result), _) => self.end(id, Response::Ready(result)),
            (Progress::NothingToDo, _) => self.end(id, Response::NothingToDo),
            (Progress::Failed(reason), _) => self.end(id, Response::Failed(reason)),
            (Progress::InDoubt(reason), Class::Once) => self.end(id, Response::InDoubt(reason)),
            (Progress::InDoubt(_), Class::ConsumedById | Class::IdempotentById) => self.doubt(id),
        }
    }

    fn hold(&mut self, id: EffectId, result: T) {
        self.due.remove(&id);
        if let Some(entry) = self.effects.get_mut(id) {
            std::mem::replace(&mut entry.stage, Stage::Holding).answer(Response::Ready(result));
        }
    }

    fn doubt(&mut self, id: EffectId) {
        let begun = self.refresh_begun;
        self.due.remove(&id);
        self.doubts.insert((begun, id));
        self.change(id, |stage| match stage {
            Stage::Open(responder) => Stage::InDoubt(responder, begun),
            Stage::InDoubt(..) | Stage::Holding => stage,
        });
    }

    fn change(&mut self, id: EffectId, change: impl FnOnce(Stage<T>) -> Stage<T>) {
        if let Some(entry) = self.effects.get_mut(id) {
            entry.stage = change(std::mem::replace(&mut entry.stage, Stage::Holding));
        }
    }

    fn end(&mut self, id: EffectId, response: Response<T>) {
        if let Some(entry) = self.remove(id) {
            entry.stage.answer(response);
        }
    }

    /// Takes an effect out of everything, and lets the next in line have its resources.
    fn remove(&mut self, id: EffectId) -> Option<Entry<T>> {
        let entry = self.effects.remove(id)?;
        self.ids.take_back(id);
        self.due.remove(&id);
        if let Stage::InDoubt(_, begun) = entry.stage {
            self.doubts.remove(&(begun, id));
        }
        let is_here = |other| self.effects.get(other).is_some();
        if let Some(session) = &entry.work.scope.session {
            self.by_session.leave(session, id, is_here);
        }
        if let Some(agent) = &entry.work.scope.agent {
            self.by_agent.leave(agent, id, is_here);
        }
        if let Some(request) = &entry.work.request {
            self.decisions.forget(request);
        }
        self.due.extend(self.slots.leave(id));
        Some(entry)
    }
}

impl<T> Stage<T> {
    /// Answers whoever has no answer yet.
    fn answer(self, response: Response<T>) {
        match self {
            Stage::Open(responder) | Stage::InDoubt(responder, _) => responder.answer(response),
            Stage::Holding => {}
        }
    }
}

impl<R: Ord + Hash + Clone, T> Default for EffectQueue<R, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R, T> fmt::Debug for EffectQueue<R, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("EffectQueue")
            .field("effects", &self.ids.given())
            .field("due", &self.due.len())
            .field("in_doubt", &self.doubts.len())
            .finish_non_exhaustive()
    }
}
