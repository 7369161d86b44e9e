//! Which sessions the side bar lists, and in which order.

use std::sync::Arc;

use switchboard_core::completion::{Ending, TurnState};
use switchboard_core::model::{Directory, SessionId};
use switchboard_core::sorted::SortedMap;
use switchboard_core::view::SessionView;

/// At most so many sessions of a directory are listed, besides those that wait.
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

/// The directories by name, each with the sessions that matter most.
#[must_use]
pub fn groups(sessions: &[Arc<SessionView>]) -> Vec<Group> {
    let mut children: SortedMap<&SessionId, Vec<&Arc<SessionView>>> = SortedMap::new();
    let mut roots: SortedMap<&Directory, Vec<&Arc<SessionView>>> = SortedMap::new();
    let is_known = |id: &SessionId| sessions.iter().any(|session| session.session.id == *id);
    for session in sessions.iter().filter(|session| !session.session.archived) {
        match &session.session.parent {
            Some(parent) if is_known(parent) => children.entry(parent).or_default().push(session),
            Some(_) | None => roots.entry(&session.session.directory).or_default().push(session),
        }
    }
    roots
        .into_iter()
        .map(|(directory, mut roots)| {
            roots.sort_by_key(|session| (rank(session), std::cmp::Reverse(session.session.updated)));
            let waiting = roots.iter().filter(|session| rank(session) == 0).count();
            let listed = roots.len().min(LISTED_MAX.max(waiting));
            let mut rows = Vec::new();
            for root in &roots[..listed] {
                list(root, 0, &children, &mut rows);
            }
            Group {
                directory: directory.clone(),
                rows,
                more: roots.len() - listed,
            }
        })
        .collect()
}

fn list(
    session: &Arc<SessionView>,
    depth: usize,
    children: &SortedMap<&SessionId, Vec<&Arc<SessionView>>>,
    rows: &mut Vec<(usize, SessionId)>,
) {
    rows.push((depth, session.session.id.clone()));
    let below = children.get(&session.session.id).map(Vec::as_slice).unwrap_or_default();
    for child in below.iter().filter(|child| rank(child) <= 2) {
        list(child, depth + 1, children, rows);
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
        TurnState::Working | TurnState::Retrying { .. } => 2,
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
            moved: None,
            agent: None,
            last_text: String::new(),
        })
    }

    fn ended(ending: Ending) -> TurnState {
        TurnState::Ended {
            ending,
            reason: String::new(),
        }
    }

    fn listed(sessions: &[Arc<SessionView>]) -> (Vec<(usize, String)>, usize) {
        let group = groups(sessions).remove(0);
        let rows = group
            .rows
            .iter()
            .map(|(depth, session)| (*depth, session.to_string()))
            .collect();
        (rows, group.more)
    }

    #[test]
    fn who_waits_comes_first_and_is_never_left_out() {
        let waits = || TurnState::WaitingForHuman { descendant: None };
        let sessions = [
            session("done", None, 9, ended(Ending::Done)),
            session("failed", None, 1, ended(Ending::Failed)),
            session("w1", None, 5, waits()),
            session("w2", None, 6, waits()),
            session("w3", None, 7, waits()),
            session("w4", None, 8, waits()),
            session("w5", None, 4, waits()),
        ];
        let (rows, more) = listed(&sessions);
        let names: Vec<&str> = rows.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!((names, more), (vec!["w4", "w3", "w2", "w1", "w5"], 2));
    }

    #[test]
    fn a_sub_agent_is_listed_while_it_matters() {
        let sessions = [
            session("root", None, 9, TurnState::Working),
            session("busy", Some("root"), 9, TurnState::Working),
            session("over", Some("root"), 9, ended(Ending::Done)),
            session("orphan", Some("unknown"), 1, ended(Ending::Done)),
        ];
        let rows = [(0, "root"), (1, "busy"), (0, "orphan")].map(|(depth, name)| (depth, name.to_owned()));
        assert_eq!(listed(&sessions), (rows.to_vec(), 0));
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
