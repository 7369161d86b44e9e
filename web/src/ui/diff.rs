//! Shows a change to files.

pub mod lines;
