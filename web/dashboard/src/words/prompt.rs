//! What is said of a message to the agent, until the timeline contains it.

use switchboard_core::view::PromptState;

use crate::kit::age::ordinal;
use crate::kit::sign::Sign;
use crate::words::refusal;
use crate::words::state_words::Tone;

/// Under the field while a request of the session waits.
pub const QUEUED: &str = "A message now is queued behind the question. It does not answer it.";

/// Under the field of a session that this server does not run, `certain` where another process is known to.
#[must_use]
pub fn beside(certain: bool) -> &'static str {
    if certain {
        "Another OpenCode process runs this session. A message from here begins a second run beside it."
    } else {
        "If another OpenCode process runs this session, a message from here begins a second run beside it."
    }
}

/// Sends a message that the server did not take.
pub const AGAIN: &str = "Send it again";

/// It could not be taken.
#[must_use]
pub fn failed(problem: &str) -> String {
    format!("Not sent: {problem}")
}

/// What a prompt says; one without a text starts what waits.
#[must_use]
pub fn said(text: &str) -> String {
    let said = if text.is_empty() { "Start the run" } else { text };
    said.to_owned()
}

/// How far it is: a sign, its colour, and words.
#[must_use]
pub fn state(state: &PromptState) -> (Sign, Tone, String) {
    match state {
        PromptState::Sending {
            attempt: 0 | 1,
            problem: None,
        } => (Sign::ArrowUp, Tone::Plain, "sending".to_owned()),
        PromptState::Sending { attempt, problem } => {
            let why = if problem.is_some() {
                ": it did not reach the server, or no answer came back"
            } else {
                ""
            };
            let sending = format!("sending, {} try{why}", ordinal((*attempt).max(1)));
            (Sign::NoSignal, Tone::Plain, sending)
        }
        PromptState::Sent => (Sign::Tick, Tone::Plain, "sent, not confirmed".to_owned()),
        PromptState::Stored { .. } => (Sign::TwoTicks, Tone::Plain, "sent".to_owned()),
        PromptState::NotSent { reason } => {
            let reason = refusal::sentence(reason);
            (Sign::NoSignal, Tone::Bad, format!("not sent: {reason}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tries_are_counted_from_the_first_that_fails() {
        let said = |attempt, problem: Option<&str>| {
            let problem = problem.map(str::to_owned);
            state(&PromptState::Sending { attempt, problem }).2
        };
        assert_eq!(said(1, None), "sending");
        assert_eq!(said(2, None), "sending, 2nd try");
        assert_eq!(
            said(1, Some("refused")),
            "sending, 1st try: it did not reach the server, or no answer came back"
        );
    }
}
