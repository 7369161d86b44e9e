//! The log: one record for each decision.

/// One decision, in words, with the ids it is about.
///
/// Texts of people and agents appear at [`Level::Trace`] alone, credentials never.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// How much it matters.
    pub level: Level,
    /// The number of the newest read or send when it was decided; it orders the records of one board.
    pub number: u64,
    /// What was decided, about what, and why.
    pub text: String,
}

/// How much a record matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Texts of people and agents.
    Trace,
    /// Every step.
    Debug,
    /// What a person would want to read later.
    Info,
    /// Something is not as it should be.
    Warn,
}
