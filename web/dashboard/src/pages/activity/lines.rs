//! What happened, as it is recorded and as it is listed.
//!
//! Requests and outages are recorded, for no server tells of them afterwards. How runs ended is read from the sessions.

use std::sync::Arc;

use switchboard_browser::device::activity::{Happening, Kind};
use switchboard_core::metrics::AnsweredBy;
use switchboard_core::model::{Reply, SessionId};
use switchboard_core::ports::ReadError;
use switchboard_core::view::{RequestState, RequestView, SessionView, TurnState};
use switchboard_core::{SortedMap, Time};

use crate::kit::sign::Sign;
use crate::kit::visible::visible;
use crate::words::activity;
use crate::words::cost::dollars;
use crate::words::progress::{confirmed_after, why_gone};
use crate::words::request_title::{name, shortened};
use crate::words::said::{elsewhere, said_within};
use crate::words::session_title::session_title;
use crate::words::state_words::{self, Tone, Words};

/// So many characters of what people and agents said are recorded.
const RECORDED: usize = 500;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What happened. Nothing in its text and its title hides.
    pub happening: Happening,
    /// Its sign.
    pub sign: Sign,
    /// Its colour.
    pub tone: Tone,
    /// A remark; often empty.
    pub remark: String,
    /// Whether the server lists its session.
    pub has_session: bool,
}

/// What is known of a request by now: that it was asked, that its time was up, how it ended. `clock` writes a time of day.
#[must_use]
pub fn of_request(view: &RequestView, clock: &dyn Fn(Time) -> String) -> Vec<Happening> {
    let happening = |id: &str, at, kind, by, text: &str| Happening {
        id: format!("{id} {}", view.request.id),
        at,
        kind,
        by,
        directory: Some(view.request.directory.clone()),
        session: Some(view.request.session.clone()),
        title: view
            .origin
            .last()
            .map_or_else(String::new, |session| shortened(&session.title, RECORDED)),
        request: Some(view.request.id.clone()),
        text: shortened(text, RECORDED),
        seen: None,
        sent: None,
        until: None,
    };
    let asked = Happening {
        seen: Some(view.seen),
        ..happening(
            "asked",
            state_words::asked(view),
            Kind::Asked,
            None,
            &activity::asked(&name(&view.request)),
        )
    };
    let timed_out = view.unanswered.as_ref().and_then(|unanswered| unanswered.timed_out);
    let timed_out = timed_out.map(|at| happening("timed out", at, Kind::TimedOut, None, activity::TIME_IS_UP));
    let by_us = Some(if view.by_policy {
        AnsweredBy::Policy
    } else {
        AnsweredBy::Here
    });
    let ended = |at, kind, by, text: &str| Some(happening("ended", at, kind, by, text));
    let said = || said_within(view, RECORDED);
    let ended = match &view.state {
        RequestState::Answered { at, sent, .. } => {
            let kind = match view.reply {
                Some(Reply::Reject { .. }) => Kind::Rejected,
                Some(Reply::Answers(_) | Reply::Dismiss | Reply::Once | Reply::Always) | None => Kind::Answered,
            };
            let sent = Some(*sent);
            ended(*at, kind, by_us, &said()).map(|ended| Happening { sent, ..ended })
        }
        RequestState::AnsweredElsewhere { at, answer } => {
            ended(*at, Kind::Answered, Some(AnsweredBy::Elsewhere), &elsewhere(answer))
        }
        RequestState::Dismissed { at, by_us: true } => ended(*at, Kind::Dismissed, by_us, &said()),
        RequestState::Dismissed { at, by_us: false } => {
            ended(*at, Kind::Dismissed, Some(AnsweredBy::Elsewhere), &said())
        }
        RequestState::Gone { at, reason } => {
            let why = why_gone(reason, &clock(*at));
            let text = activity::gone(view.request.permission().is_some(), &why);
            ended(*at, Kind::Gone, None, &text)
        }
        RequestState::Waiting
        | RequestState::NotSent { .. }
        | RequestState::Sending { .. }
        | RequestState::Sent { .. } => None,
    };
    [Some(asked), timed_out, ended].into_iter().flatten().collect()
}

/// The server of this name has not been read since then.
#[must_use]
pub fn outage(server: &str, since: Time, error: &ReadError) -> Happening {
    Happening {
        id: format!("outage {}", since.0),
        at: since,
        kind: Kind::Outage,
        by: None,
        directory: None,
        session: None,
        title: server.to_owned(),
        request: None,
        text: shortened(&activity::outage(error), RECORDED),
        seen: None,
        sent: None,
        until: None,
    }
}

