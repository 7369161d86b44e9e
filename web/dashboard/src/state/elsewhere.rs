//! Sessions that run on another of the servers, or in a process that none of them is: several processes on the same data list
//! the same sessions, and each knows only of what it runs itself.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::model::Session;
use switchboard_core::view::{AskedElsewhere, Ending, SessionView, TurnState};
use switchboard_core::{Time, sort_by_key};

use crate::state::keys::ServerKey;
use crate::state::narrowing::Narrowing;
use crate::state::servers::{ServerScope, Servers};
use crate::words::state_words::{self, Words};

/// How long a question is listed that may as well have been cut off.
const LISTED_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// A question that waits in a process that none of the servers is, and the session that asks it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuestionThere {
    pub(crate) server: ServerKey,
    pub(crate) session: Arc<Session>,
    /// Whether another process is known to ask it.
    pub(crate) certain: bool,
    pub(crate) asked: AskedElsewhere,
}

/// All such questions that the lists show, the oldest first. What two servers see is listed once.
pub(crate) fn questions_there(servers: Servers, narrowing: &Narrowing, now: Time) -> Vec<QuestionThere> {
    let mut all: Vec<QuestionThere> = Vec::new();
    for scope in &*servers.list().read() {
        for view in &*scope.store.sessions().read() {
            let is_shown = narrowing.allows_server(scope.key) && narrowing.allows_directory(&view.session.directory);
            let TurnState::Elsewhere { certain } = view.state else {
                continue;
            };
            if !is_shown || view.asked_elsewhere.is_empty() || runs_elsewhere(servers, scope.key, view).is_some() {
                continue;
            }
            let is_recent = |asked: &AskedElsewhere| asked.asked.is_none_or(|asked| now.since(asked) < LISTED_MAX);
            for asked in view.asked_elsewhere.iter().filter(|asked| certain || is_recent(asked)) {
                let is_same =
                    |known: &QuestionThere| known.session.id == view.session.id && known.asked.part == asked.part;
                if !all.iter().any(is_same) {
                    all.push(QuestionThere {
                        server: scope.key,
                        session: view.session.clone(),
                        certain,
                        asked: asked.clone(),
                    });
                }
            }
        }
    }
    sort_by_key(&mut all, |asked| asked.asked.asked);
    all
}

/// The other server on which a session runs or waits that seems to have broken off on this one.
pub(crate) fn runs_elsewhere(servers: Servers, here: ServerKey, view: &SessionView) -> Option<ServerScope> {
    if !seems_left(&view.state) {
        return None;
    }
    let list = servers.list().read();
    let mut others = list.iter().filter(|scope| scope.key != here);
    others
        .find(|scope| {
            let sessions = scope.store.sessions().read();
            let same = sessions.iter().find(|other| other.session.id == view.session.id);
            same.is_some_and(|other| goes_on(&other.state) && other.stale.is_none())
        })
        .copied()
}

/// The sessions of a server, none of them ended that another of the servers runs.
pub(crate) fn sessions_of(servers: Servers, scope: ServerScope) -> Vec<Arc<SessionView>> {
    let sessions = scope.store.sessions().read();
    let known = sessions
        .iter()
        .map(|view| match runs_elsewhere(servers, scope.key, view) {
            Some(_) => Arc::new(SessionView {
                state: TurnState::Working,
                ..(**view).clone()
            }),
            None => Arc::clone(view),
        });
    known.collect()
}

/// The state of a session in words, also when another of the servers runs it.
pub(crate) fn session_words(servers: Servers, here: ServerKey, view: &SessionView, now: Time) -> Words {
    match runs_elsewhere(servers, here, view) {
        Some(scope) => state_words::runs_on(&scope.connection.name()),
        None => state_words::session(view, now),
    }
}

/// Whether a server that does not run a session sees it so while another one does.
fn seems_left(state: &TurnState) -> bool {
    match state {
        TurnState::Ended { ending, .. } => matches!(ending, Ending::Interrupted | Ending::NotStarted),
        TurnState::Elsewhere { .. } => true,
        TurnState::Unknown
        | TurnState::Working
        | TurnState::WaitingForHuman { .. }
        | TurnState::Retrying { .. }
        | TurnState::Stuck { .. } => false,
    }
}

fn goes_on(state: &TurnState) -> bool {
    match state {
        TurnState::Working
        | TurnState::WaitingForHuman { .. }
        | TurnState::Retrying { .. }
        | TurnState::Stuck { .. } => true,
        TurnState::Unknown | TurnState::Elsewhere { .. } | TurnState::Ended { .. } => false,
    }
}
