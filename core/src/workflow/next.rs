//! What a workflow does next: decided from its record alone.

use super::review::{findings, issues_message};
use super::{
    Broken, CheckResult, CheckWork, End, Opinion, Seat, SentFindings, Start, Step, Stop, TellWork, Work, Workflow,
};
use crate::handle::Bound;
use crate::model::PromptIds;
use crate::primitives::checks::Failure;
use crate::primitives::completion::Vote;
use crate::time::Time;
use crate::view::Ending;

/// How often in a row a check may end without a result.
const INTERRUPTED_MAX: usize = 3;

/// What the agent of a session does, as it was read last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Whether it works, or waits for a person or for its provider. A run that cannot be told from one that was cut off does not count
    /// ([`TurnState::Elsewhere`](crate::view::TurnState::Elsewhere)).
    pub running: bool,
    /// Whether something is on its way to it. It may not arrive.
    pub prompted: bool,
    /// Up to when its messages are complete, milliseconds since the epoch by the server's clock. Where none of them is held, it is when
    /// its session has moved last.
    pub replied: u64,
}

impl Progress {
    /// Whether it does nothing, and is not about to.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        !self.running && !self.prompted
    }
}

/// What a workflow does next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// None, until what its agent does has been read.
    Read,
    /// The step that is under way.
    Resume,
    /// A new step.
    Begin(Work),
    /// It is over.
    End(End),
}

