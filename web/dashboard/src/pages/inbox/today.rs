//! Today, as far as this page knows: what a person decided, and what ended by itself.

use std::sync::Arc;

use switchboard_core::Time;
use switchboard_core::view::{RequestState, RequestView, SessionView, TurnState};

use crate::kit::sign::Sign;
use crate::words::cost::dollars;
use crate::words::progress::confirmed_after;
use crate::words::said::{elsewhere, said};
use crate::words::session_title::session_title;
use crate::words::state_words::{self, Tone};

/// So many lines are told.
const TOLD: usize = 8;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When.
    pub at: Time,
    /// Its sign.
    pub sign: Sign,
    /// Its colour.
    pub tone: Tone,
    /// The session.
    pub session: String,
    /// What happened.
    pub what: String,
    /// A remark; often empty.
    pub remark: String,
}

/// What became of a request; none while it waits or is on its way.
#[must_use]
pub fn of_request(view: &RequestView, now: Time) -> Option<Line> {
    let (at, what, remark) = match &view.state {
        RequestState::Answered { at, sent, .. } => (*at, said(view), confirmed_after(at.since(*sent))),
        RequestState::AnsweredElsewhere { at, answer } => (*at, elsewhere(answer), String::new()),
        RequestState::Dismissed { at, .. } => (*at, said(view), String::new()),
        RequestState::Waiting
        | RequestState::NotSent { .. }
        | RequestState::Sending { .. }
        | RequestState::Sent { .. }
        | RequestState::Gone { .. } => return None,
    };
    let words = state_words::request(view, now);
    Some(Line {
        at,
        sign: words.sign,
        tone: words.tone,
        session: view
            .origin
            .last()
            .map_or_else(String::new, |session| session_title(&session.title)),
        what,
        remark,
    })
}

/// The newest of what is remembered and of the sessions that ended since `midnight`.
#[must_use]
pub fn lines(remembered: &[Line], sessions: &[Arc<SessionView>], midnight: Time, now: Time) -> Vec<Line> {
    let ended = sessions
        .iter()
        .filter(|view| view.session.parent.is_none())
        .filter_map(|view| {
            let TurnState::Ended { ending, .. } = &view.state else {
                return None;
            };
            let words = state_words::session(view, now);
            Some(Line {
                at: view.updated,
                sign: words.sign,
                tone: words.tone,
                session: session_title(&view.session.title),
                what: state_words::outcome(*ending, &words),
                remark: dollars(view.session.cost).unwrap_or_default(),
            })
        });
    let mut lines: Vec<Line> = remembered
        .iter()
        .cloned()
        .chain(ended)
        .filter(|line| line.at >= midnight)
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.at));
    lines.truncate(TOLD);
    lines
}

#[cfg(test)]
mod tests {
    use switchboard_core::view::Ending;

    use super::*;
    use crate::fixtures::ended;

    #[test]
    fn today_is_told_newest_first_and_begins_at_midnight() {
        let sessions = [
            ended("old", 50, Ending::Done),
            ended("a", 110, Ending::Done),
            ended("b", 120, Ending::Failed),
        ];
        let told: Vec<String> = lines(&[], &sessions, Time(100), Time(200))
            .into_iter()
            .map(|line| format!("{}: {}, {}", line.session, line.what, line.remark))
            .collect();
        assert_eq!(told, ["b: Failed, APIError: no credit, $0.31", "a: Finished, $0.31"]);
    }
}
