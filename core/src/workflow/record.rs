//! A workflow as it is kept: what it is for, the steps it has taken, and how it ended.
//!
//! The record is written before each step is taken, and again with what came of it. So a reader of it knows what may be
//! under way, and goes on from there.

use std::time::Duration;

use super::review::findings;
use crate::handle::{Bound, Budget};
use crate::model::{Directory, MessageId, ModelRef, PromptIds, SessionId, WorkflowId};
use crate::primitives::checks::Failure;
use crate::primitives::completion::{Verdict, Vote};
use crate::time::Time;
use crate::view::Ending;

/// A loop over one session: check, review, send back what is wrong, until nothing is.
#[derive(Clone, Debug, PartialEq)]
pub struct Workflow {
    /// Its id.
    pub id: WorkflowId,
    /// Counts its changes, from 1.
    pub version: u64,
    /// The session whose agent is told what is wrong.
    pub session: SessionId,
    /// Where the session works; checks and reviewers work there, too.
    pub directory: Directory,
    /// When a person started it.
    pub begun: Time,
    /// What it is for.
    pub goal: Goal,
    /// What it has done, in order. Only the last step may be under way.
    pub steps: Vec<Step>,
    /// What a person has asked for meanwhile.
    pub stop: Option<Stop>,
    /// So many steps were taken when a person said that it should go on all the same.
    pub went_on: usize,
    /// How it ended, and when; none while it goes on.
    pub end: Option<(End, Time)>,
}

/// What a workflow is for. Without a check and without a review it ends at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// When it begins.
    pub start: Start,
    /// What has to pass.
    pub check: Option<Check>,
    /// Who has to agree, once the check has passed.
    pub review: Option<Review>,
    /// How many rounds there are at most. A round ends with a result of the check or of the reviewers; each but the first begins
    /// with a message to the agent.
    pub rounds: u32,
    /// What all replies together may take. Nothing more is sent once a bound is reached.
    pub budget: Budget,
    /// What is sent back after a check that failed; `{output}` stands for what it printed.
    pub template: String,
}

/// When a workflow begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At once.
    Now,
    /// As soon as the agent does not work ([`Progress::running`](super::Progress::running)): at once, unless it does. Its state is read
    /// anew before that, unless it was seen to work when the workflow was started.
    AfterRun,
    /// When the run of the agent has ended: the one that goes on, or else the next one, counted from when the workflow was started,
    /// or from when the session is read first where it has not been read until then.
    AfterReply,
}

/// A command that has to exit with 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The command, for `sh` on the server's machine.
    pub command: String,
    /// How long it may take; it is stopped then.
    pub timeout: Duration,
}

/// Reviewers, each in a session of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    /// The reviewers.
    pub reviewers: Vec<Reviewer>,
    /// How many work at once.
    pub at_once: usize,
    /// Their material.
    pub material: Material,
    /// Whether the agent is sent what they found, and they are asked again. Otherwise a person decides.
    pub fix: bool,
}

/// The material of reviewers: a text, what the session has changed, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Material {
    /// The names of files, a change, or where to look first. May be blank beside `changes`.
    pub text: String,
    /// Whether they look at what the session has changed by the time at which a review begins. It is read anew for each review.
    pub changes: bool,
}

/// A reviewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewer {
    /// The name, such as `security`.
    pub name: String,
    /// What it is told to look for.
    pub prompt: String,
    /// The agent; none for the server's default.
    pub agent: Option<String>,
    /// The model; none for that of the agent.
    pub model: Option<ModelRef>,
    /// How long it may take; it is stopped then.
    pub timeout: Duration,
}

/// A step of a workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When it began.
    pub begun: Time,
    /// When it ended; none while it is under way.
    pub ended: Option<Time>,
    /// What it does.
    pub work: Work,
}

/// What a step does, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Waits for the end of a run.
    AwaitReply {
        /// Whether the agent worked when the wait began, as the tab has seen it that began it: the run that counts is that one.
        running: bool,
        /// Up to when the agent's messages were complete, milliseconds since the epoch by the server's clock: unless it worked, a run
        /// that counts makes a later one. A record of an older version holds when its session had moved last, hence the name.
        updated: u64,
    },
    /// Runs the check.
    Check(CheckWork),
    /// Asks the reviewers.
    Review {
        /// One seat for each reviewer, in their order.
        seats: Vec<Seat>,
        /// That a person has the agent sent what they found.
        sent: Option<SentFindings>,
        /// The changes of the session when the review began, kept from when they were read until the step ends; none where the
        /// reviewers do not look at them. All are told the same, also after a reload.
        changes: Option<String>,
    },
    /// Tells the agent what is wrong, and waits for its reply.
    Tell(TellWork),
}

/// A check and its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckWork {
    /// The session in which the command runs, once it was made.
    pub session: Option<SessionId>,
    /// Whether the command may have been sent. It is never sent again by itself.
    pub posted: bool,
    /// What came of it.
    pub result: Option<CheckResult>,
}

