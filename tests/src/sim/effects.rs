//! A queue of effects beside the board, and a model of it that is too simple to be wrong: a list, searched from its start.
//!
//! Whoever submits an effect awaits its answer in a task of its own, so that an answer that wakes nobody is found, too.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use switchboard_core::effects::{
    Cancel, Class, Context, Decision, Effect, EffectId, EffectQueue, Progress, Response, Scope,
};

use crate::random::Random;
use crate::watch::Watch;
use crate::world::World;

/// What one event does, one after the other.
const STEPS: usize = 8;
const RESOURCES: u64 = 4;
const SESSIONS: u64 = 3;
const REQUESTS: u64 = 3;

/// The queue, and what must be true of it.
#[derive(Default)]
pub(super) struct Effects {
    queue: Option<EffectQueue<u64, usize>>,
    effects: Vec<Submitted>,
    stage: Rc<RefCell<Stage>>,
    decisions: BTreeMap<(u64, u64), Decision>,
    refresh: u64,
    refresh_begun: u64,
}

/// What the polls of effects say, and who was polled.
#[derive(Default)]
struct Stage {
    plan: Vec<Progress<usize>>,
    polled: Vec<usize>,
    /// The answers to each effect, in the order in which they came.
    answers: Vec<Vec<Response<usize>>>,
}

/// An effect as the model sees it. Its number is its place in the list.
struct Submitted {
    id: EffectId,
    session: u64,
    /// The request that decides about it.
    request: Option<u64>,
    class: Class,
    resources: BTreeSet<u64>,
    /// It is in doubt, and a refresh must exceed this.
    doubt: Option<u64>,
    /// It keeps what it holds until it is released.
    keeps: bool,
    has_ended: bool,
    answer: Option<Response<usize>>,
}

impl Effects {
    /// Does what is drawn from a number.
    pub(super) fn transition(&mut self, draws: u64, world: &World) {
        let random = Random::new(draws);
        self.queue.get_or_insert_default();
        for _ in 0..STEPS {
            match random.below(12) {
                0..5 => self.submit(&random, world),
                5..8 => self.pass(&random, world),
                8 => self.cancel(random.below(SESSIONS)),
                9 => self.release(&random, &world.watch()),
                10 => self.refresh(random.happens(50)),
                _ => self.decide(&random),
            }
            self.check_holders(&world.watch());
        }
    }

    /// The queue is dropped: everybody is answered.
    pub(super) fn end(&mut self) {
        self.queue = None;
        self.effects
            .iter_mut()
            .for_each(|effect| effect.end(Response::Cancelled));
    }

    /// Everybody was answered once, with what the model says, and nobody before their time.
    pub(super) fn check_answers(&self, watch: &Watch) {
        let stage = self.stage.borrow();
        for (number, (effect, heard)) in self.effects.iter().zip(&stage.answers).enumerate() {
            let meant: Vec<Response<usize>> = effect.answer.iter().cloned().collect();
            if *heard != meant {
                let words = format!("effect {number} was answered {heard:?}, and should be answered {meant:?}");
                watch.report("answered once", words);
            }
        }
    }

    fn queue(&mut self) -> &mut EffectQueue<u64, usize> {
        self.queue.get_or_insert_default()
    }

    fn submit(&mut self, random: &Random, world: &World) {
        let number = self.effects.len();
        let session = random.below(SESSIONS);
        let class = [Class::Once, Class::ConsumedById, Class::IdempotentById][place(random, 3)];
        let resources: Vec<u64> = (0..random.below(4)).map(|_| random.below(RESOURCES)).collect();
        let request = random.happens(25).then(|| random.below(REQUESTS));
        let stage = self.stage.clone();
        let is_approval = request.is_some();
        let mut effect = Effect::new(class, move |context| {
            stage.borrow_mut().poll(number, is_approval, context)
        })
        .needs(resources.clone())
        .within(Scope {
            session: Some(name(session)),
            ..Scope::default()
        });
        if let Some(request) = request {
            effect = effect.decided_by(name(session), name(request));
        }
        let (id, responding) = self.queue().submit(effect);
        self.stage.borrow_mut().answers.push(Vec::new());
        let stage = self.stage.clone();
        world.spawn(async move {
            let answer = responding.await;
            stage.borrow_mut().answers[number].push(answer);
        });
        self.effects.push(Submitted {
            id,
            session,
            request,
            class,
            resources: resources.into_iter().collect(),
            doubt: None,
            keeps: false,
            has_ended: false,
            answer: None,
        });
    }

    /// Polls the queue and the model, and compares whom they polled.
    fn pass(&mut self, random: &Random, world: &World) {
        let plan = (0..self.effects.len()).map(|number| match random.below(8) {
            0 | 1 => Progress::Ready(number),
            2 => Progress::Holding(number),
            3 => Progress::NothingToDo,
            4 => Progress::Failed("refused".to_owned()),
            5 => Progress::InDoubt("broken".to_owned()),
            _ => Progress::Pending,
        });
        self.stage.borrow_mut().plan = plan.collect();
        self.queue().poll_all(world.now());
        let mut polled = Vec::new();
        for number in 0..self.effects.len() {
            let effect = &self.effects[number];
            if effect.keeps || effect.doubt.is_some() || !self.should_hold(number) {
                continue;
            }
            polled.push(number);
            let decision = effect
                .request
                .map(|request| self.decisions.get(&(effect.session, request)));
            let progress = match decision {
                None => self.stage.borrow().plan[number].clone(),
                Some(decision) => decided(number, decision),
            };
            self.take(number, progress);
        }
        let really = std::mem::take(&mut self.stage.borrow_mut().polled);
        if really != polled {
            let words = format!("effects {really:?} were polled, and not {polled:?}");
            world.watch().report("line", words);
        }
    }

