//! What reviewers say, and what it adds up to. Parsing is done outside.

use std::fmt;

/// What one reviewer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Who speaks: the reviewer's role.
    pub persona: String,
    /// The vote.
    pub vote: Vote,
    /// What is wrong, in the order in which it was said.
    pub issues: Vec<Issue>,
}

/// A vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vote {
    /// `GO`.
    Go,
    /// `CONDITIONAL`: when what is named has been mended.
    Conditional,
    /// `NO-GO`.
    NoGo,
}

impl fmt::Display for Vote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Vote::Go => "GO",
            Vote::Conditional => "CONDITIONAL",
            Vote::NoGo => "NO-GO",
        })
    }
}

/// Something that a reviewer found wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub text: String,
}

/// How bad an issue is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// `C`.
    Critical,
    /// `H`.
    High,
    /// `M`.
    Medium,
    /// `L`.
    Low,
}

/// Where a text stops making sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "line {}, column {}: {}",
            self.line, self.column, self.message
        )
    }
}

impl std::error::Error for Fault {}

/// What the votes of all reviewers add up to.
///
/// ```
/// use switchboard_core::completion::{Tally, Verdict, Vote};
///
/// let says = |vote| Verdict { persona: "tests".to_owned(), vote, issues: Vec::new() };
/// let tally = [Some(says(Vote::Go)), Some(says(Vote::Conditional))].into_iter().collect::<Tally>();
/// assert_eq!(tally.vote(), Some(Vote::Conditional));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Who said GO.
    pub go: usize,
    /// Who said CONDITIONAL.
    pub conditional: usize,
    /// Who said NO-GO.
    pub no_go: usize,
    /// Who gave no verdict that could be read.
    pub silent: usize,
    /// Issues of each [`Severity`], the worst first.
    pub issues: [usize; 4],
}

impl Tally {
    /// Counts a reviewer, who may have given no verdict.
    pub fn count(&mut self, verdict: Option<&Verdict>) {
        match verdict.map(|verdict| verdict.vote) {
            Some(Vote::Go) => self.go += 1,
            Some(Vote::Conditional) => self.conditional += 1,
            Some(Vote::NoGo) => self.no_go += 1,
            None => self.silent += 1,
        }
        for issue in verdict.iter().flat_map(|verdict| &verdict.issues) {
            self.issues[issue.severity as usize] += 1;
        }
    }

    /// The strictest vote; none while nobody has voted. Silence is no vote: who must hear everybody looks at
    /// [`Self::silent`].
    #[must_use]
    pub fn vote(&self) -> Option<Vote> {
        match (self.no_go, self.conditional, self.go) {
            (0, 0, 0) => None,
            (0, 0, _) => Some(Vote::Go),
            (0, _, _) => Some(Vote::Conditional),
            (_, _, _) => Some(Vote::NoGo),
        }
    }
}

impl FromIterator<Option<Verdict>> for Tally {
    fn from_iter<I: IntoIterator<Item = Option<Verdict>>>(verdicts: I) -> Self {
        let mut tally = Self::default();
        for verdict in verdicts {
            tally.count(verdict.as_ref());
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(vote: Vote, issues: &[Severity]) -> Option<Verdict> {
        let issue = |severity: &Severity| Issue {
            severity: *severity,
            text: "it".to_owned(),
        };
        Some(Verdict {
            persona: "x".to_owned(),
            vote,
            issues: issues.iter().map(issue).collect(),
        })
    }

    /// C9
    #[test]
    fn one_no_go_outweighs_everything_and_silence_is_counted() {
        let tally: Tally = [
            says(Vote::Go, &[Severity::Low]),
            says(Vote::NoGo, &[Severity::Critical, Severity::Low]),
            None,
        ]
        .into_iter()
        .collect();
        assert_eq!(tally.vote(), Some(Vote::NoGo));
        assert_eq!((tally.go, tally.no_go, tally.silent), (1, 1, 1));
        assert_eq!(tally.issues, [1, 0, 0, 2]);
    }

    /// C9
    #[test]
    fn nobody_has_voted_while_all_are_silent() {
        let tally: Tally = [None, None].into_iter().collect();
        assert_eq!((tally.vote(), tally.silent), (None, 2));
    }
}
