//! Which sessions the side bar lists, and in which order.

use std::cmp::Reverse;
use std::iter::successors;
use std::sync::Arc;

use switchboard_core::model::{Directory, SessionId};
use switchboard_core::view::{Ending, RequestView, SessionView, TurnState};
use switchboard_core::{SortedMap, Time, sort_by_key};

use crate::words::state_words::asked;

/// At most so many sessions of a directory are listed besides those that wait and the open one.
const LISTED_MAX: usize = 4;

/// A directory and its sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The directory.
    pub directory: Directory,
    /// Its sessions, each with its depth below a root.
    pub rows: Vec<(usize, SessionId)>,
    /// How many are not listed.
    pub more: usize,
}

/// What decides about the rows, besides the sessions themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// Since when each session waits, with its ancestors.
    pub waits_since: SortedMap<SessionId, Time>,
    /// The session whose page is shown.
    pub open: Option<SessionId>,
}

impl Focus {
    /// With these requests.
    #[must_use]
    pub fn new(requests: &[Arc<RequestView>], open: Option<SessionId>) -> Self {
        let mut waits_since = SortedMap::new();
        for view in requests.iter().filter(|view| view.state.is_waiting()) {
            let since = asked(view);
            let origin = view.origin.iter().map(|session| &session.id);
            for session in origin.chain([&view.request.session]) {
                let earliest: &mut Time = waits_since.entry(session.clone()).or_insert(since);
                *earliest = since.min(*earliest);
            }
        }
        Self { waits_since, open }
    }
}

/// The directories by name, each with the sessions that matter most: all that wait, the one that has waited longest
/// first, up to [`LISTED_MAX`] others, and the open one.
#[must_use]
pub fn groups(sessions: &[Arc<SessionView>], focus: &Focus) -> Vec<Group> {
    let mut children: SortedMap<&SessionId, Vec<&Arc<SessionView>>> = SortedMap::new();
    let mut roots: SortedMap<&Directory, Vec<&Arc<SessionView>>> = SortedMap::new();
    let find = |id: &SessionId| sessions.iter().find(|session| session.session.id == *id);
    let opened: Vec<&SessionId> = successors(focus.open.as_ref().and_then(find), |session| {
        session.session.parent.as_ref().and_then(find)
    })
    .map(|session| &session.session.id)
    .take(sessions.len())
    .collect();
    let is_opened = |session: &SessionView| opened.contains(&&session.session.id);
    for session in sessions
        .iter()
        .filter(|session| !session.session.archived || is_opened(session))
    {
        match &session.session.parent {
            Some(parent) if find(parent).is_some() => children.entry(parent).or_default().push(session),
            Some(_) | None => roots.entry(&session.session.directory).or_default().push(session),
        }
    }
    roots
        .into_iter()
        .map(|(directory, mut roots)| {
            sort_by_key(&mut roots, |session| {
                let since = focus.waits_since.get(&session.session.id).copied();
                let newest_first = Reverse(session.updated);
                (rank(session), since.unwrap_or(Time(u64::MAX)), newest_first)
            });
            let waiting = roots.iter().filter(|session| rank(session) == 0).count();
            let shown =
                |(place, session): &(usize, &&Arc<SessionView>)| *place < waiting + LISTED_MAX || is_opened(session);
            let listed: Vec<_> = roots.iter().enumerate().filter(shown).collect();
            let mut rows = Vec::new();
            for (_, root) in &listed {
                list(root, 0, &children, &is_opened, &mut rows);
            }
            Group {
                directory: directory.clone(),
                rows,
                more: roots.len() - listed.len(),
            }
        })
        .collect()
}

fn list(
    session: &Arc<SessionView>,
    depth: usize,
    children: &SortedMap<&SessionId, Vec<&Arc<SessionView>>>,
    is_opened: &impl Fn(&SessionView) -> bool,
    rows: &mut Vec<(usize, SessionId)>,
) {
    rows.push((depth, session.session.id.clone()));
    let below = children.get(&session.session.id).map(Vec::as_slice).unwrap_or_default();
    for child in below.iter().filter(|child| rank(child) <= 2 || is_opened(child)) {
        list(child, depth + 1, children, is_opened, rows);
    }
}

/// Waiting, stuck or failed, working, the rest.
fn rank(session: &SessionView) -> u8 {
    if session.waiting + session.waiting_below > 0 {
        return 0;
    }
    match &session.state {
        TurnState::WaitingForHuman { .. } => 0,
        TurnState::Stuck { .. } => 1,
        TurnState::Ended { ending, .. } => match ending {
            Ending::Failed | Ending::Interrupted => 1,
            Ending::Done
            | Ending::Empty
            | Ending::Dismissed
            | Ending::Aborted
            | Ending::NotStarted
            | Ending::TimedOut => 3,
        },
        TurnState::Working | TurnState::Retrying { .. } | TurnState::Elsewhere { .. } => 2,
        TurnState::Unknown => 3,
    }
}

