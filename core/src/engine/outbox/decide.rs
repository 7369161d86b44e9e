//! The tables that decide what becomes of an entry: functions of its attempts and of what a refresh shows.

mod permission;
mod prompt;
mod question;

pub(crate) use permission::decide_permission;
pub(crate) use prompt::{decide_prompt, patience_of};
pub(crate) use question::decide_answer;
