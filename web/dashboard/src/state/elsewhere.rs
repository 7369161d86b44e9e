//! Sessions that run on another of the servers, or in a process that none of them is: several processes on the same data list
//! the same sessions, and each knows only of what it runs itself.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use switchboard_core::model::{MessageId, PartId, Session, SessionId};
use switchboard_core::view::{AskedElsewhere, Ending, SessionView, TurnState};
use switchboard_core::{Time, sort_by_key};

use crate::state::keys::ServerKey;
use crate::state::narrowing::Narrowing;
use crate::state::servers::{ServerScope, Servers};
use crate::words::state_words::{self, Words};

/// How long after it was asked a question is listed: the process that asked it may be gone, and a weekend may lie between.
const LISTED_MAX: Duration = Duration::from_secs(3 * 24 * 60 * 60);

/// A question that waits in a process that none of the servers is, and the session that asks it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuestionThere {
    pub(crate) server: ServerKey,
    pub(crate) session: Arc<Session>,
    pub(crate) asked: AskedElsewhere,
    /// Set when what is shown is old.
    pub(crate) stale: Option<Time>,
}

impl QuestionThere {
    pub(crate) fn key(&self) -> (ServerKey, SessionId, PartId) {
        (self.server, self.session.id.clone(), self.asked.part.clone())
    }
}

/// All such questions that the lists show, the oldest first. What two servers see is listed once, by the one that knows more.
pub(crate) fn questions_there(servers: Servers, narrowing: &Narrowing, now: Time) -> Vec<QuestionThere> {
    let mut all: Vec<QuestionThere> = Vec::new();
    let list = servers.list().read();
    for scope in list.iter().filter(|scope| narrowing.allows_server(scope.key)) {
        let sessions = scope.store.sessions().read();
        let asking = sessions.iter().filter(|view| !view.asked_elsewhere.is_empty());
        for view in asking {
            let session = &view.session;
            if session.archived || !narrowing.allows_directory(&session.directory) {
                continue;
            }
            for asked in &view.asked_elsewhere {
                let is_recent = asked.asked.is_none_or(|asked| now.since(asked) < LISTED_MAX);
                if !is_recent || asked_by(servers, &session.id, &asked.message).is_some() {
                    continue;
                }
                let question = QuestionThere {
                    server: scope.key,
                    session: session.clone(),
                    asked: asked.clone(),
                    stale: view.stale,
                };
                let is_same =
                    |known: &&mut QuestionThere| known.session.id == session.id && known.asked.part == asked.part;
                match all.iter_mut().find(is_same) {
                    Some(known) if !known.asked.certain && asked.certain => *known = question,
                    Some(_) => {}
                    None => all.push(question),
                }
            }
        }
    }
    sort_by_key(&mut all, |question| question.asked.asked);
    all
}

/// The server that has listed what this message of a session asks.
pub(crate) fn asked_by(servers: Servers, session: &SessionId, message: &MessageId) -> Option<ServerScope> {
    let requests = servers.requests().read();
    let asked = requests.iter().find(|asked| {
        let request = &asked.view.request;
        let tool = request.tool.as_ref();
        request.session == *session && tool.is_some_and(|tool| tool.message == *message)
    })?;
    servers.get(asked.server)
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
