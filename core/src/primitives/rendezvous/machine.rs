//! The state of a rendezvous: what waits, what was left answerable, what has ended.
//!
//! It is synchronous and wakes nobody: cells that were settled are handed out, to be woken when the machine is no longer
//! borrowed.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hash;
use std::mem;
use std::rc::Rc;
use std::time::Duration;

use super::outcome::{Answered, AskOptions, Asked, By, Late, NotAsked, OnTimeOut};
use super::timeout::deadlines;
use super::{ENDED_MAX, LATE_MAX, LEFT_MAX};
use crate::collections::FixedHash;
use crate::primitives::deferred::{Deferred, Turn};
use crate::time::Time;

/// Settles with an answer, or with none when the time is up; fails when it is cancelled; is abandoned when all is closed.
pub(super) type Cell<K, A> = Deferred<K, Option<(A, By)>>;

/// A cell, and when its time is up.
type Open<K, A> = (Rc<Cell<K, A>>, Option<Time>);

/// The state of a rendezvous.
pub(super) struct Machine<K, Q, A> {
    asked: u64,
    version: u64,
    is_closed: bool,
    places: HashMap<K, u64, FixedHash>,
    questions: BTreeMap<u64, Question<K, Q, A>>,
    /// Warnings and time-outs of what waits.
    deadlines: BTreeSet<(Time, u64)>,
    /// Left answerable after their time-out.
    left: BTreeSet<u64>,
    /// In the order of their ends.
    ended: VecDeque<u64>,
    late: VecDeque<Late<K, Q, A>>,
}

/// One question and how far it is.
pub(super) struct Question<K, Q, A> {
    cell: Rc<Cell<K, A>>,
    question: Rc<Q>,
    asked: Time,
    /// Of the warning and the time-out.
    deadlines: Option<(Time, Time)>,
    then: OnTimeOut<A>,
    is_warned: bool,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Waiting,
    /// Its time was up then. It is still shown.
    Left(Time),
    /// An answer that comes after it is late.
    Released(Time),
    Answered,
}

impl<K, Q, A> Machine<K, Q, A> {
    pub(super) fn new() -> Self {
        Self {
            asked: 0,
            version: 0,
            is_closed: false,
            places: HashMap::default(),
            questions: BTreeMap::new(),
            deadlines: BTreeSet::new(),
            left: BTreeSet::new(),
            ended: VecDeque::new(),
            late: VecDeque::new(),
        }
    }

    /// Counts the changes of what is shown.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub(super) fn next_deadline(&self) -> Option<Time> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// The late answers, in the order they came.
    pub(super) fn take_late(&mut self) -> VecDeque<Late<K, Q, A>> {
        mem::take(&mut self.late)
    }

    /// Ends everything. Returns what has waited.
    pub(super) fn close(&mut self) -> Vec<Rc<Cell<K, A>>> {
        self.version += u64::from(!self.is_closed);
        self.is_closed = true;
        self.deadlines.clear();
        self.left.clear();
        self.ended.clear();
        self.places.clear();
        let questions = mem::take(&mut self.questions).into_values();
        let open: Vec<_> = questions
            .map(|question| question.cell)
            .filter(|cell| cell.is_open())
            .collect();
        open.iter().for_each(|cell| cell.abandon());
        open
    }
}

impl<K: Hash + Eq + Clone, Q, A: Clone> Machine<K, Q, A> {
    /// Publishes a question. Returns its cell, and when its time is up.
    pub(super) fn ask(
        &mut self,
        key: K,
        question: Q,
        options: AskOptions<A>,
        now: Time,
    ) -> Result<Open<K, A>, NotAsked<K>> {
        if self.is_closed {
            return Err(NotAsked::Closed);
        }
        if self.places.contains_key(&key) {
            return Err(NotAsked::AlreadyAsked(key));
        }
        let place = self.asked;
        self.asked += 1;
        self.version += 1;
        let cell = Rc::new(Deferred::new(key.clone(), Turn::default(), place));
        let deadlines = deadlines(options.timeout, now);
        if let Some((warning, end)) = deadlines {
            self.deadlines.extend([(warning, place), (end, place)]);
        }
        let question = Question {
            cell: cell.clone(),
            question: Rc::new(question),
            asked: now,
            deadlines,
            then: options.then,
            is_warned: false,
            state: State::Waiting,
        };
        let until = question.until();
        self.places.insert(key, place);
        self.questions.insert(place, question);
        Ok((cell, until))
    }

    /// The cell of a question that is known, and when its time is up.
    pub(super) fn cell(&self, key: &K) -> Option<Open<K, A>> {
        let question = self.questions.get(self.places.get(key)?)?;
        Some((question.cell.clone(), question.until()))
    }

    /// What is shown, in the order it was asked.
    pub(super) fn shown(&self) -> Vec<Asked<K, Q>> {
        self.questions.values().filter_map(Question::shown).collect()
    }

