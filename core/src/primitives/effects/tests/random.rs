//! Random histories of the queue, against a model that is too simple to be wrong: a list, searched from its start.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use futures::FutureExt;

use crate::model::{Seed, SessionId};
use crate::primitives::effects::{Cancel, Class, Effect, EffectId, EffectQueue, Progress, Responding, Response, Scope};
use crate::time::Time;

const SEEDS: u64 = 300;
const STEPS: usize = 120;
const RESOURCES: u64 = 5;
const SESSIONS: u64 = 4;

/// What the next poll of each effect says, and who was polled.
#[derive(Default)]
struct Stage {
    plans: BTreeMap<usize, Progress<usize>>,
    polled: Vec<usize>,
}

/// One effect as the model sees it; its number is its place in the list.
struct Simple {
    id: EffectId,
    session: u64,
    class: Class,
    resources: BTreeSet<u64>,
    responding: Responding<usize>,
    /// The refresh that must be exceeded.
    doubt: Option<u64>,
    kept: bool,
    ended: bool,
    expected: Option<Response<usize>>,
    answered: bool,
}

struct History {
    random: Seed,
    queue: EffectQueue<u64, usize>,
    effects: Vec<Simple>,
    stage: Rc<RefCell<Stage>>,
    refresh: u64,
}

/// E3 E4 E5 E6 E7 E9
#[test]
fn no_resource_has_two_holders_everybody_is_answered_once_and_nobody_starves() {
    for seed in 0..SEEDS {
        let mut history = History::new(seed);
        for _ in 0..STEPS {
            history.step();
            history.check(seed);
        }
        history.finish(seed);
    }
}

