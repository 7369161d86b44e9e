//! Workflows: a session that goes on until a check passes and reviewers agree, over reloads and in whichever tab leads.
//!
//! A workflow is a record ([`Workflow`]) and a function that says what comes next ([`Workflow::next`]). [`Workflows`] takes
//! the steps: it is made of what a [`Handle`](crate::Handle) offers, and keeps the record before and after each step. Each
//! step has a name of its own, so that the page that takes it after a crash finds what was begun, and sends nothing twice.

mod bounds;
mod next;
mod record;
mod review;
mod runner;
mod store;

pub use next::{Next, Progress};
pub use record::{
    Broken, Check, CheckResult, CheckWork, End, Goal, Material, NoVerdict, Opinion, Reply, Review, Reviewer, Seat,
    SendEnd, SentFindings, Start, Step, Stop, TellWork, Work, Workflow,
};
pub use review::{CONTRACT, Finding, findings, issues_message, review_prompt, to_mend};
pub use runner::{ReadChanges, ReadVerdict, StartError, WorkflowUpdates, Workflows};
pub use store::{WorkflowCommitError, WorkflowStore};
