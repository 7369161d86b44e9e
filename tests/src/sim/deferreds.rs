//! A tracker of tool calls beside the board, and a model of it: a list of all calls that there ever were.
//!
//! Whoever waits for a call or for the end of a turn does so in a task of its own: a wait that is never woken is found.

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::deferred::{DeferredTracker, Guard, Late, PAST_TURNS_MAX, Report, Settlement, Settling, Turn};

use crate::random::Random;
use crate::watch::Watch;
use crate::world::World;

/// What one event does, one after the other.
const STEPS: usize = 8;
const KEYS: u64 = 5;
const GRACE: Duration = Duration::from_millis(250);

/// The tracker, and what must be true of it.
#[derive(Default)]
pub(super) struct Deferreds {
    tracker: Option<DeferredTracker<u64, u64>>,
    calls: Vec<Call>,
    waits: Vec<Wait>,
    turn: u64,
    results: u64,
    /// What was late and was not told, in the order in which it came.
    late: Vec<Late<u64, u64>>,
    ending: Option<Ending>,
    reports: Rc<RefCell<Vec<Report<u64>>>>,
    reported: Vec<Report<u64>>,
}

/// A call as the model sees it.
struct Call {
    key: u64,
    turn: u64,
    state: State,
    guard: Option<Guard<u64, u64>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Open,
    Settled(Result<u64, String>),
    Abandoned,
    /// It was abandoned, and its result came all the same.
    Late,
}

/// Somebody who waits for a call.
struct Wait {
    call: usize,
    heard: Rc<RefCell<Vec<Settlement<u64>>>>,
}

/// The end of a turn that is awaited.
struct Ending {
    turn: u64,
    deadline: Time,
}

impl Deferreds {
    /// Does what is drawn from a number.
    pub(super) fn transition(&mut self, draws: u64, world: &World) {
        let random = Random::new(draws);
        for _ in 0..STEPS {
            let (key, watch) = (random.below(KEYS), world.watch());
            match random.below(16) {
                0..3 => self.register(key, &watch),
                3 | 4 => self.observe(key, &watch),
                5..8 => self.end_guard(&random, &watch),
                8 | 9 => self.settle(key, &watch),
                10..13 => self.wait(key, world),
                13 => self.settle_all(world),
                14 => self.abandon_all(&watch),
                _ => self.take_late(&watch),
            }
        }
    }

    /// The tracker is dropped: nobody waits for ever.
    pub(super) fn end(&mut self) {
        self.tracker = None;
        self.end_turn();
    }

    /// Everybody who waits has heard the end once, and nobody before it.
    pub(super) fn check(&mut self, now: Time, watch: &Watch) {
        if let Some(ending) = &self.ending {
            let is_over = self.turn != ending.turn;
            if is_over {
                self.reported.push(Report {
                    settled: 0,
                    abandoned: Vec::new(),
                });
                self.ending = None;
            } else if self.open().next().is_none() || now >= ending.deadline {
                let report = self.end_turn();
                self.reported.push(report);
                self.ending = None;
            }
        }
        if *self.reports.borrow() != self.reported {
            let words = format!(
                "turns ended with {:?}, and should with {:?}",
                self.reports.borrow(),
                self.reported
            );
            watch.report("grace", words);
        }
        for wait in &self.waits {
            let call = &self.calls[wait.call];
            let meant = match &call.state {
                State::Open => Vec::new(),
                State::Settled(Ok(result)) => vec![Settlement::Completed(*result)],
                State::Settled(Err(reason)) => vec![Settlement::Failed(reason.clone())],
                State::Abandoned | State::Late => vec![Settlement::Aborted],
            };
            if *wait.heard.borrow() != meant {
                let words = format!(
                    "call {} has heard {:?}, and should hear {meant:?}",
                    call.key,
                    wait.heard.borrow()
                );
                watch.report("heard once", words);
            }
        }
    }

    fn tracker(&mut self) -> &DeferredTracker<u64, u64> {
        self.tracker.get_or_insert_default()
    }

    fn register(&mut self, key: u64, watch: &Watch) {
        let guard = self.tracker().register(key).ok();
        if guard.is_some() != self.present(key).is_none() {
            watch.report("registered", format!("call {key}: {}", guard.is_some()));
        }
        if guard.is_some() {
            self.add(key, guard);
        }
    }

    fn observe(&mut self, key: u64, watch: &Watch) {
        let is_new = self.present(key).is_none() && self.abandoned(key).is_none();
        if self.tracker().observe(key) != is_new {
            watch.report("registered", format!("call {key} is not new: {is_new}"));
        }
        if is_new {
            self.add(key, None);
        }
    }

    fn add(&mut self, key: u64, guard: Option<Guard<u64, u64>>) {
        self.calls.push(Call {
            key,
            turn: self.turn,
            state: State::Open,
            guard,
        });
    }