/// What is kept, and the runs that ended since `since`; the newest first.
#[must_use]
pub fn lines<'a>(
    kept: impl Iterator<Item = &'a Happening>,
    sessions: &[Arc<SessionView>],
    since: Time,
    now: Time,
) -> Vec<Line> {
    let titles: SortedMap<&SessionId, &str> = sessions
        .iter()
        .map(|view| (&view.session.id, view.session.title.as_str()))
        .collect();
    let of_kept = kept.filter(|happening| happening.at >= since).map(|happening| {
        let title = happening.session.as_ref().and_then(|session| titles.get(session));
        line_of(happening, title.copied())
    });
    let of_runs = sessions.iter().filter_map(|view| of_run(view, now));
    let mut lines: Vec<Line> = of_kept
        .chain(of_runs.filter(|line| line.happening.at >= since))
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.happening.at));
    lines
}

/// `title` is that of a session which the server still lists.
fn line_of(happening: &Happening, title: Option<&str>) -> Line {
    let span = |from: Option<Time>, to: Option<Time>| Some(to?.since(from?));
    let at = Some(happening.at);
    let (sign, tone, remark) = match happening.kind {
        Kind::Asked => {
            let seen = span(at, happening.seen).map(activity::seen_after);
            (Sign::SpeechQuestion, Tone::Plain, seen.unwrap_or_default())
        }
        Kind::Answered if happening.by == Some(AnsweredBy::Elsewhere) => (Sign::Person, Tone::Plain, String::new()),
        Kind::Answered => {
            let confirmed = span(happening.sent, at).map(confirmed_after);
            (Sign::TwoTicks, Tone::Ok, confirmed.unwrap_or_default())
        }
        Kind::Rejected | Kind::Dismissed => (Sign::X, Tone::Plain, String::new()),
        Kind::Gone => (Sign::DashedQuestion, Tone::Bad, String::new()),
        Kind::TimedOut => (Sign::Clock, Tone::Plain, String::new()),
        Kind::Outage => {
            let tone = if happening.until.is_some() {
                Tone::Plain
            } else {
                Tone::Bad
            };
            (Sign::NoSignal, tone, activity::back(span(at, happening.until)))
        }
        Kind::RunEnded => (Sign::Circle, Tone::Plain, String::new()),
    };
    let shown = match &happening.session {
        Some(_) => session_title(title.unwrap_or(&happening.title)),
        None => visible(&happening.title).into_owned(),
    };
    Line {
        happening: Happening {
            title: shown,
            text: visible(&happening.text).into_owned(),
            ..happening.clone()
        },
        sign,
        tone,
        remark,
        has_session: title.is_some(),
    }
}