    fn take(&mut self, number: usize, progress: Progress<usize>) {
        let begun = self.refresh_begun;
        let effect = &mut self.effects[number];
        match progress {
            Progress::Pending => {}
            Progress::Ready(result) => self.end_one(number, Response::Ready(result)),
            Progress::Holding(result) => {
                (effect.answer, effect.keeps) = (Some(Response::Ready(result)), true);
            }
            Progress::NothingToDo => self.end_one(number, Response::NothingToDo),
            Progress::Failed(reason) => self.end_one(number, Response::Failed(reason)),
            Progress::InDoubt(reason) if effect.class == Class::Once => {
                self.end_one(number, Response::InDoubt(reason));
            }
            Progress::InDoubt(_) => effect.doubt = Some(begun),
        }
    }

    fn end_one(&mut self, number: usize, answer: Response<usize>) {
        let effect = &mut self.effects[number];
        effect.end(answer);
        if let Some(request) = effect.request {
            self.decisions.remove(&(effect.session, request));
        }
    }

    fn cancel(&mut self, session: u64) {
        self.queue().cancel(&Cancel::Session(name(session)));
        for number in 0..self.effects.len() {
            if self.effects[number].session == session && !self.effects[number].has_ended {
                self.end_one(number, Response::Cancelled);
            }
        }
    }

    fn release(&mut self, random: &Random, watch: &Watch) {
        if self.effects.is_empty() {
            return;
        }
        let number = place(random, self.effects.len());
        let (id, had_ended) = (self.effects[number].id, self.effects[number].has_ended);
        if self.queue().release(id) == had_ended {
            watch.report("released", format!("effect {number} had ended: {had_ended}"));
        }
        if !had_ended {
            self.end_one(number, Response::Cancelled);
        }
    }

    fn refresh(&mut self, begins: bool) {
        if begins {
            self.refresh_begun += 1;
            let begun = self.refresh_begun;
            return self.queue().handle_refresh_begun(begun);
        }
        self.refresh = self.refresh_begun.max(self.refresh + 1);
        self.refresh_begun = self.refresh;
        let number = self.refresh;
        self.queue().observe_refresh(number);
        for effect in &mut self.effects {
            effect.doubt = effect.doubt.filter(|begun| *begun >= number);
        }
    }

    fn decide(&mut self, random: &Random) {
        let (session, request) = (random.below(SESSIONS), random.below(REQUESTS));
        if random.happens(20) {
            self.queue().end_turn(&name(session));
            return self.decisions.retain(|(of, _), _| *of != session);
        }
        let reason = "not today".to_owned();
        let decision = [Decision::Approve, Decision::Deny { reason }][place(random, 2)].clone();
        // The first one counts, and the queue says so.
        let _ = self.queue().decide(name(session), name(request), decision.clone());
        self.decisions.entry((session, request)).or_insert(decision);
    }

    /// Nobody before it, who has not ended, needs what it needs: so nobody starves.
    fn should_hold(&self, number: usize) -> bool {
        let (before, own) = (&self.effects[..number], &self.effects[number]);
        let mut before = before.iter().filter(|other| !other.has_ended);
        !own.has_ended && before.all(|other| other.resources.is_disjoint(&own.resources))
    }

    fn check_holders(&mut self, watch: &Watch) {
        let mut holders: BTreeMap<u64, usize> = BTreeMap::new();
        for number in 0..self.effects.len() {
            let id = self.effects[number].id;
            let holds = self.queue().holds(id);
            if holds != self.should_hold(number) {
                watch.report("line", format!("effect {number} holds what it needs: {holds}"));
            }
            for resource in self.effects[number].resources.iter().filter(|_| holds) {
                if let Some(other) = holders.insert(*resource, number) {
                    watch.report("two holders", format!("effects {other} and {number} hold {resource}"));
                }
            }
        }
    }
}

impl Stage {
    fn poll(&mut self, number: usize, is_approval: bool, context: &Context<'_>) -> Progress<usize> {
        self.polled.push(number);
        if is_approval {
            decided(number, context.decision)
        } else {
            self.plan[number].clone()
        }
    }
}

impl Submitted {
    fn end(&mut self, answer: Response<usize>) {
        self.has_ended = true;
        self.answer.get_or_insert(answer);
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Effects({})", self.effects.len())
    }
}

/// What an approval says.
fn decided(number: usize, decision: Option<&Decision>) -> Progress<usize> {
    match decision {
        None => Progress::Pending,
        Some(Decision::Approve) => Progress::Ready(number),
        Some(Decision::Deny { reason }) => Progress::Failed(reason.clone()),
    }
}

fn name<I: From<String>>(number: u64) -> I {
    I::from(format!("name_{number}"))
}

fn place(random: &Random, of: usize) -> usize {
    usize::try_from(random.below(of as u64)).unwrap_or_default()
}
