//! What ended while nobody looked.

use std::sync::Arc;

use switchboard_core::Time;
use switchboard_core::model::SessionId;
use switchboard_core::view::{Ending, SessionView, TurnState};

use crate::kit::age::count;

/// What ended since then, in a sentence; none when nothing did. Sub-agents are told by their parents.
#[must_use]
pub fn while_away(sessions: &[Arc<SessionView>], since: Time) -> Option<String> {
    let (mut finished, mut failed, mut stuck) = (0, 0, 0);
    let moved = |view: &&Arc<SessionView>| view.session.parent.is_none() && view.updated >= since;
    // Servers over the same data list the same sessions.
    let mut counted: Vec<&SessionId> = Vec::new();
    // A server that does not run a session may still see it broken off while the one that ran it knows better.
    let seems_left = |view: &&Arc<SessionView>| matches!(&view.state, TurnState::Ended { ending, .. } if *ending == Ending::Interrupted);
    let (left, known): (Vec<_>, Vec<_>) = sessions.iter().filter(moved).partition(seems_left);
    for view in known.into_iter().chain(left) {
        let count = match &view.state {
            TurnState::Ended { ending, .. } => match ending {
                Ending::Done | Ending::Empty => &mut finished,
                Ending::Failed | Ending::Interrupted | Ending::TimedOut => &mut failed,
                Ending::Dismissed | Ending::Aborted | Ending::NotStarted => continue,
            },
            TurnState::Stuck { .. } => &mut stuck,
            TurnState::Unknown
            | TurnState::Working
            | TurnState::WaitingForHuman { .. }
            | TurnState::Retrying { .. }
            | TurnState::Elsewhere { .. } => continue,
        };
        if !counted.contains(&&view.session.id) {
            counted.push(&view.session.id);
            *count += 1;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::ended;

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
        let twice = [&sessions[1..2], &sessions[1..2]].concat();
        let told = while_away(&twice, Time(100));
        assert_eq!(told.as_deref(), Some("While you were away: 1 session finished."));
        let left = [ended("a", 110, Ending::Interrupted), ended("a", 110, Ending::Done)];
        let told = while_away(&left, Time(100));
        assert_eq!(told.as_deref(), Some("While you were away: 1 session finished."));
    }
}
