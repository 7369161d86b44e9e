//! What the doctor says: the finding in one sentence, and what its repairs do.

use switchboard_core::Time;
use switchboard_core::model::{Role, ToolStatus};
use switchboard_core::view::{EndReason, RequestView, SessionView, Timeline, TurnState};

use crate::kit::age::age;
use crate::kit::visible::visible;
use crate::words::end_reason::end_reason;
use crate::words::request_title::{heading, shortened};

/// How much of a question is quoted.
const QUOTED: usize = 80;

/// The text of *Send “continue”*.
pub const CONTINUE: &str = "continue";

/// The text of *Ask for a summary*.
pub const SUM_UP: &str = "Sum up what you did and what is left to do.";

/// A repair in words.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    /// What it does.
    pub name: &'static str,
    /// What follows from it.
    pub follows: &'static str,
}

/// *Send “continue”*.
pub const SEND_CONTINUE: Way = Way {
    name: "Send “continue”",
    follows: "The agent goes on from what it has done so far.",
};

/// *Start it*.
pub const START: Way = Way {
    name: "Start it",
    follows: "The message is on the server: it is not sent a second time.",
};

/// *Ask for a summary*.
pub const SUMMARY: Way = Way {
    name: "Ask for a summary",
    follows: "The agent is asked to sum up what it did and what is left.",
};

/// *Clear it*.
pub const CLEAR: Way = Way {
    name: "Clear it",
    follows: "Its run has ended: no agent hears of it.",
};

/// *Wait*.
pub const WAIT: Way = Way {
    name: "Wait",
    follows: "The server tries again by itself.",
};

/// *Change the model…*.
pub const CHANGE_MODEL: Way = Way {
    name: "Use another model",
    follows: "This run ends. What you send next goes to the model that you choose.",
};

/// *Show the running tool*.
pub const SHOW_TOOL: Way = Way {
    name: "Show the running tool",
    follows: "A build or a download may be silent for long.",
};

/// *Stop…*, of a session that shows no sign.
pub const STOP: Way = Way {
    name: "Stop the run",
    follows: "Its work so far stays in the files.",
};

/// *Stop it…*, of a sub-agent.
pub const STOP_SUB_AGENT: Way = Way {
    name: "Stop the sub-agent",
    follows: "Its work so far stays in the files. Its parent sees an error and goes on.",
};

/// *Stop all…*, of a session with sub-agents.
pub const STOP_ALL: Way = Way {
    name: "Stop everything",
    follows: "Ends all these sessions. Messages in the queue are not picked up.",
};

/// What stands over the control that repairs.
#[must_use]
pub fn repair(is_asked: bool) -> &'static str {
    if is_asked { "Repair: answer it" } else { "Repair" }
}

/// The finding that a request of a session so many levels down waits.
#[must_use]
pub fn sub_agent_asks(view: Option<&RequestView>, depth: usize) -> String {
    let is_permission = view.is_some_and(|view| view.request.permission().is_some());
    let what = if is_permission { "request" } else { "question" };
    let levels = match depth {
        0 | 1 => return format!("Stuck: a {what} of a sub-agent waits."),
        2 => "two".to_owned(),
        3 => "three".to_owned(),
        more => more.to_string(),
    };
    format!("Stuck: a {what} of a sub-agent waits, {levels} levels down.")
}

/// The finding that a run broke off.
#[must_use]
pub fn interrupted(session: &SessionView) -> String {
    let reason = match &session.state {
        TurnState::Ended { reason, .. } => reason,
        TurnState::Unknown
        | TurnState::Working
        | TurnState::WaitingForHuman { .. }
        | TurnState::Retrying { .. }
        | TurnState::Stuck { .. }
        | TurnState::Elsewhere { .. } => &EndReason::ServerLeft,
    };
    format!("Interrupted: {}.", end_reason(reason))
}

/// The finding that another of the servers runs it.
#[must_use]
pub fn runs_on(server: &str) -> String {
    format!("It runs on {server}.")
}

/// Leads to the session on the server that runs it.
#[must_use]
pub fn open_on(server: &str) -> String {
    format!("Open it on {server}")
}

/// What the link is for.
pub const OPEN_THERE: Way = Way {
    name: "",
    follows: "Both servers work on the same data. Only the one that runs it knows what it asks.",
};

/// The finding that this server does not run what is open: another process does, or it may have been cut off. It may be a
/// question.
#[must_use]
pub fn elsewhere(certain: bool, asks: bool) -> &'static str {
    match (certain, asks) {
        (true, true) => "It asks in another OpenCode process.",
        (true, false) => "It runs in another OpenCode process.",
        (false, true) => "This server does not ask it: another OpenCode process does, or it was cut off.",
        (false, false) => "This server does not run it: another OpenCode process does, or it was cut off.",
    }
}

/// Where a run of another process goes on.
pub const GO_ON_THERE: Way = Way {
    name: "Go on there",
    follows: "It may be a terminal or an editor on the same data. Its questions can be read here, in the session that asks; its \
              permissions show there alone. The run is answered and stopped there. Whether that process still lives is not \
              known here.",
};

/// Where a question of another process is answered.
pub const ANSWER_THERE: Way = Way {
    name: "Answer it there",
    follows: "It may be a terminal or an editor on the same data. Whether that process still lives is not known here.",
};

