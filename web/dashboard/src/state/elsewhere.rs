//! Sessions that run on another of the servers: two servers over the same data list the same sessions, and each knows only
//! of what it runs itself.

use std::sync::Arc;

use leptos::prelude::*;
use switchboard_core::Time;
use switchboard_core::view::{Ending, SessionView, TurnState};

use crate::state::keys::ServerKey;
use crate::state::servers::{ServerScope, Servers};
use crate::words::state_words::{self, Words};

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
