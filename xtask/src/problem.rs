//! How a command fails: one sentence that says what happened and what to do.

use std::fmt;

/// A sentence for the person at the terminal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem(String);

pub(crate) type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