/// How the newest run of a session ended, if it has. Sub-agents belong to the run of their parent.
fn of_run(view: &SessionView, now: Time) -> Option<Line> {
    let (TurnState::Ended { ending, .. }, None) = (&view.state, &view.session.parent) else {
        return None;
    };
    let words = state_words::session(view, now);
    let happening = Happening {
        id: format!("run {}", view.session.id),
        at: view.updated,
        kind: Kind::RunEnded,
        by: None,
        directory: Some(view.session.directory.clone()),
        session: Some(view.session.id.clone()),
        title: view.session.title.clone(),
        request: None,
        text: shortened(&state_words::outcome(*ending, &words), RECORDED),
        seen: None,
        sent: None,
        until: None,
    };
    let Words { sign, tone, .. } = words;
    Some(Line {
        sign,
        tone,
        remark: dollars(view.session.cost).unwrap_or_default(),
        ..line_of(&happening, Some(&view.session.title))
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use switchboard_core::model::{Ask, ElsewhereAnswer, GoneReason, Permission, Question};
    use switchboard_core::view::{Ending, SessionRef, Unanswered};

    use super::*;
    use crate::fixtures::{asking, ended};

    fn clock(_: Time) -> String {
        "14:15".to_owned()
    }

    fn question(text: &str) -> Ask {
        Ask::Questions(vec![Question {
            text: text.to_owned(),
            header: String::new(),
            options: Vec::new(),
            multiple: false,
            custom: true,
        }])
    }

    fn asked(state: RequestState) -> RequestView {
        RequestView {
            asked: Some(Time(1_000)),
            seen: Time(1_400),
            origin: vec![SessionRef {
                id: "ses_1".into(),
                title: "Fence".to_owned(),
            }],
            ..asking("que_1", question("Which colour?"), state)
        }
    }

    fn answered(reply: Reply, by_policy: bool) -> RequestView {
        let state = RequestState::Answered {
            at: Time(3_200),
            sent: Time(2_000),
            note: None,
        };
        RequestView {
            reply: Some(reply),
            by_policy,
            ..asked(state)
        }
    }

    fn told(views: &[RequestView]) -> Vec<String> {
        let kept: Vec<Happening> = views.iter().flat_map(|view| of_request(view, &clock)).collect();
        lines(kept.iter(), &[], Time(0), Time(0))
            .into_iter()
            .map(|line| format!("{}: {} ({})", line.happening.title, line.happening.text, line.remark))
            .collect()
    }

    /// R17
    #[test]
    fn a_request_is_told_when_it_is_asked_and_when_its_answer_is_proven() {
        let reply = Reply::Answers(vec![vec!["Red".to_owned()]]);
        assert_eq!(
            told(&[asked(RequestState::Waiting)]),
            ["Fence: Asked: Which colour? (seen after 0.4 s)"]
        );
        assert_eq!(
            told(&[answered(reply, false)]),
            [
                "Fence: You answered “Red” (confirmed after 1.2 s)",
                "Fence: Asked: Which colour? (seen after 0.4 s)"
            ]
        );
        let on_its_way = asked(RequestState::Sent { at: Time(2_100) });
        assert_eq!(told(&[on_its_way]).len(), 1);
    }

    /// R17
    #[test]
    fn who_ended_a_request_is_told() {
        let reply = || Reply::Answers(vec![vec!["Red".to_owned()]]);
        let elsewhere = |answer| RequestState::AnsweredElsewhere { answer, at: Time(9) };
        let gone = RequestState::Gone {
            reason: GoneReason::Restarted,
            at: Time(9),
        };
        let dismissed = |by_us| RequestState::Dismissed { by_us, at: Time(9) };
        for (view, kind, by, text) in [
            (
                answered(reply(), false),
                Kind::Answered,
                Some(AnsweredBy::Here),
                "You answered “Red”",
            ),
            (
                answered(reply(), true),
                Kind::Answered,
                Some(AnsweredBy::Policy),
                "The time-out answered “Red”",
            ),
            (
                answered(Reply::Reject { message: None }, false),
                Kind::Rejected,
                Some(AnsweredBy::Here),
                "You rejected it",
            ),
            (
                asked(elsewhere(ElsewhereAnswer::Answers(vec![vec!["Blue".to_owned()]]))),
                Kind::Answered,
                Some(AnsweredBy::Elsewhere),
                "Answered elsewhere: “Blue”",
            ),
            (
                asked(dismissed(false)),
                Kind::Dismissed,
                Some(AnsweredBy::Elsewhere),
                "Dismissed elsewhere",
            ),
            (
                asked(gone),
                Kind::Gone,
                None,
                "The question is gone. The server restarted at 14:15 and forgot it",
            ),
        ] {
            let ended = of_request(&view, &clock).pop().unwrap();
            assert_eq!((ended.kind, ended.by, ended.text.as_str()), (kind, by, text));
            assert_eq!(ended.id, "ended que_1");
        }
    }

    /// R5
    #[test]
    fn a_time_out_is_told_even_if_nothing_follows_from_it() {
        let view = RequestView {
            unanswered: Some(Unanswered {
                until: Time(5_000),
                warned: true,
                timed_out: Some(Time(5_000)),
                answering_in: None,
            }),
            ..asked(RequestState::Waiting)
        };
        assert_eq!(told(&[view])[0], "Fence: Time is up, and nobody has answered ()");
    }

    #[test]
    fn what_agents_write_is_cut_and_hides_nothing() {
        let ask = question(&format!("rm \u{202e}{}", "x".repeat(10_000)));
        let view = asking("que_1", ask, RequestState::Waiting);
        let kept = of_request(&view, &clock);
        assert!(kept[0].text.chars().count() <= RECORDED + 1);
        let line = &lines(kept.iter(), &[], Time(0), Time(0))[0];
        assert!(line.happening.text.starts_with("Asked: rm ‹U+202E›xxx"));
    }

    #[test]
    fn a_command_is_recorded_with_its_permission() {
        let permission = Permission {
            kind: "bash".to_owned(),
            command: Some("cargo test".to_owned()),
            ..Permission::default()
        };
        let view = asking("per_1", Ask::Permission(Box::new(permission)), RequestState::Waiting);
        assert_eq!(of_request(&view, &clock)[0].text, "Asked: Run this command? cargo test");
    }

    #[test]
    fn an_outage_says_how_long_it_was() {
        let lost = outage("build-01", Time(1_000), &ReadError::TimedOut);
        let back = Happening {
            until: Some(Time(1_000) + Duration::from_secs(90)),
            ..lost.clone()
        };
        let remark = |happening: &Happening| lines([happening].into_iter(), &[], Time(0), Time(0))[0].remark.clone();
        assert_eq!([remark(&lost), remark(&back)], ["not back yet", "back after 1 min"]);
    }

    #[test]
    fn the_newest_comes_first_with_the_runs_that_ended_and_the_title_that_a_session_has_by_now() {
        let sessions = [
            ended("old", 50, Ending::Done),
            ended("ses_1", 110, Ending::Done),
            ended("b", 120, Ending::Failed),
        ];
        let view = RequestView {
            asked: Some(Time(115)),
            ..asked(RequestState::Waiting)
        };
        let kept = of_request(&view, &clock);
        let told: Vec<String> = lines(kept.iter(), &sessions, Time(100), Time(200))
            .into_iter()
            .map(|line| format!("{}: {}, {}", line.happening.title, line.happening.text, line.remark))
            .collect();
        assert_eq!(
            told,
            [
                "b: Failed, APIError: no credit, $0.31",
                "ses_1: Asked: Which colour?, seen after 1.3 s",
                "ses_1: Finished, $0.31"
            ]
        );
    }
}
