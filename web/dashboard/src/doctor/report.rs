//! The findings as plain text, for a bug report: ids and times, and no text of a person or an agent.

use switchboard_core::Time;
use switchboard_core::view::{SessionView, Timeline};

use super::finding::Finding;
use crate::words::state_words;

/// What is told besides the finding itself.
#[derive(Clone, Copy, Debug)]
pub struct Checked<'a> {
    /// The session that was looked at.
    pub session: &'a SessionView,
    /// The version of its server, once known.
    pub version: Option<&'a str>,
    /// How the connection is, in a word.
    pub link: &'a str,
    /// When the server was read last.
    pub read: Option<Time>,
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
        version,
        link,
        read,
        timeline,
    } = *checked;
    let time = |time: Option<Time>| time.map_or_else(|| "never".to_owned(), clock);
    let state = state_words::session(session, now);
    let mut lines = vec![
        format!(
            "Switchboard {}, OpenCode {}",
            env!("CARGO_PKG_VERSION"),
            version.unwrap_or("of an unknown version")
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
    lines.push(format!("Server: {link}, read {}", time(read)));
    lines.push(format!("Copied: {}", clock(now)));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use switchboard_core::view::{Ending, SessionRef};

    use super::*;
    use crate::doctor::finding::Cause;
    use crate::fixtures;

    #[test]
    fn a_report_names_ids_and_times_and_no_titles() {
        let session = fixtures::ended("Secret plans", 0, Ending::Interrupted);
        let reference = |id: &str| SessionRef {
            id: id.into(),
            title: "Secret plans".to_owned(),
        };
        let finding = Finding {
            cause: Cause::SubAgentAsks("que_1".into()),
            chain: ["ses_1", "ses_2"].map(reference).to_vec(),
        };
        let checked = Checked {
            session: &session,
            version: Some("1.18.33"),
            link: "live",
            read: Some(Time(9_000)),
            timeline: None,
        };
        let written = report(&finding, "Stuck.", &checked, Time(10_000), &|time| {
            format!("<{}>", time.0)
        });
        assert!(
            written.contains("OpenCode 1.18.33\nFinding: Stuck. (sub-agent-asks)\nSession: "),
            "{written}"
        );
        assert!(
            written.ends_with(
                "Chain: ses_1 > ses_2\nRequest: que_1\nLast sign: never\nServer: live, read <9000>\nCopied: <10000>"
            ),
            "{written}"
        );
    }
}