/// What is wrong, after a check or a review.
enum Wrong<'a> {
    Check(&'a Failure),
    Review(&'a [Seat]),
}

impl Workflow {
    /// What comes next. `agent` is none until that has been read and decided.
    ///
    /// It is the same whenever it is asked for, until the record has changed: a step that was taken is never taken again.
    #[must_use]
    pub fn next(&self, agent: Option<Progress>, now: Time) -> Next {
        if let Some((end, _)) = &self.end {
            return Next::End(end.clone());
        }
        if self.current().is_some() {
            return Next::Resume;
        }
        if self.stop == Some(Stop::Now) {
            return Next::End(End::Stopped);
        }
        let Some(last) = self.steps.last() else {
            return match self.goal.start {
                Start::AfterReply => self.after_reply(agent),
                Start::AfterRun => self.after_run(agent, now),
                Start::Now => self.first_of_round(now),
            };
        };
        match &last.work {
            Work::AwaitReply { .. } if self.stop.is_some() => Next::End(End::Stopped),
            // A person has stopped it while it waited, and goes on with it.
            Work::AwaitReply { running: true, .. } if self.was_resumed() => self.after_run(agent, now),
            Work::AwaitReply { running: false, .. } if self.was_resumed() => self.after_reply(agent),
            Work::AwaitReply { .. } => self.first_of_round(now),
            Work::Tell(told) => self.after_tell(told, now),
            Work::Check(check) => self.after_check(check, now),
            // A person has had the agent sent what was found, and goes on: what it does about it comes first.
            Work::Review { sent: Some(sent), .. } if !sent.is_refused() && self.was_resumed() => {
                self.after_run(agent, now)
            }
            // There was nothing to look at. A person may have had the agent do something about it.
            Work::Review { seats, .. } if self.was_resumed() && seats.iter().all(|seat| seat.session.is_none()) => {
                self.after_run(agent, now)
            }
            Work::Review { seats, .. } => self.after_review(seats, now),
        }
    }

    /// A round, once the run that goes on has ended.
    fn after_run(&self, agent: Option<Progress>, now: Time) -> Next {
        match agent {
            _ if self.stop.is_some() => Next::End(End::Stopped),
            Some(progress) if progress.is_idle() => self.first_of_round(now),
            // What is on its way comes first, and it is over also when that does not arrive.
            Some(Progress { replied, .. }) => Next::Begin(Work::AwaitReply {
                running: true,
                updated: replied,
            }),
            None => Next::Read,
        }
    }

    /// A round, once the run that goes on has ended, or else the next one.
    fn after_reply(&self, agent: Option<Progress>) -> Next {
        match agent {
            _ if self.stop.is_some() => Next::End(End::Stopped),
            Some(Progress { running, replied, .. }) => Next::Begin(Work::AwaitReply {
                running,
                updated: replied,
            }),
            None => Next::Read,
        }
    }

    fn first_of_round(&self, now: Time) -> Next {
        match (&self.goal.check, &self.goal.review) {
            (Some(_), _) => Next::Begin(Work::Check(CheckWork::default())),
            (None, Some(_)) => self.ask_reviewers(now),
            (None, None) => Next::End(End::Passed),
        }
    }

    /// Asks them, unless a bound is reached by what was done so far. That the agent was waited for counts for nothing.
    fn ask_reviewers(&self, now: Time) -> Next {
        let has_begun = self
            .steps
            .iter()
            .any(|step| !matches!(step.work, Work::AwaitReply { .. }));
        if has_begun && let Some(bound) = self.over_budget(now) {
            return Next::End(End::OverBudget(bound));
        }
        let seats = self.goal.review.iter().flat_map(|review| &review.reviewers);
        Next::Begin(Work::Review {
            seats: seats.map(|_| Seat::default()).collect(),
            sent: None,
            changes: None,
        })
    }

    fn after_tell(&self, told: &TellWork, now: Time) -> Next {
        match &told.reply {
            // A run that a restart has ended may have done its work: the check knows.
            Some(reply) if is_over(reply.ending) => self.first_of_round(now),
            Some(reply) => Next::End(End::AgentEnded(reply.ending)),
            // A person has stopped the workflow, and goes on with it.
            None => self.first_of_round(now),
        }
    }

    fn after_check(&self, check: &CheckWork, now: Time) -> Next {
        match &check.result {
            Some(CheckResult::Passed) if self.goal.review.is_some() => match self.stop {
                Some(_) => Next::End(End::Stopped),
                None => self.ask_reviewers(now),
            },
            Some(CheckResult::Passed) => Next::End(End::Passed),
            Some(CheckResult::Failed(failure)) => self.after_failure(&Wrong::Check(failure), now),
            Some(CheckResult::Interrupted) if self.was_cut_off_each_time() => {
                let reason = format!(
                    "it was cut off {INTERRUPTED_MAX} times in a row, as happens when it stops the OpenCode server"
                );
                Next::End(End::CheckBroken(Broken::InDoubt(reason)))
            }
            Some(CheckResult::Interrupted) => self.first_of_round(now),
            // A person has read that, and goes on all the same.
            Some(CheckResult::Broken(_)) if self.was_resumed() => self.first_of_round(now),
            Some(CheckResult::Broken(broken)) => Next::End(End::CheckBroken(broken.clone())),
            None => self.first_of_round(now),
        }
    }

    fn after_review(&self, seats: &[Seat], now: Time) -> Next {
        if seats.iter().any(|seat| seat.opinion.is_none()) {
            return self.ask_reviewers(now);
        }
        let is_go = |seat: &Seat| seat.opinion.as_ref().and_then(Opinion::vote) == Some(Vote::Go);
        let fixes = self.goal.review.as_ref().is_some_and(|review| review.fix);
        if seats.iter().all(is_go) {
            Next::End(End::Passed)
        } else if fixes && !findings(self, seats).is_empty() {
            self.after_failure(&Wrong::Review(seats), now)
        } else {
            Next::End(End::Reviewed)
        }
    }

    /// The limits, and then what the agent is told.
    fn after_failure(&self, wrong: &Wrong<'_>, now: Time) -> Next {
        if self.stop.is_some() {
            return Next::End(End::Stopped);
        }
        if !self.was_resumed() && self.is_stalled(wrong) {
            return Next::End(End::Stalled);
        }
        if self.is_never_picked_up() {
            return Next::End(End::AgentEnded(Ending::NotStarted));
        }
        if self.round() >= self.goal.rounds {
            return Next::End(End::RoundsUsedUp);
        }
        if let Some(bound) = self.over_budget(now) {
            return Next::End(End::OverBudget(bound));
        }
        let text = match wrong {
            Wrong::Check(failure) => self.goal.template.replace("{output}", &failure.message()),
            Wrong::Review(seats) => issues_message(&findings(self, seats)),
        };
        Next::Begin(Work::Tell(TellWork {
            text,
            ids: None,
            reply: None,
        }))
    }

    /// Whether the agent took up neither of the last two messages, as where its model is not configured. One alone may be lost
    /// with a restart. What was sent before a person went on does not count.
    fn is_never_picked_up(&self) -> bool {
        let endings = self
            .steps
            .iter()
            .skip(self.went_on)
            .rev()
            .filter_map(|step| match &step.work {
                Work::Tell(told) => Some(told.reply.as_ref().map(|reply| reply.ending)),
                Work::AwaitReply { .. } | Work::Check(_) | Work::Review { .. } => None,
            });
        endings
            .take(2)
            .filter(|ending| *ending == Some(Ending::NotStarted))
            .count()
            == 2
    }

    /// Whether a person has said that it should go on, and nothing has happened since.
    fn was_resumed(&self) -> bool {
        self.went_on > 0 && self.went_on == self.steps.len()
    }

    /// Whether each of the last checks was cut off, as where the check itself ends the server.
    fn was_cut_off_each_time(&self) -> bool {
        let is_interrupted = |step: &&Step| match &step.work {
            Work::Check(check) => check.result == Some(CheckResult::Interrupted),
            Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => false,
        };
        let since = self.steps.iter().skip(self.went_on).rev();
        since.take_while(is_interrupted).count() >= INTERRUPTED_MAX
    }

    /// The bound that is reached; none where a person goes on all the same.
    fn over_budget(&self, now: Time) -> Option<Bound> {
        let (tokens, cost) = self.spent();
        let exceeded = self.goal.budget.exceeded(tokens, cost, now.since(self.begun));
        exceeded.filter(|_| !self.was_resumed())
    }

    /// Whether the same was wrong in the round before, although the agent has finished what it was told to do, or in this one
    /// before a person had the agent sent it.
    fn is_stalled(&self, wrong: &Wrong<'_>) -> bool {
        let rounds = self.by_round();
        if let (Wrong::Review(seats), Some([before @ .., _])) = (wrong, rounds.last()) {
            let is_same = |sent: &[Seat]| findings(self, sent) == findings(self, seats);
            if before.iter().any(|step| sent_of(step).is_some_and(is_same)) {
                return true;
            }
        }
        let [.., before, this] = rounds.as_slice() else {
            return false;
        };
        let has_finished = this.iter().any(|step| {
            let Work::Tell(told) = &step.work else { return false };
            let ending = told.reply.as_ref().map(|reply| reply.ending);
            matches!(ending, Some(Ending::Done | Ending::Empty))
        });
        has_finished
            && match wrong {
                Wrong::Check(failure) => {
                    let failed = before.iter().rev().find_map(failure_of);
                    failed.is_some_and(|failed| failed.is_same_as(failure))
                }
                Wrong::Review(seats) => {
                    let reviewed = before.iter().rev().find_map(seats_of);
                    reviewed.is_some_and(|reviewed| findings(self, reviewed) == findings(self, seats))
                }
            }
    }
}

fn failure_of(step: &Step) -> Option<&Failure> {
    match &step.work {
        Work::Check(CheckWork {
            result: Some(CheckResult::Failed(failure)),
            ..
        }) => Some(failure),
        Work::Check(_) | Work::AwaitReply { .. } | Work::Review { .. } | Work::Tell(_) => None,
    }
}

fn seats_of(step: &Step) -> Option<&[Seat]> {
    match &step.work {
        Work::Review { seats, .. } => Some(seats),
        Work::Check(_) | Work::AwaitReply { .. } | Work::Tell(_) => None,
    }
}

/// The seats of a review of which a person had the agent sent what was found.
fn sent_of(step: &Step) -> Option<&[Seat]> {
    match &step.work {
        Work::Review {
            seats,
            sent: Some(sent),
            ..
        } if !sent.is_refused() => Some(seats),
        Work::Review { .. } | Work::Check(_) | Work::AwaitReply { .. } | Work::Tell(_) => None,
    }
}

/// Whether the agent goes no further by itself, and was not stopped.
fn is_over(ending: Ending) -> bool {
    match ending {
        Ending::Done | Ending::Empty | Ending::Interrupted | Ending::NotStarted => true,
        Ending::Dismissed | Ending::Failed | Ending::Aborted | Ending::TimedOut => false,
    }
}

impl Workflow {
    /// Begins the wait that comes next, if one does. The run that is waited for is told from what the tab has read that begins it: it
    /// may have ended when the steps are taken.
    pub(super) fn take_wait(&mut self, agent: Option<Progress>, now: Time) {
        if let Next::Begin(work @ Work::AwaitReply { .. }) = self.next(agent, now) {
            self.steps.push(Step {
                begun: now,
                ended: None,
                work,
            });
        }
    }

    /// Takes what a person asks for into the record. Returns false when nothing changes.
    pub(super) fn take_stop(&mut self, stop: Stop) -> bool {
        let changes = self.end.is_none() && self.stop < Some(stop);
        if changes {
            self.stop = Some(stop);
        }
        changes
    }

    /// Takes it that a person has the agent sent what the newest review has found. Returns false when that cannot be.
    pub(super) fn take_send(&mut self, ids: &PromptIds) -> bool {
        let can = self.can_send_findings();
        let review = self.steps.iter_mut().rev().find_map(|step| match &mut step.work {
            Work::Review { sent, .. } => Some(sent),
            Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
        });
        if let Some(sent) = review.filter(|_| can) {
            *sent = Some(SentFindings {
                ids: ids.clone(),
                end: None,
            });
        }
        can
    }

    /// Goes on after an end, with so many rounds more than it has taken; where no reviewer was asked, the round is taken anew, and
    /// there are no more than before. Returns false when it cannot.
    pub(super) fn take_on(&mut self, more: u32) -> bool {
        let can = self.can_go_on();
        if can {
            let is_taken_anew = matches!(self.end, Some((End::NotReviewed(_), _)));
            let more = if is_taken_anew { 0 } else { more };
            self.end = None;
            self.stop = None;
            self.went_on = self.steps.len();
            self.goal.rounds = self.goal.rounds.max(self.round().saturating_add(more));
        }
        can
    }
}
