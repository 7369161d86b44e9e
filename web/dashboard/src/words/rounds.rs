//! How far a loop has come, beside its session and in the title.

/// How far a loop has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The round that goes on.
    pub round: u32,
    /// The last one that there may be.
    pub rounds: u32,
}

/// The round in words.
#[must_use]
pub fn round_of(progress: Progress) -> String {
    format!("round {} of {}", progress.round, progress.rounds)
}

/// The title of a notification about the end of the loop of a session.
#[must_use]
pub fn loop_ended(session: &str) -> String {
    format!("{session}: checks and reviews")
}
