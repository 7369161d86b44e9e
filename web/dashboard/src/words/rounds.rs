//! How far a loop has come, beside its session and in the title.

/// How far a loop has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The round that goes on; of reviewers without rounds, how many have ended.
    pub number: u32,
    /// The last one that there may be.
    pub of: u32,
    /// Whether it has rounds.
    pub has_rounds: bool,
}

/// How far it has come, in words.
#[must_use]
pub fn progress_words(progress: Progress) -> String {
    let Progress { number, of, has_rounds } = progress;
    match (has_rounds, of) {
        (true, _) => format!("round {number} of {of}"),
        (false, 1) => "in review".to_owned(),
        (false, _) => format!("{number} of {of} reviews"),
    }
}

/// The title of a notification about the end of the loop of a session.
#[must_use]
pub fn loop_ended(session: &str) -> String {
    format!("{session}: checks and reviews")
}
