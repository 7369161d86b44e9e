//! The findings as plain text, for a bug report: ids and times, and no text of a person or an agent.

use switchboard_core::Time;
use switchboard_core::view::{ServerView, SessionView, Timeline};

use super::finding::Finding;
use crate::words::state_words;

/// What is told besides the finding itself.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The session that was looked at.
    pub session: &'a SessionView,
    /// Its server.
    pub server: &'a ServerView,
    /// Its messages, once they have been read.
    pub timeline: Option<&'a Timeline>,
}

/// Writes the findings down. `said` is the finding in its sentence, and `clock` writes a time of day.
#[must_use]
pub fn report(
    finding: &Finding,
    said: &str,
    checked: &Checked<'_>,
    now: Time,
    clock: &dyn Fn(Time) -> String,
) -> String {
    let Checked {
        session,
        server,
        timeline,
    } = *checked;
    let time = |time: Option<Time>| time.map_or_else(|| "never".to_owned(), clock);
    let state = state_words::session(session, now);
    let link = state_words::server(server, now);
    let mut lines = vec![
        format!(
            "Switchboard {}, OpenCode {}",
            env!("CARGO_PKG_VERSION"),
            server.version.as_deref().unwrap_or("of an unknown version")
        ),
        format!("Finding: {said} ({})", finding.cause.key()),
        format!("Session: {}, {}", session.session.id, state.word),
    ];
    if finding.chain.len() > 1 {
        let chain: Vec<&str> = finding.chain.iter().map(|session| session.id.as_str()).collect();
        lines.push(format!("Chain: {}", chain.join(" > ")));
    }
    if let Some(request) = finding.cause.request() {
        lines.push(format!("Request: {request}"));
    }
    lines.push(format!("Last sign: {}", time(session.moved)));
    if let Some(timeline) = timeline {
        lines.push(format!(
            "Messages: {} read, {}",
            timeline.messages.len(),
            timeline.problem.as_deref().unwrap_or("no problem")
        ));
    }
    lines.push(format!("Server: {}, read {}", link.word, time(server.read)));
    lines.push(format!("Copied: {}", clock(now)));
    lines.join("\n")
}
