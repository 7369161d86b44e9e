//! How requests end without an answer of ours.
