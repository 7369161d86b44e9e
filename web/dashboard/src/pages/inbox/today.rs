//! Today, as far as this page knows: what a person decided, and what ended by itself.

use std::sync::Arc;

use switchboard_core::Time;
use switchboard_core::model::ElsewhereAnswer;
use switchboard_core::view::{Ending, RequestState, RequestView, SessionView, TurnState};

use crate::kit::age::short_span;
use crate::kit::sign::Sign;
use crate::words::said::said;
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
        RequestState::Answered { at, sent, .. } => {
            let remark = format!("confirmed after {}", short_span(at.since(*sent)));
            (*at, said(view), remark)
        }
        RequestState::AnsweredElsewhere { at, answer } => {
            let what = match answer {
                ElsewhereAnswer::Answers(answers) => {
                    let answer = switchboard_core::model::Reply::Answers(answers.clone()).summary();
                    format!("Answered elsewhere: “{answer}”")
                }
                ElsewhereAnswer::Allowed => "Allowed elsewhere".to_owned(),
                ElsewhereAnswer::Rejected => "Rejected elsewhere".to_owned(),
                ElsewhereAnswer::Unknown => "Answered elsewhere".to_owned(),
            };
            (*at, what, String::new())
        }
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
            let what = if *ending == Ending::Done {
                "Finished".to_owned()
            } else {
                capitalised(&words.sentence())
            };
            let cost = view.session.cost.filter(|cost| *cost >= 0.005);
            Some(Line {
                at: view.updated,
                sign: words.sign,
                tone: words.tone,
                session: session_title(&view.session.title),
                what,
                remark: cost.map_or_else(String::new, |cost| format!("${cost:.2}")),
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

fn capitalised(sentence: &str) -> String {
    let mut rest = sentence.chars();
    rest.next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::Session;
    use switchboard_core::view::EndReason;

    use super::*;
    use crate::pages::inbox::away::while_away;

    fn ended(title: &str, updated: u64, ending: Ending) -> Arc<SessionView> {
        let session = Session {
            id: title.into(),
            directory: "/d".into(),
            parent: None,
            title: title.to_owned(),
            created: 0,
            updated,
            archived: false,
            cost: Some(0.31),
        };
        Arc::new(SessionView {
            session: Arc::new(session),
            state: TurnState::Ended {
                ending,
                reason: EndReason::Failed {
                    name: "APIError".to_owned(),
                    message: "no credit".to_owned(),
                },
            },
            waiting: 0,
            waiting_below: 0,
            stale: None,
            updated: Time(updated),
            moved: None,
            agent: None,
            last_text: String::new(),
        })
    }

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

    #[test]
    fn who_was_away_is_told_what_ended_meanwhile() {
        let sessions = [
            ended("old", 50, Ending::Done),
            ended("a", 110, Ending::Done),
            ended("b", 120, Ending::Failed),
        ];
        let told = while_away(&sessions, Time(100));
        assert_eq!(
            told.as_deref(),
            Some("While you were away: 1 session finished, 1 failed.")
        );
        assert_eq!(while_away(&sessions, Time(130)), None);
    }
}
