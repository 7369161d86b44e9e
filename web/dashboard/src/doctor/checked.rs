//! What a finding rests on: what happened before, and what was looked at.

use std::sync::Arc;
use std::time::Duration;

use switchboard_browser::device::activity::{Happening, Kind};
use switchboard_core::model::SessionId;
use switchboard_core::view::{ServerView, SessionView, Timeline};
use switchboard_core::{SortedMap, Time, sort_by_key};

use crate::words::doctor as words;
use crate::words::state_words::{self, Words};

/// So much is told of what happened.
const HAPPENED_MAX: usize = 6;

/// An outage that begins so shortly before the last sign of a session may be why it was the last.
const OUTAGE: Duration = Duration::from_secs(60);

/// What was looked at, each with what was seen; `state` is how the session stands.
#[must_use]
pub fn checked(
    session: &SessionView,
    state: &Words,
    server: &ServerView,
    sessions: &[Arc<SessionView>],
    timeline: Option<&Timeline>,
    now: Time,
) -> Vec<(&'static str, String)> {
    let link = state_words::server(server, now);
    let below: Vec<&SessionView> = sessions
        .iter()
        .map(|view| &**view)
        .filter(|view| is_below(&session.session.id, view, sessions))
        .collect();
    let waiting = below.iter().filter(|view| view.waiting > 0).count();
    let mut checked = vec![
        ("Server", link.sentence()),
        ("Session", state.sentence()),
        ("Last message", words::last_message(timeline)),
    ];
    if !below.is_empty() {
        checked.push(("Sub-agents", words::descendants(below.len(), waiting)));
    }
    checked
}

fn is_below(ancestor: &SessionId, view: &SessionView, sessions: &[Arc<SessionView>]) -> bool {
    let mut parent = view.session.parent.as_ref();
    for _ in 0..sessions.len() {
        let Some(id) = parent else { return false };
        if id == ancestor {
            return true;
        }
        let above = sessions.iter().find(|view| view.session.id == *id);
        parent = above.and_then(|view| view.session.parent.as_ref());
    }
    false
}

/// What happened in these sessions, and to the connection since the last sign of the first one; the latest last.
#[must_use]
pub fn happened(kept: &SortedMap<String, Happening>, sessions: &[SessionId], last_sign: Time) -> Vec<Happening> {
    let is_about = |happening: &&Happening| match &happening.session {
        Some(session) => sessions.contains(session),
        None => happening.kind == Kind::Outage && happening.at + OUTAGE >= last_sign,
    };
    let mut happened: Vec<Happening> = kept.values().filter(is_about).cloned().collect();
    sort_by_key(&mut happened, |happening| happening.at);
    let first = happened.len().saturating_sub(HAPPENED_MAX);
    happened.split_off(first)
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::Session;
    use switchboard_core::view::Ending;

    use super::*;
    use crate::fixtures;

    fn session(id: &str, parent: Option<&str>) -> Arc<SessionView> {
        let view = fixtures::ended(id, 0, Ending::Done);
        let session = Session {
            parent: parent.map(SessionId::from),
            ..(*view.session).clone()
        };
        Arc::new(SessionView {
            session: Arc::new(session),
            ..(*view).clone()
        })
    }

    fn happening(at: u64, kind: Kind, session: Option<&str>) -> (String, Happening) {
        let happening = Happening {
            id: format!("{kind:?} {at}"),
            at: Time(at),
            kind,
            by: None,
            directory: None,
            session: session.map(SessionId::from),
            title: String::new(),
            request: None,
            text: String::new(),
            seen: None,
            sent: None,
            until: None,
        };
        (happening.id.clone(), happening)
    }

    #[test]
    fn sub_agents_count_at_any_depth_and_a_loop_of_parents_ends() {
        let sessions = [
            session("top", None),
            session("a", Some("top")),
            session("b", Some("a")),
            session("other", None),
            session("loop", Some("loop")),
        ];
        let below = |place: usize| is_below(&"top".into(), &sessions[place], &sessions);
        assert_eq!([0, 1, 2, 3, 4].map(below), [false, true, true, false, false]);
    }

    #[test]
    fn what_happened_in_other_sessions_and_long_before_is_left_out() {
        let kept: SortedMap<String, Happening> = [
            happening(1_000, Kind::Outage, None),
            happening(95_000, Kind::Outage, None),
            happening(90_000, Kind::Asked, Some("ses_1")),
            happening(91_000, Kind::Asked, Some("ses_2")),
            happening(92_000, Kind::Asked, Some("ses_3")),
        ]
        .into_iter()
        .collect();
        let happened = happened(&kept, &["ses_1".into(), "ses_2".into()], Time(100_000));
        let times: Vec<u64> = happened.iter().map(|happening| happening.at.0).collect();
        assert_eq!(times, [90_000, 91_000, 95_000]);
    }
}
