//! The durable record of everything that a person sends: answers, prompts, rescues.
//!
//! Success codes are not proof. An entry is written before its first attempt, and ends only when a refresh that began
//! after the last attempt shows what became of it. The tables that decide this are functions of their own, one per
//! kind of send: [`decide_answer()`], [`decide_permission()`] and [`decide_prompt()`].

mod decide;
mod evidence;
mod queue;
pub(crate) mod submission;

pub(crate) use decide::{decide_answer, decide_permission, decide_prompt, patience_of};
pub(crate) use evidence::{Attempts, Decision, Evidence, PartState};
pub(crate) use queue::{CONSENT_PATIENCE, Delivery, Queue, Step, retry_pause};

/// What the server writes into a tool part when its question was turned away.
pub(crate) const DISMISSED: &str = "user dismissed";
/// What the server writes into a tool part when its permission was refused.
pub(crate) const REJECTED: &str = "rejected permission";
/// What the server writes into a tool part when its run was stopped; with "Task cancelled" for a sub-agent's.
pub(crate) const ABORTED: [&str; 2] = ["aborted", "cancelled"];