/// What came of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckResult {
    /// It exited with 0.
    Passed,
    /// It did not.
    Failed(Failure),
    /// Its run ended without a result, as where the server went away: it is run again, but for the third time in a row.
    Interrupted,
    /// It has no result: why, in words. A person decides.
    Broken(Broken),
}

/// Why a check has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It did not run: the server would not run it, or its shell did not start. Why, in words.
    Refused(String),
    /// It may or may not have run to its end; why, in words.
    InDoubt(String),
}

/// A reviewer at work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seat {
    /// Its session, once it was made.
    pub session: Option<SessionId>,
    /// From when on the server has what it is asked. Its time counts from then.
    pub begun: Option<Time>,
    /// The ids under which it is asked, chosen before; none in a record of an older version.
    pub ids: Option<PromptIds>,
    /// What it says.
    pub opinion: Option<Opinion>,
    /// When it said it.
    pub ended: Option<Time>,
    /// The tokens that its reply took.
    pub tokens: u64,
    /// What its reply cost, in dollars.
    pub cost: f64,
}

/// What a reviewer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// A verdict.
    Verdict(Verdict),
    /// None that counts.
    None {
        /// Why.
        reason: NoVerdict,
        /// What it said all the same.
        text: String,
    },
}

/// Why a reviewer gave no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoVerdict {
    /// Its reply is no verdict; where it stops being one, in words.
    Unreadable(String),
    /// It took too long, and was stopped.
    TimedOut,
    /// Its run ended so.
    Ended(Ending),
    /// It could not be asked; why, in words.
    NotAsked(String),
}

/// What reviewers found, as a message to the agent that a person has asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentFindings {
    /// The ids under which it is sent.
    pub ids: PromptIds,
    /// What came of it; none while it is on its way.
    pub end: Option<SendEnd>,
}

/// What came of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendEnd {
    /// The server has it.
    Stored,
    /// It is not known to have arrived, and is sent no more: the server will not take it, or the session is gone. Why, in words.
    Refused(String),
}

/// A message to the agent, and the reply.
#[derive(Clone, Debug, PartialEq)]
pub struct TellWork {
    /// What the agent is told.
    pub text: String,
    /// The ids under which it is sent, chosen before; none in a record of an older version.
    pub ids: Option<PromptIds>,
    /// What came of it.
    pub reply: Option<Reply>,
}

/// The reply of the agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The message that it replies to.
    pub message: MessageId,
    /// How its run ended.
    pub ending: Ending,
    /// The tokens that it took.
    pub tokens: u64,
    /// What it cost, in dollars.
    pub cost: f64,
}

/// What a person asks of a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// It ends with the result of this round.
    AfterRound,
    /// It ends at once, and what it has begun is stopped.
    Now,
}

/// How a workflow ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The check passes, and all reviewers say GO.
    Passed,
    /// The reviewers have spoken, and a person decides.
    Reviewed,
    /// The last round has failed.
    RoundsUsedUp,
    /// Going on would exceed the budget.
    OverBudget(Bound),
    /// The same failed twice in a row.
    Stalled,
    /// A person stopped it.
    Stopped,
    /// The agent did not finish: a person stopped it, or it failed.
    AgentEnded(Ending),
    /// The check has no result.
    CheckBroken(Broken),
    /// The reviewers were not asked, since there is nothing to look at; why, in words.
    NotReviewed(String),
    /// The agent could not be told; why, in words.
    NotTold(String),
    /// The session is gone.
    SessionGone,
}

impl Goal {
    /// Whether it has rounds: it is more than one review.
    #[must_use]
    pub fn has_rounds(&self) -> bool {
        self.check.is_some() || self.review.as_ref().is_some_and(|review| review.fix)
    }

    /// A goal with neither check nor review: five rounds, no budget.
    #[must_use]
    pub fn new(start: Start) -> Self {
        Self {
            start,
            check: None,
            review: None,
            rounds: 5,
            budget: Budget::default(),
            template: "The check failed. Its output:\n\n{output}".to_owned(),
        }
    }
}

impl Workflow {
    /// The round that goes on, or was the last one, from 1.
    #[must_use]
    pub fn round(&self) -> u32 {
        let told = self.steps.iter().filter(|step| matches!(step.work, Work::Tell(_)));
        u32::try_from(told.count()).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The step that is under way.
    #[must_use]
    pub fn current(&self) -> Option<&Step> {
        self.steps.last().filter(|step| step.ended.is_none())
    }

    /// From when on the time of each reviewer at work runs, by its session, and how long it is. It runs also while the reviewer waits
    /// for an answer. Left out are those that the server has not taken up yet, and all once a person has stopped the workflow.
    pub fn reviewer_times(&self) -> impl Iterator<Item = (&SessionId, Time, Duration)> {
        let seats = match self.current().map(|step| &step.work) {
            Some(Work::Review { seats, .. }) if self.stop != Some(Stop::Now) => seats.as_slice(),
            Some(Work::Review { .. } | Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_)) | None => &[],
        };
        let reviewers = self.goal.review.iter().flat_map(|review| &review.reviewers);
        let at_work = seats.iter().zip(reviewers).filter(|(seat, _)| seat.opinion.is_none());
        at_work.filter_map(|(seat, reviewer)| Some((seat.session.as_ref()?, seat.begun?, reviewer.timeout)))
    }

