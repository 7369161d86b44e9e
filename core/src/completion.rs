//! When work is done: the state and ending of a turn, the completeness of an output, the verdicts of reviewers.

pub mod config;
pub mod output;
pub(crate) mod turn;
pub mod verdict;

pub use config::{CompletionConfig, Markers, PartialRules, Rules};
pub use output::{AFTER_MAX, Completion, Format, Incomplete, IncompleteReason, Output, OutputDetector};
pub(crate) use turn::{Descendant, Signals, TurnDetector, ending_of};
pub use turn::{Ending, StuckCause, TurnState};
pub use verdict::{Fault, Issue, Severity, Tally, Verdict, Vote};
