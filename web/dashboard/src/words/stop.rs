//! What stopping a run does.

use crate::kit::age::count;

/// What follows while so many requests of the session and its sub-agents wait.
#[must_use]
pub fn follows(waiting: usize) -> String {
    if waiting == 0 {
        return "Stopping ends the run where it is. Messages in its queue are not picked up.".to_owned();
    }
    let requests = count(waiting, "request");
    format!("Stopping ends the run; its {requests} will not be answered. Messages in its queue are not picked up.")
}

/// The run goes on.
#[must_use]
pub fn failed(problem: &str) -> String {
    format!("Not stopped: {problem}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_will_not_be_answered_is_counted() {
        assert!(follows(0).starts_with("Stopping ends the run where it is."));
        assert!(follows(1).starts_with("Stopping ends the run; its 1 request will not be answered."));
        assert!(follows(2).starts_with("Stopping ends the run; its 2 requests will not be answered."));
    }
}