    /// Whether a person may have the agent sent what the newest review has found: the workflow has ended, there is something to
    /// mend, and the agent was not told it before.
    #[must_use]
    pub fn can_send_findings(&self) -> bool {
        self.end.is_some()
            && self.newest_review().is_some_and(|(place, seats, sent)| {
                let later = &self.steps[place..];
                let is_told = later.iter().any(|step| matches!(step.work, Work::Tell(_)));
                (!is_told || matches!(self.end, Some((End::NotTold(_), _))))
                    && sent.is_none_or(SentFindings::is_refused)
                    && !findings(self, seats).is_empty()
            })
    }

    /// The newest review, and what it is that a person has the agent sent of it.
    pub(super) fn newest_review(&self) -> Option<(usize, &[Seat], Option<&SentFindings>)> {
        let steps = self.steps.iter().enumerate().rev();
        let mut reviews = steps.filter_map(|(place, step)| match &step.work {
            Work::Review { seats, sent, .. } => Some((place, seats.as_slice(), sent.as_ref())),
            Work::AwaitReply { .. } | Work::Check(_) | Work::Tell(_) => None,
        });
        reviews.next()
    }

    /// What a person has the agent sent of the newest review, and which step that is; none when that is not on its way.
    pub(super) fn sending(&self) -> Option<(usize, &[Seat], &PromptIds)> {
        let (place, seats, sent) = self.newest_review()?;
        let sent = sent.filter(|sent| sent.end.is_none())?;
        Some((place, seats, &sent.ids))
    }

    /// Whether a person may go on with it: it has ended, and was not done.
    #[must_use]
    pub fn can_go_on(&self) -> bool {
        let Some((end, _)) = &self.end else { return false };
        let is_undone = match end {
            End::RoundsUsedUp
            | End::OverBudget(_)
            | End::Stalled
            | End::Stopped
            | End::AgentEnded(Ending::NotStarted)
            | End::CheckBroken(_)
            | End::NotReviewed(_) => true,
            End::Passed | End::Reviewed | End::AgentEnded(_) | End::NotTold(_) | End::SessionGone => false,
        };
        is_undone && self.current().is_none()
    }

    /// Whether something is left to do: it goes on, or what reviewers found is on its way to the agent.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.end.is_none() || self.sending().is_some()
    }

    /// The steps of each round, in order. A round begins with what the agent was told, but for the first one.
    #[must_use]
    pub fn by_round(&self) -> Vec<&[Step]> {
        let mut rounds = Vec::new();
        let mut begun = 0;
        for (place, step) in self.steps.iter().enumerate() {
            if matches!(step.work, Work::Tell(_)) {
                rounds.push(&self.steps[begun..place]);
                begun = place;
            }
        }
        rounds.push(&self.steps[begun..]);
        rounds
    }

    /// The sessions that were made for it.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        self.steps.iter().flat_map(Step::sessions)
    }

    /// The tokens and the dollars of all replies so far.
    #[must_use]
    pub fn spent(&self) -> (u64, f64) {
        let mut spent = (0, 0.0);
        let mut add = |tokens, cost| {
            spent.0 += tokens;
            spent.1 += cost;
        };
        for step in &self.steps {
            match &step.work {
                Work::Tell(told) => told.reply.iter().for_each(|reply| add(reply.tokens, reply.cost)),
                Work::Review { seats, .. } => seats.iter().for_each(|seat| add(seat.tokens, seat.cost)),
                Work::AwaitReply { .. } | Work::Check(_) => {}
            }
        }
        spent
    }

    /// The name of a step, the same in every tab that takes it. Nothing else is named so.
    pub(super) fn name_of(&self, step: usize) -> String {
        format!("{}-{step}", self.id)
    }
}

impl Material {
    /// Whether there is nothing to look at.
    pub(super) fn is_empty(&self) -> bool {
        !self.changes && self.text.trim().is_empty()
    }
}

impl SentFindings {
    /// Whether it was not sent in the end.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self.end, Some(SendEnd::Refused(_)))
    }
}

impl Work {
    /// Drops the changes of a review that is over.
    pub(super) fn forget_changes(&mut self) {
        if let Work::Review { changes, .. } = self {
            *changes = None;
        }
    }
}

impl Step {
    /// The sessions that were made for it.
    pub fn sessions(&self) -> impl Iterator<Item = &SessionId> {
        let (check, seats) = match &self.work {
            Work::Check(check) => (check.session.as_ref(), [].as_slice()),
            Work::Review { seats, .. } => (None, seats.as_slice()),
            Work::AwaitReply { .. } | Work::Tell(_) => (None, [].as_slice()),
        };
        check
            .into_iter()
            .chain(seats.iter().filter_map(|seat| seat.session.as_ref()))
    }
}

impl Opinion {
    /// The vote, if there is one.
    #[must_use]
    pub fn vote(&self) -> Option<Vote> {
        match self {
            Opinion::Verdict(verdict) => Some(verdict.vote),
            Opinion::None { .. } => None,
        }
    }
}