    /// Takes an answer. Returns what was settled.
    pub(super) fn answer(&mut self, key: &K, answer: A, now: Time) -> (Answered, Option<Rc<Cell<K, A>>>) {
        if self.is_closed {
            return (Answered::Closed, None);
        }
        let known = self.places.get(key).copied();
        let Some((place, question)) = known.and_then(|place| Some((place, self.questions.get_mut(&place)?))) else {
            return (Answered::Unknown, None);
        };
        match mem::replace(&mut question.state, State::Answered) {
            State::Waiting => {
                question.cell.settle(Ok(Some((answer, By::Person))));
                let settled = question.cell.clone();
                self.end(place);
                (Answered::Taken, Some(settled))
            }
            State::Left(since) => {
                let late_by = self.keep_late(place, answer, since, now);
                self.end(place);
                (Answered::Late(late_by), None)
            }
            State::Released(since) => (Answered::Late(self.keep_late(place, answer, since, now)), None),
            State::Answered => (Answered::Already, None),
        }
    }

    /// Ends a question without an answer, or stops showing one that was left. Returns false when it has ended before, and
    /// what was settled.
    pub(super) fn cancel(&mut self, key: &K, reason: String, now: Time) -> (bool, Option<Rc<Cell<K, A>>>) {
        let known = self.places.get(key).copied();
        let Some((place, question)) = known.and_then(|place| Some((place, self.questions.get_mut(&place)?))) else {
            return (false, None);
        };
        let settled = match question.state {
            State::Waiting => {
                question.cell.settle(Err(reason));
                question.state = State::Released(now);
                Some(question.cell.clone())
            }
            State::Left(since) => {
                question.state = State::Released(since);
                None
            }
            State::Released(_) | State::Answered => return (false, None),
        };
        self.end(place);
        (true, settled)
    }

    /// Warns, and ends what has waited long enough. Returns what was settled.
    pub(super) fn handle_deadline(&mut self, now: Time) -> Vec<Rc<Cell<K, A>>> {
        let mut settled = Vec::new();
        while let Some((deadline, place)) = self.deadlines.first().copied().filter(|(deadline, _)| *deadline <= now) {
            self.deadlines.pop_first();
            self.version += 1;
            let question = self.questions.get_mut(&place).expect("what has a deadline waits");
            question.is_warned = true;
            if question.until() != Some(deadline) {
                continue;
            }
            settled.push(question.cell.clone());
            match question.then.clone() {
                OnTimeOut::Leave => {
                    question.cell.settle(Ok(None));
                    question.state = State::Left(deadline);
                    self.left.insert(place);
                    self.release_surplus();
                }
                OnTimeOut::Answer(answer) => {
                    question.cell.settle(Ok(Some((answer, By::Policy))));
                    question.state = State::Released(deadline);
                    self.end(place);
                }
            }
        }
        settled
    }

    /// Stops showing the oldest question that was left when there are too many.
    fn release_surplus(&mut self) {
        if self.left.len() <= LEFT_MAX {
            return;
        }
        let Some((place, question)) = self
            .left
            .first()
            .copied()
            .and_then(|place| Some((place, self.questions.get_mut(&place)?)))
        else {
            return;
        };
        if let State::Left(since) = question.state {
            question.state = State::Released(since);
        }
        self.end(place);
    }

    /// Keeps an answer that came too late. Returns by how much.
    fn keep_late(&mut self, place: u64, answer: A, since: Time, now: Time) -> Duration {
        let question = &self.questions[&place];
        let late_by = now.since(since);
        self.late.push_back(Late {
            key: question.cell.key.clone(),
            question: question.question.clone(),
            answer,
            late_by,
        });
        if self.late.len() > LATE_MAX {
            self.late.pop_front();
        }
        late_by
    }

    /// Stops showing a question. The oldest that has ended is forgotten when there are too many.
    fn end(&mut self, place: u64) {
        self.version += 1;
        self.left.remove(&place);
        if let Some((warning, end)) = self.questions[&place].deadlines {
            self.deadlines.remove(&(warning, place));
            self.deadlines.remove(&(end, place));
        }
        self.ended.push_back(place);
        if self.ended.len() > ENDED_MAX
            && let Some(forgotten) = self.ended.pop_front().and_then(|oldest| self.questions.remove(&oldest))
        {
            self.places.remove(&forgotten.cell.key);
        }
    }
}

impl<K: Clone, Q, A> Question<K, Q, A> {
    fn shown(&self) -> Option<Asked<K, Q>> {
        let timed_out = match self.state {
            State::Waiting => None,
            State::Left(since) => Some(since),
            State::Released(_) | State::Answered => return None,
        };
        Some(Asked {
            key: self.cell.key.clone(),
            question: self.question.clone(),
            asked: self.asked,
            until: self.until(),
            warned: self.is_warned,
            timed_out,
        })
    }
}

impl<K, Q, A> Question<K, Q, A> {
    fn until(&self) -> Option<Time> {
        self.deadlines.map(|(_, end)| end)
    }
}
