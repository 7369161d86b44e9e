//! What stopping a run does.

use crate::kit::age::count;

/// What a stop is called, and what it asks.
#[derive(Clone, Copy, Debug)]
pub struct StopWords {
    /// The button that asks.
    pub button: &'static str,
    /// The question.
    pub question: &'static str,
    /// The button that stops.
    pub confirm: &'static str,
    /// The button that does not.
    pub keep: &'static str,
    /// A name for its button, of which a page has one.
    pub opens: &'static str,
    /// The key that presses it.
    pub key: Option<&'static str>,
}

/// The stop of a run, at its head.
pub const RUN: StopWords = StopWords {
    button: "Stop…",
    question: "Stop the run?",
    confirm: "Stop the run",
    keep: "Keep running",
    opens: "stop",
    key: Some("Shift+S"),
};

/// The stop of a run that shows no sign.
pub const SILENT: StopWords = StopWords {
    opens: "stop-silent",
    key: None,
    ..RUN
};

/// The stop of a sub-agent.
pub const SUB_AGENT: StopWords = StopWords {
    button: "Stop it…",
    question: "Stop the sub-agent?",
    confirm: "Stop the sub-agent",
    opens: "stop-sub-agent",
    ..SILENT
};

/// The stop of a session and its sub-agents.
pub const ALL: StopWords = StopWords {
    button: "Stop all…",
    question: "Stop everything?",
    confirm: "Stop everything",
    opens: "stop-all",
    ..SILENT
};

/// The stop of a run whose provider refuses.
pub const MODEL: StopWords = StopWords {
    button: "Change the model…",
    question: "Change the model?",
    confirm: "Stop the run and choose",
    keep: "Keep trying",
    opens: "stop-model",
    ..SILENT
};

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
