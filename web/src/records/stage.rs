//! How far an entry is, as a record.

use serde::{Deserialize, Serialize};
use switchboard_core::ledger::{Attempt, Outcome, Stage};
use switchboard_core::time::Time;
use switchboard_core::view::{ElsewhereAnswer, GoneReason};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StageRecord {
    Saved,
    Attempting { begun: u64 },
    Attempted { attempt: AttemptRecord, at: u64 },
    Ended { outcome: OutcomeRecord, at: u64 },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AttemptRecord {
    Accepted,
    NotFound,
    Refused(String),
    Unauthorized,
    InDoubt(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OutcomeRecord {
    Confirmed { note: Option<String> },
    AnsweredElsewhere(ElsewhereRecord),
    Dismissed,
    Gone(GoneRecord),
    Cancelled { by_us: bool },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ElsewhereRecord {
    Answers(Vec<Vec<String>>),
    Allowed,
    Rejected,
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum GoneRecord {
    Restarted,
    Stopped { by_us: bool },
    SessionDeleted,
    MessageRemoved,
    Failed(String),
}

impl From<&Stage> for StageRecord {
    fn from(stage: &Stage) -> Self {
        match stage {
            Stage::Saved => Self::Saved,
            Stage::Attempting { begun } => Self::Attempting { begun: begun.0 },
            Stage::Attempted { attempt, at } => Self::Attempted {
                attempt: attempt.into(),
                at: at.0,
            },
            Stage::Ended { outcome, at } => Self::Ended {
                outcome: outcome.into(),
                at: at.0,
            },
        }
    }
}

impl From<StageRecord> for Stage {
    fn from(record: StageRecord) -> Self {
        match record {
            StageRecord::Saved => Self::Saved,
            StageRecord::Attempting { begun } => Self::Attempting { begun: Time(begun) },
            StageRecord::Attempted { attempt, at } => Self::Attempted {
                attempt: attempt.into(),
                at: Time(at),
            },
            StageRecord::Ended { outcome, at } => Self::Ended {
                outcome: outcome.into(),
                at: Time(at),
            },
        }
    }
}

impl From<&Attempt> for AttemptRecord {
    fn from(attempt: &Attempt) -> Self {
        match attempt.clone() {
            Attempt::Accepted => Self::Accepted,
            Attempt::NotFound => Self::NotFound,
            Attempt::Refused(reason) => Self::Refused(reason),
            Attempt::Unauthorized => Self::Unauthorized,
            Attempt::InDoubt(reason) => Self::InDoubt(reason),
        }
    }
}

impl From<AttemptRecord> for Attempt {
    fn from(record: AttemptRecord) -> Self {
        match record {
            AttemptRecord::Accepted => Self::Accepted,
            AttemptRecord::NotFound => Self::NotFound,
            AttemptRecord::Refused(reason) => Self::Refused(reason),
            AttemptRecord::Unauthorized => Self::Unauthorized,
            AttemptRecord::InDoubt(reason) => Self::InDoubt(reason),
        }
    }
}

impl From<&Outcome> for OutcomeRecord {
    fn from(outcome: &Outcome) -> Self {
        match outcome.clone() {
            Outcome::Confirmed { note } => Self::Confirmed { note },
            Outcome::AnsweredElsewhere(answer) => Self::AnsweredElsewhere(match answer {
                ElsewhereAnswer::Answers(answers) => ElsewhereRecord::Answers(answers),
                ElsewhereAnswer::Allowed => ElsewhereRecord::Allowed,
                ElsewhereAnswer::Rejected => ElsewhereRecord::Rejected,
                ElsewhereAnswer::Unknown => ElsewhereRecord::Unknown,
            }),
            Outcome::Dismissed => Self::Dismissed,
            Outcome::Gone(reason) => Self::Gone(match reason {
                GoneReason::Restarted => GoneRecord::Restarted,
                GoneReason::Stopped { by_us } => GoneRecord::Stopped { by_us },
                GoneReason::SessionDeleted => GoneRecord::SessionDeleted,
                GoneReason::MessageRemoved => GoneRecord::MessageRemoved,
                GoneReason::Failed(words) => GoneRecord::Failed(words),
            }),
            Outcome::Cancelled { by_us } => Self::Cancelled { by_us },
        }
    }
}

impl From<OutcomeRecord> for Outcome {
    fn from(record: OutcomeRecord) -> Self {
        match record {
            OutcomeRecord::Confirmed { note } => Self::Confirmed { note },
            OutcomeRecord::AnsweredElsewhere(answer) => Self::AnsweredElsewhere(match answer {
                ElsewhereRecord::Answers(answers) => ElsewhereAnswer::Answers(answers),
                ElsewhereRecord::Allowed => ElsewhereAnswer::Allowed,
                ElsewhereRecord::Rejected => ElsewhereAnswer::Rejected,
                ElsewhereRecord::Unknown => ElsewhereAnswer::Unknown,
            }),
            OutcomeRecord::Dismissed => Self::Dismissed,
            OutcomeRecord::Gone(reason) => Self::Gone(match reason {
                GoneRecord::Restarted => GoneReason::Restarted,
                GoneRecord::Stopped { by_us } => GoneReason::Stopped { by_us },
                GoneRecord::SessionDeleted => GoneReason::SessionDeleted,
                GoneRecord::MessageRemoved => GoneReason::MessageRemoved,
                GoneRecord::Failed(words) => GoneReason::Failed(words),
            }),
            OutcomeRecord::Cancelled { by_us } => Self::Cancelled { by_us },
        }
    }
}