impl History {
    fn new(seed: u64) -> Self {
        Self {
            random: Seed::new(seed),
            queue: EffectQueue::new(),
            effects: Vec::new(),
            stage: Rc::default(),
            refresh: 0,
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.random.next() % limit
    }

    fn step(&mut self) {
        match self.below(10) {
            0..=3 => self.submit(),
            4..=6 => self.pass(),
            7 => self.cancel(),
            8 => self.release(),
            _ => self.refresh(),
        }
    }

    fn submit(&mut self) {
        let number = self.effects.len();
        let session = self.below(SESSIONS);
        let class = [Class::Once, Class::ConsumedById, Class::IdempotentById][usize::try_from(self.below(3)).unwrap()];
        let count = self.below(4);
        let resources: Vec<u64> = (0..count).map(|_| self.below(RESOURCES)).collect();
        let stage = self.stage.clone();
        let effect = Effect::new(class, move |_| {
            let mut stage = stage.borrow_mut();
            stage.polled.push(number);
            stage.plans[&number].clone()
        });
        let scope = Scope {
            session: Some(SessionId::from(session.to_string())),
            ..Scope::default()
        };
        let (id, responding) = self.queue.submit(effect.needs(resources.clone()).within(scope));
        self.effects.push(Simple {
            id,
            session,
            class,
            resources: resources.into_iter().collect(),
            responding,
            doubt: None,
            kept: false,
            ended: false,
            expected: None,
            answered: false,
        });
    }

    fn pass(&mut self) {
        for number in 0..self.effects.len() {
            let plan = match self.below(8) {
                0 => Progress::Ready(number),
                1 => Progress::Holding(number),
                2 => Progress::NothingToDo,
                3 => Progress::Failed("refused".to_owned()),
                4 => Progress::InDoubt("broken".to_owned()),
                _ => Progress::Pending,
            };
            self.stage.borrow_mut().plans.insert(number, plan);
        }
        self.poll_as_planned();
    }

    /// Polls the queue and the model, and compares whom they polled.
    fn poll_as_planned(&mut self) {
        self.queue.poll_all(Time(0));
        let mut polled = Vec::new();
        for number in 0..self.effects.len() {
            let effect = &self.effects[number];
            if effect.ended || effect.kept || effect.doubt.is_some() || !self.should_hold(number) {
                continue;
            }
            polled.push(number);
            let plan = self.stage.borrow().plans[&number].clone();
            self.effects[number].take(plan, self.refresh);
        }
        assert_eq!(self.stage.take().polled, polled);
    }

    fn cancel(&mut self) {
        let session = self.below(SESSIONS);
        let count = self
            .queue
            .cancel(&Cancel::Session(SessionId::from(session.to_string())));
        let all = self.effects.iter_mut();
        let cancelled: Vec<_> = all
            .filter(|effect| effect.session == session && !effect.ended)
            .collect();
        assert_eq!(count, cancelled.len());
        cancelled.into_iter().for_each(|effect| effect.end(Response::Cancelled));
    }

    fn release(&mut self) {
        let Some(number) = self.random.next().checked_rem(self.effects.len() as u64) else {
            return;
        };
        let effect = &mut self.effects[usize::try_from(number).unwrap()];
        assert_eq!(self.queue.release(effect.id), !effect.ended);
        effect.end(Response::Cancelled);
    }

    fn refresh(&mut self) {
        self.refresh += 1;
        if self.below(2) == 0 {
            self.queue.handle_refresh_begun(self.refresh);
            return;
        }
        self.queue.observe_refresh(self.refresh);
        for effect in &mut self.effects {
            effect.doubt = effect.doubt.filter(|begun| *begun >= self.refresh);
        }
    }

    /// Nobody before it, who has not ended, needs what it needs.
    fn should_hold(&self, number: usize) -> bool {
        let (before, own) = (&self.effects[..number], &self.effects[number]);
        let mut blocking = before.iter().filter(|other| !other.ended);
        !own.ended && blocking.all(|other| other.resources.is_disjoint(&own.resources))
    }

    fn check(&mut self, seed: u64) {
        let mut held = BTreeSet::new();
        for number in 0..self.effects.len() {
            let holds = self.queue.holds(self.effects[number].id);
            assert_eq!(holds, self.should_hold(number), "seed {seed}: effect {number}");
            for resource in self.effects[number].resources.iter().filter(|_| holds) {
                assert!(held.insert(*resource), "seed {seed}: {resource} has two holders");
            }
        }
        for (number, effect) in self.effects.iter_mut().enumerate() {
            if effect.answered {
                continue;
            }
            let response = (&mut effect.responding).now_or_never();
            assert_eq!(response, effect.expected, "seed {seed}: effect {number}");
            effect.answered = response.is_some();
        }
    }

    /// Once previews are closed, refreshes come and every poll succeeds, one pass ends everything.
    fn finish(&mut self, seed: u64) {
        self.refresh += 1;
        self.queue.observe_refresh(self.refresh);
        for number in 0..self.effects.len() {
            self.effects[number].doubt = None;
            self.stage.borrow_mut().plans.insert(number, Progress::Ready(number));
            if self.effects[number].kept && !self.effects[number].ended {
                assert!(self.queue.release(self.effects[number].id));
                self.effects[number].ended = true;
            }
        }
        self.poll_as_planned();
        self.check(seed);
        assert!(self.effects.iter().all(|effect| effect.answered), "seed {seed}");
    }
}

impl Simple {
    fn take(&mut self, progress: Progress<usize>, refresh: u64) {
        match progress {
            Progress::Pending => {}
            Progress::Ready(result) => self.end(Response::Ready(result)),
            Progress::Holding(result) => {
                self.expected = Some(Response::Ready(result));
                self.kept = true;
            }
            Progress::NothingToDo => self.end(Response::NothingToDo),
            Progress::Failed(reason) => self.end(Response::Failed(reason)),
            Progress::InDoubt(reason) if self.class == Class::Once => self.end(Response::InDoubt(reason)),
            Progress::InDoubt(_) => self.doubt = Some(refresh),
        }
    }

    fn end(&mut self, response: Response<usize>) {
        self.ended = true;
        self.expected.get_or_insert(response);
    }
}
