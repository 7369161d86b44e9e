//! What the steps ask of the board.

use std::time::Duration;

use futures::StreamExt;
use futures::future::{Either, select};

use super::Runner;
use crate::model::{Directory, SessionId};
use crate::ports::PostFailure;
use crate::view::{Link, TurnState, View};
use crate::workflow::Progress;

/// How long a session is looked for that the server may have made although it did not say so.
const FINDS: Duration = Duration::from_secs(10);

impl Runner {
    /// What the agent of a session does. None before that was read after the read or send of this number, and decided.
    pub(super) fn progress_since(&self, session: &SessionId, since: u64) -> Option<Progress> {
        let turn = self.board.turn_of(session).filter(|turn| turn.status_read > since)?;
        let prompted = turn.is_prompted || self.sends_to(session);
        let running = match turn.state {
            TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Stuck { .. } => true,
            // What cannot be told from a run that was cut off is not waited for.
            TurnState::Elsewhere { certain } => certain,
            TurnState::Unknown if turn.has_messages && !prompted => return None,
            TurnState::Unknown | TurnState::Ended { .. } => false,
        };
        Some(Progress {
            running,
            prompted,
            replied: turn.complete_until,
        })
    }

    /// The same, for a wait that begins: a message that is not held was made before the session has moved last.
    pub(super) fn progress_to_keep(&self, session: &SessionId, since: u64) -> Option<Progress> {
        let mut progress = self.progress_since(session, since)?;
        if progress.replied == 0 {
            let view = self.board.view();
            progress.replied = view.session(session).map_or(0, |view| view.session.updated);
        }
        Some(progress)
    }

    /// Waits until the view says something. Never ends for a closed board: its loop drops the steps.
    pub(super) async fn until<T>(&self, says: impl Fn(&View) -> Option<T>) -> T {
        let mut views = self.board.views();
        while let Some(view) = views.next().await {
            if let Some(said) = says(&view) {
                return said;
            }
        }
        futures::future::pending().await
    }

    /// Waits until the server answers and has listed its sessions.
    pub(super) async fn until_live(&self) {
        self.until(|view| is_live(view).then_some(())).await;
    }

    /// Whether the server answers and has listed its sessions.
    pub(super) fn is_live(&self) -> bool {
        is_live(&self.board.view())
    }

    /// Waits until a session that is needed can be told something, or was deleted.
    pub(super) async fn until_known(&self, session: &SessionId) {
        self.until(|view| self.knows(view, session).then_some(())).await;
    }

    /// The same, and until no other process runs it: a message would begin a second run.
    pub(super) async fn until_tellable(&self, session: &SessionId) {
        self.until(|view| (self.knows(view, session) && !view.runs_elsewhere(session)).then_some(()))
            .await;
    }

    /// Whether the state of a session that is needed has been read, or it was deleted.
    pub(super) fn knows(&self, view: &View, session: &SessionId) -> bool {
        is_live(view) && (view.session(session).is_some() || self.board.is_deleted(session))
    }

    /// The session of a step: the one that was made for it before, else a new one. Its title ends with `name`, which nothing
    /// else has.
    pub(super) async fn session_for(
        &self,
        made_for: &SessionId,
        directory: &Directory,
        label: &str,
        name: &str,
    ) -> Result<SessionId, PostFailure> {
        self.until_live().await;
        if let Some(made) = titled(&self.board.view(), name) {
            self.board.link(&made, made_for);
            return Ok(made);
        }
        let made = self
            .board
            .create_session(directory, Some(format!("{label} ({name})")))
            .await;
        let made = match made {
            Ok(session) => session,
            Err(PostFailure::InDoubt(reason)) => {
                let deadline = self.clock.sleep_until(self.clock.now() + FINDS);
                let listed = Box::pin(self.until(|view| titled(view, name)));
                match select(listed, deadline).await {
                    Either::Left((session, _)) => session,
                    Either::Right(((), _)) => return Err(PostFailure::InDoubt(reason)),
                }
            }
            Err(failure) => return Err(failure),
        };
        self.board.link(&made, made_for);
        Ok(made)
    }

    /// Waits until a session that is needed was deleted. That no list names it says nothing: it may be archived.
    pub(super) async fn until_deleted(&self, session: &SessionId) {
        self.until(|_| self.board.is_deleted(session).then_some(())).await;
    }
}

fn is_live(view: &View) -> bool {
    view.server.link == Link::Live && view.server.listed
}

fn titled(view: &View, name: &str) -> Option<SessionId> {
    let end = format!("({name})");
    let session = view.sessions.iter().find(|view| view.session.title.ends_with(&end));
    session.map(|view| view.session.id.clone())
}
