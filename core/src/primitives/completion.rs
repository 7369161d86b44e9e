//! When work is done: the completeness of an output, the verdicts of reviewers, and the rules for both.

pub mod config;
pub mod output;
pub mod verdict;

pub use config::{CompletionConfig, Markers, PartialRules, Rules};
pub use output::{AFTER_MAX, Completion, Format, Incomplete, IncompleteReason, Output, OutputDetector};
pub use verdict::{Fault, Issue, Severity, Tally, Verdict, Vote};