/// *Send “continue”*, where another process may be at the run.
pub const CONTINUE_HERE: Way = Way {
    name: "Send “continue”",
    follows: "Only if nothing else has it open: otherwise two runs work on it at once.",
};

/// The finding that a restart took a question.
pub const FORGOTTEN: &str = "The server forgot this question when it restarted.";

/// The finding that a prompt waits in vain.
pub const NOT_STARTED: &str = "Not started: the prompt was never picked up.";

/// The finding that there is no reply.
pub const NO_TEXT: &str = "Ended without text.";

/// The finding that a list names a ghost.
pub const GHOST: &str = "The server still lists a question that nobody asks any more.";

/// The finding that the provider refuses; `clock` writes a time of day.
#[must_use]
pub fn retrying(session: &SessionView, now: Time, clock: &dyn Fn(Time) -> String) -> String {
    let TurnState::Retrying {
        message, next, since, ..
    } = &session.state
    else {
        return "Retrying.".to_owned();
    };
    let cause = visible(message.trim().trim_end_matches('.')).into_owned();
    let next = next.map(|next| match Time(next).since(now) {
        left if left.as_secs() < 60 => format!(" Next try in {}.", age(left)),
        _ => format!(" Next try {}.", clock(Time(next))),
    });
    format!("Retrying since {}: {cause}.{}", clock(*since), next.unwrap_or_default())
}

/// The finding that a run shows no sign.
#[must_use]
pub fn silent(session: &SessionView, now: Time) -> String {
    let since = match &session.state {
        TurnState::Stuck { since, .. } => *since,
        TurnState::Unknown
        | TurnState::Working
        | TurnState::WaitingForHuman { .. }
        | TurnState::Retrying { .. }
        | TurnState::Elsewhere { .. }
        | TurnState::Ended { .. } => now,
    };
    format!("Silent: working, but no sign for {}.", age(now.since(since)))
}

/// Over what happened before.
pub const WHAT_HAPPENED: &str = "What happened";

/// Over what was looked at.
pub const WHAT_WAS_CHECKED: &str = "What was checked";

/// How far the newest message of a session is.
#[must_use]
pub fn last_message(timeline: Option<&Timeline>) -> String {
    let Some(timeline) = timeline else {
        return "not read yet".to_owned();
    };
    let Some(message) = timeline.messages.iter().next_back() else {
        return "there is none".to_owned();
    };
    let running = message.tools().find(|(_, tool)| tool.status == ToolStatus::Running);
    if message.role == Role::User {
        "a prompt, not picked up".to_owned()
    } else if let Some((_, tool)) = running {
        format!("not complete, {} runs", visible(&tool.tool))
    } else if message.error.is_some() {
        "ended with an error".to_owned()
    } else if message.completed.is_some() {
        "complete".to_owned()
    } else {
        "not complete".to_owned()
    }
}

/// How many sub-agents a session has, and how many of them wait.
#[must_use]
pub fn descendants(all: usize, waiting: usize) -> String {
    match waiting {
        0 => format!("{all}, none of them waits for you"),
        1 => format!("1 of {all} waits for you"),
        more => format!("{more} of {all} wait for you"),
    }
}

/// While a repair is on its way.
pub const SENDING: &str = "Sending…";

/// A repair did not go through.
#[must_use]
pub fn failed(problem: &str) -> String {
    format!("Not done: {problem}")
}

/// A session of the chain that does not ask itself.
pub const WAITS_BELOW: &str = "waits for its sub-agent";

/// The session of the chain that asks.
#[must_use]
pub fn asks(view: &RequestView) -> String {
    format!("asks: “{}”", shortened(&visible(&heading(&view.request)), QUOTED))
}

#[cfg(test)]
mod tests {
    use switchboard_core::view::Ending;

    use super::*;
    use crate::fixtures;

    fn session(state: TurnState) -> SessionView {
        SessionView {
            state,
            ..(*fixtures::ended("ses_1", 0, Ending::Done)).clone()
        }
    }

    #[test]
    fn a_retry_says_since_when_why_and_when_next() {
        let said = |next| {
            let state = TurnState::Retrying {
                attempt: 3,
                message: "Rate limit exceeded.".to_owned(),
                next: Some(next),
                since: Time(7_000),
            };
            retrying(&session(state), Time(10_000), &|time| format!("<{}>", time.0))
        };
        assert_eq!(
            said(18_000),
            "Retrying since <7000>: Rate limit exceeded. Next try in 8 s."
        );
        assert_eq!(
            said(900_000),
            "Retrying since <7000>: Rate limit exceeded. Next try <900000>."
        );
    }

    #[test]
    fn the_depth_of_a_sub_agent_is_told_where_it_is_not_the_next_one() {
        assert_eq!(sub_agent_asks(None, 1), "Stuck: a question of a sub-agent waits.");
        let deep = "Stuck: a question of a sub-agent waits, two levels down.";
        assert_eq!(sub_agent_asks(None, 2), deep);
    }

    #[test]
    fn a_silence_counts_from_the_last_sign() {
        let state = TurnState::Stuck {
            cause: switchboard_core::view::StuckCause::Silent,
            since: Time(0),
        };
        let said = silent(&session(state), Time(300_000));
        assert_eq!(said, "Silent: working, but no sign for 5 min.");
    }
}