/// A directory as people write it: the home folder as `~`.
#[must_use]
pub fn home_relative(directory: &Directory) -> String {
    let path = directory.as_str();
    let mut parts = path.splitn(4, '/');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(""), Some("home" | "Users"), Some(_), Some(rest)) => format!("~/{rest}"),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use switchboard_core::model::Session;
    use switchboard_core::view::EndReason;

    use super::*;

    fn session(id: &str, parent: Option<&str>, updated: u64, state: TurnState) -> Arc<SessionView> {
        let session = Session {
            id: id.into(),
            directory: "/home/me/code".into(),
            parent: parent.map(Into::into),
            title: id.to_owned(),
            created: 0,
            updated,
            archived: false,
            cost: None,
        };
        let waits = matches!(state, TurnState::WaitingForHuman { .. });
        Arc::new(SessionView {
            session: Arc::new(session),
            state,
            waiting: usize::from(waits),
            waiting_below: 0,
            stale: None,
            updated: Time(updated),
            moved: None,
            agent: None,
            last_text: String::new(),
            asked_elsewhere: Vec::new(),
        })
    }

    fn ended(ending: Ending) -> TurnState {
        TurnState::Ended {
            ending,
            reason: EndReason::Complete,
        }
    }

    fn listed(sessions: &[Arc<SessionView>], focus: &Focus) -> (Vec<(usize, String)>, usize) {
        let group = groups(sessions, focus).remove(0);
        let rows = group
            .rows
            .iter()
            .map(|(depth, session)| (*depth, session.to_string()))
            .collect();
        (rows, group.more)
    }

    #[test]
    fn all_that_wait_are_listed_oldest_first_and_up_to_four_others_and_the_open_one() {
        let waits = || TurnState::WaitingForHuman { descendant: None };
        let sessions = [
            session("done1", None, 9, ended(Ending::Done)),
            session("done2", None, 8, ended(Ending::Done)),
            session("done3", None, 7, ended(Ending::Done)),
            session("done4", None, 6, ended(Ending::Done)),
            session("done5", None, 5, ended(Ending::Done)),
            session("failed", None, 1, ended(Ending::Failed)),
            session("w1", None, 5, waits()),
            session("w2", None, 6, waits()),
            session("w3", None, 7, waits()),
            session("w4", None, 8, waits()),
            session("w5", None, 4, waits()),
        ];
        let since = [("w1", 10), ("w2", 50), ("w3", 30), ("w4", 20), ("w5", 40)];
        let mut focus = Focus {
            waits_since: since.map(|(id, since)| (id.into(), Time(since))).into_iter().collect(),
            open: None,
        };
        let names = |focus: &Focus| {
            let (rows, more) = listed(&sessions, focus);
            let names: Vec<String> = rows.into_iter().map(|(_, name)| name).collect();
            (names.join(" "), more)
        };
        assert_eq!(names(&focus), ("w1 w4 w3 w5 w2 failed done1 done2 done3".to_owned(), 2));
        focus.open = Some("done5".into());
        assert_eq!(
            names(&focus),
            ("w1 w4 w3 w5 w2 failed done1 done2 done3 done5".to_owned(), 1)
        );
    }

    #[test]
    fn a_sub_agent_is_listed_while_it_matters_and_while_it_is_open() {
        let sessions = [
            session("root", None, 9, TurnState::Working),
            session("busy", Some("root"), 9, TurnState::Working),
            session("over", Some("root"), 9, ended(Ending::Done)),
            session("orphan", Some("unknown"), 1, ended(Ending::Done)),
        ];
        let named = |rows: &[(usize, &str)]| {
            let rows = rows.iter().map(|(depth, name)| (*depth, (*name).to_owned()));
            (rows.collect::<Vec<_>>(), 0)
        };
        let mut focus = Focus::default();
        assert_eq!(
            listed(&sessions, &focus),
            named(&[(0, "root"), (1, "busy"), (0, "orphan")])
        );
        focus.open = Some("over".into());
        assert_eq!(
            listed(&sessions, &focus),
            named(&[(0, "root"), (1, "busy"), (1, "over"), (0, "orphan")])
        );
    }

    #[test]
    fn the_home_folder_is_short() {
        for (path, shown) in [
            ("/home/me/code/a", "~/code/a"),
            ("/Users/me/a", "~/a"),
            ("/srv/payments", "/srv/payments"),
            ("/home/me", "/home/me"),
        ] {
            assert_eq!(home_relative(&path.into()), shown);
        }
    }
}