    fn end_guard(&mut self, random: &Random, watch: &Watch) {
        let guarded: Vec<usize> = (0..self.calls.len())
            .filter(|at| self.calls[*at].guard.is_some())
            .collect();
        if guarded.is_empty() {
            return;
        }
        let at = guarded[usize::try_from(random.below(guarded.len() as u64)).unwrap_or_default()];
        let Some(guard) = self.calls[at].guard.take() else {
            return;
        };
        self.results += 1;
        let (settling, result) = match random.below(3) {
            0 => (Some(guard.complete(self.results)), Ok(self.results)),
            1 => (Some(guard.fail("failed")), Err("failed".to_owned())),
            _ => {
                drop(guard);
                (None, Err("dropped without a result".to_owned()))
            }
        };
        let meant = self.take(at, result);
        if settling.is_some_and(|settling| settling != meant) {
            watch.report(
                "settled once",
                format!("call {}: {settling:?}, not {meant:?}", self.calls[at].key),
            );
        }
    }

    fn settle(&mut self, key: u64, watch: &Watch) {
        self.results += 1;
        let result = Ok(self.results);
        let settling = self.tracker().settle(&key, result.clone());
        let meant = match self.abandoned(key).or_else(|| self.present(key)) {
            Some(at) => self.take(at, result),
            None => Settling::Unknown,
        };
        if settling != meant {
            watch.report("settled once", format!("call {key}: {settling:?}, not {meant:?}"));
        }
    }

    /// Takes the result of a call into the model.
    fn take(&mut self, at: usize, result: Result<u64, String>) -> Settling {
        let call = &mut self.calls[at];
        match call.state {
            State::Open => {
                call.state = State::Settled(result);
                Settling::Settled
            }
            State::Abandoned => {
                call.state = State::Late;
                self.late.push(Late {
                    key: call.key,
                    turn: Turn(call.turn),
                    result,
                });
                Settling::Late
            }
            State::Settled(_) | State::Late => Settling::Already,
        }
    }

    fn wait(&mut self, key: u64, world: &World) {
        let waiting = self.tracker().wait(&key);
        let call = self.present(key);
        let (waiting, call) = match (waiting, call) {
            (Some(waiting), Some(call)) => (waiting, call),
            (None, None) => return,
            (waiting, _) => {
                let words = format!("a wait for call {key} is possible: {}", waiting.is_some());
                return world.watch().report("registered", words);
            }
        };
        let heard = Rc::new(RefCell::new(Vec::new()));
        self.waits.push(Wait {
            call,
            heard: heard.clone(),
        });
        world.spawn(async move {
            let settlement = waiting.await;
            heard.borrow_mut().push(settlement);
        });
    }

    /// Awaits the end of the turn; one wait at a time.
    fn settle_all(&mut self, world: &World) {
        if self.ending.is_some() {
            return;
        }
        let (clock, reports) = (world.clock(), self.reports.clone());
        let ending = self.tracker().settle_all(&clock, GRACE);
        self.ending = Some(Ending {
            turn: self.turn,
            deadline: world.now() + GRACE,
        });
        world.spawn(async move {
            let report = ending.await;
            reports.borrow_mut().push(report);
        });
    }

    fn abandon_all(&mut self, watch: &Watch) {
        let keys = self.tracker().abandon_all();
        let meant = self.end_turn().abandoned;
        if keys != meant {
            watch.report("abandoned", format!("{keys:?}, not {meant:?}"));
        }
    }

    fn take_late(&mut self, watch: &Watch) {
        let late = self.tracker().take_late();
        let meant = std::mem::take(&mut self.late);
        if late != meant {
            watch.report("late", format!("{late:?} is told, not {meant:?}"));
        }
    }

    fn end_turn(&mut self) -> Report<u64> {
        let turn = self.turn;
        self.turn += 1;
        let calls = self.calls.iter_mut().filter(|call| call.turn == turn);
        let mut report = Report {
            settled: 0,
            abandoned: Vec::new(),
        };
        for call in calls {
            if call.state == State::Open {
                call.state = State::Abandoned;
                report.abandoned.push(call.key);
            } else {
                report.settled += 1;
            }
        }
        report
    }

    fn open(&self) -> impl Iterator<Item = &Call> {
        self.calls
            .iter()
            .filter(|call| call.turn == self.turn && call.state == State::Open)
    }

    /// The call with this key in the present turn.
    fn present(&self, key: u64) -> Option<usize> {
        self.calls
            .iter()
            .position(|call| call.turn == self.turn && call.key == key)
    }

    /// The call with this key that an earlier turn has abandoned, and that nothing was heard of.
    fn abandoned(&self, key: u64) -> Option<usize> {
        self.calls.iter().position(|call| {
            call.turn < self.turn
                && call.turn + PAST_TURNS_MAX >= self.turn
                && call.key == key
                && call.state == State::Abandoned
        })
    }
}

impl fmt::Debug for Deferreds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Deferreds({})", self.calls.len())
    }
}
