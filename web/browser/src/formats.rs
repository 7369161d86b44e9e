//! Reads and writes the rules of completion. Reads verdicts and saved reviewers, too, finds the commands that check a
//! project, and puts together what a session has changed. Plain Rust.

mod changes;
mod checks;
mod config;
mod fields;
mod reviewers;
mod verdict;

pub use changes::Changes;
pub use checks::{MAKEFILES, Project, suggested_checks};
pub use config::{read_config, write_config};
pub use fields::InvalidConfig;
pub use reviewers::{SavedReviewer, default_reviewers, read_reviewers, write_reviewers};
pub use verdict::read_verdict;
