//! What ended while nobody looked.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::Time;
use switchboard_core::view::{Ending, SessionView, TurnState};

use crate::kit::age::count;

/// Who was away for less has missed nothing.
pub const AWAY_MIN: Duration = Duration::from_secs(5 * 60);

/// What ended since then, in a sentence; none when nothing did. Sub-agents are told by their parents.
#[must_use]
pub fn while_away(sessions: &[Arc<SessionView>], since: Time) -> Option<String> {
    let (mut finished, mut failed, mut stuck) = (0, 0, 0);
    let moved = |view: &&Arc<SessionView>| view.session.parent.is_none() && view.updated >= since;
    for view in sessions.iter().filter(moved) {
        match &view.state {
            TurnState::Ended { ending, .. } => {
                let is_known = matches!(ending, Ending::Dismissed | Ending::Aborted | Ending::NotStarted);
                if matches!(ending, Ending::Done | Ending::Empty) {
                    finished += 1;
                } else if !is_known {
                    failed += 1;
                }
            }
            TurnState::Stuck { .. } => stuck += 1,
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. } => {}
        }
    }
    let told = [
        (finished > 0).then(|| format!("{} finished", count(finished, "session"))),
        (failed > 0).then(|| format!("{failed} failed")),
        (stuck > 0).then(|| format!("{stuck} {} stuck", if stuck == 1 { "is" } else { "are" })),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| format!("While you were away: {}.", told.join(", ")))
}
