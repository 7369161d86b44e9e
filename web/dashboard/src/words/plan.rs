//! How far a plan is.

use switchboard_core::model::Todo;

/// How much of a plan is done: `2 of 5 done`.
#[must_use]
pub fn done_of(plan: &[Todo]) -> String {
    let done = plan.iter().filter(|todo| todo.status == "completed").count();
    format!("{done} of {} done", plan.len())
}
