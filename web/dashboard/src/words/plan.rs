//! How far a plan is.

use switchboard_core::model::Todo;

use crate::kit::age::count;
use crate::kit::sign::Sign;
use crate::kit::visible::visible;

/// How much of a plan is done: `2 of 5 done`.
#[must_use]
pub fn done_of(plan: &[Todo]) -> String {
    format!("{} of {} done", done(plan), plan.len())
}

/// A plan in one line: `5 steps, 2 done, now: write the store`.
#[must_use]
pub fn in_one_line(plan: &[Todo]) -> String {
    let mut line = format!("{}, {} done", count(plan.len(), "step"), done(plan));
    if let Some(now) = plan.iter().find(|todo| todo.status == "in_progress") {
        line.push_str(&format!(", now: {}", visible(&now.content)));
    }
    line
}

fn done(plan: &[Todo]) -> usize {
    plan.iter().filter(|todo| todo.status == "completed").count()
}

/// How far a step is: its sign and a word.
#[must_use]
pub fn status(step: &Todo) -> (Sign, &'static str) {
    match step.status.as_str() {
        "completed" => (Sign::CheckCircle, "done"),
        "in_progress" => (Sign::Arc, "in progress"),
        "cancelled" => (Sign::MinusCircle, "cancelled"),
        _ => (Sign::DashedCircle, "to do"),
    }
}
