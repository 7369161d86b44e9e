//! One request: what is asked, the controls to answer it, and what becomes of the answer.

pub mod form;
pub mod progress;
pub mod title;
